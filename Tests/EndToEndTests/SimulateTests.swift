import Foundation
import TestSupport
import Testing

@Suite struct SimulateTests {
  static let story = Fixtures.root.appending(path: "Examples/story.json5").path

  /// A story against nobody would only tell of silence.
  @Test func aLiveServerThatIsNotThereIsNoAnswer() throws {
    let outcome = try Tool().run("simulate", Self.story, "--live", "127.0.0.1:1")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        linkspan simulate: error: the live server cannot be reached: connecting to 127.0.0.1:1: Connection refused.
          Start it first, with 'linkspan serve' for example, or name the address where it listens.

        """)
  }

  @Test func objectsOfSeveralStoriesNameTheirs() throws {
    let other = Fixtures.root.appending(path: "Examples/stories/stale-copy-after-a-fix.json5").path
    let outcome = try Tool().run("simulate", Self.story, other, "--json")
    let stories = try outcome.lines.indices.map { try outcome.json(line: $0)["story"] as? String }
    #expect(Set(stories) == [Self.story, other])
    let one = try Tool().run("simulate", Self.story, "--json")
    #expect(!one.output.contains("\"story\":"))
  }
}
