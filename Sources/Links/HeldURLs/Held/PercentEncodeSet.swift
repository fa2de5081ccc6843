internal import LinkspanCore

/// Bytes that are written as escapes in a part of a URL.
struct PercentEncodeSet {
  private let encodes: [Bool]
  private let keepsEscapesOnly: Bool

  private init(encodes: [Bool], keepsEscapesOnly: Bool = false) {
    self.encodes = encodes
    self.keepsEscapesOnly = keepsEscapesOnly
  }

  /// All but printable ASCII, and of that these.
  private init(_ characters: String) {
    let bytes = Set(characters.utf8)
    self.init(encodes: (0...UInt8.max).map { $0 <= 0x20 || $0 >= 0x7F || bytes.contains($0) })
  }

  // URL standard, "percent-encoded bytes"; the query is the special one of http and https.
  static let fragment = PercentEncodeSet("\"<>`")
  static let query = PercentEncodeSet("\"#<>'")
  static let path = PercentEncodeSet("\"#<>?^`{}")
  static let credentials = PercentEncodeSet("\"#<>?^`{}/:;=@[\\]|")

  /// RFC 2396, and the brackets of RFC 2732, in a path, a query or a fragment.
  static let held = PercentEncodeSet(keeping: "-._~!*'();/?:@&=+$,[]")

  /// All but letters, digits and these (RFC 3986); a `%` stays only where it begins an escape.
  init(keeping characters: String) {
    let kept = Set(characters.utf8)
    self.init(
      encodes: (0...UInt8.max).map { !ASCII.isLetter($0) && !ASCII.isDigit($0) && !kept.contains($0) },
      keepsEscapesOnly: true)
  }

  func contains(_ byte: UInt8) -> Bool { encodes[Int(byte)] }

  func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for (place, byte) in zip(bytes.indices, bytes) {
      let isStray = keepsEscapesOnly && byte == UInt8(ascii: "%")
      if isStray ? Self.isEscape(bytes[place...]) : !contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    return result
  }

  static func isEscape(_ rest: ArraySlice<UInt8>) -> Bool {
    let digits = rest.dropFirst().prefix(2)
    return digits.count == 2 && digits.allSatisfy { ASCII.hexValue($0) != nil }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
