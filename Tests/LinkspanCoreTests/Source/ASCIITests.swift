import LinkspanCore
import Testing

@Suite struct ASCIITests {
  /// Every byte, against the library's own way with digits.
  @Test func everyByteHasItsTwoDigits() {
    for byte in UInt8.min...UInt8.max {
      let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16)
      #expect(ASCII.hexText([byte]) == digits)
      #expect(ASCII.percentEncoded([byte]) { _ in false } == "%" + digits.uppercased())
      #expect(digits.utf8.compactMap(ASCII.hexValue).reduce(0) { $0 << 4 | $1 } == byte)
    }
  }

  /// Every byte at both ends; bytes inside stay.
  @Test func blanksAndLineEndsAreTrimmed() {
    for byte in UInt8.min..<0x80 {
      let end = String(UnicodeScalar(byte))
      let isTrimmed = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
      #expect(ASCII.trimmed("\(end)a\(end)ü\(end)") == (isTrimmed ? "a\(end)ü" : "\(end)a\(end)ü\(end)"))
    }
    #expect(ASCII.trimmed(" \r\n\t") == "" && ASCII.trimmed("") == "")
    #expect(ASCII.trimmed("x \u{A0}y\r\n".dropFirst()) == "\u{A0}y")
  }

  @Test(
    arguments: [
      ("00ff", [0x00, 0xFF]), ("De:aD-be eF", [0xDE, 0xAD, 0xBE, 0xEF]), ("", []), ("0", nil), ("123", nil),
      ("0g", nil), ("0G", nil), ("/0", nil), (":0:", nil), ("@0", nil), ("`0", nil),
    ] as [(String, [UInt8]?)])
  func hexadecimalDigitsAreReadInPairs(text: String, bytes: [UInt8]?) {
    #expect(ASCII.bytes(hex: text) == bytes)
  }

  @Test func whatIsKeptIsNotEscaped() {
    #expect(ASCII.percentEncoded("/a b".utf8) { $0 != 0x20 } == "/a%20b")
  }
}
