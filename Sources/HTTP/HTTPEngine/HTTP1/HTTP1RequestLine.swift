internal import LinkspanCore

/// The first line of a request, taken apart (RFC 9112, 3).
struct HTTP1RequestLine: Sendable {
  /// Longest method. A guess; the longest registered one has 17 letters. Above it the answer is 501 (RFC 9112, 3).
  static let methodLimitBytes = 32

  var method = ""
  /// Origin form, beginning with `/`, or `*`.
  var target = "/"
  /// From an absolute target.
  var authority: HTTPAuthority?
  /// 0 or 1.
  var minorVersion = 1

  /// That of no request yet.
  init() {}

  /// The longest line that can be right under `limits`, with its carriage return.
  static func limitBytes(_ limits: HTTPLimits) -> Int { limits.targetBytes + methodLimitBytes + 11 }

  init(_ line: UnsafeBufferPointer<UInt8>, limits: HTTPLimits) throws(HTTPRejection) {
    guard let first = line.firstIndex(of: 0x20), let second = line[(first + 1)...].firstIndex(of: 0x20),
      !line[(second + 1)...].contains(0x20), HTTPSyntax.isToken(line[..<first])
    else {
      throw .malformed("the request line is not 'METHOD target HTTP/1.1'")
    }
    let target = UnsafeBufferPointer(rebasing: line[(first + 1)..<second])
    guard let version = HTTPSyntax.version(line[(second + 1)...]) else {
      throw .malformed("the request line does not end in an HTTP version")
    }
    guard version.major == 1 else {
      throw HTTPRejection(505, "HTTP/1.0 and HTTP/1.1 are spoken here")
    }
    guard first <= Self.methodLimitBytes else {
      throw HTTPRejection(501, "the method is not known")
    }
    guard target.count <= limits.targetBytes else { throw Self.targetTooLong(limits) }
    guard !target.isEmpty, target.allSatisfy(HTTPSyntax.isTarget) else {
      throw .malformed("the request target is not valid")
    }
    method = HTTPSyntax.text(UnsafeBufferPointer(rebasing: line[..<first]))
    // A higher minor version is processed as the highest one known (RFC 9110, 2.5).
    minorVersion = min(version.minor, 1)
    self.target = HTTPSyntax.text(target)
    guard method != "CONNECT" else { throw HTTPRejection(501, "this is not a proxy") }
    switch target[0] {
    case UInt8(ascii: "/"): break
    case UInt8(ascii: "*"):
      guard target.count == 1, method == "OPTIONS" else {
        throw .malformed("the target '*' belongs to OPTIONS alone")
      }
    default: try reduceAbsoluteTarget()
    }
  }

  static func targetTooLong(_ limits: HTTPLimits) -> HTTPRejection {
    HTTPRejection(414, "the request target is longer than \(limits.targetBytes) bytes")
  }

  private mutating func reduceAbsoluteTarget() throws(HTTPRejection) {
    let lowercased = ASCII.lowercased(target.prefix(8))
    guard let scheme = ["http", "https"].first(where: { lowercased.hasPrefix($0 + "://") }) else {
      throw .malformed("the request target is neither a path nor an http URL")
    }
    let rest = target.dropFirst(scheme.count + 3)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    guard let authority = HTTPAuthority(rest[..<end]) else {
      throw .malformed("the request target's host is not valid")
    }
    self.authority = authority
    let path = rest[end...]
    if path.isEmpty {
      target = method == "OPTIONS" ? "*" : "/"
    } else {
      target = path.hasPrefix("?") ? "/" + path : String(path)
    }
  }
}
