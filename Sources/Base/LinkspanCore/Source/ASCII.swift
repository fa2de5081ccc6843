/// Letters and digits over UTF-8 bytes, for text whose grammar is ASCII (JSON, HTTP, host names, URLs).
package enum ASCII {
  @inlinable package static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// A space or a tab.
  @inlinable package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  @inlinable package static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// A blank or a line end, as JSON, XML and property lists have them between tokens.
  @inlinable package static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || isLineEnd(byte) }

  @inlinable package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// The value of a hexadecimal digit of either case, or nil.
  @inlinable package static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte - 0x30 }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  /// Whether a text is a UUID as RFC 9562, 4 writes it, in either case: 8-4-4-4-12.
  package static func isUUID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 36
      && text.utf8.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : hexValue(byte) != nil
      }
  }

  /// The text without the blanks and line ends at both ends.
  package static func trimmed(_ text: some StringProtocol) -> String {
    var bytes = Substring(text).utf8.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return String(Substring(bytes))
  }

  /// The text with A–Z folded to a–z and everything else left alone.
  package static func lowercased(_ text: Substring) -> String { lowercased(String(text)) }
  package static func lowercased(_ text: String) -> String {
    var whole = text
    return whole.withUTF8 { bytes -> String? in
      guard bytes.reduce(UInt8(0), { $0 | ($1 &- 0x41 < 26 ? 1 : 0) }) == 1 else { return nil }
      return String(unsafeUninitializedCapacity: bytes.count) {
        $0.initialize(from: bytes.lazy.map { lowercased($0) }).1
      }
    } ?? whole
  }
}
