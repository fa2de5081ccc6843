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

  @Test func theExamplesHaveNone() throws {
    let folder = Fixtures.root.appending(path: "Examples/stories")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let names = ["story.json5"] + files.filter { $0.hasSuffix(".json5") }.map { "stories/" + $0 }
    #expect(names.count > 10)
    for name in names { #expect(try Stories.example(name).warnings.map(\.message) == [], "\(name)") }
  }
}
