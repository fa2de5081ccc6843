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

  @Test func whatIsKeptIsNotEscaped() {
    #expect(ASCII.percentEncoded("/a b".utf8) { $0 != 0x20 } == "/a%20b")
  }
}
