import AssociatedDomains
import LinkspanCore
import TestSupport
import Testing

@Suite struct ApplicationIdentifierTests {
  @Test(arguments: [
    ("ABCDE12345.com.example.app", "ABCDE12345", "com.example.app"),
    ("9JA89QQLNQ.com.apple.wwdc", "9JA89QQLNQ", "com.apple.wwdc"),
    ("6468564854.com.apple.wwdc", "6468564854", "com.apple.wwdc"),
    ("ABCDE12345.app", "ABCDE12345", "app"),
    ("ABCDE12345.com.example-2.App.Clip", "ABCDE12345", "com.example-2.App.Clip"),
  ])
  func readsPrefixAndBundleIdentifier(text: String, prefix: String, bundle: String) throws {
    let identifier = try ApplicationIdentifier(text)
    #expect(identifier.prefix == prefix)
    #expect(identifier.bundleIdentifier == bundle)
    #expect("\(identifier)" == text)
    #expect(try ApplicationIdentifier(prefix: prefix, bundleIdentifier: bundle) == identifier)
  }

  @Test(arguments: [
    ("", "empty", "The application identifier is empty."),
    (" ABCDE12345.com.example.app", "blank", "' ABCDE12345.com.example.app' contains white space."),
    (
      "$(AppIdentifierPrefix)com.example.app", "build-setting",
      "'$(AppIdentifierPrefix)com.example.app' contains a build setting, which only Xcode expands."
    ),
    ("TEAMID.com.example.app", "placeholder", "'TEAMID' is a placeholder."),
    ("YOUR_TEAM_ID.com.example.app", "placeholder", "'YOUR_TEAM_ID' is a placeholder."),
    ("XXXXXXXXXX.com.example.app", "placeholder", "'XXXXXXXXXX' is a placeholder."),
    ("<TEAM>.com.example.app", "placeholder", "'<TEAM>' is a placeholder."),
    ("{{team}}.com.example.app", "placeholder", "'{{team}}' is a placeholder."),
    ("ABCDE12345.YOUR_BUNDLE_ID", "placeholder", "'YOUR_BUNDLE_ID' is a placeholder."),
    (
      "com.example.app", "missing-prefix", "'com.example.app' does not begin with a prefix of 10 characters."
    ),
    (
      ".com.example.app", "missing-prefix",
      "'.com.example.app' does not begin with a prefix of 10 characters."
    ),
    ("A.com.example.app", "prefix-length", "The prefix 'A' has 1 character, not 10."),
    ("ABCDE1234.com.example.app", "prefix-length", "The prefix 'ABCDE1234' has 9 characters, not 10."),
    (
      "abcde12345.com.example.app", "prefix-characters",
      "The prefix 'abcde12345' contains characters other than upper-case letters and digits."
    ),
    (
      "ABCDE-2345.com.example.app", "prefix-characters",
      "The prefix 'ABCDE-2345' contains characters other than upper-case letters and digits."
    ),
    ("ABCDE12345", "missing-bundle-identifier", "'ABCDE12345' is not '<prefix>.<bundle identifier>'."),
    ("ABCDE12345.", "missing-bundle-identifier", "'ABCDE12345.' has no bundle identifier."),
    ("ABCDE12345.*", "wildcard", "'ABCDE12345.*' contains a '*'."),
    (
      "ABCDE12345.com.example.my_app", "bundle-characters",
      "The bundle identifier 'com.example.my_app' contains '_'."
    ),
    ("ABCDE12345.com.exämple", "bundle-characters", "The bundle identifier 'com.exämple' contains 'ä'."),
  ])
  func explainsWhatIsNone(text: String, kind: String, message: String) {
    let error = #expect(throws: ApplicationIdentifierProblem.self) { try ApplicationIdentifier(text) }
    #expect(error?.kind.rawValue == kind)
    #expect(error?.message == message)
    #expect(error?.severity == (kind == "build-setting" ? .note : .error))
  }

  @Test func aBlankIsShownAtItsPlace() {
    let error = #expect(throws: ApplicationIdentifierProblem.self) {
      try ApplicationIdentifier("ABCDE12345.com.ex ample")
    }
    #expect(error?.range == 17..<18)
  }

  @Test func remarksOnWhatIsAllowedAndOdd() throws {
    #expect(try ApplicationIdentifier("ABCDE12345.com.example.app").remarks.isEmpty)
    #expect(
      try ApplicationIdentifier("6468564854.com.example.app").remarks.map(\.message)
        == ["The prefix '6468564854' contains only digits."])
    #expect(
      try ApplicationIdentifier("ABCDE12345.com..app").remarks.map(\.kind) == [.emptyComponent])
  }

  @Test func seesThatAPrefixLostACharacter() {
    #expect(ApplicationIdentifier.nearMiss(of: "W7JAY4CE8", among: ["UW7JAY4CE8"]) == "UW7JAY4CE8")
    #expect(ApplicationIdentifier.nearMiss(of: "UW7JAY4CE8", among: ["UW7JAY4CE8"]) == nil)
    #expect(ApplicationIdentifier.nearMiss(of: "ABCDE12345", among: ["UW7JAY4CE8"]) == nil)
  }
}

