import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// Rules E6 to E9: which host's file decides. W11 needs a device and stands with the simulator.
@Suite struct WhichHostTests {
  static let app = "ABCDE12345.com.example.app"

  static func file(_ rule: String) -> AssociationMatcher {
    let text = "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[\(rule)]}]}}"
    return AssociationMatcher(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!)
  }

  static let matching = #"{"/":"/a"}"#
  static let missing = #"{"/":"/b"}"#
  static let excluding = #"{"/":"/a","exclude":true}"#

  struct Row: Sendable, CustomTestStringConvertible {
    var id: String
    var entitlement: [String]
    var url: String
    var files: [String: String]
    var verdict: Decision.Verdict
    /// The host whose file decided; nil when none was there to.
    var from: String?
    var testDescription: String { "\(id)" }
  }

  static let rows = [
    Row(
      id: "W1", entitlement: ["applinks:www.example.com"], url: "https://www.example.com/a",
      files: ["example.com": matching], verdict: .noMatch),
    Row(
      id: "W2", entitlement: ["applinks:*.example.com"], url: "https://www.example.com/a",
      files: ["example.com": matching], verdict: .match, from: "example.com"),
    Row(
      id: "W3", entitlement: ["applinks:*.example.com"], url: "https://www.example.com/a",
      files: ["www.example.com": matching], verdict: .noMatch),
    Row(
      id: "W4", entitlement: ["applinks:*.example.com", "applinks:www.example.com"],
      url: "https://www.example.com/a", files: ["example.com": matching, "www.example.com": matching],
      verdict: .match, from: "www.example.com"),
    Row(
      id: "W5", entitlement: ["applinks:*.example.com", "applinks:www.example.com"],
      url: "https://www.example.com/a", files: ["example.com": matching, "www.example.com": missing],
      verdict: .match, from: "example.com"),
    Row(
      id: "W6", entitlement: ["applinks:*.example.com", "applinks:www.example.com"],
      url: "https://www.example.com/a", files: ["example.com": matching, "www.example.com": excluding],
      verdict: .excluded, from: "www.example.com"),
    Row(
      id: "W7", entitlement: ["applinks:example.com"], url: "https://www.example.com/a",
      files: ["example.com": matching, "www.example.com": matching], verdict: .noMatch),
    Row(
      id: "W8", entitlement: ["applinks:*.example.com"], url: "https://example.com/a",
      files: ["example.com": matching], verdict: .noMatch),
    Row(
      id: "W13", entitlement: ["applinks:*.example.com", "applinks:*.users.example.com"],
      url: "https://emily.users.example.com/a",
      files: ["example.com": matching, "users.example.com": matching], verdict: .match,
      from: "users.example.com"),
  ]

  @Test(arguments: rows) func decides(_ row: Row) throws {
    let app = LinkedApp(identifier: Self.app, domains: try row.entitlement.map { try AssociatedDomain($0) })
    let files = row.files.mapValues(Self.file)
    var work = WorkBudget.answer
    let resolution = LinkResolver.resolve(LinkURL(row.url), apps: [app], &work) { _, domain in
      files[domain.host]
    }
    #expect(resolution.verdict == row.verdict)
    #expect(resolution.decisive?.domain.host == row.from)
    #expect((resolution.app != nil) == (row.verdict == .match))
  }

  @Test(arguments: [
    ("W9", "applinks:example.com:8080"), ("W10", "appclips:*.example.com"),
    ("W12", "applinks:bücher.example"),
  ])
  func refusesTheEntry(id: String, entry: String) {
    #expect(throws: AssociatedDomainProblem.self) { try AssociatedDomain(entry) }
  }

  @Test func theEarlierEntryWinsBetweenApps() throws {
    let text = """
      {"applinks":{"details":[{"appIDs":["ABCDE12345.b"],"components":[{"/":"/a"}]},
      {"appIDs":["ABCDE12345.a"],"components":[{"/":"*"}]}]}}
      """
    let matcher = AssociationMatcher(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!)
    let domains = [try AssociatedDomain("applinks:example.com")]
    let apps = ["ABCDE12345.a", "ABCDE12345.b"].map { LinkedApp(identifier: $0, domains: domains) }
    func opener(_ url: String) -> String? {
      var work = WorkBudget.answer
      return LinkResolver.resolve(LinkURL(url), apps: apps, &work) { _, _ in matcher }.app
    }
    #expect(opener("https://example.com/a") == "ABCDE12345.b")
    #expect(opener("https://example.com/z") == "ABCDE12345.a")
  }
}
