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

  /// Control characters are looked for in 512 bytes, where the first is no letter of ASCII.
  @Test(arguments: [(510, true), (511, true), (512, false)])
  func aControlCharacterNearTheBeginningIsOfABinaryFile(place: Int, isBinary: Bool) {
    let text = String(repeating: "é", count: 300)
    func content(_ byte: UInt8) -> OtherContent? {
      var bytes = Array(text.utf8)
      bytes.insert(byte, at: place)
      return OtherContent(bytes)
    }
    for byte: UInt8 in [0x00, 0x01, 0x08, 0x0B, 0x0E, 0x1F] {
      #expect(content(byte) == (isBinary ? .binary : nil), "\(byte)")
    }
    for byte: UInt8 in [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0x7F] { #expect(content(byte) == nil, "\(byte)") }
  }

  @Test(
    arguments: [
      ([0x01], .binary), ([0x1F], .binary), ([0x20, 0x01], nil), ([0x7B, 0x7D, 0x20, 0x20, 0x00], nil),
      ([0x7B, 0x7D, 0x20, 0x00], .binary), ([0x50, 0x4B, 0x03], nil), ([0x1F, 0x8B], .gzip), ([0x7F], nil),
      ([0x80, 0x1F], .binary), ([0x7F, 0x1F], nil),
    ] as [([UInt8], OtherContent?)])
  func aShortFileIsToldToo(bytes: [UInt8], expected: OtherContent?) {
    #expect(OtherContent(bytes) == expected)
  }

  @Test(arguments: [
    ("<", true), ("<a", true), ("<!", true), ("<?", true), ("<<", false), ("a", false), ("", false),
    ("<1", false),
  ])
  func markupBeginsWithATag(text: String, isMarkup: Bool) {
    #expect(OtherContent.isMarkup(Array(text.utf8)[...]) == isMarkup)
  }

  @Test(arguments: ["{}", "", "é", "\u{FEFF}{}", "P", "中"]) func textInUTF8IsNoOther(_ text: String) {
    #expect(OtherContent(Array(text.utf8)) == nil)
  }
}
