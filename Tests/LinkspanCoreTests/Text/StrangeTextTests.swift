import Foundation
import FoundationXML
import LinkspanCore
import TestSupport
import Testing

/// Every writer, over every character and line that a reader would obey.
@Suite struct StrangeTextTests {
  private static func check(_ written: String, _ text: String) {
    #expect(StrangeText.raw(in: written).isEmpty, "\(text.debugDescription) as \(written.debugDescription)")
    #expect(StrangeText.begun(in: written).isEmpty, "\(text.debugDescription) as \(written.debugDescription)")
  }

  @Test func onOneLineHasNoLineEnd() {
    for text in StrangeText.each {
      let written = "'\(text.onOneLine)'"
      #expect(!written.contains { $0.isNewline }, "\(text.debugDescription)")
      Self.check(WorkflowCommands.broken(written), text)
    }
  }

  @Test(arguments: [
    ("a\u{9B}b", #"a\u{9b}b"#), ("a\u{202E}b", #"a\u{202e}b"#), ("a\nb\tc\rd", #"a\nb\tc\rd"#),
    ("\u{7F}", #"\u{7f}"#), ("plain ä 日本 👨‍👩‍👧", "plain ä 日本 👨‍👩‍👧"),
  ])
  func aPersonSeesEscapes(text: String, shown: String) { #expect(text.onOneLine == shown) }

  @Test func linesOfATextStayAndValuesStayOnTheirs() {
    let value = "a\n::error::b"
    #expect(("first\n\(value)\nlast" as TerminalText).text == "first\na\\n::error::b\nlast")
    #expect(("x" + "\(value)" as TerminalText).text == "xa\\n::error::b")
    #expect("a\n\tb\r\nc".withoutControls(keepsColours: false) == "a\n\tb\\r\nc")
  }

  @Test(arguments: [
    ("::error::x", #"\u{3a}:error::x"#), ("a\n \u{A0}::x", "a\n \u{A0}\\u{3a}:x"), ("a ::b::", "a ::b::"),
    ("a ##[x]", #"a \u{23}#[x]"#), ("###[x]", #"#\u{23}#[x]"#), ("##vso[x]", #"\u{23}#vso[x]"#),
    ("## [x]", "## [x]"),
    ("##", "##"), ("a::b", "a::b"), ("A::1", "A::1"),
  ])
  func workflowCommandsAreBroken(text: String, written: String) {
    #expect(WorkflowCommands.broken(text) == written)
    #expect(WorkflowCommands.occur(in: text) == (text != written))
  }

  @Test func jsonReadsBackTheSame() throws {
    for text in StrangeText.each + [StrangeText.all, "\u{0}", "a\u{FFFD}b", "##", "#a#"] {
      let written = JSON.object([(text, .string(text))]).text
      Self.check(written, text)
      let object = try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: String]
      #expect(object == [text: text])
      let root = try #require(JSONParser.parse(Array(written.utf8)).root)
      #expect(root[text]?.string == text)
    }
    #expect(JSON.string("\u{9B}\u{202E}\u{61C}\u{7F}##").text == ##""\u009b\u202e\u061c\u007f#\u0023""##)
  }

  @Test func markupIsWellFormed() throws {
    for text in StrangeText.each + [StrangeText.all, "\u{0}", "\u{FFFF}"] {
      // Text between tags keeps its line feeds, as the lines of a finding in a report.
      let element = Markup.escaped(text, isAttribute: false)
      #expect(StrangeText.raw(in: element).isEmpty)
      #expect(StrangeText.begun(in: element).allSatisfy { $0.hasPrefix(StrangeText.mark) })
      for written in [Markup.escaped(text), Markup.escaped(field: text)] { Self.check(written, text) }
      for written in [element, Markup.escaped(text), Markup.escaped(field: text)] {
        #expect(XMLParser(data: Data("<a b=\"\(Markup.escaped(text))\">\(written)</a>".utf8)).parse())
      }
    }
    #expect(Markup.escaped("a\u{9B}\u{202E}") == #"a\u{9b}\u{202e}"#)
    #expect(Markup.escaped(field: "a\u{200F}") == "a&#8207;")
  }

  @Test func markdownCodeEndsWhereItShould() {
    for text in StrangeText.each {
      let written = Markdown.code(text)
      Self.check(WorkflowCommands.broken(written), text)
      #expect(!written.dropFirst().dropLast().contains("`") && !written.contains { $0.isNewline })
    }
  }

  @Test func reportsHoldNone() throws {
    for text in StrangeText.each + [StrangeText.all] {
      let source = SourceText(name: text, "{\"\(text)\": 1}")
      let finding = Finding(
        rule: "aasa.unknown-key", severity: .error, at: .init(source, 2..<6, pointer: "/\(text)"),
        message: "'\(text)' is not a key", help: "Remove '\(text)'.")
      let report = CheckReport(
        tool: ("linkspan", "0.1.0"), files: [text], findings: [finding], notChecked: [text], rules: [])
      Self.check(WorkflowCommands.broken(finding.text().withoutControls(keepsColours: false)), text)
      Self.check(finding.json.text, text)
      Self.check(report.sarif.text, text)
      Self.check(report.junit, text)
      #expect(XMLParser(data: Data(report.junit.utf8)).parse())
      let annotations = report.gitHubAnnotations.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(annotations.count == 2 && annotations[0].hasPrefix("::error file="))
      Self.check(String(annotations[0].dropFirst(2)), text)
      let explained = String.explained("'\(text)' is bad.", findings: [finding], help: "Do.")
      Self.check(WorkflowCommands.broken(explained.withoutControls(keepsColours: false)), text)
    }
  }

  /// A caret stands below the first character of the place, whatever stands before it.
  @Test func caretsPointAtEscapes() {
    let source = SourceText(name: "f", "\u{202E}\"bad\"")
    let finding = Finding(rule: "r", severity: .error, at: .init(source, 4..<7), message: "m")
    #expect(
      finding.text() == """
        f:1:3: error[r]: M.
          1 | \\u{202e}"bad"
            |          ^^^

        """)
  }
}
