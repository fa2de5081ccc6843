import AppClips
import Testing

/// Dumps of tags, byte by byte (NFC Forum: NDEF 3.2, Type 2 Tag 2.3).
@Suite struct TagMemoryTests {
  private static func bytes(_ hex: String) -> [UInt8] {
    hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }

  private static let none = "None of the message's records is a URI, so iOS opens nothing."
  /// A record of `https://x` alone.
  private static let record = "D1 01 02 55 04 78"

  @Test(
    arguments: [
      record, "C1 01 00 00 00 02 55 04 78", "D9 01 02 01 55 61 04 78", "91 01 01 54 00 51 01 02 55 04 78",
      "D1 02 06 53 70 \(record)",
      "03 06 \(record)", "00 00 03 06 \(record) FE", "03 FF 00 06 \(record)", "02 01 AA 03 06 \(record)",
      "01 02 AA AA 03 06 \(record)", "00 FD 01 AA 03 06 \(record)",
      "E1 10 01 00 03 06 \(record)", "E1 1F 02 00 00 03 06 \(record)",
    ] as [String])
  func theURIIsFound(hex: String) throws { #expect(try NDEFMessage.uri(of: Self.bytes(hex)) == "https://x") }

  @Test(
    arguments: [
      ("D1 01 01 54 00 51 01 02 55 04 78", none), ("91 01 01 54 00", none),
      ("F1 02 06 53 70 \(record)", none), ("D2 01 02 55 04 78", none),
      ("D1 02 0B 53 70 D1 02 06 53 70 \(record)", none), ("D1 02 02 55 55 04 78", none),
      ("F1 01 02 55 04 78", "The record of the URI is chunked, which iOS does not read."),
      ("D1 01 00 55", "The record of the URI is empty."),
      ("D1 01 02 55 24 78", "The record's abbreviation 36 is reserved."),
      ("D1 01 03 55 04 78", "The message ends at byte 6, and a record's content needs 3 bytes from byte 4."),
      ("D1", "The message ends at byte 1, and a record's head needs 1 byte from byte 1."),
      ("C1 01 00 00", "The message ends at byte 4, and a record's head needs 4 bytes from byte 2."),
      ("D1 02 00 55", "The message ends at byte 4, and a record's type needs 2 bytes from byte 3."),
      ("00 FE 00 03 06 \(record)", "The tag holds no NDEF message."),
      ("00", "The tag holds no NDEF message."), ("03", "The tag holds no NDEF message."),
      ("03 FF 00", "The tag holds no NDEF message."),
      ("03 07 \(record)", "The block at byte 2 has 7 bytes, and the tag's data ends at byte 8."),
      ("03 00", "The tag's NDEF message is empty."),
      ("E1 10 00 00 03 06 \(record)", "The tag holds no NDEF message."),
      (
        "E1 10 01 00 00 03 06 \(record)",
        "The block at byte 7 has 6 bytes, and the tag's data ends at byte 12."
      ),
      (
        "E1 20 01 00 03 06 \(record)",
        "The message ends at byte 12, and a record's type needs 32 bytes from byte 6."
      ),
    ] as [(String, String)])
  func whatKeepsItFromBeingFoundIsNamed(hex: String, message: String) {
    let error = #expect(throws: NDEFError.self) { try NDEFMessage.uri(of: Self.bytes(hex)) }
    #expect(error?.message == message, "\(hex): \(error?.message ?? "")")
  }

  @Test func theLastAbbreviationIsRead() throws {
    #expect(try NDEFMessage.uri(of: Self.bytes("D1 01 02 55 23 78")) == "urn:nfc:x")
    #expect(try NDEFMessage.uri(of: Self.bytes("D1 01 02 55 00 78")) == "x")
  }

  /// What each way in opens (AC15): y for yes, n for no, l for only in part.
  @Test(
    arguments: [
      (.qr, "yyyyyn"), (.nfc, "yyyyyn"), (.appClipCode, "nnyyyn"), (.banner, "nynyyn"), (.messages, "yylyyn"),
      (.maps, "nnnyln"), (.siri, "yynyln"),
      (.spotlight, "yyyyln"), (.richLink, "yyyyln"), (.otherApp, "yyynln"), (.appLibrary, "yyyyyn"),
      (.notification, "yyyyyn"), (.appSwitcher, "yyyyyn"),
      (.xcode, "yyyyyn"), (.testFlight, "nnnnny"),
    ] as [(Entrance, String)])
  func eachWayInOpensItsKindsOfExperience(entrance: Entrance, expected: String) {
    let kinds: [Experience.Kind] = [.standard, .website, .demo, .advanced, .local, .testFlight]
    let said = kinds.map { kind in
      switch entrance.opens(kind) {
      case .yes: "y"
      case .no: "n"
      case .limited: "l"
      }
    }
    #expect(said.joined() == expected, "\(entrance)")
    #expect(kinds.count == Experience.Kind.allCases.count)
  }
}

/// Pictures and texts of dumps, at the sizes up to which they are read.
@Suite struct ReadingLimitTests {
  /// The signature and the chunk `IHDR` are 33 bytes.
  @Test func aPictureHasAHead() {
    func picture(_ colour: UInt8, _ rest: [UInt8] = []) -> [UInt8] {
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
        0, 0, 7, 8, 0, 0, 4, 0xB0,
      ]
        + [8, colour, 0, 0, 0, 0, 0, 0, 0] + rest
    }
    let image = HeaderImage(picture(2))
    #expect(
      image?.format == .png && image?.width == 1_800 && image?.height == 1_200
        && image?.isTransparent == false)
    #expect(HeaderImage(Array(picture(2).dropLast())) == nil)
    let transparent = [0, 0, 0, 0] + Array("tRNS".utf8)
    #expect(
      [4, 6].allSatisfy { HeaderImage(picture($0))?.isTransparent == true }
        && HeaderImage(picture(2, transparent))?.isTransparent == true)
    let data = [0, 0, 0, 0] + Array("IDAT".utf8) + [0, 0, 0, 0]
    #expect(HeaderImage(picture(2, data + transparent))?.isTransparent == false)
  }

  @Test func aDumpIsFilledUpToSixtyFourKilobytes() {
    func dump(_ offset: String) -> [UInt8]? {
      TagDumpText.bytes(of: Array("00000000  01\n*\n\(offset)  05".utf8))
    }
    #expect(dump("00010000")?.count == 65_537 && dump("00010001") == nil)
  }
}
