import LinkspanCore
import LinkspanEditor
import Testing

/// Places in a text by the protocol's lines and UTF-16 units, against an obvious reading of the protocol.
@Suite struct DocumentTextTests {
  /// The lines of a text as UTF-16, without what ends them, and where each begins in UTF-16.
  private static func lines(_ text: String) -> [(start: Int, units: [UInt16])] {
    let units = Array(text.utf16)
    var lines: [(Int, [UInt16])] = []
    var start = 0
    var place = 0
    while place < units.count {
      guard units[place] == 10 || units[place] == 13 else {
        place += 1
        continue
      }
      lines.append((start, Array(units[start..<place])))
      place += units[place] == 13 && place + 1 < units.count && units[place + 1] == 10 ? 2 : 1
      start = place
    }
    return lines + [(start, Array(units[start...]))]
  }

  /// Where a place is in UTF-16; a place inside a pair is the pair's beginning.
  static func unit(_ line: Int, _ character: Int, in text: String) -> Int {
    let lines = lines(text)
    guard line < lines.count else { return text.utf16.count }
    var inside = min(character, lines[line].units.count)
    if inside > 0, inside < lines[line].units.count, UTF16.isTrailSurrogate(lines[line].units[inside]) {
      inside -= 1
    }
    return lines[line].start + inside
  }

  private static let texts = [
    "", "a", "\n", "a\r\nb\rc\nd", "ä\u{10000}b\r\n😀😀x\n", "\r\r\n\n\r", "e\u{301}\n\u{2028}x",
    String(repeating: "😀é\r\n", count: 400), String(repeating: "x", count: 1_500) + "😀y",
  ]

  @Test(arguments: texts)
  func findsEveryPlace(text: String) {
    let document = DocumentText(text)
    let units = Array(text.utf16)
    for line in 0...(Self.lines(text).count + 1) {
      for character in 0...40 {
        let unit = Self.unit(line, character, in: text)
        let offset = String(decoding: units[..<unit], as: UTF16.self).utf8.count
        #expect(document.offset(of: TextPlace(line: line, character: character)) == offset)
      }
    }
  }

  @Test(arguments: texts)
  func findsTheWayBack(text: String) {
    let document = DocumentText(text)
    for (line, content) in Self.lines(text).enumerated() {
      for character in 0...content.units.count {
        if character < content.units.count, UTF16.isTrailSurrogate(content.units[character]) { continue }
        let place = TextPlace(line: line, character: character)
        #expect(document.place(of: document.offset(of: place)) == place)
      }
    }
  }

  /// Findings count lines by LF and columns in scalars.
  @Test(arguments: texts)
  func agreesWithPositionsOfFindings(text: String) {
    let document = DocumentText(text)
    let source = SourceText(name: "a", text)
    for offset in 0...source.bytes.count
    where offset == source.bytes.count || source.bytes[offset] & 0xC0 != 0x80 {
      #expect(document.offset(of: source.position(at: offset)) == offset)
    }
  }

  @Test func changesWhatAPlaceSays() {
    let text = DocumentText("a😀b\r\nc")
    func span(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> TextSpan {
      TextSpan(TextPlace(line: a, character: b), TextPlace(line: c, character: d))
    }
    #expect(text.replacing(span(0, 1, 0, 3), by: "ä").bytes == Array("aäb\r\nc".utf8))
    #expect(text.replacing(span(0, 99, 1, 0), by: "").bytes == Array("a😀bc".utf8))
    #expect(text.replacing(span(7, 0, 9, 0), by: "!").bytes == Array("a😀b\r\nc!".utf8))
    #expect(text.replacing(span(0, 2, 0, 2), by: "x").bytes == Array("ax😀b\r\nc".utf8))
  }

  /// Many changes in one message, in pieces of every small size, beside one whole text after the other; a CR LF and a
  /// character may lie across pieces.
  @Test(arguments: [1, 2, 3, 5, 8, EditedText.standardPieceBytes])
  func changesOfOneMessageAreThoseOfMany(pieceBytes: Int) {
    let news = ["", "x", "\n", "\r", "\r\n", "😀", "ä\r", "\nb", "one\r\ntwo\rthree\n"]
    var chance = SeededGenerator(seed: UInt64(pieceBytes))
    func draw(_ limit: Int) -> Int { Int(chance.draw(0...Int64(limit - 1))) }
    for beginning in Self.texts.prefix(7) {
      var text = beginning
      var edited = EditedText(Array(beginning.utf8), pieceBytes: pieceBytes)
      for _ in 0..<200 {
        let lineCount = Self.lines(text).count
        let start = TextPlace(line: draw(lineCount + 1), character: draw(draw(8) == 0 ? 60 : 6))
        let end = draw(2) == 0 ? start : TextPlace(line: start.line + draw(3), character: draw(8))
        let new = news[draw(news.count)]
        let units = Array(text.utf16)
        let lower = Self.unit(start.line, start.character, in: text)
        let upper = max(lower, Self.unit(end.line, end.character, in: text))
        text = String(decoding: units[..<lower] + Array(new.utf16) + units[upper...], as: UTF16.self)
        edited.replace(TextSpan(start, max(start, end)), by: new)
        #expect(edited.bytes == Array(text.utf8))
        #expect(edited.byteCount == text.utf8.count)
        if edited.bytes != Array(text.utf8) { return }
      }
    }
  }
}
