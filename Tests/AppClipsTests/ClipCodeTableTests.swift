import AppClips
import Foundation
import LinkspanCore
import Testing

/// The CSV files of App Clip Codes (AC31).
@Suite struct ClipCodeTableTests {
  static let header = "SVG File Name,URL,Background Color,Foreground Color,Type,Logo\n"

  private func table(_ text: String) -> ClipCodeTable { ClipCodeTable(SourceText(name: "codes.csv", text)) }

  /// Line and rule of each finding.
  private func findings(_ text: String) -> [String] {
    table(text).findings.map { "\($0.location.start?.line ?? 0) \($0.rule) \($0.severity)" }
  }

  private static let otherTables: [(bytes: [UInt8], help: String)] = [
    (Array("SVG File Name;URL\n".utf8), "Separate fields with commas"),
    (Array("SVG File Name\tURL\n".utf8), "Separate fields with commas"),
    ([0xFF, 0xFE, 0x55, 0, 0x52, 0, 0x4C, 0], "'iconv -f UTF-16 -t UTF-8'"),
    (Array("URL\nhttps://example.com/".utf8) + [0xFC], "Save it as UTF-8"),
    (Array("URL\n\"https://example.com/\n".utf8), "Quote fields"),
  ]

  /// As spreadsheets save a table: with another separator, or in another encoding.
  @Test(arguments: otherTables)
  func anotherKindOfTableIsToldWhatToDo(bytes: [UInt8], help: String) throws {
    let finding = try #require(ClipCodeTable(SourceText(name: "codes.csv", bytes: bytes)).findings.first)
    #expect(finding.help?.contains(help) == true, "\(finding)")
  }

  @Test func readsTheThreeForms() {
    let batch = table(
      Self.header + "a.svg,https://example.com/a,FF3B30,FFFFFF,cam,none\r\n"
        + "\"b, red.svg\",\"https://example.com/b?p=1,2\",ffffff,000000,nfc,badge\n")
    #expect(batch.form == .generator)
    #expect(batch.findings.isEmpty, "\(batch.findings)")
    #expect(batch.rows.map(\.name) == ["a.svg", "b, red.svg"])
    #expect(batch.rows.map(\.url) == ["https://example.com/a", "https://example.com/b?p=1,2"])
    #expect(batch.rows[1].type == "nfc" && batch.rows[1].logo == "badge")
    let partner = table("SVG File Name, URL\na.svg, https://example.com/a\n")
    #expect(partner.form == .print && partner.findings.isEmpty && partner.rows[0].url.hasSuffix(".com/a"))
    for text in ["https://example.com/a\nhttps://example.com/b", "\u{FEFF}URL\nhttps://example.com/a\n\n"] {
      let list = table(text)
      #expect(list.form == .connect && list.findings.isEmpty && !list.rows.isEmpty, "\(text)")
    }
  }

