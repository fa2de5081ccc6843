import LinkspanCore
import Testing

@testable import SourceReview

@Suite struct TokenizerTests {
  private func texts(_ text: String, _ language: SourceLanguage = .swift) -> [String] {
    Tokenizer.tokens(SourceText(name: "a", text), language).map(\.text)
  }

  @Test(arguments: [
    (#"let a = "x \(f("y)")) z" + b"#, ["let", "a", "=", #"x \(f("y)")) z"#, "+", "b"]),
    (##"#"a " \(x) "# c"##, [#"a " \(x) "#, "c"]),
    ("\"\"\"\na \"\" b\n\"\"\" c", ["\na \"\" b\n", "c"]),
    ("a /* b /* c */ d */ e // f\ng", ["a", "e", "g"]),
    ("\"open\nnext", ["open", "next"]), ("`class`.a", ["class", ".", "a"]), ("a==b", ["a", "==", "b"]),
    ("1.5e3 0x1F", ["1.5e3", "0x1F"]), ("ü?.b", ["ü", "?", ".", "b"]),
    ("\u{FEFF}class A {}", ["class", "A", "{", "}"]),
    ("func `A link (1) opens`() {}", ["func", "A link (1) opens", "(", ")", "{", "}"]),
    ("#\"a\"#", ["a"]), ("#\"a\"", ["a\""]), ("##\"a\"#", ["a\"#"]),
    ("`open\nnext", ["`", "open", "next"]), ("`` a", ["`", "`", "a"]),
  ])
  func splitsSwift(text: String, expected: [String]) { #expect(texts(text) == expected) }

  @Test(arguments: [
    ("#import <A/A.h>\n@\"a\\\"b\" 'c'", ["a\\\"b", "c"]),
    ("#define X \\\n  y\nz", ["z"]), ("#define X \\\r\n  y\r\nz", ["z"]),
    ("@\"a\\\r\nb\" c", ["a\\\r\nb", "c"]), ("[a b:c]; /* x */ d", ["[", "a", "b", ":", "c", "]", ";", "d"]),
  ])
  func splitsObjectiveC(text: String, expected: [String]) { #expect(texts(text, .objectiveC) == expected) }

  /// A branch that no build compiles is no code; where a condition is not decided, every branch is.
  @Test(arguments: [
    ("#if 0\na\n#endif\nb", ["b"]), ("#if 0\na\n#else\nb\n#endif\nc", ["b", "c"]),
    ("#if 1\na\n#else\nb\n#endif\nc", ["a", "c"]),
    ("  # if 0 // why\n#if X\na\n#else\nb\n#endif\n#endif\nc", ["c"]),
    ("#if X\na\n#elif 0\nb\n#else\nc\n#endif", ["a", "c"]),
    ("#if 0\na\n#elif 1\nb\n#elif X\nc\n#else\nd\n#endif\ne", ["b", "e"]),
    ("#if 0 || X\na\n#endif", ["a"]), ("#ifdef X\na\n#else\nb\n#endif", ["a", "b"]),
    ("#if 0\r\na {\r\n#endif\r\nb", ["b"]), ("#if 0\na", []), ("#endif\n#else\na", ["a"]),
  ])
  func aDeadBranchIsSkipped(text: String, expected: [String]) {
    #expect(texts(text, .objectiveC) == expected)
    let words: Set = ["#", "if", "elif", "else", "endif", "ifdef", "X", "0", "||", "false", "true"]
    let swift = text.replacing("if 0", with: "if false").replacing("if 1", with: "if true")
    #expect(texts(swift).filter { !words.contains($0) } == expected)
  }

  /// Up to 64 signs stand before a raw text, and up to 16 texts in each other.
  @Test(arguments: [(1, true), (63, true), (64, true), (65, false)])
  func aRawTextHasFences(count: Int, isText: Bool) {
    let fences = String(repeating: "#", count: count)
    #expect((texts(fences + "\"a\"b\"" + fences) == ["a\"b"]) == isText)
  }

  @Test(arguments: [(1, true), (15, true), (16, true), (17, false)])
  func aTextStandsInTexts(depth: Int, isText: Bool) {
    let text = (0..<depth).reduce("\"x)\"") { inner, _ in "\"\\(" + inner + ")\"" }
    #expect((texts(text).count == 1) == isText)
  }

  @Test func pairsBracketsAcrossMistakes() {
    let tokens = Tokenizer.tokens(SourceText(name: "a", "{ ( [ } ) ( )"), .swift)
    #expect(tokens.map(\.partner) == [3, nil, nil, 0, nil, 6, 5])
  }

  /// No text stops the review, whatever it holds.
  @Test func anyTextIsReviewed() {
    let parts = [
      "class ", "A", ": ", "UIResponder", "{", "}", "(", ")", "[", "]", "func ", "scene", "application",
      "continue",
      "userActivity", "NSUserActivity", ".webpageURL", "\"", "\\(", "\n", "//", "/*", "*/", "@",
      "@implementation ",
      "@end", "- (void)", ":", ",", "?", "=", "addObserver", "forKeyPath", "dateFormat", "setObject:", "nil",
      "if ",
      "userActivities", ".first", "return", "true", "default: break", "#", "`", "isEqual", "é", "<", ">",
    ]
    for seed in UInt64(1)...3_000 {
      var generator = SeededGenerator(seed: seed)
      let text = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
        parts.randomElement(using: &generator)!
      }
      for language in [SourceLanguage.swift, .objectiveC] {
        let file = ReviewedFile(
          SourceText(name: "a", text.joined(separator: seed % 2 == 0 ? " " : "")), language)
        _ = SourceReview([file]).findings
      }
    }
  }
}
