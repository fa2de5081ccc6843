import Testing

@testable import LinkspanDecisions

/// Templates, patterns and texts of URLs at the edges of their grammar.
struct TemplateTests {
  private static func reason(_ template: String) -> String? {
    do throws(RoutePattern.Problem) {
      _ = try RoutePattern(template)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(
    arguments: [
      ("/", nil), ("", "it does not begin with '/'"), ("a", "it does not begin with '/'"),
      ("/a}", "'}' has no '{'"), ("/{a", "'}' is missing"),
      ("/{a?}", nil), ("/{a?}/{b?}", nil),
      ("/{a?}/b", "'a' is optional; only the last segments may be missing"), ("/x{a?}", nil),
      ("/{a?}-{b}", "'a' is optional; it needs a segment of its own"),
      ("/{a?}/*", "'a' is optional, and the rest of the path comes after it"),
      ("/{a}/*", nil), ("/*/a", "'*' may only be the last segment; write {name} for one segment"),
      ("/a*", "'*' may only be the last segment; write {name} for one segment"),
      ("/{a...}", nil), ("/{...}", "'{...}' has no name"), ("/{a b...}", "'{a b...}' has no name"),
      ("/{a*}", "'a' is repeated; only an item of the query may come often"),
      ("/?a={a*}", nil), ("/#{a*}", "'a' is repeated; only an item of the query may come often"),
      ("/?a=", "the query item 'a' has no value"), ("/#", "the fragment has no value"),
      ("/?=b", "a query item's name is text, as in page={page:int}"),
      ("/?{a}=b", "a query item's name is text, as in page={page:int}"),
      ("/?a=b{c}", "the query item 'a' is either text or one parameter"),
      ("/#b{c}", "the fragment is either text or one parameter"), ("/#b", nil),
      ("/?a=1&a=2", "the query item 'a' is there twice"),
      ("/{a}{b}", "'a' and 'b' need text between them, such as {a}-{b}"), ("/{a}-{b}", nil),
      ("/{a:int}x{b:int}", nil),
      ("/{a:~[a-]+}-{b}", "'{a}': it may contain '-', with which the text behind it begins"),
      ("/{a:hex}-{b}", nil),
      ("/{a:hex}a{b}", "'{a}': it may contain 'a', with which the text behind it begins"),
    ] as [(String, String?)])
  func aTemplateIsReadOrExplained(template: String, reason: String?) {
    #expect(Self.reason(template) == reason)
  }

  @Test func aTemplateHasSixtySegments() {
    #expect(
      Self.reason(String(repeating: "/a", count: 60)) == nil
        && Self.reason(String(repeating: "/a", count: 60) + "/*") == nil)
    #expect(Self.reason(String(repeating: "/a", count: 61)) == "it has more than 60 segments")
  }

  @Test(arguments: [("/{a?}/{b?}", 3), ("/{a}/{b?}", 2), ("/{a}", 1), ("/", 1), ("/a/{b?}", 2)])
  func optionalSegmentsMakeVariants(template: String, count: Int) throws {
    let variants = try RoutePattern(template).variants
    #expect(
      variants.count == count
        && variants.map(\.segments.count) == variants.map(\.segments.count).sorted(by: >))
    #expect(variants.allSatisfy { $0.parameters.allSatisfy { !$0.isOptional } })
  }

  private static func split(_ template: String, _ text: String) throws -> [String]? {
    guard case .parameters(let parameters) = try RoutePattern(template).segments[0] else { return nil }
    let bytes = Array(text.utf8)
    let ranges = bytes.withUnsafeBufferPointer { RoutePattern.split(parameters, $0, 0..<$0.count) }
    return ranges.map { $0.map { String(decoding: bytes[$0], as: UTF8.self) } }
  }

  @Test(
    arguments: [
      ("/{a}x{b}", "1x2", ["1", "2"]), ("/{a}x{b}", "1xx2", ["1", "x2"]), ("/{a}x{b}", "x2", nil),
      ("/{a}x{b}", "1x", nil), ("/{a}x{b}", "12", nil), ("/{a}x{b}", "", nil),
      ("/@{a}-{b}.html", "@1-2.html", ["1", "2"]), ("/@{a}-{b}.html", "1-2.html", nil),
      ("/@{a}-{b}.html", "@1-2.htm", nil), ("/@{a}-{b}.html", "@1-.html", nil),
      ("/@{a}-{b}.html", "@", nil), ("/{a}-to-{b}", "x-to-y", ["x", "y"]), ("/{a}-to-{b}", "x-y", nil),
      ("/{a:int}x{b:int}", "1x2", ["1", "2"]), ("/{a:int}x{b:int}", "1xa", nil),
      ("/{a}.{b}.{c}", "1.2.3", ["1", "2", "3"]), ("/{a}.{b}.{c}", "1.2", nil),
    ] as [(String, String, [String]?)])
  func parametersShareASegment(template: String, text: String, values: [String]?) throws {
    #expect(try Self.split(template, text) == values)
  }

