import AppClips
import Foundation
import LinkspanCore
import Testing

/// QR codes, NFC tags and App Clip Codes (AC25, AC26).
@Suite struct CarrierTests {
  // MARK: - NDEF

  /// The bytes are one computed by hand, and those of the NFC Forum's text.
  @Test(arguments: [
    ("https://example.com/a", "d1010e55046578616d706c652e636f6d2f61"),
    ("http://www.nfc.com", "d1010855016e66632e636f6d"),
    ("tel:+35891234567", "d1010d55052b3335383931323334353637"), ("x", "d10102550078"),
    ("urn:nfc:a", "d10102552361"),
  ])
  func messages(_ uri: String, _ hex: String) throws {
    let message = NDEFMessage(uri: uri)
    #expect(ASCII.hexText(message.bytes) == hex)
    #expect(try NDEFMessage.uri(of: message.bytes) == uri)
    #expect(try NDEFMessage.uri(of: message.tagBytes) == uri)
  }

  @Test(arguments: [0, 1, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 300, 70_00])
  func everyLengthIsReadBack(_ count: Int) throws {
    let message = NDEFMessage(uri: "https://" + String(repeating: "a", count: count))
    #expect(try NDEFMessage.uri(of: message.bytes) == message.uri)
    #expect(try NDEFMessage.uri(of: message.tagBytes) == message.uri)
    #expect(message.bytes[0] == (count < 255 ? 0xD1 : 0xC1))
  }

  @Test func theCapacityIsThatOfMessageAndLength() {
    // 144 bytes: 2 of the length, 4 of the head, 1 of the abbreviation.
    #expect(NDEFMessage(uri: "https://" + String(repeating: "a", count: 137)).fits(144))
    #expect(!NDEFMessage(uri: "https://" + String(repeating: "a", count: 138)).fits(144))
  }

