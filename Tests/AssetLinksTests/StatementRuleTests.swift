import AppSiteAssociation
import AssetLinks
import LinkspanCore
import TestSupport
import Testing

@Suite struct StatementRuleTests {
  @Test(arguments: RuleExample.all(of: StatementRule.all.map(\.record)))
  func keepsItsWord(_ example: RuleExample) throws {
    let rule = try #require(StatementRule.all.first { $0.identifier == example.rule.identifier })
    try example.isKept { rule.findings(in: StatementSource($0)) }
  }

  @Test func everyRuleHasExamplesAndItsOwnName() {
    for rule in StatementRule.all {
      #expect(!rule.bad.isEmpty && !rule.good.isEmpty, "\(rule.identifier)")
      #expect(rule.summary.hasSuffix("."), "\(rule.identifier)")
    }
    #expect(Set(StatementRule.all.map(\.identifier)).count == StatementRule.all.count)
  }

  /// What the reading finds has a rule that reports it.
  @Test func everyFaultHasItsRule() {
    let rules = Set(StatementRule.all.map(\.identifier))
    for kind in StatementFault.Kind.allCases { #expect(rules.contains("assetlinks.\(kind.rawValue)")) }
  }

  @Test func goodExamplesAreGoodByEveryRule() {
    for text in Set(StatementRule.all.flatMap(\.good)) {
      let findings = StatementChecker.findings(in: StatementSource(SourceText(name: "good", text)))
      #expect(findings == [], "\(text)")
    }
  }

  @Test(
    arguments: [
      ("assetlinks.json", "", true), ("HOST/.well-known/assetlinks.json", "{}", true),
      ("assetlinks.json", "{\"applinks\":{\"details\":[]}}", false),
      ("assetlinks.json", "{\"webcredentials\":{},}", false),
      ("file", " [{\"include\":\"https://example.com/a\"}]", true), ("file", "[]", false),
      ("file", "[{\"applinks\":{}}]", false), ("file", "{\"relation\":[]}", false),
    ])
  func knowsAListByNameOrContent(name: String, text: String, isList: Bool) {
    #expect(StatementSource.isStatementList(SourceText(name: name, text)) == isList)
  }

  @Test(
    arguments: [
      ("AA:BB", "2 bytes, not 32."), (String(repeating: "AA:", count: 19) + "AA", "it looks like SHA-1."),
      (String(repeating: "AB", count: 32), "does not consist of digit pairs separated by colons."),
    ])
  func saysWhatAFingerprintLooksLike(text: String, ending: String) throws {
    let list =
      "[{\"relation\":[\"delegate_permission/common.handle_all_urls\"],\"target\":{\"namespace\":\"android_app\","
      + "\"package_name\":\"com.example.app\",\"sha256_cert_fingerprints\":[\"\(text)\"]}}]"
    let findings = StatementChecker.findings(in: StatementSource(SourceText(name: "file", list)))
    #expect(findings.map(\.rule) == ["assetlinks.fingerprint"])
    #expect(findings.first?.message.hasSuffix(ending) == true, "\(findings.first?.message ?? "")")
  }

  /// D8: `$(…)` is Apple's, so nothing is said of what it would hold.
  @Test func dynamicComponentsHaveNoVariables() throws {
    let relation = Relation.handleAllURLs
    let list =
      "[{\"relation\":[\"\(relation)\"],\"target\":{\"namespace\":\"web\",\"site\":\"https://example.com\"},"
      + "\"relation_extensions\":{\"\(relation)\":{\"dynamic_app_link_components\":[{\"/\":\"/x/$(digit)\"},"
      + "{\"/\":\"/x/1\"},{\"/\":\"/y\",\"?\":{\"q\":\"$(lang)\"},\"#\":\"$(\"},{\"/\":\"/$\"}]}}}]"
    let findings = StatementChecker.findings(in: StatementSource(SourceText(name: "file", list)))
    let message = "The pattern has a variable, and dynamic components have none."
    #expect(findings.map(\.message) == [message, message, message], "\(findings.map(\.message))")
    #expect(findings.allSatisfy { $0.severity == .warning && $0.rule == "assetlinks.dynamic-component" })
    #expect(findings[1].location.pointer?.hasSuffix("/dynamic_app_link_components/2/?/q") == true)
  }

  /// A file without defects gets no finding at all, any other an error.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func agreesWithTheCorpus() throws {
    let corpus = try #require(Fixtures.corpus)
    for row in try corpus.manifest("assetlinks") where row[0].hasSuffix(".json") {
      let source = SourceText(name: row[0], bytes: try corpus.bytes("assetlinks/\(row[0])"))
      #expect(StatementSource.isStatementList(source), "\(row[0])")
      let errors = StatementChecker.findings(in: StatementSource(source)).filter { $0.severity == .error }
      #expect(errors.isEmpty == (row[8] == "-"), "\(row[0]): \(row[8]) \(errors.map { $0.text() }.joined())")
    }
  }

  @Test func aStatementListIsToldByItsContent() {
    func isList(_ name: String, _ text: String) -> Bool {
      StatementSource.isStatementList(SourceText(name: name, text))
    }
    #expect(!isList("old-assetlinks.json", #"{"applinks":{"details":[]}}"#))
    #expect(isList("assetlinks.json", #"{"relation":[],"target":{}}"#))
    #expect(isList("assetlinks.json", "[]"))
    #expect(isList("file", #"[{"relation":[]}]"#))
    #expect(!isList("file", #"{"relation":[]}"#))
  }
}