  @Test(arguments: [
    ("", ["0 clip.code-table-header error"]), ("\n\n", ["0 clip.code-table-header error"]),
    ("Name,Address\na,b\n", ["1 clip.code-table-header error"]),
    (ClipCodeTableTests.header, ["0 clip.code-table error"]),
    (
      "SVG File Name,URL\na.svg\nb.svg,https://example.com/b\n", ["2 clip.code-table error"]
    ),
    ("SVG File Name,URL\na.svg,\"https://example.com/a\n", ["2 clip.code-table error"]),
    ("SVG File Name,URL\na\"b.svg,https://example.com/a\n", ["2 clip.code-table error"]),
    ("SVG File Name,URL\n\"a\"b.svg,https://example.com/a\n", ["2 clip.code-table error"]),
    ("SVG File Name,URL\n,https://example.com/a\n", ["2 clip.code-table-name error"]),
    ("SVG File Name,URL\nx/a.svg,https://example.com/a\n", ["2 clip.code-table-name error"]),
    (
      "SVG File Name,URL\na.svg,https://example.com/a\nA.svg,https://example.com/b\n",
      ["3 clip.code-table-name error"]
    ),
    (
      "SVG File Name,URL\na.svg,https://example.com/a\nb.svg,https://example.com/a\n",
      ["3 clip.code-table-repeated note"]
    ),
    ("SVG File Name,URL\na.svg,http://example.com/a\n", ["2 clip.code-url error"]),
    ("SVG File Name,URL\na.svg,https://shop24.example.com/\n", ["2 clip.code-host error"]),
    (
      ClipCodeTableTests.header + "a.svg,https://example.com/a,#FF3B30,FFFFFF,cam,none\n",
      ["2 clip.code-table-colour error"]
    ),
    (
      ClipCodeTableTests.header + "a.svg,https://example.com/a,ffffff,FFFFFF,cam,none\n",
      ["2 clip.code-table-colour error"]
    ),
    (
      ClipCodeTableTests.header + "a.svg,https://example.com/a,FF3B30,FFFFFF,NFC,yes\n",
      ["2 clip.code-table-look error", "2 clip.code-table-look error"]
    ),
  ])
  func names(_ text: String, _ expected: [String]) { #expect(findings(text) == expected, "\(text)") }

  @Test func aNameHas188Characters() {
    for (count, isRefused) in [(188, false), (189, true)] {
      let name = String(repeating: "ü", count: count - 4) + ".svg"
      #expect(findings("SVG File Name,URL\n\(name),https://example.com/a\n").isEmpty == !isRefused)
    }
  }

  /// Ten thousand codes are one upload, and one more is not.
  @Test func aTableHasTenThousandCodes() {
    for (count, rules) in [(10_000, [String]()), (10_001, ["10002 clip.code-table-size error"])] {
      let rows = (1...count).map { "code-\($0).svg,https://example.com/a?p=\($0)\n" }.joined()
      #expect(findings("SVG File Name,URL\n" + rows) == rules)
    }
    let urls = (1...10_001).map { "https://example.com/a?p=\($0)\n" }.joined()
    #expect(findings(urls).isEmpty)
  }

  /// Whether the first row is a header or not.
  @Test func whatIsReadIsCountedAlike() {
    for header in ["", "URL\n"] {
      for (count, message) in [(500, nil), (501, "The table has more than 500 rows.")] {
        let text = header + (1...count).map { "https://example.com/\($0)\n" }.joined()
        let table = ClipCodeTable(SourceText(name: "codes.csv", text), rowLimit: 500)
        #expect(table.findings.first?.message == message, "\(count)")
        #expect(table.rows.count == 500)
      }
    }
    #expect(ClipCodeTable.rowLimitCount == 100_000)
  }

  @Test func aRepeatedNameIsFoundWhereItStands() {
    let table = table("SVG File Name,URL\na,https://example.com/x\na,https://example.com/y\n")
    #expect(table.findings.map(\.location.start) == [SourcePosition(line: 3, column: 1)])
  }

  @Test func theSameMistakeInEachRowIsCounted() {
    let table = table(
      "SVG File Name,URL\n" + (1...1_000).map { "\($0).svg,http://example.com/\($0)\n" }.joined())
    #expect(table.findings.count == 200)
    #expect(table.findings.reduce(0) { $0 + 1 + $1.unlisted } == 1_000)
  }

  @Test(arguments: ClipCodeTable.Form.allCases)
  func whatIsWrittenIsReadBack(_ form: ClipCodeTable.Form) {
    var row = ClipCodeTable.Row(url: "https://example.com/a?p=1,2")
    if form != .connect { row.name = "table \"1\", left.svg" }
    if form == .generator {
      let colours = ClipCodeTable.colours(ofTemplate: 5)
      row.background = colours?.background ?? ""
      row.foreground = colours?.foreground ?? ""
      row.type = "nfc"
      row.logo = "badge"
    }
    let read = ClipCodeTable(
      SourceText(name: "codes.csv", bytes: ClipCodeTable.bytes([row], as: form)))
    row.range = read.rows[0].range
    row.nameRange = read.rows[0].nameRange
    #expect(read.form == form && read.rows == [row] && read.findings.isEmpty, "\(read.findings)")
  }

  /// Apple's generator: even templates are white on a colour, odd ones that colour on white.
  @Test func templates() {
    let fourth = ClipCodeTable.colours(ofTemplate: 4)
    let fifth = ClipCodeTable.colours(ofTemplate: 5)
    #expect(fourth?.background == "FF3B30" && fourth?.foreground == "FFFFFF")
    #expect(fifth?.background == "FFFFFF" && fifth?.foreground == "FF3B30")
    #expect(ClipCodeTable.colours(ofTemplate: 17) != nil && ClipCodeTable.colours(ofTemplate: 18) == nil)
  }

  @Test func picturesAreCompared() {
    var table = table(
      "SVG File Name,URL\na.svg,https://example.com/a\nb,https://example.com/b\nc.svg,https://example.com/c\n"
        + "d.svg,https://example.com/d\n")
    let pictures = [
      "a.svg": "https://example.com/a", "b.svg": "https://example.com/other", "d.svg": nil, "e.svg": nil,
    ]
    table.compare(with: pictures.keys.sorted()) { pictures[$0] ?? nil }
    #expect(
      table.findings.map(\.message) == [
        "The picture 'b.svg' holds 'https://example.com/other', and the table says 'https://example.com/b'.",
        "There is no picture 'c.svg'.", "The picture 'd.svg' has no 'data-payload'.",
        "The picture is in no row of the table.",
      ])
  }

  /// Bytes by chance are read to their end, and never more is said of them than the limit.
  @Test func anyBytesAreRead() {
    var generator = SeededGenerator(seed: 14)
    let letters = Array("a,\"\n\r SVG File Name,URL\nhttps://é".utf8) + [0xFF, 0]
    for _ in 0..<2_000 {
      let bytes = (0..<generator.draw(0...60)).map { _ in
        letters[Int(generator.draw(0...Int64(letters.count - 1)))]
      }
      let table = ClipCodeTable(
        SourceText(name: "codes.csv", bytes: Array("SVG File Name,URL\n".utf8) + bytes))
      #expect(table.findings.count <= 220)
    }
  }
}
