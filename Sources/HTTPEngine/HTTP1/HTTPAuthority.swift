internal import LinkspanCore

/// A host and perhaps a port, as in the Host field or in an absolute target.
///
/// Stricter than RFC 3986: a name is made of letters, digits, `-`, `.`, `_` and `~`, an address in brackets of
/// hexadecimal digits, `:` and `.`; no user information, no percent-encoding. Every name in DNS is of that kind.
struct HTTPAuthority: Hashable, Sendable {
  /// Lower-cased; an IPv6 literal keeps its brackets.
  var host: String
  /// Nil when none was named, or nothing after the colon.
  var port: UInt16?

  /// Nil when the text is no authority.
  init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    var end = 0
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 2 else { return nil }
      let allowed: (UInt8) -> Bool = {
        ASCII.hexValue($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
      }
      guard bytes[1..<close].allSatisfy(allowed) else { return nil }
      end = close + 1
    } else {
      while end < bytes.count, Self.isName(bytes[end]) { end += 1 }
      guard end > 0 else { return nil }
    }
    host = String(decoding: bytes[..<end].map(ASCII.lowercased), as: UTF8.self)
    if end < bytes.count {
      guard bytes[end] == UInt8(ascii: ":") else { return nil }
      let digits = bytes[(end + 1)...]
      guard digits.allSatisfy(ASCII.isDigit), digits.count <= 5 else { return nil }
      if !digits.isEmpty {
        guard let port = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
        self.port = port
      }
    }
  }

  /// Whether both name the same place when `scheme`'s own port is understood.
  func matches(_ other: HTTPAuthority, scheme: String) -> Bool {
    let usual: UInt16 = scheme == "https" ? 443 : 80
    return host == other.host && (port ?? usual) == (other.port ?? usual)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
  }
}
