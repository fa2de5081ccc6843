import Testing

@testable import LinkspanCrypto

/// How object identifiers are written in messages (X.690, 8.19).
@Suite struct ObjectIdentifierTests {
  @Test(
    arguments: [
      ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B], "1.2.840.113549.1.1.11"),
      ([0x55, 0x04, 0x03], "2.5.4.3"), ([0x00], "0.0"), ([0x27], "0.39"), ([0x28], "1.0"), ([0x4F], "1.39"),
      ([0x50], "2.0"), ([0x2B, 0x00], "1.3.0"), ([0x2B, 0x7F], "1.3.127"), ([0x2B, 0x81, 0x00], "1.3.128"),
      ([0x2B, 0x81, 0x00, 0x01], "1.3.128.1"), ([], "?"),
    ] as [([UInt8], String)])
  func isNumbersWithDots(content: [UInt8], text: String) {
    #expect(ObjectIdentifier(content).text == text)
  }
}