/// Identifiers as people publish them. Each row was looked at by hand.
@Suite(.enabled(if: AssociationCorpus.isPresent, Comment(rawValue: Fixtures.corpusAbsence)))
struct ApplicationIdentifierCorpusTests {
  /// File, identifier, verdict.
  static let rows: [(file: String, identifier: String, verdict: String)] = [
    ("008", "6744744763.io.pcf.polkadotapp", "note numeric-prefix"),
    ("026", "W7JAY4CE8.me.wideboard.Wideboard", "error prefix-length"),
    ("030", "TEAM_ID.com.grove.city", "error placeholder"),
    ("033", "com.hylo.HyloA", "error missing-prefix"),
    ("034", "1291943406.Cookoon.cookoon-ios", "note numeric-prefix"),
    ("047", "co.jobcore.talent", "error missing-prefix"),
    ("054", "appid_placeholder", "error placeholder"),
    ("065", "TEAM_ID.com.ayoka.market", "error placeholder"),
    ("081", "TEAMID.com.example.app", "error placeholder"),
    ("094", "PZ93F6RZR3.com.example.deeplink_with_flutter", "error bundle-characters"),
    ("095", "me.romainsickenberg.fortnite-wiki", "error missing-prefix"),
    ("110", "DEVELOPMENT_TEAM.PRODUCT_BUNDLE_IDENTIFIER", "error placeholder"),
    ("117", "com.8tricks.trackpill", "error missing-prefix"),
    ("120", "", "error empty"),
    ("125", "REPLACE_WITH_APPLE_TEAM_ID.com.soteriafield.app", "error placeholder"),
    ("127", "TEAM_ID.com.bellor.app", "error placeholder"),
    ("128", "REPLACE_WITH_TEAM_ID.eu.drafto.mobile", "error placeholder"),
    ("130", "APPLE_TEAM_ID.com.kinsell.app", "error placeholder"),
    ("168", "6468564854.com.JumpGroupSrl.TomassiniVerso", "note numeric-prefix"),
    ("170", "6468564854.com.apple.wwdc", "note numeric-prefix"),
    ("188", "W7JAY4CE8.me.wideboard.Wideboard", "error prefix-length"),
    ("189", "W7JAY4CE8.me.wideboard.Wideboard", "error prefix-length"),
  ]

  @Test func everyTroubleOfTheCorpusIsSeenAndNoOther() throws {
    var found: Set<String> = []
    for (file, identifier) in try AssociationCorpus.identifiers() {
      let number = String(file.prefix(3))
      do throws(ApplicationIdentifierProblem) {
        for remark in try ApplicationIdentifier(identifier).remarks {
          found.insert("\(number) \(identifier): \(remark.severity.rawValue) \(remark.kind.rawValue)")
        }
      } catch {
        found.insert("\(number) \(identifier): \(error.severity.rawValue) \(error.kind.rawValue)")
      }
    }
    let expected = Set(Self.rows.map { "\($0.file) \($0.identifier): \($0.verdict)" })
    #expect(found.subtracting(expected).sorted() == [], "not expected")
    #expect(expected.subtracting(found).sorted() == [], "not seen")
  }
}

/// The published association files, when they lie beside the package.
enum AssociationCorpus {
  static let isPresent = Fixtures.corpus != nil

  /// Every text in the place of an application identifier, with the name of its file.
  static func identifiers() throws -> [(file: String, identifier: String)] {
    var found: [(String, String)] = []
    guard let corpus = Fixtures.corpus else { return [] }
    for row in try corpus.manifest("aasa") {
      let name = row[0]
      let bytes = try corpus.bytes("aasa/\(name)")
      guard let root = JSONParser.parse(bytes).root else { continue }
      collect(root) { found.append((name, $0)) }
    }
    return found
  }

  private static func collect(_ node: JSONNode, into use: (String) -> Void) {
    for member in node.object ?? [] {
      switch member.name {
      case "appID": if let text = member.value.string { use(text) }
      case "appIDs", "apps": for text in member.value.array ?? [] { if let text = text.string { use(text) } }
      case "details": for entry in member.value.object ?? [] { use(entry.name) }
      default: break
      }
      collect(member.value, into: use)
    }
    for element in node.array ?? [] { collect(element, into: use) }
  }
}