  @Test(arguments: [
    ("*", ["?"], false), ("a?b", ["a?b"], false), ("$x", ["?x"], false), ("a-b", ["a-b"], true),
    ("", [""], true),
  ])
  func aLiteralIsAPattern(text: String, patterns: [String], isExact: Bool) {
    let writing = ComponentPattern.writing(of: text)
    #expect(writing.patterns == patterns && writing.isExact == isExact && !writing.isList)
  }

  @Test(
    arguments: [
      ("[0-9]", ["$(digit)"], false), ("[A-Z]", ["$(upper)"], false), ("[a-z]", ["$(lower)"], false),
      ("[A-Za-z]", ["$(alpha)"], false),
      ("[A-Za-z0-9]", ["$(alnum)"], false), ("[A-Fa-f0-9]", ["$(xdigit)"], false),
      ("[0-9]{2}", ["$(digit)$(digit)"], false), (".", ["?"], false), (".*", ["*"], false),
      (".+", ["?*"], false), (".{2,}", ["??*"], false), ("a|b", ["a", "b"], true),
      ("a|[0-9]", ["a", "$(digit)"], false), ("a", ["a"], false), ("a|a", ["a"], true),
      ("[ab]c", ["ac", "bc"], true), ("a{1,2}", ["a", "aa"], true), ("a{0,1}", ["", "a"], true),
      ("[0-9]{1,6}", (1...6).map { String(repeating: "$(digit)", count: $0) }, false),
      // One digit or two, three to six, seven.
      (
        "[0-9]{1,7}", ["$(digits)", "$(digits)$(digits)$(digits)", String(repeating: "$(digit)", count: 7)],
        false
      ),
    ] as [(String, [String], Bool)])
  func aConstraintIsPatterns(constraint: String, patterns: [String], isList: Bool) throws {
    let writing = ComponentPattern.writing(of: try PathExpression.parse(constraint))
    #expect(writing.patterns == patterns && writing.isExact && writing.isList == isList, "\(writing)")
  }