  @Test(arguments: [
    "", "d1", "d101", "d1010e5504", "d10102540061", "d10102552461", "03", "0300fe", "f101025500", "9101",
    "0103", "d90102550061", "03ff", "d1010055", "c101ffffffff55",
  ])
  func dumpsWithoutAURLAreErrors(_ hex: String) {
    let digits = Array(hex.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map {
      (ASCII.hexValue(digits[$0]) ?? 0) << 4 | (ASCII.hexValue(digits[$0 + 1]) ?? 0)
    }
    #expect(throws: NDEFError.self) { try NDEFMessage.uri(of: bytes) }
  }

  /// The same memory of a tag as programs print it.
  @Test(arguments: [
    "04a1b29f c3d4e580 72480000 e1101200 0306d101 02550478 fe000000",
    "04a1b29fc3d4e58072480000e11012000306d1010\n2550478fe000000",
    "00000000: 04a1b29f c3d4e580 72480000 e1101200\n00000010: 0306d101 02550478 fe000000",
    "04:A1:B2:9F:C3:D4:E5:80:72:48:00:00:E1:10:12:00:03:06:D1:01:02:55:04:78:FE:00:00:00",
    "0x04, 0xA1, 0xB2, 0x9F, 0xC3, 0xD4, 0xE5, 0x80, 0x7248, 0x0000, 0xE110, 0x1200,\n0x0306D101, 0x02550478, 0xFE000000",
    "00000000: 04a1 b29f c3d4 e580 7248 0000 e110 1200  ........rH......\n00000010: 0306 d101 0255 0478 fe00 0000  .....U.x....\n",
    "00000000  04 a1 b2 9f c3 d4 e5 80  72 48 00 00 e1 10 12 00  |........rH......|\n00000010  03 06 d1 01 02 55 04 78  fe 00 00 00              |.....U.x....|\n0000001c\n",
    "[00] 04:A1:B2:9F\n[01] C3:D4:E5:80\n[02] 72:48:00:00\n[03] E1:10:12:00\n[04] 03:06:D1:01\n[05] 02:55:04:78\n[06] FE:00:00:00 |....|",
    "00: 04 A1 B2 9F\n01: C3 D4 E5 80\n02: 72 48 00 00\n03: E1 10 12 00\n04: 03 06 D1 01\n05: 02 55 04 78\n06: FE 00 00 00",
    "0:04A1B29F\n1:C3D4E580\n2:72480000\n3:E1101200\n4:0306D101\n5:02550478\n6:FE000000 |....|",
    "Filetype: NFC device\n# comment\nUID: 04 A1 B2\nPage 0: 04 A1 B2 9F\nPage 1: C3 D4 E5 80\nPage 2: 72 48 00 00\nPage 3: E1 10 12 00\nPage 4: 03 06 D1 01\nPage 5: 02 55 04 78\nPage 6: FE 00 00 00",
  ])
  func aDumpIsReadAsProgramsPrintIt(_ text: String) throws {
    let bytes = Array(text.utf8)
    #expect(TagDumpText.isText(bytes))
    let dump = try #require(TagDumpText.bytes(of: bytes))
    #expect(ASCII.hexText(dump) == "04a1b29fc3d4e58072480000e11012000306d10102550478fe000000")
    #expect(try NDEFMessage.uri(of: dump) == "https://x")
  }

  /// A tag without data has four pages; with fewer lines the numbers before the colons are digits like others.
  @Test func numbersOfPagesNeedFourLines() {
    let lines = ["04:04A1B29F", "05:C3D4E580", "06:72480000", "07:E1101200"]
    #expect(
      TagDumpText.bytes(of: Array(lines.joined(separator: "\n").utf8)).map(ASCII.hexText)
        == "04a1b29fc3d4e58072480000e1101200")
    #expect(
      TagDumpText.bytes(of: Array(lines.prefix(3).joined(separator: "\n").utf8)).map(ASCII.hexText)
        == "0404a1b29f05c3d4e5800672480000")
  }

  /// Equal lines, which `hexdump` writes once, and what no tag holds.
  @Test func repeatedLinesAreFilledIn() {
    let text = "00000000  01 02 03 04\n*\n0000000c  05\n0000000d\n"
    #expect(TagDumpText.bytes(of: Array(text.utf8)) == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 5])
    #expect(TagDumpText.bytes(of: Array("00000000  01\n*\nffffffff  05".utf8)) == nil)
    for text in ["https://example.com/shop", "name: shop", "12 3", "0000  zz"] {
      #expect(TagDumpText.bytes(of: Array(text.utf8)) == nil, "\(text)")
    }
    #expect(!TagDumpText.isText([4, 0xA1]) && !TagDumpText.isText([]))
  }

  /// Serial number and lock bytes, capability container, lock control block, null block, message, terminator; then empty
  /// pages, dynamic lock bytes and configuration, as an NTAG213 has them.
  static func dump(_ tlv: [UInt8], pages: Int = 45) -> [UInt8] {
    let head: [UInt8] = [0x04, 0xA1, 0xB2, 0x9F, 1, 2, 3, 4, 4, 0x48, 0, 0, 0xE1, 0x10, 0x12, 0]
    // The lock bytes lie behind the data, which is as long as the tag.
    let data = (pages == 45 ? [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x00] : []) + tlv
    let rest: [UInt8] = [0, 0, 0, 0xBD, 4, 0, 0, 0xFF, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    return head + data + Array(repeating: 0, count: pages * 4 - 36 - data.count) + rest
  }

  @Test func aWholeDumpIsRead() throws {
    let message = NDEFMessage(uri: "https://example.com/shop")
    let whole = Self.dump(message.tagBytes)
    #expect(whole.count == 180)
    #expect(try NDEFMessage.uri(of: whole) == message.uri)
    #expect(try NDEFMessage.uri(of: Array(whole[12...])) == message.uri)
    #expect(try NDEFMessage.uri(of: Array(whole[16...])) == message.uri)
    // A long length, and a message that ends with the data.
    let long = NDEFMessage(uri: "https://" + String(repeating: "a", count: 400))
    var large = Self.dump(long.tagBytes, pages: 231)
    large[14] = 0x6D
    #expect(try NDEFMessage.uri(of: large) == long.uri)
    large[14] = 0x12
    #expect(throws: NDEFError.self) { try NDEFMessage.uri(of: large) }
    #expect(throws: NDEFError.self) { try NDEFMessage.uri(of: Self.dump([0x03, 0, 0xFE])) }
  }

  /// Lock bytes in the middle of the data, at byte 48, are no part of the message.
  @Test func reservedBytesAreLeftOut() throws {
    let message = NDEFMessage(uri: "https://example.com/a-path-that-goes-on")
    var data: [UInt8] = [0x01, 0x03, 0xC0, 0x10, 0x02] + message.tagBytes
    data.insert(contentsOf: [0xAA, 0xBB], at: 48 - 16)
    #expect(try NDEFMessage.uri(of: data) == message.uri)
  }

  /// iOS takes the first URI record (AC26). The bytes are what ndeflib 0.3.3 writes for a text and a URI, a smart poster,
  /// a record with a name, and a text alone.
  @Test(arguments: [
    ("91010554026465686951010555046578782f", "https://exx/"),
    ("d10211537091010555046578782f5101045402656e78", "https://exx/"),
    ("d901050155780461626364", "https://abcd"), ("d10105540264656869", nil),
  ])
  func theFirstURIOfAMessageCounts(_ hex: String, _ uri: String?) throws {
    let digits = Array(hex.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map {
      (ASCII.hexValue(digits[$0]) ?? 0) << 4 | (ASCII.hexValue(digits[$0 + 1]) ?? 0)
    }
    if let uri {
      #expect(try NDEFMessage.uri(of: bytes) == uri)
    } else {
      #expect(throws: NDEFError.self) { try NDEFMessage.uri(of: bytes) }
    }
  }

  @Test(arguments: [
    ("https://example.com/a", []), ("HTTP://example.com", ["clip.carrier-http"]), ("tel:+49", []),
    ("example-app://shop/1", ["clip.ndef-scheme"]),
  ])
  func aSchemeThatIOSDoesNotReadIsAWarning(_ uri: String, _ rules: [String]) {
    let findings = NDEFMessage(uri: uri).findings(at: .init(file: uri))
    #expect(findings.map(\.rule) == rules && findings.allSatisfy { $0.severity == .warning })
  }

  /// A record is UTF-8; what is no ASCII is no URL before iOS 17.
  @Test func aTagWithOtherLettersIsAWarning() throws {
    let findings = NDEFMessage(uri: "https://example.com/\u{FC}").findings(at: .init(file: "tag"))
    #expect(findings.map(\.rule) == ["clip.ndef-characters"])
    #expect(findings.first?.help?.contains("https://example.com/%C3%BC") == true)
    let error = #expect(throws: NDEFError.self) {
      try NDEFMessage.uri(of: [0xD1, 1, 3, UInt8(ascii: "U"), 4, UInt8(ascii: "a"), 0xFF])
    }
    #expect(error?.message == "The record of the URI is not UTF-8.")
  }

  // MARK: - App Clip Codes

  /// Punycode is of letters and hyphens, as long as it has no digits.
  @Test(arguments: [
    ("https://b\u{FC}cher.example/a", "Write it in Punycode: 'xn--bcher-kva.example'."),
    ("https://m\u{FC}nchen-ost.example/a", nil), ("https://a1.example.com/", nil),
  ])
  func theAdviceAboutAHostIsAHostForACode(url: String, advice: String?) {
    let finding = ClipCode.findings(url, at: .init(file: "a")).first
    #expect(finding?.rule == "clip.code-host")
    #expect(finding?.help?.hasSuffix(advice ?? "Use a host without digits and capital letters.") == true)
  }

  static let urls: [(url: String, rule: String?)] = [
    ("https://appclip.example.com/a?p=1", nil), ("http://example.com", "clip.code-url"),
    ("https://example.com:8080/", "clip.code-url"), ("HTTPS://example.com/", "clip.code-url"),
    ("https://Example.com/", "clip.code-host"), ("https://a1.example.com/", "clip.code-host"),
    ("https://example.com/a(b)", "clip.code-character"), ("https://example.com/ä", "clip.code-character"),
    ("https://www.example.com/a", "clip.code-length"), ("https://example.com/a/", "clip.code-length"),
    ("https://example.com/a?p=x", "clip.code-length"), ("https://example.com/a?id=1", "clip.code-length"),
    ("https://a:b@example.com/a", "clip.code-url"), ("https://user@example.com/a", "clip.code-url"),
    ("https://example.com:443/a", "clip.code-url"), ("https://example.com:/a", "clip.code-url"),
    ("https://exa_mple.com/a", "clip.code-host"), ("https://bücher.example/a", "clip.code-host"),
    ("https://[::1]/a", "clip.code-host"), ("https:/example.com/a", "clip.code-url"),
    ("https://example.com:99999/a", "clip.code-url"), ("https://exa mple.com/a", "clip.code-url"),
  ]

  @Test(arguments: urls)
  func codeRules(_ url: String, _ rule: String?) {
    defer {
      #expect(!ClipCode.findings(url, at: .init(file: "a")).contains { $0.rule == "clip.code-capacity" })
    }
    #expect(ClipCode.findings(url, at: .init(file: "a")).first?.rule == rule)
  }

  /// The host behind credentials has the rules of every host.
  @Test func credentialsHideNoHost() {
    let findings = ClipCode.findings("https://a:geheim@EXA_mple.com/", at: .init(file: "a"))
    #expect(findings.map(\.rule) == ["clip.code-url", "clip.code-host"])
    #expect(findings.last?.message == "The host has 'E'.")
    let table = ClipCodeTable(SourceText(name: "t", "https://a:geheim@EXA_mple.com/\n"))
    #expect(table.findings.map(\.rule) == ["clip.code-host", "clip.code-url"])
    #expect(!table.findings.map { $0.text() }.joined().contains("geheim"))
    for url in ["http://a:geheim@example.com", "https://a:geheim@exa mple.com"] {
      #expect(!ClipCode.findings(url, at: .init(file: "a")).map(\.message).joined().contains("geheim"))
    }
  }

  /// The advice is about what is wrong.
  @Test func theAdviceIsAboutTheScheme() {
    let help = ["http://example.com", "HTTPS://example.com"].map {
      ClipCode.findings($0, at: .init(file: "a")).first?.help ?? ""
    }
    #expect(help[0].contains("'http'") && !help[0].contains("lower case"))
    #expect(help[1].contains("lower case"))
  }

  @Test func thePayloadOfAPictureIsRead() {
    let svg =
      #"<?xml version="1.0"?><svg data-design="Fingerprint" data-payload="https://example.com/?a=1&amp;p=2"/>"#
    #expect(ClipCode.payload(svg: Array(svg.utf8)) == "https://example.com/?a=1&p=2")
    #expect(ClipCode.payload(svg: Array("<svg/>".utf8)) == nil)
  }

  // MARK: - QR

  @Test func sizesAreThoseOfTheStandard() throws {
    let code = try QRCode("https://example.com/a", .medium)
    #expect(code.width == 17 + 4 * code.version)
    #expect(code.side == code.width + 8)
    // Version 40 holds 2,953 bytes at L.
    #expect(try QRCode(String(repeating: "a", count: 2953), .low).version == 40)
    #expect(throws: QRCodeError.self) { try QRCode(String(repeating: "a", count: 2954), .low) }
  }

  @Test func theTerminalsLinesHaveOneLength() throws {
    let code = try QRCode("https://example.com/a")
    let plain = code.terminal(isColoured: false, isInverted: false).split(separator: "\n")
    let inverted = code.terminal(isColoured: false, isInverted: true).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(plain.count == (code.side + 1) / 2)
    #expect(plain.allSatisfy { $0.count == code.side })
    #expect(plain[0].allSatisfy { $0 == "█" })
    #expect(inverted[0].allSatisfy { $0 == " " })
    #expect(code.terminal(isColoured: true, isInverted: false).hasPrefix("\u{1B}[30;107m "))
  }

  static let reader = ["/usr/bin/zbarimg", "/usr/local/bin/zbarimg"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// ZBar, which shares no code with libqrencode, reads what was encoded.
  @Test(arguments: [
    "https://example.com/a", "https://example.com/shop?table=42&x=%C3%A4#top",
    "https://example.com/" + String(repeating: "abc/", count: 120),
  ])
  func anotherLibraryReadsThePicture(_ url: String) throws {
    guard let reader = Self.reader else {
      print("skipped: there is no zbarimg here; 'Scripts/setup test' installs zbar-tools")
      return
    }
    for correction in QRCode.Correction.allCases {
      let code = try QRCode(url, correction)
      let file = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID().uuidString).png")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(code.png(scale: 4)).write(to: file)
      let process = Process()
      process.executableURL = URL(filePath: reader)
      process.arguments = ["--quiet", "--raw", "--oneshot", file.path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(text == url, "\(correction)")
    }
  }

  @Test func theSVGDrawsTheSameModules() throws {
    let code = try QRCode("https://example.com/a")
    let rows = code.terminal(isColoured: false, isInverted: true).split(
      separator: "\n", omittingEmptySubsequences: false)
    let dark = rows.joined().reduce(0) { $0 + ($1 == "█" ? 2 : $1 == " " ? 0 : 1) }
    let strips = code.svg(scale: 1).matches(of: /M\d+ \d+h(\d+)v1/)
    #expect(strips.reduce(0) { $0 + (Int($1.output.1) ?? 0) } == dark)
  }

  /// AC25: 128 bits, and text takes more than two of them for a character.
  @Test(arguments: [(64, false), (65, true), (300, true)])
  func aLongURLHardlyFits(_ characters: Int, _ isLong: Bool) {
    let url = "https://example.com/" + String(repeating: "a", count: characters - "example.com/".count)
    let found = ClipCode.findings(url, at: .init(file: "code"))
    #expect(found.map(\.rule) == (isLong ? ["clip.code-capacity"] : []), "\(found)")
    #expect(found.allSatisfy { $0.help?.contains("https://example.com/shop?p=42") == true })
  }

  /// E1: no entry of an app has a host with a dot at its end.
  @Test(arguments: ["https://example.com./a", "https://example.com."])
  func aHostEndsWithoutADot(_ url: String) {
    let found = ClipCode.findings(url, at: .init(file: "code"))
    #expect(found.map(\.rule) == ["clip.code-host"] && found[0].severity == .error, "\(found)")
  }

  /// AC16, E3: what opens no clip, whichever carrier has it.
  @Test(arguments: [
    ("http://example.com/a", ["clip.carrier-http"]), ("https://example.com:8443/a", ["clip.carrier-port"]),
    ("http://example.com:8443/a", ["clip.carrier-http", "clip.carrier-port"]),
    ("https://example.com:443/a", []), ("https://example.com/a:8443", []), ("tel:+49", []),
  ])
  func aURLThatOpensNoClipIsAWarning(_ uri: String, _ rules: [String]) {
    #expect(NDEFMessage(uri: uri).findings(at: .init(file: "tag")).map(\.rule) == rules)
    let found = ClipCarrier.findings(uri, at: .init(file: "code"))
    #expect(found.map(\.rule) == rules && found.allSatisfy { $0.severity == .warning })
  }

  /// A tag and a printed code show them to everybody; an address for mail has an '@' of its own.
  @Test(arguments: [
    ("https://user:pw@example.com/a", true), ("https://user@example.com/a", true),
    ("https://example.com/a", false), ("mailto:ann@example.com", false), ("tel:+49", false),
  ])
  func aUserInAURLIsAWarning(_ uri: String, _ isFound: Bool) {
    let rules = isFound ? ["clip.carrier-credentials"] : []
    #expect(NDEFMessage(uri: uri).findings(at: .init(file: "tag")).map(\.rule) == rules)
    let found = ClipCarrier.findings(uri, at: .init(file: "code"))
    #expect(found.map(\.rule) == rules && found.allSatisfy { $0.severity == .warning })
  }
}
