/// The paths and methods of a ``Router``, with numbers in place of its actions: not generic, so that looking a request up
/// costs the same wherever the router is used.
package struct RouteTable: Sendable {
  /// What a request is for; see ``Router/Outcome``.
  package enum Outcome: Sendable {
    case found(Int, parameters: RouteParameters)
    case notFound
    case notAllowed(allow: String)
    case notImplemented
    case options(allow: String)
  }

  private struct Path: Sendable {
    var segments: [Segment]
    /// In the order they were added.
    var routes: [(method: String, number: Int)]
    var allow: String
  }

  private enum Segment: Hashable, Sendable {
    case literal([UInt8])
    case parameter(String)

    func hasSameShape(as other: Segment) -> Bool {
      if case .parameter = self, case .parameter = other { return true }
      return self == other
    }
  }

  private var paths: [Path] = []

  package init() {}

  /// Adds a route; no two may have the same method and patterns that differ in names of parameters only.
  package mutating func add(_ method: String, _ pattern: String, _ number: Int) {
    precondition(pattern.hasPrefix("/"), "a pattern begins with '/'")
    let segments = Self.parts(pattern).map { part -> Segment in
      guard part.first == UInt8(ascii: "{"), part.last == UInt8(ascii: "}") else {
        return .literal(Array(part))
      }
      return .parameter(String(decoding: part.dropFirst().dropLast(), as: UTF8.self))
    }
    let index = paths.firstIndex { path in
      path.segments.elementsEqual(segments) { $0.hasSameShape(as: $1) }
    }
    guard let index else {
      let path = Path(segments: segments, routes: [(method, number)], allow: Self.allow([method]))
      let place = paths.firstIndex { Self.isMoreLiteral(segments, than: $0.segments) } ?? paths.endIndex
      return paths.insert(path, at: place)
    }
    precondition(paths[index].segments == segments, "the parameters of one path have one name each")
    precondition(!paths[index].routes.contains { $0.method == method }, "there is such a route")
    paths[index].routes.append((method, number))
    paths[index].allow = Self.allow(paths[index].routes.map(\.method))
  }

  package func outcome(for request: HTTPRequest) -> Outcome {
    if request.target == "*" {
      return request.method == "OPTIONS" ? .options(allow: allMethods) : .notFound
    }
    var text = request.path
    return text.withUTF8 { bytes in
      for path in paths {
        guard let parameters = Self.match(path.segments, bytes) else { continue }
        return Self.outcome(request.method, path, parameters)
      }
      return .notFound
    }
  }

  private static func outcome(_ method: String, _ path: Path, _ parameters: RouteParameters) -> Outcome {
    for route in path.routes where route.method == method {
      return .found(route.number, parameters: parameters)
    }
    if method == "HEAD", let route = path.routes.first(where: { $0.method == "GET" }) {
      return .found(route.number, parameters: parameters)
    }
    if method == "OPTIONS" { return .options(allow: path.allow) }
    return knownMethods.contains(method) ? .notAllowed(allow: path.allow) : .notImplemented
  }

  /// RFC 9110, 9.3, and PATCH of RFC 5789; a method that is none of them is answered by 501 (9.1).
  private static let knownMethods: Set = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
  ]

  private var allMethods: String { Self.allow(paths.flatMap { $0.routes.map(\.method) }) }

  /// The methods of a path as the Allow field has them (RFC 9110, 10.2.1), each once, sorted.
  private static func allow(_ methods: [String]) -> String {
    let implied = methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]
    return Set(methods + implied).sorted().joined(separator: ", ")
  }

  private static func isMoreLiteral(_ segments: [Segment], than others: [Segment]) -> Bool {
    for (segment, other) in zip(segments, others) {
      switch (segment, other) {
      case (.literal, .parameter): return true
      case (.parameter, .literal): return false
      default: continue
      }
    }
    return false
  }

  private static func parts(_ path: String) -> [ArraySlice<UInt8>] {
    Array(path.utf8)[1...].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  }

  private static func match(_ segments: [Segment], _ path: UnsafeBufferPointer<UInt8>) -> RouteParameters? {
    var parameters = RouteParameters()
    var start = 0
    for segment in segments {
      guard start < path.count, path[start] == UInt8(ascii: "/") else { return nil }
      let rest = path[(start + 1)...]
      switch segment {
      case .literal(let bytes):
        guard rest.count >= bytes.count, rest.prefix(bytes.count).elementsEqual(bytes) else { return nil }
        start += 1 + bytes.count
      case .parameter(let name):
        let part = rest.prefix { $0 != UInt8(ascii: "/") }
        guard !part.isEmpty, let value = decoded(part) else { return nil }
        parameters.values.append((name, value))
        start += 1 + part.count
      }
    }
    return start == path.count ? parameters : nil
  }

  /// Nil when the bytes are no percent-encoded UTF-8.
  private static func decoded(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    guard part.contains(UInt8(ascii: "%")) else { return String(validating: part, as: UTF8.self) }
    var bytes: [UInt8] = []
    var index = part.startIndex
    while index < part.endIndex {
      if part[index] == UInt8(ascii: "%") {
        guard index + 2 < part.endIndex, let high = ASCII.hexValue(part[index + 1]),
          let low = ASCII.hexValue(part[index + 2])
        else { return nil }
        bytes.append(UInt8(high) << 4 | UInt8(low))
        index += 3
      } else {
        bytes.append(part[index])
        index += 1
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// What stands in a path in place of a pattern's parameters.
package struct RouteParameters: Sendable {
  fileprivate(set) var values: [(name: String, value: String)] = []

  /// - Parameter name: Of one of the pattern's parameters.
  package subscript(_ name: String) -> String {
    guard let value = values.first(where: { $0.name == name })?.value else {
      preconditionFailure("the pattern has no parameter '\(name)'")
    }
    return value
  }
}
