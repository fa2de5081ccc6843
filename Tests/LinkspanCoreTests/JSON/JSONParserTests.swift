import LinkspanCore
import TestSupport
import Testing

@Suite struct JSONParserTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    var name: String
    /// `⟦` and `⟧` stand around the place where the mistake must be reported.
    var text: String
    var kind: JSONSyntaxError.Kind
    /// What the text is read as all the same, in JSON.
    var meaning: String
    var testDescription: String { name }
  }

  static let mistakes = [
    Mistake(
      name: "trailing comma in an object", text: #"{"a":1⟦,⟧}"#, kind: .trailingComma, meaning: #"{"a":1}"#),
    Mistake(name: "trailing comma in an array", text: "[1⟦,⟧\n]", kind: .trailingComma, meaning: "[1]"),
    Mistake(
      name: "missing comma in an object", text: "{\"a\":1\n⟦\"b\"⟧:2}", kind: .missingComma,
      meaning: #"{"a":1,"b":2}"#),
    Mistake(
      name: "missing comma in an array", text: #"["a" ⟦"b"⟧]"#, kind: .missingComma, meaning: #"["a","b"]"#),
    Mistake(name: "extra comma", text: #"["a",⟦,⟧"b"]"#, kind: .extraComma, meaning: #"["a","b"]"#),
    Mistake(name: "leading comma", text: #"{⟦,⟧"a":1}"#, kind: .extraComma, meaning: #"{"a":1}"#),
    Mistake(name: "line comment", text: "{⟦// why⟧\n\"a\":1}", kind: .comment, meaning: #"{"a":1}"#),
    Mistake(name: "block comment", text: #"{"a":⟦/* why */⟧1}"#, kind: .comment, meaning: #"{"a":1}"#),
    Mistake(name: "shell comment", text: "⟦# why⟧\n{\"a\":1}", kind: .comment, meaning: #"{"a":1}"#),
    Mistake(
      name: "typographic quotes", text: #"{⟦“a”⟧:"*"}"#, kind: .typographicQuotes, meaning: #"{"a":"*"}"#),
    Mistake(name: "one typographic quote", text: #"[⟦“*"⟧]"#, kind: .typographicQuotes, meaning: #"["*"]"#),
    Mistake(name: "single quotes", text: "{⟦'a'⟧:1}", kind: .singleQuotes, meaning: #"{"a":1}"#),
    Mistake(name: "bare name", text: "{⟦a⟧: 1}", kind: .unquoted, meaning: #"{"a":1}"#),
    Mistake(
      name: "bare value", text: #"{"a": ⟦AB12.com.x⟧, "b":1}"#, kind: .unquoted,
      meaning: #"{"a":"AB12.com.x","b":1}"#),
    Mistake(name: "Python's true", text: #"{"a": ⟦True⟧}"#, kind: .unquoted, meaning: #"{"a":true}"#),
    Mistake(name: "missing colon", text: #"{"a" ⟦1⟧}"#, kind: .missingColon, meaning: #"{"a":1}"#),
    Mistake(name: "equals for colon", text: #"{"a" ⟦=⟧ 1}"#, kind: .missingColon, meaning: #"{"a":1}"#),
    Mistake(
      name: "missing value", text: #"{⟦"a"⟧: , "b":1}"#, kind: .missingValue, meaning: #"{"a":null,"b":1}"#),
    Mistake(
      name: "unterminated string", text: "{\"a\": ⟦\"b⟧,\n\"c\":1}", kind: .unterminatedString,
      meaning: #"{"a":"b","c":1}"#),
    Mistake(name: "bad escape", text: #"["⟦\.⟧"]"#, kind: .invalidEscape, meaning: #"["."]"#),
    Mistake(name: "short unicode escape", text: #"["⟦\u⟧12"]"#, kind: .invalidEscape, meaning: #"["12"]"#),
    Mistake(name: "tab in a string", text: "[\"a⟦\t⟧b\"]", kind: .controlCharacter, meaning: #"["a\tb"]"#),
    Mistake(name: "leading zero", text: "[⟦007⟧]", kind: .invalidNumber, meaning: "[7]"),
    Mistake(name: "plus sign", text: "[⟦+7⟧]", kind: .invalidNumber, meaning: "[7]"),
    Mistake(name: "bare fraction", text: "[⟦.5⟧]", kind: .invalidNumber, meaning: "[0.5]"),
    Mistake(
      name: "unclosed brace", text: "{\n\"a\": {\n\"b\":1}⟦\n⟧", kind: .unclosed, meaning: #"{"a":{"b":1}}"#),
    Mistake(name: "unclosed comment", text: "{\"a\":1} ⟦/* oh⟧\n", kind: .unclosed, meaning: #"{"a":1}"#),
    Mistake(
      name: "extra bracket", text: #"{"a":[1]⟦]⟧,"b":2}"#, kind: .unexpectedBracket,
      meaning: #"{"a":[1],"b":2}"#),
    Mistake(name: "missing bracket", text: #"{"a":[1⟦}⟧"#, kind: .unexpectedBracket, meaning: #"{"a":[1]}"#),
    Mistake(
      name: "shell continuation", text: "{⟦^⟧\n\"a\":1}", kind: .unexpectedCharacter, meaning: #"{"a":1}"#),
    Mistake(name: "text before", text: "⟦echo ⟧{\"a\":1}", kind: .textBefore, meaning: #"{"a":1}"#),
    Mistake(name: "text after", text: "{\"a\":1} ⟦> file⟧\n", kind: .textAfter, meaning: #"{"a":1}"#),
    Mistake(
      name: "no outer brace", text: "⟦\"a\"⟧: {\"b\":1}\n", kind: .noOuterBrace, meaning: #"{"a":{"b":1}}"#),
    Mistake(name: "byte order mark", text: "⟦\u{FEFF}⟧{\"a\":1}", kind: .byteOrderMark, meaning: #"{"a":1}"#),
    Mistake(
      name: "no-break space", text: "{⟦\u{A0}⟧\"a\":1}", kind: .unexpectedCharacter, meaning: #"{"a":1}"#),
    Mistake(
      name: "ideographic spaces", text: "{⟦\u{3000}\u{3000}⟧\"a\":1}", kind: .unexpectedCharacter,
      meaning: #"{"a":1}"#),
    Mistake(
      name: "zero width space", text: "{\"a\":⟦\u{200B}⟧1}", kind: .unexpectedCharacter, meaning: #"{"a":1}"#),
    Mistake(
      name: "byte order mark inside", text: "[1,⟦\u{FEFF}⟧2]", kind: .unexpectedCharacter, meaning: "[1,2]"),
    Mistake(
      name: "line separator", text: "[1⟦\u{2028}⟧,2]", kind: .unexpectedCharacter, meaning: "[1,2]"),
    Mistake(
      name: "no-break space behind a word", text: "[true⟦\u{A0}⟧]", kind: .unexpectedCharacter,
      meaning: "[true]"),
    Mistake(
      name: "no-break space behind a name", text: "{\"a\"⟦\u{A0}⟧:1}", kind: .unexpectedCharacter,
      meaning: #"{"a":1}"#),
    Mistake(name: "form feed", text: "[1,⟦\u{C}⟧2]", kind: .unexpectedCharacter, meaning: "[1,2]"),
    Mistake(name: "colon in an array", text: #"[1,⟦:⟧2]"#, kind: .unexpectedCharacter, meaning: "[1,2]"),
    Mistake(name: "a page", text: "⟦<!doctype html>⟧\n<p>", kind: .html, meaning: ""),
    Mistake(name: "prose", text: "\n⟦Not found⟧\n", kind: .notJSON, meaning: ""),
    Mistake(name: "empty", text: "  ⟦⟧", kind: .empty, meaning: ""),
  ]

  @Test(arguments: mistakes) func namesTheMistakeAndGoesOn(_ mistake: Mistake) throws {
    let marked = mistake.text
    let start = try #require(marked.unicodeScalars.firstIndex(of: "⟦"))
    let length = try #require(marked.unicodeScalars.firstIndex(of: "⟧"))
    let inside = marked.unicodeScalars[start..<length].dropFirst()
    let text = String(String.UnicodeScalarView(marked.unicodeScalars.filter { $0 != "⟦" && $0 != "⟧" }))
    let lower = String(marked.unicodeScalars[..<start]).utf8.count
    let document = JSONParser.parse(Array(text.utf8))
    let error = try #require(document.errors.first)
    #expect(document.errors.count == 1, "\(document.errors)")
    #expect(error.kind == mistake.kind)
    #expect(error.range == lower..<lower + String(inside).utf8.count)
    #expect(!error.message.isEmpty && !error.help.isEmpty)
    #expect((document.root.map { $0.json.text } ?? "") == mistake.meaning)
    #expect(!document.isWellFormed)
  }

  @Test func rightTextHasNoMistakes() throws {
    let text = #"{"a":[1,-0.5e+3,true,false,null,"\"\\\/\b\f\n\r\té😀"],"":{}}"#
    let document = JSONParser.parse(Array(text.utf8))
    #expect(document.errors == [])
    let again = JSONParser.parse(document.root!.json.bytes)
    #expect(again.root!.json.text == document.root!.json.text)
    #expect(document.root!["a"]!.array![5].string == "\"\\/\u{8}\u{C}\n\r\té😀")
  }

  @Test func placesAreLinesAndCharacters() {
    let source = SourceText(name: "f", "{\r\n \"é\": 1,\n}")
    let member = JSONParser.parse(source.bytes).root!.object![0]
    #expect(source.position(at: member.nameRange.lowerBound) == SourcePosition(line: 2, column: 2))
    #expect(source.position(at: member.value.range.lowerBound) == SourcePosition(line: 2, column: 7))
    #expect(source.excerpt(around: member.nameRange.lowerBound).text == " \"é\": 1,")
  }

  @Test(arguments: [
    "{// c\n a: 'x', b: +1, c: .5, d: 0x10, /* e */ e: [1,], }", "{\"a\":'it\\'s \\\n fine'}",
    "[Infinity, NaN]",
  ])
  func json5AllowsWhatPeopleWrite(text: String) {
    #expect(JSONParser.parse(Array(text.utf8), dialect: .json5).errors == [])
    #expect(!JSONParser.parse(Array(text.utf8)).isWellFormed)
  }

  @Test func depthSizeAndMistakesAreBounded() {
    var limits = JSONParser.Limits()
    limits.depth = 3
    #expect(JSONParser.parse(Array("[[[1]]]".utf8), limits: limits).isWellFormed)
    #expect(JSONParser.parse(Array("[[[[1]]]]".utf8), limits: limits).errors.map(\.kind) == [.tooDeep])
    limits.sizeBytes = 3
    #expect(JSONParser.parse(Array("[1]".utf8), limits: limits).isWellFormed)
    #expect(JSONParser.parse(Array("[12]".utf8), limits: limits).errors.map(\.kind) == [.tooLarge])
    let many = JSONParser.parse(Array("[\(String(repeating: "a,", count: 1000))1]".utf8))
    #expect(many.errors.count == JSONParser.Limits().errorCount + 1)
    #expect(many.errors.last?.kind == .tooManyErrors)
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(JSONParser.parse(Array(deep.utf8)).errors.map(\.kind) == [.tooDeep])
  }

  /// R6: stored compressed is not what a device reads; what is no text at all is not taken for UTF-16.
  @Test(
    arguments: [
      ([0x1F, 0x8B, 0x08, 0x00, 0x00], "the file is gzip-compressed"),
      ([0xFF, 0xFE, 0x7B, 0x00], "the text is not UTF-8 (it looks like UTF-16)"),
      ([0x7B, 0x00, 0x22, 0x00], "the text is not UTF-8 (it looks like UTF-16)"),
      ([0x00, 0x7B, 0x00, 0x22], "the text is not UTF-8 (it looks like UTF-16)"),
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00], "the file is not text"),
      ([0x50, 0x4B, 0x03, 0x04, 0x14, 0x00], "the file is not text"),
      ([0x7F, 0x45, 0x00, 0x00], "the file is not text"),
    ] as [([UInt8], String)])
  func whatIsNoTextIsNamed(bytes: [UInt8], message: String) {
    let errors = JSONParser.parse(bytes).errors
    #expect(errors.map(\.kind) == [.notUTF8])
    #expect(errors.map(\.message) == [message])
    #expect((errors.first?.help.contains("R6") ?? false) == message.contains("gzip"))
  }

  @Test func otherEncodingsAreNamed() {
    #expect(JSONParser.parse([0xFF, 0xFE, 0x7B, 0x00]).errors.map(\.kind) == [.notUTF8])
    #expect(
      JSONParser.parse([0x7B, 0x22, 0xC3, 0x28, 0x22, 0x3A, 0x31, 0x7D]).errors.map(\.kind) == [.notUTF8])
    // RFC 3629: overlong, surrogate, beyond U+10FFFF
    for bytes: [UInt8] in [[0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]] {
      let text = [0x22] + bytes + [0x22]
      #expect(JSONParser.parse(text).errors.map(\.kind) == [.notUTF8])
    }
  }

  /// Any bytes give an answer; what is well-formed here is what the toolchain's own reader takes.
  @Test func anyBytesGiveAnAnswer() {
    var generator = SeededGenerator(seed: 11)
    let alphabet = Array("{}[]:,\"'“”\\u12e.-+tn/*# \n<a\u{FEFF}".utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<generator.draw(0...24)).map { _ in
        alphabet[Int(generator.draw(0...Int64(alphabet.count - 1)))]
      }
      let document = JSONParser.parse(bytes)
      #expect(document.root != nil || !document.errors.isEmpty)
      for error in document.errors {
        #expect(error.range.lowerBound >= 0 && error.range.upperBound <= bytes.count)
      }
      if document.isWellFormed { #expect(JSONParser.parse(document.root!.json.bytes).isWellFormed) }
    }
  }

  /// Stories, payloads and lists of routes are read by it, too.
  @Test(arguments: ["hello", "<html>", "\u{1F}\u{8B}", "PK\u{3}\u{4}"])
  func noHelpTakesAFileForAnAssociationFile(text: String) throws {
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    let error = try #require(JSONParser.parse(bytes).errors.first)
    #expect(!error.help.contains("association") && !error.help.contains("Publish"), "\(error.help)")
  }

  /// A pair of typographic marks is part of the text; a lone one at the end was meant to close it.
  @Test func aTypographicMarkThatClosesIsNoText() {
    let closed = JSONParser.parse(Array("[\"a”\n]".utf8))
    #expect(closed.errors.map(\.kind) == [.typographicQuotes] && closed.root?.array?.first?.string == "a")
    let text = JSONParser.parse(Array("[\"a “b”\n]".utf8))
    #expect(text.errors.map(\.kind) == [.unterminatedString])
    #expect(text.root?.array?.first?.string == "a “b”")
  }
}
