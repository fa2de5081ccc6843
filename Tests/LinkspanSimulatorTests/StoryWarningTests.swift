import Foundation
import LinkspanCore
import LinkspanStories
import TestSupport
import Testing

/// What a story that can be played most likely gets wrong.
@Suite struct StoryWarningTests {
  private static func warnings(_ rest: String) throws -> [Finding] {
    try Stories.inline(StoryErrorTests.story(rest)).warnings
  }

  @Test(arguments: [
    ("network", "network: { \"f.test\": { down: true } }"),
    ("network", "script: [{ network: { \"f.test\": {} } }]"),
    ("deploy", "script: [{ deploy: { \"f.test\": { status: 503 } } }]"),
    ("choose", "script: [{ choose: \"browser\", host: \"f.test\" }]"),
  ])
  func aHostThatNothingHasIsTold(key: String, rest: String) throws {
    let warnings = try Self.warnings(rest)
    #expect(warnings.map(\.rule) == ["story.unknown-host"] && warnings.map(\.severity) == [.warning])
    #expect(
      warnings.map(\.message)
        == ["No site, app or link of the story has the host 'f.test', so '\(key)' changes nothing."])
    #expect(warnings.map(\.help) == ["Did you mean 'e.test'?"])
    #expect(warnings.allSatisfy { $0.location.start?.line == 6 })
  }

  @Test func withoutANearHostItSaysWhereToDeclareIt() throws {
    let warnings = try Self.warnings("network: { \"elsewhere.example\": { down: true } }")
    #expect(
      warnings.map(\.help) == ["Declare the host under 'sites', or add its entry to the 'domains' of an app."]
    )
  }

  @Test(arguments: [
    // Of a link, of a site, below a wildcard of device management, and of an entry that cannot be read.
    "network: { \"e.test\": {} }", "sites: { \"f.test\": {} }, network: { \"f.test\": {} }",
    "script: [{ choose: \"app\", host: \"www.managed.test\" }, { network: { \"managed.test\": {} } }]",
    "network: { \"odd.test\": {} }",
  ])
  func aHostThatSomethingHasIsNot(rest: String) throws {
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        apps: { shop: { identifier: "\(Stories.app)", domains: ["applinks:odd.test:8080"] } },
        devices: { p: { os: "ios:17.4", managed: { domains: { shop: ["applinks:*.managed.test"] } } } },
        links: ["https://e.test/a"],
        \(rest)
      }
      """)
    #expect(story.warnings.map(\.message) == [])
  }

  /// What one step does with two apps of one identifier, the second undoes; in steps of their own it is an update.
  @Test func anAppThatAnotherOfItsStepReplacesIsTold() throws {
    func warnings(_ script: String) throws -> [Finding] {
      try Stories.inline(
        """
        {
          start: "2026-09-14T08:00:00Z", devices: { p: { os: "ios:17.4" } },
          apps: {
            old: { identifier: "\(Stories.app)" }, new: { identifier: "\(Stories.app)" },
            other: { identifier: "ABCDE12345.com.example.other" },
          },
          script: [\(script)],
        }
        """
      ).warnings
    }
    let found = try warnings("{ install: [\"old\", \"other\", \"new\"] }")
    #expect(found.map(\.rule) == ["story.replaced-app"] && found.map(\.severity) == [.warning])
    #expect(
      found.map(\.message)
        == ["'new' replaces 'old', which this step installs too: both are '\(Stories.app)'."])
    #expect(
      try warnings("{ install: \"old\" }, { update: \"new\" }, { install: [\"new\", \"other\"] }").isEmpty)
  }

  @Test func theExamplesHaveNone() throws {
    let folder = Fixtures.root.appending(path: "Examples/stories")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let names = ["story.json5"] + files.filter { $0.hasSuffix(".json5") }.map { "stories/" + $0 }
    #expect(names.count > 10)
    for name in names { #expect(try Stories.example(name).warnings.map(\.message) == [], "\(name)") }
  }

  /// As URLs, a host may be written with any letters.
  @Test func aHostIsReadAsItIsWritten() throws {
    let story = try Stories.inline(
      "{ start: \"2026-09-14T08:00:00Z\", sites: { \"bücher.example\": { body: \"{}\" } } }")
    #expect(story.sites.keys.sorted() == ["xn--bcher-kva.example"])
    let twice = StoryErrorTests.findings(
      StoryErrorTests.story("sites: { \"bücher.test\": {}, \"xn--bcher-kva.test\": {} }"))
    #expect(
      twice.map(\.message) == ["'bücher.test' and 'xn--bcher-kva.test' are the same host in sites."])
  }

  /// Without a device every expectation would hold, whatever the step does.
  @Test(arguments: [
    "arrive: \"scheme\", app: \"n\", expect: \"once\"", "screen: \"home\", app: \"n\", expect: \"hidden\"",
    "push: { aps: { alert: \"x\" } }, app: \"n\", expect: \"woke\"",
  ])
  func anExpectationNeedsADevice(step: String) {
    let found = StoryErrorTests.findings(
      """
      { start: "2026-09-14T08:00:00Z", script: [{ \(step) }],
        apps: { n: { identifier: "ABCDE12345.com.example.n", push: {} } } }
      """)
    #expect(found.map(\.message) == ["The story has no device, so nothing can be expected."])
  }

  /// A story lasts up to a year, and no year has five digits.
  @Test func aStoryEndsBeforeTimesDo() throws {
    let late = StoryErrorTests.findings("{ start: \"9999-12-31T23:59:59Z\" }")
    #expect(
      late.map(\.message) == [
        "'9999-12-31T23:59:59Z' is too late: times end with the year 9999, which the story could pass."
      ])
    #expect(StoryErrorTests.findings("{ start: \"9996-12-31T23:59:59Z\" }").isEmpty)
  }
}
