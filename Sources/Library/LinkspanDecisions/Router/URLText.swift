/// Percent-encoding, byte by byte.
package enum URLText {
  private static let unreserved = ByteSet.alphanumerics.union(ByteSet("-._~".utf8))
  /// What one segment may hold as it is (RFC 3986, `pchar`).
  static let inSegment = unreserved.union(ByteSet("!$&'()*+,;=:@".utf8))
  /// What the value of a query item may hold: no `&`, and no `+`, which some servers read as a blank.
  static let inQueryValue = unreserved.union(ByteSet("!$'()*,;:@/?".utf8))
  static let inFragment = unreserved.union(ByteSet("!$&'()*+,;=:@/?".utf8))

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// - Parameter allowed: The bytes that stay; every other one becomes an escape with capital digits.
  static func encoded(_ text: String, keeping allowed: ByteSet) -> String {
    if text.utf8.allSatisfy(allowed.contains) { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if allowed.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += escape(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func escape(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// The value of an item of a query.
  package static func encodedQueryValue(_ text: String) -> String { encoded(text, keeping: inQueryValue) }

  /// The text of a template, in which an escape may be written out already.
  static func encodedTemplate(_ text: String, keeping allowed: ByteSet) -> String {
    withCapitalEscapes(encoded(text, keeping: allowed.union(ByteSet("%".utf8))))
  }

  /// The text with the digits of its escapes in capitals: `%c3` and `%C3` are one (RFC 3986, 6.2.2.1).
  static func withCapitalEscapes(_ text: String) -> String {
    let isWritten =
      text.utf8.withContiguousStorageIfAvailable { bytes in
        guard let first = bytes.firstIndex(of: UInt8(ascii: "%")) else { return true }
        return !bytes[first...].indices.contains { isSmallEscape(bytes, $0) }
      } ?? !text.utf8.contains(UInt8(ascii: "%"))
    if isWritten { return text }
    var bytes = Array(text.utf8)
    for index in bytes.indices where bytes.withUnsafeBufferPointer({ isSmallEscape($0, index) }) {
      for place in [index + 1, index + 2] where bytes[place] >= UInt8(ascii: "a") { bytes[place] &= ~0x20 }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func isSmallEscape(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count && nibble(bytes[index + 1]) != nil
      && nibble(bytes[index + 2]) != nil
      && (bytes[index + 1] >= UInt8(ascii: "a") || bytes[index + 2] >= UInt8(ascii: "a"))
  }

  /// An invalid escape stays as it is written.
  ///
  /// - Parameter plusIsBlank: As in the query, where forms write a blank so.
  static func decoded(
    _ bytes: UnsafeBufferPointer<UInt8>.SubSequence, plusIsBlank: Bool = false
  ) -> String {
    guard bytes.contains(where: { $0 == UInt8(ascii: "%") || plusIsBlank && $0 == UInt8(ascii: "+") }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if plusIsBlank, bytes[index] == UInt8(ascii: "+") {
        result.append(UInt8(ascii: " "))
        index += 1
      } else if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
        let high = nibble(bytes[index + 1]), let low = nibble(bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
