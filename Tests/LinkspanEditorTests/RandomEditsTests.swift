import Foundation
import LinkspanCore
import LinkspanEditor
import SiteInput
import TestSupport
import Testing

/// Random edits of real and made-up files: nothing stops the server, its text is the editor's, and what it says is what
/// `check` says of that text.
@Suite struct RandomEditsTests {
  /// `LINKSPAN_EDITOR_EDITS=10000` makes so many; a few hundred otherwise.
  private static let count =
    ProcessInfo.processInfo.environment["LINKSPAN_EDITOR_EDITS"].flatMap { Int($0) } ?? 300

  private static let beginnings = [
    "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\r\n\"components\":[{\"/\":\"/😀/*\",\"exclude\":true},{\"/\":\"*\",\"?\":{\"a\":\"b\"}}]}],\"substitutionVariables\":{\"food\":[\"a\",\"ä\"]}}}",
    "{\"applinks\":{\"apps\":[],\"details\":[{\"appID\":\"ABCDE12345.com.example.app\",\r\"paths\":[\"/a/*\",\"NOT /a/b\",\"*\"]}]},\n\"webcredentials\":{\"apps\":[\"ABCDE12345.com.example.app\"]}}\n",
    "",
  ]

  /// What people type, and what nobody does.
  private static let pieces = [
    "\"", "{", "}", "[", "]", ",", ":", "\n", "\r\n", "\r", " ", "\"/\":\"/b/*\",", "{\"/\":\"*\"},",
    "\"exlude\":true,",
    "\"applinks\"", "\"details\":", "NOT ", "$(lang)", "$(", "*", "?", "😀", "é", "\u{301}", "\u{0}",
    "\u{FEFF}",
    "// x\n", "\\u0041", "\\", "null", "1e9", "\"ABCDE12345.com.example.app\"",
    "\"substitutionVariables\":{\"food\":[]}",
  ]

  @Test(arguments: [1, 2, 3] as [UInt64])
  func agreeWithCheck(seed: UInt64) throws {
    var chance = SeededGenerator(seed: seed)
    func draw(_ limit: Int) -> Int { Int(chance.draw(0...Int64(max(0, limit - 1)))) }
    var text = Self.beginnings[Int(seed - 1) % Self.beginnings.count]
    var editor = Editor()
    editor.open(text)
    for number in 1...max(1, Self.count / 3) {
      var changes: [JSON] = []
      for _ in 0...draw(3) {
        // Half of the places lie in the text, the others anywhere.
        let lineCount = text.utf8.count { $0 == 0x0A || $0 == 0x0D } + 2
        let start = (draw(lineCount), draw(draw(2) == 0 ? 20 : 300))
        let end = draw(2) == 0 ? start : (start.0 + draw(2), start.1 + draw(12))
        let piece = draw(4) == 0 ? "" : Self.pieces[draw(Self.pieces.count)]
        if draw(40) == 0 {
          text = Self.beginnings[draw(3)]
          changes.append(.object([("text", .string(text))]))
          continue
        }
        changes.append(
          .object([
            (
              "range",
              .object([
                ("start", Editor.position(start.0, start.1)), ("end", Editor.position(end.0, end.1)),
              ])
            ), ("text", .string(piece)),
          ]))
        text = Self.replaced(text, start, end, by: piece)
      }
      editor.change(changes, version: number + 1)
      // Requests in between may come at any place.
      if draw(5) == 0 { probe(&editor, line: draw(6), character: draw(80)) }
      editor.settle()
      let source = SourceText(name: "/site/apple-app-site-association", text)
      let expected = TextCheck.findings(in: source)
      let told = try #require(editor.diagnostics(), "seed \(seed), edit \(number)")
      #expect(
        told.map { $0["message"]?.string } == expected.map { $0.message },
        "seed \(seed), edit \(number): \(text)")
      #expect(told.map { $0["code"]?.string } == expected.map { $0.rule }, "seed \(seed), edit \(number)")
      let places = zip(told, expected).filter { diagnostic, finding in
        let line = finding.location.start.map { Self.place($0, in: text) } ?? "0:0"
        let start = diagnostic["range"]?["start"]
        return "\(start?["line"]?.int ?? -1):\(start?["character"]?.int ?? -1)" != line
      }
      #expect(places.isEmpty, "seed \(seed), edit \(number): \(places.map { $0.1 })")
    }
  }

  private func probe(_ editor: inout Editor, line: Int, character: Int) {
    let range = JSON.object([
      ("start", Editor.position(line, character)), ("end", Editor.position(line + 1, 0)),
    ])
    for (method, parameters) in [
      ("textDocument/hover", Editor.at(line, character)),
      ("textDocument/completion", Editor.at(line, character)),
      ("textDocument/definition", Editor.at(line, character)),
      ("textDocument/codeLens", .object([Editor.document()])),
      ("textDocument/diagnostic", .object([Editor.document()])),
      (
        "textDocument/codeAction",
        .object([Editor.document(), ("range", range), ("context", .object([]))])
      ),
    ] {
      let answer = editor.request(method, parameters)
      #expect(answer != nil && answer?["error"] == nil, "\(method)")
    }
  }

  /// The change as the protocol says it, on UTF-16 alone.
  private static func replaced(
    _ text: String, _ start: (Int, Int), _ end: (Int, Int), by piece: String
  ) -> String {
    let first = DocumentTextTests.unit(start.0, start.1, in: text)
    let last = max(first, DocumentTextTests.unit(end.0, end.1, in: text))
    let units = Array(text.utf16)
    return String(decoding: units[..<first] + Array(piece.utf16) + units[last...], as: UTF16.self)
  }

  /// Where a position of a finding is in the editor, counted from the text's beginning.
  private static func place(_ position: SourcePosition, in text: String) -> String {
    var scalars = Array(text.unicodeScalars)[...]
    var before = String.UnicodeScalarView()
    for _ in 1..<position.line {
      let end = scalars.firstIndex(of: "\n").map { $0 + 1 } ?? scalars.endIndex
      before.append(contentsOf: scalars[..<end])
      scalars = scalars[end...]
    }
    before.append(contentsOf: scalars.prefix(position.column - 1))
    var line = 0
    var character = 0
    let all = Array(before)
    for (index, scalar) in all.enumerated() {
      let isPair = scalar == "\r" && index + 1 < all.count && all[index + 1] == "\n"
      let isOpenPair =
        scalar == "\r" && index + 1 == all.count && scalars.dropFirst(position.column - 1).first == "\n"
      if isPair || isOpenPair { continue }
      if scalar == "\n" || scalar == "\r" {
        line += 1
        character = 0
      } else {
        character += scalar.utf16.count
      }
    }
    return "\(line):\(character)"
  }
}
