import Foundation
import TestSupport
import Testing

/// `linkspan swcutil show` prints what Apple's tool would (section 11.2).
@Suite struct SwcutilShowTests {
  static let story = """
    {
      start: "2023-08-24T10:09:00Z",
      sites: {
        "example.com": { file: { applinks: { details: [{ appIDs: ["ABCDE12345.com.example.app"], components: [
          { "/": "/buy/*" }, { "/": "/help/*", exclude: true } ] }] } } },
        "qa.example.com": { body: "<html>" },
      },
      network: { "example.com": { latency_ms: 0 } },
      apps: { app: { identifier: "ABCDE12345.com.example.app", build: "development",
        domains: ["applinks:example.com", "applinks:qa.example.com?mode=developer", "applinks:*.example.org"] } },
      devices: { iphone: { os: "ios:17.4", developer: true } },
      script: [{ install: "app" }, { choose: "browser", host: "example.com" }],
    }
    """

  func show(_ more: String...) throws -> Tool.Outcome {
    let tool = try Tool()
    try tool.write(Self.story, to: "s.json5")
    return try tool.run(["swcutil", "show", "--story", "s.json5"] + more)
  }

  /// The keys, the column of the values, the forms of domain, pattern, date and error are the published ones.
  @Test(arguments: [
    "Service:              applinks", "App ID:               ABCDE12345.com.example.app",
    "Domain:               example.com", "Domain:               *.example.org",
    "Domain:               qa.example.com?mode=developer",
    "Patterns:             {\"/\":\"/buy/*\"}, {\"/\":\"/help/*\",\"exclude\":true}",
    "User Approval:        denied", "User Approval:        unspecified",
    "Site/Fmwk Approval:   approved", "Site/Fmwk Approval:   unspecified", "Flags:                developer",
    "Retries:              1", "Error:                Error Domain=SWCErrorDomain Code=7 \"(null)\"",
    "{ s = applinks, a = ABCDE12345.com.example.app, d = example.com }: {",
    "    \"com.apple.LaunchServices.enabled\" = 0;",
    "=================================== DATABASE ===================================",
    "=================================== NETWORK ====================================",
    "=================================== SETTINGS ===================================",
    "================================= MEMORY USAGE =================================",
    String(repeating: "-", count: 80),
  ])
  func printsTheLine(_ line: String) throws {
    let outcome = try show()
    #expect(outcome.status == 0)
    #expect(outcome.lines.contains(line), "\(outcome.output)")
  }

  @Test func datesAreThoseOfTheTool() throws {
    let dates = try show().lines.filter { $0.hasPrefix("Last Checked:") || $0.hasPrefix("Next Check:") }
    #expect(dates.count == 6)
    for line in dates {
      #expect(line.wholeMatch(of: /.{22}2023-08-2\d \d\d:\d\d:\d\d \+0000/) != nil, "\(line)")
    }
  }

  /// What it prints is read back by the reader of real devices' files, and means what the device decided.
  @Test func isReadBack() throws {
    let tool = try Tool()
    let listing = try show().output
    let json = try tool.run("swcutil", "explain", "-", "--json", input: listing).json()
    let states = (json["associations"] as? [[String: Any]])?.map {
      "\($0["domain"] ?? "") \($0["state"] ?? "")"
    }
    #expect(
      states == [
        "*.example.org notApproved", "example.com userChoseBrowser", "qa.example.com notApproved",
      ])
  }

  @Test func showsAnEarlierMoment() throws {
    #expect(try show("--at", "0").output.contains("Service:") == false)
    #expect(try show("--at", "1").output.contains("LaunchServices") == false)
    let outcome = try show("--at", "3")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'3' is not a moment of the story 's.json5'"))
  }
}
