import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import TestSupport
import Testing

/// What `--fix` makes of a text, and what it leaves to the author.
@Suite struct FixTests {
  static func fixed(_ source: SourceText) -> FixedText {
    FixedText(
      source, isReadable: { AssociationContent($0.bytes).document.isWellFormed },
      findings: { AssociationChecker.findings(in: AssociationSource($0)) })
  }

  static func fixed(_ text: String) -> String {
    String(decoding: fixed(SourceText(name: "file", text)).bytes, as: UTF8.self)
  }

  // MARK: - Syntax

  /// Around `{"applinks":{"details":[]}}`, so that nothing else is found.
  static let syntax: [(before: String, after: String)] = [
    (#"{"applinks":{"details":[]},}"#, #"{"applinks":{"details":[]}}"#),
    (#"{"applinks":{"details":[],,"apps":[,]}}"#, #"{"applinks":{"details":[],"apps":[]}}"#),
    ("{\"applinks\":{\"details\":[]\n\"apps\":[]}}", "{\"applinks\":{\"details\":[],\n\"apps\":[]}}"),
    (#"{"applinks":{"details":[] "apps":[]}}"#, #"{"applinks":{"details":[], "apps":[]}}"#),
    ("\u{FEFF}{\"applinks\":{\"details\":[]}}", #"{"applinks":{"details":[]}}"#),
    (
      "// a\n  # b\n{\"applinks\": /* c */ {\"details\":[]} // d\n} // e",
      "{\"applinks\": {\"details\":[]}\n}"
    ),
    ("/* a\n   b */\n{\"applinks\":{\"details\":[]}}\n// end\n", "{\"applinks\":{\"details\":[]}}\n"),
    ("\r\n{\"applinks\":{\r\n// a\r\n\"details\":[]}}\r\n", "\r\n{\"applinks\":{\r\n\"details\":[]}}\r\n"),
    (#"{/**/"applinks"/**/:{"details":[]}}"#, #"{"applinks":{"details":[]}}"#),
    (#"{“applinks”:{'details':[], „apps“:[]}}"#, #"{"applinks":{"details":[], "apps":[]}}"#),
    (#"{“applinks":{"details":[]}}"#, #"{"applinks":{"details":[]}}"#),
    (#"{applinks:{details :[]}}"#, #"{"applinks":{"details" :[]}}"#),
    ("{\"applinks\":{\u{A0}\"details\":[]}}", #"{"applinks":{ "details":[]}}"#),
    (#"{"applinks":{"details":[]}"#, #"{"applinks":{"details":[]}}"#),
    (
      "{\n  \"applinks\": {\n    \"details\": []\n  }\n\n",
      "{\n  \"applinks\": {\n    \"details\": []\n  }\n}\n\n"
    ),
    (
      "{\r\n \"applinks\": {\r\n  \"details\": [\r\n  ]\r\n",
      "{\r\n \"applinks\": {\r\n  \"details\": [\r\n  ]\r\n }\r\n}\r\n"
    ),
    ("\"applinks\": {\"details\":[]}\n", "{\"applinks\": {\"details\":[]}}\n"),
    ("\"applinks\": {\"details\":[]} }\n", "{\"applinks\": {\"details\":[]} }\n"),
  ]

  @Test(arguments: syntax) func mendsSyntax(before: String, after: String) {
    #expect(Self.fixed(before) == after)
    #expect(AssociationContent(Array(after.utf8)).document.isWellFormed)
  }

  static let unclearSyntax = [
    // Where the string ends is anybody's guess.
    #"{"applinks":{"details":[{"appIDs":["a"b"]}]}}"#,
    #"{"applinks":{"details":[]},"comment":"one}"#, #"{'applinks':{'details':['it's']}}"#,
    // A backslash or a tab may be meant.
    #"{"applinks":{"details":[{"paths":["\d"]}]}}"#, "{\"applinks\":{\"x\":\"a\tb\"}}",
    // Bare words may be more than one value.
    #"{"applinks":{"details":[{"appID":ABCDE12345.com.example.app}]}}"#,
    // The value, or the bracket in the middle, is missing.
    #"{"applinks":}"#, #"{"applinks":{"details":[}}"#, "{\n  \"applinks\": {\n    \"details\": []\n}\n",
    // Cut off.
    #"{"applinks":{"details":"#,
    // Wrappers of shells and editors, and no JSON at all.
    "echo {\"applinks\":{\"details\":[]}}", #"{"applinks":{"details":[]}} EOF"#, "<html>", "",
    #"{"applinks":{"details":[ /* }"#,
    // One mistake that has an answer beside one that has none: nothing is touched.
    #"{"applinks":{"details":[],},"x":}"#,
  ]

  @Test(arguments: unclearSyntax) func leavesWhatIsUnclear(text: String) {
    let result = Self.fixed(SourceText(name: "file", text))
    #expect(String(decoding: result.bytes, as: UTF8.self) == text)
    #expect(!result.isChanged && result.fixed == [])
    #expect(!result.remaining.isEmpty)
  }

  @Test func saysWhatCannotBeMendedWholly() {
    #expect(Self.fixed(SourceText(name: "file", #"{"applinks":{},"x":,}"#)).isBeyondRepair)
    #expect(!Self.fixed(SourceText(name: "file", #"{"applinks":{},"x":}"#)).isBeyondRepair)
  }

  // MARK: - Meaning

  static func file(_ entry: String) -> String { #"{"applinks":{"apps":[],"details":[{\#(entry)}]}}"# }

  static func component(_ rule: String) -> String {
    file(#""appIDs":["ABCDE12345.com.example.app"],"components":[\#(rule)]"#)
  }

  static let meanings: [(before: String, after: String)] = [
    (component(#"{"/":"/a","exlude":true}"#), component(#"{"/":"/a","exclude":true}"#)),
    (component(#"{"/":"/a","Exclude":"true"}"#), component(#"{"/":"/a","exclude":true}"#)),
    (component(#"{"/":"/A","case_sensitive":False}"#), component(#"{"/":"/A","caseSensitive":false}"#)),
    (
      file(#""appIds":["ABCDE12345.com.example.app"],"component":[{"/":"/a"}]"#),
      file(#""appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]"#)
    ),
    (
      file(#""appID":"ABCDE12345.com.example.app","Paths":"/a""#),
      file(#""appID":"ABCDE12345.com.example.app","paths":["/a"]"#)
    ),
    (
      file(#""appIDs": "ABCDE12345.com.example.app","components": {"/":"/a"}"#),
      file(#""appIDs": ["ABCDE12345.com.example.app"],"components": [{"/":"/a"}]"#)
    ),
    (#"{"appLinks":{"details":[]}}"#, #"{"applinks":{"details":[]}}"#),
    (
      #"{"web-credentials":{"apps":["ABCDE12345.com.example.app"]}}"#,
      #"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#
    ),
    (
      #"{"webcredentials":["ABCDE12345.com.example.app"]}"#,
      #"{"webcredentials":{"apps": ["ABCDE12345.com.example.app"]}}"#
    ),
    (component(#"{"/":"NOT /a"}"#), component(#"{"/":"/a","exclude":true}"#)),
    (component(#"{"/":"!/a"}"#), component(#"{"/":"/a","exclude":true}"#)),
    (
      component(#"{ "/": "NOT /a", "comment": "c" }"#),
      component(#"{ "/": "/a", "exclude": true, "comment": "c" }"#)
    ),
    (
      component("{\n\t\"/\" : \"NOT /a\"\n}"), component("{\n\t\"/\" : \"/a\",\n\t\"exclude\": true\n}")
    ),
    (
      file(#""appID":"ABCDE12345.com.example.app","paths":["not /a","NOT/b","!/c","*"]"#),
      file(#""appID":"ABCDE12345.com.example.app","paths":["NOT /a","NOT /b","NOT /c","*"]"#)
    ),
    (component(#"{"/":"/a/***/b/c**"}"#), component(#"{"/":"/a/*/b/c*"}"#)),
    (component(#"{"/":"buy/**/x"}"#), component(#"{"/":"/buy/*/x"}"#)),
    (
      file(#""appID":"ABCDE12345.com.example.app","paths":["NOT buy","*"]"#),
      file(#""appID":"ABCDE12345.com.example.app","paths":["NOT /buy","*"]"#)
    ),
    (
      component(#"{"/":"/caf%C3%A9%2Fa%20b","percentEncoded":false}"#),
      component(#"{"/":"/café/a b","percentEncoded":false}"#)
    ),
  ]

  @Test(arguments: meanings) func mendsMeanings(before: String, after: String) {
    #expect(Self.fixed(before) == after)
  }

  /// What is only odd is mended without a change of what opens the app.
  @Test func mendedNotesMeanWhatTheyMeant() throws {
    let paths = ["buy/*", "/a/**/b", "a**", "/**a", "/a/**", "buy", "/x**/", "***", "*/**/*"]
    let urls = [
      "/", "/a", "/a/", "/a/b", "/a/c/b", "/buy", "/buy/", "/buy/x", "/xa", "/xa/b/", "/b/a", "/ab",
    ]
    for path in paths {
      let before = Self.component(#"{"/":"\#(path)"}"#)
      let source = SourceText(name: "file", before)
      let result = Self.fixed(source)
      #expect(result.fixed.allSatisfy { $0.severity == .note })
      for url in urls {
        func decision(_ bytes: [UInt8]) throws -> Bool {
          let file = try #require(AssociationContent(bytes).file)
          let decision = AssociationMatcher(file).decide(
            LinkURL("https://example.com" + url), app: "ABCDE12345.com.example.app",
            host: HostScope("example.com"))
          return decision.verdict == .match
        }
        #expect(try decision(source.bytes) == decision(result.bytes), "\(path) \(url)")
      }
    }
  }

  static let unclearMeanings = [
    // A synonym is no slip, two slips compete, the right key is there, or the value is of another type.
    component(#"{"path":"/a"}"#), component(#"{"/":"/a","exlude":true,"excude":true}"#),
    component(#"{"/":"/a","exclude":true,"exlude":false}"#),
    file(#""appId":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]"#),
    component(#"{"/":"/a","exlude":"maybe"}"#),
    // A list inside a string.
    file(#""appIDs":"ABCDE12345.com.example.app, ABCDE12345.com.example.b","components":[{"/":"/a"}]"#),
    // It already excludes, or the fragment says so too.
    component(#"{"/":"NOT /a","exclude":false}"#), component(##"{"/":"NOT /a","#":"NOT b"}"##),
    // Another host, a host without a scheme, a pattern of another language.
    component(#"{"/":"https://example.com/a"}"#), component(#"{"/":"example.com/a"}"#),
    component(#"{"/":"^/a"}"#),
    // A single star there would cover the path without it, too.
    component(#"{"/":"/a/**"}"#), component(#"{"/":"/a/***"}"#),
    // What is decoded would be a wildcard, or an escape again.
    component(#"{"/":"/a%2A","percentEncoded":false}"#),
    component(#"{"/":"/a%2541","percentEncoded":false}"#),
    // Two ways out.
    component(#"{"/":"/café"}"#),
    // Escapes: the bytes are not the text.
    component(#"{"/":"\/a\/**"}"#),
    // What was meant is for the author to say.
    file(#""appIDs":["TEAMID.com.example.app"],"components":[{"/":"/a"}]"#),
    component(#"{"/":"*"},{"/":"/a","exclude":true}"#),
    #"{"applinks":{"details":[]},"applinks":{"details":[]}}"#,
  ]

  @Test(arguments: unclearMeanings) func leavesWhatIsMeantUnclear(text: String) {
    #expect(Self.fixed(text) == text)
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(!findings.isEmpty && findings.allSatisfy { $0.fix == nil })
  }

  @Test func aSignedFileIsLeftAlone() throws {
    // SignedData with its content inside, as far as a reader looks: tags and lengths only.
    let json = Array(#"{"applinks":{"details":[],}}"#.utf8)
    func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
    let data = der(
      0x30, der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1]) + der(0xA0, der(0x04, json)))
    let signed = der(0x30, der(0x02, [1]) + der(0x31, []) + data + der(0x31, []))
    let bytes = der(0x30, der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]) + der(0xA0, signed))
    #expect(AssociationContent(bytes).format == .signed)
    let result = Self.fixed(SourceText(name: "file", bytes: bytes))
    #expect(!result.isChanged)
    #expect(result.remaining.map(\.rule).contains("json.trailing-comma"))
  }

  // MARK: - Rounds

  /// A fix that would bring more errors to light than it mends is not made.
  @Test func neverMakesItWorse() {
    let text = #"{"appLinks":{"details":[{"appID":5,"paths":7}]}}"#
    let result = Self.fixed(SourceText(name: "file", text))
    #expect(result.remaining.count(of: .error) <= 1)
    #expect(!result.isChanged)
  }

  /// A fix that brings errors to light is made when those have fixes too.
  @Test func mendsWhatComesToLight() {
    let text = Self.file(#""appIds":["ABCDE12345.com.example.app"],"component":[{"/":"/a"}]"#)
    #expect(
      Self.fixed(text.replacing("applinks", with: "appLinks"))
        == Self.file(#""appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]"#))
  }

  /// More mistakes than one reading tells of.
  @Test func hundredsOfMistakesTakeRounds() {
    let rules = (0..<700).map { #"{"/":"/\#($0)",}"# }.joined(separator: ",")
    let before = Self.component(rules)
    #expect(Self.fixed(before) == before.replacing(",}", with: "}"))
  }

  // MARK: - The work limit

  /// A megabyte of "a", of which each finding changes the first; a check of it costs one of the eight that are allowed.
  static func costly(_ count: Int, addsErrors: Bool) -> (text: FixedText, checks: Int) {
    let source = SourceText(name: "file", bytes: Array(repeating: UInt8(ascii: "a"), count: 1 << 20))
    var checks = 0
    let text = FixedText(source, isReadable: { _ in true }) { text in
      checks += 1
      let changed = text.bytes.count { $0 != UInt8(ascii: "a") }
      var findings = (changed..<changed + count).map { place in
        Finding(
          rule: "test.a", severity: .note, at: .init(text, place..<place + 1), message: "a", help: nil,
          source: nil, fix: Fix([.change("a", at: place, to: "b")], in: text))
      }
      if addsErrors {
        findings += (0..<changed).map { _ in
          Finding(rule: "test.b", severity: .error, at: .init(file: "file"), message: "b", help: nil)
        }
      }
      return findings
    }
    return (text, checks)
  }

  @Test func theWorkLimitEndsTheRounds() {
    let (text, checks) = Self.costly(1, addsErrors: false)
    #expect(checks == 1 + FixedText.workLimitBytes >> 20)
    #expect(text.fixed.count == 8)
    #expect(text.untriedCount == 1)
  }

  /// Every fix alone adds an error, so each would have to be tried.
  @Test func theWorkLimitEndsTheAttempts() {
    let (text, checks) = Self.costly(50, addsErrors: true)
    #expect(checks == 1 + 2 * FixedText.workLimitBytes >> 20)
    #expect(!text.isChanged)
    #expect(text.untriedCount == 50)
  }

  @Test func belowTheWorkLimitEveryFixIsTried() {
    let result = Self.fixed(SourceText(name: "file", #"{"applinks":{"details":[],}}"#))
    #expect(result.isChanged)
    #expect(result.untriedCount == 0)
  }
}
