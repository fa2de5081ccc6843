import LinkspanCore
import Testing

/// Strings, numbers and words at the edges of the grammar.
@Suite struct JSONTextTests {
  private static func read(
    _ text: String, _ dialect: JSONParser.Dialect = .json
  ) -> (meaning: String?, kinds: [JSONSyntaxError.Kind]) {
    let document = JSONParser.parse(Array(text.utf8), dialect: dialect)
    return (document.root?.json.text, document.errors.map(\.kind))
  }

  @Test(arguments: [
    "0", "-0", "1", "10", "0.0", "1.50", "1e1", "1E1", "1e+1", "1e-01", "-1.5e-3",
  ])
  func strictNumbersStay(text: String) {
    let read = Self.read("[\(text)]")
    #expect(read.meaning == "[\(text)]" && read.kinds.isEmpty)
  }

  @Test func aSeedIsANumberAndBeyondWhatManyReadersHoldAString() {
    #expect(JSON.seed(0).text == "0" && JSON.seed(9_223_372_036_854_775_807).text == "9223372036854775807")
    #expect(JSON.seed(9_223_372_036_854_775_808).text == "\"9223372036854775808\"")
    #expect(JSON.seed(.max).text == "\"18446744073709551615\"")
  }

  @Test(
    arguments: [
      ("0.10", "0.10"), ("-1e3", "-1e3"), (" 7 ", "7"), ("", nil), (".5", nil), ("+1", nil), ("01", nil),
      ("1 2", nil), ("\"1\"", nil), ("[1]", nil), ("null", nil), ("0.1 of them", nil),
    ] as [(String, String?)])
  func aPersonsNumberIsTakenDigitForDigit(text: String, number: String?) {
    #expect(JSON(number: text)?.text == number)
  }

  @Test(
    arguments: [
      ("00", "0", [.invalidNumber], [.invalidNumber]), ("01", "1", [.invalidNumber], [.invalidNumber]),
      ("-01", "-1", [.invalidNumber], [.invalidNumber]), ("+1", "1", [.invalidNumber], []),
      (".5", "0.5", [.invalidNumber], []),
      ("-.5", "-0.5", [.invalidNumber], []), ("5.", "5.0", [.invalidNumber], []),
      ("0x1F", "31", [.invalidNumber], []),
      ("-0X1f", "-31", [.invalidNumber], []), ("1e", "\"1e\"", [.unquoted], [.unquoted]),
      ("1e+", "\"1e+\"", [.unquoted], [.unquoted]),
      ("1.2.3", "\"1.2.3\"", [.unquoted], [.unquoted]), ("12abc", "\"12abc\"", [.unquoted], [.unquoted]),
      ("-", "\"-\"", [.unquoted], [.unquoted]), ("0xG", "\"0xG\"", [.unquoted], [.unquoted]),
      ("1.e5", "\"1.e5\"", [.unquoted], [.unquoted]),
    ] as [(String, String, [JSONSyntaxError.Kind], [JSONSyntaxError.Kind])])
  func otherNumbersAreMended(
    text: String, meaning: String, kinds: [JSONSyntaxError.Kind], kinds5: [JSONSyntaxError.Kind]
  ) {
    let (read, read5) = (Self.read("[\(text)]"), Self.read("[\(text)]", .json5))
    #expect(read.meaning == "[\(meaning)]" && read.kinds == kinds, "\(read)")
    #expect(read5.meaning == "[\(meaning)]" && read5.kinds == kinds5, "\(read5)")
  }

