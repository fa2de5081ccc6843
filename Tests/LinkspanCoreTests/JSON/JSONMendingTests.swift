import LinkspanCore
import Testing

/// The text behind the edits of all mistakes.
@Suite struct JSONMendingTests {
  private static func mended(_ text: String) -> String {
    let source = SourceText(name: "f", text)
    let edits = JSONParser.parse(source.bytes).errors.flatMap { $0.edits }
    return String(decoding: source.bytes(applying: edits), as: UTF8.self)
  }

  @Test(
    arguments: [
      ("{\n  // c\n  \"a\": 1\n}", "{\n  \"a\": 1\n}"), ("{\"a\": 1} // c", "{\"a\": 1}"), ("// c\n{}", "{}"),
      ("// c\r\n{}", "{}"),
      ("/* c */ {}", "{}"), (#"["a" /* c */ ,2]"#, #"["a" ,2]"#), ("[1,/* c */2]", "[1,2]"),
      (#"["a" /* c */,2]"#, #"["a" ,2]"#),
      ("[\"a\"/* c */\n]", "[\"a\"\n]"), ("[1, // c\n2]", "[1,\n2]"), ("[1]\n// c", "[1]\n"),
      ("[1]\n  /* c */  \n", "[1]\n"),
    ] as [(String, String)])
  func commentsGoWithTheirBlanks(text: String, mended: String) { #expect(Self.mended(text) == mended) }

  @Test(
    arguments: [
      ("['a']", #"["a"]"#), ("[“a”]", #"["a"]"#), ("[«a»]", #"["a"]"#), ("['a\"b']", "['a\"b']"),
      ("['a\\\\b']", "['a\\\\b']"),
      ("[“it's”]", "[“it's”]"), ("[“a`b”]", "[“a`b”]"), ("['a“b']", "['a“b']"), ("['a‗b']", "[\"a‗b\"]"),
      ("['a«b']", "['a«b']"),
      ("['a¬b']", "[\"a¬b\"]"), ("['a»b']", "['a»b']"), ("['a‟b']", "['a‟b']"), ("['a‘b']", "['a‘b']"),
      ("['a b']", #"["a b"]"#),
      ("['a\tb']", "['a\tb']"),
    ] as [(String, String)])
  func quotationMarksAreStraightened(text: String, mended: String) { #expect(Self.mended(text) == mended) }

  @Test(
    arguments: [
      ("{a: 1}", #"{"a": 1}"#), ("{a-b_c.d$/?#9: 1}", #"{"a-b_c.d$/?#9": 1}"#), ("{a*b: 1}", "{a*b: 1}"),
      ("[True]", "[true]"),
      ("[FALSE]", "[false]"), ("[Null]", "[null]"), ("[None]", "[null]"), ("[none]", "[none]"),
      ("[Nope]", "[Nope]"),
    ] as [(String, String)])
  func wordsAreWrittenRight(text: String, mended: String) { #expect(Self.mended(text) == mended) }

  @Test(
    arguments: [
      ("{\"a\":1\n\"b\":2}", "{\"a\":1,\n\"b\":2}"), ("{\"a\":{}\"b\":2}", "{\"a\":{},\"b\":2}"),
      ("{\"a\":[1] \"b\":2}", "{\"a\":[1], \"b\":2}"),
      ("[\"a\" \"b\"]", "[\"a\" \"b\"]"), ("[\"a\"\n\"b\"]", "[\"a\",\n\"b\"]"),
      ("[\"a\" {}]", "[\"a\", {}]"),
      ("[\"a\" [1]]", "[\"a\", [1]]"),
      ("{\"a\":true \"b\":2}", "{\"a\":true, \"b\":2}"), ("{\"a\":\"x\" \"b\":2}", "{\"a\":\"x\" \"b\":2}"),
      ("[1,]", "[1]"), ("[,1]", "[1]"),
      ("[1,,2]", "[1,2]"), ("{\"a\":1,}", "{\"a\":1}"), ("[\"a\"\n'b']", "[\"a\"\n\"b\"]"),
    ] as [(String, String)])
  func commasAreSetAndRemoved(text: String, mended: String) { #expect(Self.mended(text) == mended) }

  @Test(
    arguments: [
      ("{\"a\":[1]", "{\"a\":[1]}"), ("{\"a\":[{}]", "{\"a\":[{}]}"),
      ("{\n  \"a\": {\n  }", "{\n  \"a\": {\n  }\n}"),
      ("{\r\n  \"a\": {\r\n  }", "{\r\n  \"a\": {\r\n  }\r\n}"),
      ("{\n  \"a\": {\n    }", "{\n  \"a\": {\n    }"), ("{\"a\":1", "{\"a\":1"),
      ("[\n\t[\n\t\t[\n\t\t]", "[\n\t[\n\t\t[\n\t\t]\n\t]\n]"), ("[[\n  [\n  ]", "[[\n  [\n  ]\n]\n]"),
      ("\"a\": 1", "{\"a\": 1}"), ("\"a\": {}", "{\"a\": {}}"),
      ("\"a\": 1}", "{\"a\": 1}"), ("\"a\": {}\n}", "{\"a\": {}\n}"),
    ] as [(String, String)])
  func bracketsAreClosedWhereTheTextWasNotCut(text: String, mended: String) {
    #expect(Self.mended(text) == mended)
  }
}
