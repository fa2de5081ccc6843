import AppSiteAssociation
import LinkspanCore
import Testing

/// How sure an answer is said to be, and which open question decides it.
@Suite struct MatchBasisTests {
  private static let app = "ABCDE12345.com.example.app"

  private static func basis(
    _ entry: String, _ url: String, rest: String = "", app: String = app, on os: OSVersion? = nil
  ) -> MatchBasis? {
    let text = #"{"applinks":{"details":["# + entry + "]" + rest + "}}"
    let file = AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!
    var matcher = ReasonedMatcher(AssociationMatcher(file, os: os))
    let link = LinkURL(written: url)
    var work = WorkBudget.answer
    let host = HostScope("example.com")
    let trace = matcher.trace(link, app: app, host: host, &work)
    let basis = matcher.basis(of: trace, link, app: app, host: host, &work)
    let slow = matcher.matcher.trace(link, app: app, host: host)
    #expect(basis == matcher.matcher.basis(of: slow, link, app: app, host: host, &work))
    return basis
  }

  private static func basis(
    component: String, _ url: String, rest: String = "", on os: OSVersion? = nil
  ) -> MatchBasis? {
    basis(#"{"appIDs":["\#(app)"],"components":[\#(component)]}"#, url, rest: rest, on: os)
  }

  /// 6.2: releases up to 12 demand `"apps": []`; what they make of a full one nobody has said, and newer ones ignore it.
  @Test(arguments: [
    ("[]", "ios:12.0", Certainty.documented), (#"["\#(app)"]"#, "ios:12.0", .inferred),
    (#"["\#(app)"]"#, "ios:13.0", .documented),
  ])
  func aFullListOfAppsIsInferredWhereItMustBeEmpty(apps: String, os: String, certainty: Certainty) throws {
    let basis = Self.basis(
      #"{"appID":"\#(Self.app)","paths":["/buy/*"]}"#, "https://example.com/buy/1", rest: #","apps":"# + apps,
      on: try OSVersion(os))
    #expect(basis?.certainty == certainty)
  }

  /// Whether the `*` of a value reaches across a slash is asked of paths of up to 256 bytes.
  @Test(arguments: [(5, 8), (255, 8), (256, 8), (257, nil)] as [(Int, Int?)])
  func theStarOfAValueIsAskedAboutInShortPaths(bytes: Int, question: Int?) {
    let path = "/a/" + String(repeating: "x", count: bytes - 4) + "b"
    let basis = Self.basis(
      #"{"appIDs":["\#(Self.app)"],"components":[{"/":"/$(v)"}]}"#, "https://example.com" + path,
      rest: #","substitutionVariables":{"v":["a*b"]}"#)
    #expect(basis?.question == question)
  }

  /// S5: the codes of one release were published. What others have is inferred from them.
  @Test(arguments: [
    ("/de_GB", "ios:13.5", Certainty.inferred), ("/de_GB", "ios:26.0", .inferred),
    ("/de_GB", "macos:14.4", .inferred),
    ("/de_GB", "macos:27.0", .observed), ("/de_UK", "ios:17.4", .inferred),
    ("/de_UK", "macos:27.0", .observed),
  ])
  func theCodesOfOtherReleasesAreInferred(path: String, os: String, certainty: Certainty) throws {
    let basis = Self.basis(
      component: #"{"/":"/$(lang)_$(region)"}"#, "https://example.com" + path, on: try OSVersion(os))
    #expect(basis?.certainty == certainty)
  }

  @Test(arguments: [
    // M4, P1, M5
    (#"{"/":"/buy/*"}"#, "/buy/1", Certainty.documented), (#"{"/":"/buy/*"}"#, "/sell", .documented),
    (#"{"/":"/buy/*","exclude":true}"#, "/buy/1", .documented), ("{}", "/a", .documented),
    (#"{"?":{"a":"1"}}"#, "/a?a=1", .documented), (##"{"#":"x"}"##, "/a#x", .documented),
    // P5, P6, P7
    (#"{"/":"buy"}"#, "/buy", .observed), (#"{"/":"/buy"}"#, "/buy/", .observed),
    (#"{"/":"/buy/*"}"#, "/buy", .observed),
    // K2, K3, K4, S5, Q6
    (#"{"/":"/A","caseSensitive":false}"#, "/a", .observed), (#"{"/":"/%C3%A9"}"#, "/é", .observed),
    (#"{"/":"/é","percentEncoded":false}"#, "/é", .observed), (#"{"/":"/é"}"#, "/é", .observed),
    (#"{"/":"/$(lang)"}"#, "/de", .observed), (#"{"?":{"a":1}}"#, "/a", .observed),
    // S6
    (#"{"/":"/$(food)"}"#, "/pizza", .inferred), (#"{"/":"/$(digit"}"#, "/7", .inferred),
    (#"{"?":{"a":"$(food)"}}"#, "/a?a=pizza", .inferred), (#"{"/":"/$(digit)"}"#, "/x", .documented),
    // The URL itself is inferred.
    (#"{"/":"/b"}"#, "/a/../b", .inferred),
  ])
  func isTheLeastSureOfItsRules(component: String, path: String, certainty: Certainty) {
    let basis = Self.basis(component: component, "https://example.com" + path)
    #expect(basis?.certainty == certainty)
    #expect(basis?.question == nil)
  }

  /// P11: whether `defaults` reach `paths` is not known. It counts only where the answer depends on it.
  @Test(arguments: [
    (#"{"exclude":true}"#, #"["/A"]"#, "/A", Certainty.inferred),
    (#"{"exclude":true}"#, #"["/A"]"#, "/b", .documented),
    (#"{"caseSensitive":false}"#, #"["/A"]"#, "/a", .inferred),
    (#"{"exclude":true}"#, #"["NOT /A","*"]"#, "/A", .documented),
  ])
  func whatDefaultsSayOfPathsIsInferred(
    defaults: String, paths: String, path: String, certainty: Certainty
  ) {
    let basis = Self.basis(
      #"{"appID":"\#(Self.app)","paths":\#(paths)}"#, "https://example.com" + path,
      rest: #","defaults":\#(defaults)"#)
    #expect(basis?.certainty == certainty && basis?.question == nil)
  }

  /// 6.4: which of two equal keys a device uses is undefined.
  @Test(arguments: [
    (#"{"/":"/a/*","/":"/b/*"}"#, "/b/1", Certainty.open), (#"{"/":"/a/*","/":"/b/*"}"#, "/a/1", .open),
    (#"{"/":"/a/*","/":"/b/*"}"#, "/c", .documented),
    (#"{"/":"/a/*","comment":"x","comment":"y"}"#, "/a/1", .documented),
  ])
  func aKeyThatIsThereTwiceLeavesTheAnswerOpen(component: String, path: String, certainty: Certainty) {
    #expect(Self.basis(component: component, "https://example.com" + path)?.certainty == certainty)
  }

  @Test(arguments: [
    (#"{"/":"/x?*"}"#, "/x", 1), (#"{"/":5}"#, "/a", 9), (#"{"/":"/a","exclude":"yes"}"#, "/a", 9),
    (#"{"/":"/a","caseSensitive":"no"},{"/":"/a","exclude":true}"#, "/a", 9),
    (#"{"?":{"ID":"1"},"caseSensitive":false}"#, "/a?id=1", 7), (#"{"?":{"id":"1"}}"#, "/a?%69d=1", 7),
    (#"{"?":"q=a b","percentEncoded":false}"#, "/a?q=a+b", 7),
    (#"{"/":"/s","caseSensitive":false,"percentEncoded":false}"#, "/%C5%BF", 7),
    (#"{"/":"/\u212A","caseSensitive":false}"#, "/k", 7),
  ])
  func namesTheOpenQuestionThatDecides(components: String, path: String, question: Int) {
    let basis = Self.basis(component: components, "https://example.com" + path)
    #expect(basis?.certainty == .open)
    #expect(basis?.question == question)
  }

  @Test(arguments: [
    // The other reading gives the same verdict.
    (#"{"/":"/x?*"}"#, "/xy"), (#"{"/":"/x?*"},{"/":"/x"}"#, "/xy"), (#"{"/":"/a"},{"/":5}"#, "/a"),
    (#"{"/":"/a/?*"}"#, "/a/"), (#"{"?":{"id":"1"}}"#, "/a?id=1"),
    (#"{"/":"/a","caseSensitive":"no"},{"/":"/a"}"#, "/a"),
  ])
  func namesNoQuestionThatDecidesNothing(components: String, path: String) {
    let basis = Self.basis(component: components, "https://example.com" + path)
    #expect(basis?.question == nil)
  }

  @Test func saysWhatSourcesDispute() {
    #expect(
      Self.basis(#"{"appIDs":["\#(Self.app)"]}"#, "https://example.com/a")?.members.map { $0.1.text } == [
        #""disputed""#, "2",
      ])
    let both = #"{"appID":"\#(Self.app)","appIDs":["A.other"],"components":[{"/":"/a"}]}"#
    #expect(Self.basis(both, "https://example.com/a")?.text == "disputed, question 3")
    #expect(Self.basis(both, "https://example.com/b")?.text == "documented")
  }

  /// 6.4: that a value or an element of another type is dropped, and the rest is read, is inferred. J9 is observed.
  @Test(arguments: [
    (#""appIDs":["\#(app)"],"components":[]"#, Certainty.observed),
    (#""appIDs":["\#(app)"],"components":[null]"#, .inferred),
    (#""appIDs":["\#(app)"],"components":[null,{"/":"/a"}]"#, .inferred),
    (#""appIDs":["\#(app)"],"components":[{"/":"/a"},"/b"]"#, .inferred),
    (#""appIDs":["\#(app)",null],"components":[{"/":"/a"}]"#, .inferred),
    (#""appIDs":"\#(app)","components":[{"/":"/a"}]"#, .inferred),
    (#""appID":["\#(app)"],"components":[{"/":"/a"}]"#, .inferred),
    (#""appID":"\#(app)","paths":[null,"/a"]"#, .inferred),
    (#""appID":"\#(app)","paths":["/a"],"defaults":[]"#, .inferred),
    (#""appID":"\#(app)","paths":["/a"]"#, .documented),
    // J8 and J10 are less sure than that.
    (#""appID":"\#(app)","paths":"/a""#, .disputed),
  ])
  func whatIsDroppedForItsTypeIsInferred(members: String, certainty: Certainty) {
    #expect(Self.basis("{\(members)}", "https://example.com/a")?.certainty == certainty)
  }

  @Test(arguments: [
    ([#"{"details":[]}"#, #"{"details":[RULE]}"#], Certainty.open),
    ([#"{"details":[RULE]}"#, #"{"details":[]}"#], .open),
    ([#"{"details":[RULE],"details":[]}"#], .open), ([#"{"details":[],"details":[RULE]}"#], .open),
    ([#"{"details":[RULE]}"#, "null"], .open),
    ([#"{"apps":[],"details":[RULE]}"#, #"{"details":[RULE]}"#], .documented),
    ([#"{"details":[RULE],"defaults":{},"defaults":{}}"#], .documented),
  ])
  func aServiceOrAListThatIsThereTwiceLeavesTheAnswerOpen(values: [String], certainty: Certainty) throws {
    let rule = #"{"appIDs":["\#(Self.app)"],"components":[{"/":"/a"}]}"#
    let text =
      "{" + values.map { #""applinks":"# + $0.replacing("RULE", with: rule) }.joined(separator: ",") + "}"
    let file = try #require(JSONParser.parse(Array(text.utf8)).root.flatMap(AssociationFile.init))
    let matcher = AssociationMatcher(file)
    var work = WorkBudget.answer
    let link = LinkURL(written: "https://example.com/a")
    let trace = matcher.trace(link, app: Self.app, host: HostScope("example.com"))
    let basis = matcher.basis(of: trace, link, app: Self.app, host: HostScope("example.com"), &work)
    #expect(basis?.certainty == certainty)
  }

  @Test(arguments: [
    (#"{"applinks":[]}"#, Certainty.inferred), (#"{"applinks":null}"#, .inferred), ("{}", .documented),
    (#"{"applinks":{"details":"x"}}"#, .inferred), (#"{"applinks":{"details":[null]}}"#, .inferred),
    (#"{"applinks":{"details":{"\#(app)":null}}}"#, .inferred), (#"{"applinks":{}}"#, .documented),
    (#"{"applinks":{"apps":{},"details":[]}}"#, .inferred),
    (#"{"applinks":{"details":[],"substitutionVariables":{"a":[1]}}}"#, .inferred),
    (#"{"applinks":{"details":[],"substitutionVariables":[]}}"#, .inferred),
    (#"{"applinks":{"details":[],"defaults":"x"}}"#, .inferred),
  ])
  func aFileWithoutEntriesForItsTypesIsInferred(text: String, certainty: Certainty) throws {
    let file = try #require(JSONParser.parse(Array(text.utf8)).root.flatMap(AssociationFile.init))
    let matcher = AssociationMatcher(file)
    var work = WorkBudget.answer
    for (url, expected) in [("https://example.com/a", certainty), ("ftp://example.com/a", .documented)] {
      let link = LinkURL(written: url)
      let trace = matcher.trace(link, app: Self.app, host: HostScope("example.com"))
      let basis = matcher.basis(of: trace, link, app: Self.app, host: HostScope("example.com"), &work)
      #expect(basis?.certainty == expected)
    }
  }

  @Test func asksAboutPortsAndUserInformation() {
    #expect(Self.basis(component: "{}", "https://example.com:8443/")?.text == "open, question 6")
    #expect(Self.basis(component: "{}", "https://u@example.com/")?.text == "open, question 6")
    #expect(Self.basis(component: "{}", "https://example.com:443/")?.text == "inferred")
  }

  @Test func asksAboutVariablesWithTheNamesOfPredefinedOnes() {
    let rest = #","substitutionVariables":{"lang":["klingon"]}"#
    #expect(
      Self.basis(component: #"{"/":"/$(lang)"}"#, "https://example.com/klingon", rest: rest)?.question == 8)
    #expect(Self.basis(component: #"{"/":"/$(lang)"}"#, "https://example.com/de", rest: rest)?.question == 8)
    #expect(
      Self.basis(component: #"{"/":"/$(lang)"}"#, "https://example.com/xx", rest: rest)?.question == nil)
  }
}
