import Testing

@testable import LinkspanCore

struct OtherContentTests {
  @Test(arguments: [
    // 中 in UTF-16 of either order: no byte of it is zero, so only the byte order mark tells.
    ([0xFE, 0xFF, 0x4E, 0x2D], OtherContent.utf16), ([0xFF, 0xFE, 0x2D, 0x4E], .utf16),
    ([0x00, 0x7B, 0x00, 0x7D], .utf16), ([0x7B, 0x00, 0x7D, 0x00], .utf16),
    ([0x00, 0x00, 0x7B, 0x7D], .binary), ([0x50, 0x4B, 0x03, 0x04], .binary), ([0x1F, 0x8B, 0x08], .gzip),
  ])
  func isToldByItsBeginning(_ bytes: [UInt8], _ expected: OtherContent) {
    #expect(OtherContent(bytes) == expected)
  }

  @Test(arguments: ["{}", "", "é", "\u{FEFF}{}", "P", "中"]) func textInUTF8IsNoOther(_ text: String) {
    #expect(OtherContent(Array(text.utf8)) == nil)
  }
}
