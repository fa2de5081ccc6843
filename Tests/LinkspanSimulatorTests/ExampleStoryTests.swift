import Foundation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import TestSupport
import Testing

/// The stories under `Examples/`: their expectations hold, with every seed that is tried.
@Suite struct ExampleStoryTests {
  static let names =
    ["story.json5"]
    + [
      "album-pattern-catches-too-much", "clip-hands-over-to-the-app", "entitlement-lost-in-resigning",
      "qa-behind-a-filter", "silent-push-never-wakes", "silent-push-updates-before-open",
      "same-host-tap",
      "cold-start-delivers-twice", "double-press-race", "draft-from-phone-to-ipad",
      "recipe-from-mac-to-phone", "recipe-app-with-the-library",
      "clip-and-push-with-the-library",
      "stale-copy-after-a-fix", "tracker-redirect", "user-chose-the-browser", "wildcard-beside-exact-host",
    ].map { "stories/\($0).json5" }

  @Test func everyStoryOfTheFolderIsPlayedHere() throws {
    let folder = Fixtures.root.appending(path: "Examples/stories")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json5") }.map { "stories/\($0)" }
    #expect(Set(files) == Set(Self.names.dropFirst()))
  }

  @Test(arguments: names, [UInt64(1), 2, 3]) func holds(_ name: String, seed: UInt64) throws {
    let result = try Simulation.run(try Stories.example(name), seed: seed)
    #expect(result.failures.map { "\($0.link) \($0.device): \($0.expected) / \($0.actual)" } == [])
    #expect(!result.checks.isEmpty)
  }

  @Test func isTheTableOfTheExample() throws {
    let result = try Simulation.run(try Stories.example("story.json5"))
    #expect(result.rows.count == 12 * 9)
    let old = try #require(
      result.rows.first { $0.link == "https://example.com/shop/prints/42" && $0.device.name == "iphone-12.4" }
    )
    #expect(
      old.verdict.reason == "iOS before 13 requires \"apps\": [] inside \"applinks\", which is missing")
    for row in result.rows where row.verdict.app == nil { #expect(row.verdict.change?.isEmpty == false) }
    for row in result.rows where row.verdict.app != nil { #expect(row.verdict.ruleName != nil) }
  }

  /// The story of Documentation/stories.md is played, and its tables name every word there is.
  @Test func theDocumentIsTrue() throws {
    let url = Fixtures.root.appending(path: "Documentation/stories.md")
    let text = try String(contentsOf: url, encoding: .utf8)
    let blocks = text.split(separator: "```json5\n").dropFirst().compactMap {
      $0.split(separator: "\n```").first
    }
    let block = try #require(blocks.first)
    // The one about Handoff, arrival and the switcher.
    let other = try Simulation.run(try Stories.inline(String(try #require(blocks.last))))
    #expect(other.failures.map { "\($0.link) \($0.device): \($0.actual)" } == [])
    #expect(other.checks.count == 4)
    for event in other.events { #expect(text.contains("`\(event.kind)`"), "\(event.kind)") }
    for seed in 1...5 as ClosedRange<UInt64> {
      let result = try Simulation.run(try Stories.inline(String(block)), seed: seed)
      #expect(result.failures.map { "\($0.link) \($0.device): \($0.actual)" } == [])
      #expect(result.checks.count == 19)
      for event in result.events { #expect(text.contains("`\(event.kind)`")) }
    }
    let words =
      StoryStep.verbs + WayOfFollowing.names + LinkVerdict.Step.allCases.map(\.rawValue)
      + BuildKind.allCases.map(\.rawValue) + HostFacts.Filter.allCases.map(\.rawValue)
    for word in words {
      #expect(text.contains("`\(word)`") || text.contains("\"\(word)\""), "\(word)")
    }
  }
}
