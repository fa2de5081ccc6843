package import AppSiteAssociation
internal import LinkspanCore

/// A URL that opens a clip, in the parts that matching looks at. The parts are those of the URL that a device holds, as
/// ``LinkURL`` reads it for universal links too.
package struct ClipAddress: Hashable, Sendable {
  /// As it was written, without its user and password: what answers show.
  package let shown: String
  package let link: LinkURL
  /// In lower case.
  package var scheme: String { link.scheme }
  /// In lower case, and in Punycode (E11).
  package var host: String { link.host }
  /// nil for the scheme's own.
  package let port: Int?
  /// Path, query and fragment; an empty path is "/", as browsers send it.
  package let rest: String
  /// The path as ``PrefixReading/normalized`` compares it.
  let normalizedPath: String
  /// The items of the query as ``PrefixReading/normalized`` compares them.
  let normalizedItems: Set<String>

  /// nil for what is no URL with a host, and for credentials that only a browser finds, as behind one slash.
  package init?(_ text: String) {
    shown = text.withoutUserInformation
    link = LinkURL(written: text)
    // Only http and https come out of the reader without blanks and with a port that is one.
    guard link.fault == nil, shown == text || Self.hasTwoSlashes(text), !link.host.isEmpty,
      !link.scheme.isEmpty,
      link.scheme.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }),
      link.text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return nil }
    if let port = link.port, !link.hasDefaultPort {
      guard let number = UInt16(port) else { return nil }
      self.port = Int(number)
    } else {
      port = nil
    }
    let tail = link.text(of: link.path.lowerBound..<link.byteCount)
    rest = tail.hasPrefix("/") ? tail : "/" + tail
    normalizedPath = Self.normalized(Self.path(of: rest))
    normalizedItems = Set(Self.queryItems(of: rest).map(Self.normalized))
  }

  /// Whether the authority stands where RFC 3986 has it.
  private static func hasTwoSlashes(_ text: String) -> Bool {
    let rest = text.utf8.drop { $0 != UInt8(ascii: ":") }
    return rest.starts(with: "://".utf8)
      && rest.dropFirst(3).first.map { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") } == true
  }

  /// Up to the query.
  package var path: Substring { Self.path(of: rest) }

  /// Behind the question mark, one by one, as they were written.
  package var queryItems: [Substring] { Self.queryItems(of: rest) }

  private static func path(of rest: String) -> Substring { rest.prefix { $0 != "?" && $0 != "#" } }

  private static func queryItems(of rest: String) -> [Substring] {
    let behind = rest.prefix { $0 != "#" }.dropFirst(path(of: rest).count)
    return behind.dropFirst().split(separator: "&")
  }

  /// As it was written.
  package var text: String { link.written }

  /// The URL that a device holds of it.
  package var held: String { link.text }

  package var hasFragment: Bool { rest.contains("#") }

  /// The value of a query's item, as it was written.
  package func queryValue(_ name: String) -> String? {
    queryItems.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// Whether devices hold the same URL of both.
  package func isSame(as other: ClipAddress) -> Bool { link.text == other.link.text }

  /// Whether both have the same host and the same port.
  func isOnHost(of other: ClipAddress) -> Bool { host == other.host && port == other.port }

  /// Without query and fragment.
  package var withoutQuery: String {
    scheme + "://" + host + (port.map { ":\($0)" } ?? "") + path
  }

  private static func normalized(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(String(Substring(digits)), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    var result = String(decoding: bytes, as: UTF8.self).lowercased()
    if result.hasSuffix("/") { result.removeLast() }
    return result
  }
}

/// How "the URL begins with the registered one" is read. Apple's words leave these open, so answers look at all.
package enum PrefixReading: String, CaseIterable, Sendable {
  /// Character by character: '/shop' takes '/shopping'.
  case characters
  /// The prefix ends where a part of the URL ends: '/shop' takes '/shop/a' and not '/shopping'.
  case segments
  /// As `segments`, and neither case, percent-encoding, a slash at the end nor the order of the query counts.
  case normalized

  /// Whether a registered URL takes another. Scheme, host and port are equal in every reading.
  package func takes(_ registered: ClipAddress, _ url: ClipAddress) -> Bool {
    guard registered.scheme == url.scheme, registered.isOnHost(of: url) else {
      return false
    }
    switch self {
    case .characters: return url.rest.utf8.starts(with: registered.rest.utf8)
    case .segments:
      guard url.rest.utf8.starts(with: registered.rest.utf8) else { return false }
      return Self.endsPart(registered.rest, before: url.rest)
    case .normalized:
      let (prefix, path) = (registered.normalizedPath, url.normalizedPath)
      if path == prefix { return registered.normalizedItems.isSubset(of: url.normalizedItems) }
      return registered.normalizedItems.isEmpty && (prefix.isEmpty || path.hasPrefix(prefix + "/"))
    }
  }

  private static func endsPart(_ prefix: String, before text: String) -> Bool {
    let marks = Set("/?#&=".utf8)
    guard let next = text.utf8.dropFirst(prefix.utf8.count).first, let last = prefix.utf8.last else {
      return true
    }
    return marks.contains(next) || marks.contains(last)
  }
}
