internal import LinkspanCore

/// A URL that opens a clip, in the parts that matching looks at.
package struct ClipAddress: Hashable, Sendable {
  /// As it was written.
  package let text: String
  /// In lower case.
  package let scheme: String
  /// In lower case.
  package let host: String
  package let port: Int?
  /// Path, query and fragment as they were written; an empty path is "/", as browsers send it.
  package let rest: String
  /// The path as ``PrefixReading/normalized`` compares it.
  let normalizedPath: String
  /// The items of the query as ``PrefixReading/normalized`` compares them.
  let normalizedItems: Set<String>

  /// nil for what is no URL with a host.
  package init?(_ text: String) {
    self.text = text
    guard let colon = text.firstRange(of: "://"), colon.lowerBound != text.startIndex,
      !text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F })
    else { return nil }
    scheme = ASCII.lowercased(String(text[..<colon.lowerBound]))
    guard scheme.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
    else {
      return nil
    }
    let behind = text[colon.upperBound...]
    let authority = behind.prefix { !"/?#".contains($0) }
    let tail = behind.dropFirst(authority.count)
    let name = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), !parts[0].isEmpty else { return nil }
    host = ASCII.lowercased(String(parts[0]))
    if parts.count == 2, !parts[1].isEmpty {
      guard let number = Int(parts[1]), (1...65535).contains(number) else { return nil }
      port = number == 443 && scheme == "https" ? nil : number
    } else {
      port = nil
    }
    rest = tail.hasPrefix("/") ? String(tail) : "/" + tail
    normalizedPath = Self.normalized(Self.path(of: rest))
    normalizedItems = Set(Self.queryItems(of: rest).map(Self.normalized))
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

  package var hasFragment: Bool { rest.contains("#") }

  /// The value of a query's item, as it was written.
  package func queryValue(_ name: String) -> String? {
    queryItems.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

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
    guard registered.scheme == url.scheme, registered.host == url.host, registered.port == url.port else {
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