  @Test func listsHaveLimits() throws {
    func isExact(_ expression: PathExpression) -> Bool { ComponentPattern.writing(of: expression).isExact }
    func letters(_ count: UInt8) -> PathExpression {
      .set(ByteSet((0..<count).map { UInt8(ascii: "a") + $0 }))
    }
    #expect(isExact(letters(16)) && !isExact(letters(17)) && !isExact(.set(ByteSet("ab*".utf8))))
    func words(_ count: Int) -> PathExpression { .choice((0..<count).map { .literal("w\($0)") }) }
    #expect(isExact(words(300)) && !isExact(words(301)))
    #expect(isExact(.sequence([words(150), words(2)])) && !isExact(.sequence([words(151), words(2)])))
    #expect(
      isExact(.repeated(words(299), least: 0, most: 1)) && !isExact(.repeated(words(300), least: 0, most: 1)))
    #expect(
      isExact(.repeated(words(17), least: 2, most: 2)) && !isExact(.repeated(words(18), least: 2, most: 2)))
    #expect(
      isExact(.repeated(letters(1), least: 300, most: 300))
        && !isExact(.repeated(letters(1), least: 301, most: 301)))
    #expect(
      isExact(.repeated(.set(.digits), least: 1, most: 300))
        && !isExact(.repeated(.set(.digits), least: 1, most: 301)))
    #expect(
      !isExact(.repeated(letters(2), least: 0, most: nil))
        && isExact(.repeated(.set(.all), least: 0, most: nil)))
    #expect(
      ComponentPattern.digitsValues.count == 110
        && ComponentPattern.digitsValues[9...12] == ["9", "00", "01", "02"])
    #expect(
      ComponentPattern.digitsValues[19...21] == ["09", "10", "11"]
        && ComponentPattern.digitsValues.last == "99")
  }

  @Test func anExampleIsCovered() {
    let variables = ["x": ["v", "w"], "none": []]
    for (pattern, example) in [
      ("/a/?*", "/a/a"), ("/$(digit)$(upper)", "/0A"), ("/$(x)/*", "/v/"), ("/$(none)b", "/b"), ("?", "a"),
    ] {
      #expect(ComponentPattern.example(of: pattern, variables: variables) == example)
    }
  }

  @Test(
    arguments: [
      ("https://a/b", "https://a/b"), ("https://a/b c", "https://a/b%20c"),
      ("https://a b/c", "https://a b/c"),
      ("https://a/é", "https://a/%C3%A9"),
      ("https://a?b c#d e", "https://a?b%20c#d%20e"), ("https://a/b?c#d#e", "https://a/b?c#d#e"),
      ("https://a/%e9 ", "https://a/%e9%20"), ("x:/a/b/c d", "x:/a/b/c%20d"),
    ] as [(String, String)])
  func aDeviceHoldsTheURLWithEscapes(text: String, held: String) {
    #expect(URLText.held(text) == held)
  }

  @Test(arguments: [
    ("a%c3b", "a%C3b"), ("%ff%FF", "%FF%FF"), ("%C3", "%C3"), ("%g1", "%g1"), ("%c", "%c"), ("%", "%"),
    ("%0a", "%0A"), ("%a0", "%A0"), ("abc", "abc"), ("x%%c3", "x%%C3"),
  ])
  func escapesHaveCapitals(text: String, capital: String) {
    #expect(URLText.withCapitalEscapes(text) == capital)
  }

  @Test(
    arguments: [
      ("a%20b", "a b", "a b"), ("a+b", "a+b", "a b"), ("%2B+", "++", "+ "), ("%", "%", "%"),
      ("%4", "%4", "%4"),
      ("%41", "A", "A"), ("%4g", "%4g", "%4g"), ("%zz+", "%zz+", "%zz "),
      ("%C3%A9", "é", "é"), ("%c3%a9", "é", "é"), ("", "", ""),
    ] as [(String, String, String)])
  func escapesAreRead(text: String, plain: String, inQuery: String) {
    let bytes = Array(text.utf8)
    #expect(bytes.withUnsafeBufferPointer { URLText.decoded($0[...]) } == plain)
    #expect(bytes.withUnsafeBufferPointer { URLText.decoded($0[...], plusIsBlank: true) } == inQuery)
  }

  @Test(
    arguments: [
      ("https://a/b?c#d", true), ("https://a/%C3%2F", true), ("https://a/%c3", false),
      ("https://a/%3f", false), ("https://a/ b", false),
      ("https://a/\u{7F}", false), ("https://a/é", false), ("https://a/{", false), ("https://a/|", true),
      ("https://a/%", true), ("", true),
    ] as [(String, Bool)])
  func aWrittenURLIsTakenAsItIs(text: String, isWritten: Bool) {
    #expect(Array(text.utf8).withUnsafeBufferPointer(URLText.isWritten) == isWritten)
  }

  /// RFC 3492, 7.1, and names as browsers fold them.
  @Test(
    arguments: [
      ("Example.COM", "example.com"), ("Bücher.example", "xn--bcher-kva.example"),
      ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("münchen。de", "xn--mnchen-3ya.de"),
      ("ü", "xn--tda"), ("üü", "xn--tdaa"), ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
      ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
      ("a．é", "a.xn--9ca"), ("é｡b", "xn--9ca.b"), ("faß.de", "xn--fa-hia.de"), ("ÿ", "xn--wda"),
    ] as [(String, String)])
  func aHostIsFolded(host: String, folded: String) { #expect(HostName.folded(host) == folded) }

  /// Punycode takes the square of the letters: a page's link must not hold up the app.
  @Test func whatIsTooLongForAHostHasNoPunycode() {
    let long = String(repeating: "É", count: 1 << 20)
    #expect(HostName.folded(long) == long.lowercased())
  }

  @Test(
    arguments: [
      ("1.5", 1.5), ("-2e3", -2_000), ("+1", 1), ("1E2", 100), ("nan", nil), ("inf", nil), ("0x10", nil),
      ("1e999", nil), ("", nil), ("1 ", nil), ("/", nil), (":", nil),
    ] as [(String, Double?)])
  func aDecimalNumberIsRead(text: String, number: Double?) { #expect(Double(routeText: text) == number) }
}
