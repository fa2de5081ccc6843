import AppSiteAssociation
import LinkspanCore
import Testing

@testable import LinkspanSimulator
@testable import SimulatedDevices

/// `simulate`, `explain` and `match` are as sure of a pattern as each other, and name the same open question.
@Suite struct MatchAgreementTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var details: String
    var link: String
    var certainty: Certainty
    var question: Int?

    var testDescription: String { "\(link) by \(details)" }
  }

  private static let rows = [
    // M4: an ordinary rule.
    Row(details: #""components": [{ "/": "/a" }]"#, link: "https://e.test/a", certainty: .documented),
    // J10: an entry without rules.
    Row(details: #""defaults": {}"#, link: "https://e.test/a", certainty: .disputed, question: 2),
    // P7: what stands before '?*'.
    Row(
      details: #""components": [{ "/": "/x?*" }]"#, link: "https://e.test/x", certainty: .open, question: 1),
    // User information.
    Row(
      details: #""components": [{ "/": "/a" }]"#, link: "https://u:secret@e.test/a", certainty: .open,
      question: 6),
    Row(
      details: #""components": [{ "/": "/a" }]"#, link: "https://e.test:8443/a", certainty: .open, question: 6
    ),
    // Types that Apple does not document.
    Row(
      details: #""components": [{ "/": "/a", "exclude": 1 }]"#, link: "https://e.test/a", certainty: .open,
      question: 9),
  ]

  @Test(arguments: rows) func allAreEquallySure(_ row: Row) throws {
    let body = #"{ "applinks": { "details": [{ "appIDs": ["\#(Stories.app)"], \#(row.details) }] } }"#
    let result = try Stories.run(
      sites: "\"e.test\": { file: \(body) }", domains: "\"applinks:e.test\"",
      devices: "phone: { os: \"ios:17.4\" }", script: "{ install: \"app\" }, { tap: \"\(row.link)\" }")
    let verdict = try #require(result.rows.first).verdict
    #expect(verdict.step == .pattern)
    #expect(verdict.certainty == row.certainty)
    #expect(verdict.basis?.question == row.question)

    let matcher = AssociationMatcher(
      try #require(AssociationContent(Array(body.utf8)).file), os: OSVersion(.iOS, 17, 4))
    let link = LinkURL(written: row.link)
    var work = WorkBudget.decision
    let trace = matcher.trace(link, app: Stories.app, host: .exactly("e.test"), &work)
    let basis = try #require(
      matcher.basis(of: trace, link, app: Stories.app, host: .exactly("e.test"), &work))
    #expect(basis.certainty == row.certainty)
    #expect(basis.question == row.question)
  }

  /// The password of a URL is in nothing that is printed.
  @Test func passwordsAreNotShown() throws {
    let result = try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(["/b"])) }", domains: "\"applinks:e.test\"",
      devices: "phone: { os: \"ios:17.4\" }",
      script: """
        { install: "app" },
        { tap: "https://u:secret@e.test/a", expect: "app" },
        { tap: "https://e.test/b", from: "tracker", through: "https://u:secret@r.test/", expect: "app" }
        """)
    #expect(result.checks.count == 2)
    var printed = result.events.flatMap { [$0.line, $0.json.text] }
    printed += result.rows.map(\.json.text) + result.checks.map(\.json.text) + result.findings.map(\.message)
    printed += result.rows.flatMap { [$0.shownLink, $0.verdict.reason] }
    #expect(printed.filter { $0.contains("secret") } == [])
  }
}
