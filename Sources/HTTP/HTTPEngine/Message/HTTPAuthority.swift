internal import LinkspanCore

/// A host and perhaps a port, as in the Host field or in an absolute target.
///
/// Stricter than RFC 3986: a name is made of letters, digits, `-`, `.`, `_` and `~`, an address in brackets of
/// hexadecimal digits, `:` and `.`; no user information, no percent-encoding. Every name in DNS is of that kind.
package struct HTTPAuthority: Hashable, Sendable {
  /// Lower-cased; an IPv6 literal keeps its brackets.
  package var host: String
  /// Nil when none was named, or nothing after the colon.
  package var port: UInt16?

  /// Nil when the text is no authority.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard let parts = bytes.withUnsafeBufferPointer(Self.parts) else { return nil }
    host = String(decoding: bytes[..<parts.hostBytes].map(ASCII.lowercased), as: UTF8.self)
    port = parts.port
  }

  /// Whether the text is an authority, without making one.
  static func isValid(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { parts($0) != nil }
  }

  private static func parts(_ bytes: UnsafeBufferPointer<UInt8>) -> (hostBytes: Int, port: UInt16?)? {
    var end = 0
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 2 else { return nil }
      let allowed: (UInt8) -> Bool = {
        ASCII.hexValue($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
      }
      guard bytes[1..<close].allSatisfy(allowed) else { return nil }
      end = close + 1
    } else {
      while end < bytes.count, isName(bytes[end]) { end += 1 }
      guard end > 0 else { return nil }
    }
    guard end < bytes.count else { return (end, nil) }
    guard bytes[end] == UInt8(ascii: ":") else { return nil }
    let digits = bytes[(end + 1)...]
    guard digits.allSatisfy(ASCII.isDigit), digits.count <= 5 else { return nil }
    if digits.isEmpty { return (end, nil) }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return UInt16(exactly: number).map { (end, $0) }
  }

  /// Whether both name the same place when `scheme`'s own port is understood.
  func matches(_ other: HTTPAuthority, scheme: String) -> Bool {
    let usual: UInt16 = scheme == "https" ? 443 : 80
    return host == other.host && (port ?? usual) == (other.port ?? usual)
  }

  /// Letters, digits, `-`, `.`, `_` and `~`, one bit for each byte below 128.
  private static func isName(_ byte: UInt8) -> Bool {
    let bits: UInt64 = byte < 64 ? 0x03ff_6000_0000_0000 : 0x47ff_fffe_87ff_fffe
    return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
  }
}