  @Test(
    arguments: [
      (#""\u0041""#, "A", []), (#""\u00e9""#, "é", []), (#""\uD83D\uDE00""#, "😀", []),
      (#""\uD83D""#, "\u{FFFD}", []),
      (#""\uDE00""#, "\u{FFFD}", []), (#""\uD83Dx""#, "\u{FFFD}x", []), (#""\uD83D\n""#, "\u{FFFD}\n", []),
      (#""\uD83D\uD83D\uDE00""#, "\u{FFFD}😀", []), (#""\uDBFF\uDFFF""#, "\u{10FFFF}", []),
      (#""\uD800\uDC00""#, "\u{10000}", []),
      (#""\uE000""#, "\u{E000}", []), (#""\uD7FF""#, "\u{D7FF}", []),
      (#""\uD83D\uE000""#, "\u{FFFD}\u{E000}", []),
      (#""\u004""#, "004", [.invalidEscape]), (#""\uD83D\u12""#, "\u{FFFD}12", [.invalidEscape]),
      (#""\x""#, "x", [.invalidEscape]),
      (#""\é""#, "é", [.invalidEscape]), (#""\'""#, "'", [.invalidEscape]),
      (#""\v\0""#, "v0", [.invalidEscape, .invalidEscape]),
      ("\"a\u{1F}\"", "a\u{1F}", [.controlCharacter]), ("\"\u{7F}\"", "\u{7F}", []),
    ] as [(String, String, [JSONSyntaxError.Kind])])
  func escapesAreRead(text: String, string: String, kinds: [JSONSyntaxError.Kind]) {
    let document = JSONParser.parse(Array("[\(text)]".utf8))
    #expect(document.root?.array?.first?.string == string && document.errors.map(\.kind) == kinds)
  }

  @Test(arguments: [
    (#"'\v\0\''"#, "\u{B}\0'"), ("'a\\\nb'", "ab"), ("'a\\\r\nb'", "ab"), ("'a\\\rb'", "ab"),
    (#"'a\xb'"#, "axb"), (#"'"'"#, "\""),
  ])
  func json5HasMoreEscapes(text: String, string: String) {
    let document = JSONParser.parse(Array("[\(text)]".utf8), dialect: .json5)
    #expect(document.root?.array?.first?.string == string && document.errors.isEmpty)
  }

  @Test(
    arguments: [
      ("[‘a’]", #"["a"]"#, .typographicQuotes), ("[«a»]", #"["a"]"#, .typographicQuotes),
      ("[„a“]", #"["a"]"#, .typographicQuotes),
      ("[‟a‟]", #"["a"]"#, .typographicQuotes), ("[`a`]", #"["a"]"#, .singleQuotes),
      ("[`a']", #"["a"]"#, .singleQuotes),
      ("[“a\"]", #"["a"]"#, .typographicQuotes), ("[\"a”\"]", #"["a”"]"#, nil),
      ("['a\"']", #"["a\""]"#, .singleQuotes),
      ("[\"†\"]", #"["†"]"#, nil), ("[‗a]", #"["‗a"]"#, .unquoted), ("[¬a]", #"["¬a"]"#, .unquoted),
      ("[\"a , ]", #"["a"]"#, .unterminatedString),
    ] as [(String, String, JSONSyntaxError.Kind?)])
  func otherQuotationMarksAreRead(text: String, meaning: String, kind: JSONSyntaxError.Kind?) {
    let read = Self.read(text)
    #expect(read.meaning == meaning && read.kinds.first == kind, "\(read)")
  }

  @Test(
    arguments: [
      ("[a b , c]", #"["a b","c"]"#), ("{a : 1}", #"{"a":1}"#), ("{a=1}", #"{"a":1}"#),
      ("{a => 1}", #"{"a":1}"#), ("{\"a\" = 1}", #"{"a":1}"#),
      ("[a // c\n]", #"["a"]"#), ("[http://x]", #"["http://x"]"#), ("{a\t: b:c}", #"{"a":"b:c"}"#),
      ("[true]", "[true]"), ("[truer]", #"["truer"]"#),
      ("[null,false]", "[null,false]"), ("[1 2]", #"["1 2"]"#), ("[+a,.b]", #"["+a",".b"]"#),
    ] as [(String, String)])
  func bareWordsAreStrings(text: String, meaning: String) { #expect(Self.read(text).meaning == meaning) }

  @Test(
    arguments: [
      (#"{"a":[1]]}"#, #"{"a":[1]}"#), (#"{"a":[1}"#, #"{"a":[1]}"#), (#"[{"a":1]"#, #"[{"a":1}]"#),
      (#"{"a":1]}"#, #"{"a":1}"#),
      (#"[1}]"#, "[1]"), (#"{"a":{"b":1],"c":2}}"#, #"{"a":{"b":1,"c":2}}"#), (#"[[1},2]]"#, "[[1,2]]"),
      (#"{"a":[{"b":"]"}}"#, #"{"a":[{"b":"]"}]}"#),
    ] as [(String, String)])
  func aBracketOfTheOtherKindIsReadSoThatTheRestCloses(text: String, meaning: String) {
    let read = Self.read(text)
    #expect(read.meaning == meaning && read.kinds.contains(.unexpectedBracket), "\(read)")
  }

  @Test func whatIsBetweenValuesIsPassedOver() {
    #expect(
      Self.read("[1,\u{A0}2]", .json5).kinds.isEmpty && Self.read("[1,\u{B}\u{C}2]", .json5).kinds.isEmpty)
    #expect(
      Self.read("[1,\u{A0}2]").kinds == [.unexpectedCharacter]
        && Self.read("[1,\u{A1}2]").kinds == [.unquoted])
    #expect(
      Self.read("[\\\n1]").kinds == [.unexpectedCharacter] && Self.read("[\\1]").kinds == [.unquoted])
    #expect(Self.read("[1]/**/").kinds == [.comment] && Self.read("[1]/***/", .json5).kinds.isEmpty)
    #expect(
      Self.read("[1]/*", .json5).kinds == [.unclosed] && Self.read("[1]/*/", .json5).kinds == [.unclosed])
    #expect(Self.read("[1]//", .json5).kinds.isEmpty && Self.read("[1]/", .json5).kinds == [.textAfter])
    #expect(Self.read("[1] # x").kinds == [.comment] && Self.read("[1] # x", .json5).kinds == [.textAfter])
  }

  @Test(
    arguments: [
      (
        #"{"a":1,"b":[2],"c":"d","e":true,"f":null}"#,
        ["a number", "an array", "a string", "a boolean", "null"]
      )
    ] as [(String, [String])])
  func valuesHaveTypes(text: String, names: [String]) throws {
    let root = try #require(JSONParser.parse(Array(text.utf8)).root)
    let members = try #require(root.object).map(\.value)
    #expect(members.map(\.typeName) == names && root.typeName == "an object")
    #expect(
      members.map { $0.int } == [1, nil, nil, nil, nil]
        && members.map { $0.int64 } == [1, nil, nil, nil, nil])
    #expect(
      members.map { $0.array?.count } == [nil, 1, nil, nil, nil]
        && members.map { $0.bool } == [nil, nil, nil, true, nil])
    #expect(
      root["a"]?.object == nil && root["g"] == nil && root["c"]?.string == "d" && root["a"]?.string == nil)
    #expect(JSONParser.parse(Array(#"{"a":1,"a":2}"#.utf8)).root?["a"]?.int == 2)
    #expect(JSONParser.parse(Array("1.5".utf8)).root?.int == nil)
  }

  @Test func aPointerNamesThePlace() {
    let pointer = JSONPointer().appending("a/b~").appending(3).appending("")
    #expect(pointer.description == "/a~1b~0/3/" && JSONPointer().description.isEmpty)
    #expect(
      pointer == JSONPointer().appending("a/b~").appending(3).appending("")
        && pointer != JSONPointer().appending("a/b~"))
    #expect(JSONPointer().appending("3") == JSONPointer().appending(3))
  }

  @Test func bracketsAreOpenToADepth() {
    func nested(_ depth: Int) -> [JSONSyntaxError.Kind] {
      Self.read(String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).kinds
    }
    #expect(nested(128) == [] && nested(129) == [.tooDeep])
  }

  @Test func valuesAreCounted() {
    var limits = JSONParser.Limits()
    limits.valueCount = 3
    #expect(JSONParser.parse(Array("[1,2]".utf8), limits: limits).errors.isEmpty)
    #expect(JSONParser.parse(Array("[1,2,3]".utf8), limits: limits).errors.map(\.kind) == [.tooLarge])
    #expect(JSONParser.parse(Array("[1,2,345]".utf8), limits: limits).errors.map(\.range) == [5..<6])
    limits.errorCount = 2
    #expect(JSONParser.parse(Array("[a]".utf8), limits: limits).errors.map(\.kind) == [.unquoted])
    #expect(JSONParser.parse(Array("[a,b]".utf8), limits: limits).errors.count == 2)
    limits.valueCount = 9
    #expect(
      JSONParser.parse(Array("[a,b,c]".utf8), limits: limits).errors.map(\.kind) == [
        .unquoted, .unquoted, .tooManyErrors,
      ])
  }
}
