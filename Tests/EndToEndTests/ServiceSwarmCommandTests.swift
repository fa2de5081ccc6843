import Foundation
import TestSupport
import Testing

/// `linkspan simulate --swarm --service`, as a person runs it.
@Suite struct ServiceSwarmCommandTests {
  private static let swarm = ["simulate", "--swarm", "3", "--service"]

  @Test func twoProcessesGiveTheSameBytesAndNameThePromises() throws {
    let outcomes = try (1...2).map { _ in try Tool().run(Self.swarm + ["--json"]) }
    #expect(outcomes[0].status == 0, "\(outcomes[0].output)")
    #expect(outcomes[0].output == outcomes[1].output)
    let summary = try outcomes[0].json()
    #expect(summary["held"] as? Bool == true && summary["seed"] as? Int == 1)
    let names = try #require(summary["invariants"] as? [String])
    for name in [
      "registration-durable", "delivery-at-most-once", "erasure-complete", "audit-complete",
      "one-live-publication", "rollback-restores", "secrets-hidden", "drains",
    ] {
      #expect(names.contains(name), "\(name)")
    }
  }

  /// Two stories are those of the two seeds, one after the other.
  @Test func severalStoriesAreThoseOfTheirSeeds() throws {
    let tool = try Tool()
    func events(_ count: String, seed: String) throws -> Int {
      let run = try tool.run("simulate", "--swarm", count, "--service", "--seed", seed, "--json")
      #expect(run.status == 0)
      return try #require(try run.json()["events"] as? Int)
    }
    let (first, second) = (try events("1", seed: "1"), try events("1", seed: "2"))
    #expect(first > 0 && second > 0)
    #expect(try events("2", seed: "1") == first + second)
  }

  @Test func thePlantedBugsAreListedAndAnotherOneIsRefused() throws {
    let tool = try Tool()
    let list = try tool.run("simulate", "--service", "--plant", "list")
    #expect(list.status == 0 && list.lines.count >= 20)
    #expect(list.lines.contains("lease-taken-twice"))
    let unknown = try tool.run(Self.swarm + ["--plant", "a-tree"])
    #expect(unknown.status == 2)
    #expect(
      unknown.errors.contains("or list, got 'a-tree'") && unknown.errors.contains("lease-taken-twice"))
  }

  /// What is said about a failure is enough to see it again.
  @Test func aPlantedBugIsToldWithItsCommandsAndItsStory() throws {
    let tool = try Tool()
    let plant = ["--plant", "quota-off-by-one"]
    let outcome = try tool.run(["simulate", "--swarm", "5", "--service", "--json"] + plant)
    #expect(outcome.status == 1)
    let failure = try outcome.json()
    #expect(failure["invariant"] as? String == "quota-kept")
    let shrunk = try #require(failure["shrunk"] as? [String: Any])
    #expect(try #require(shrunk["steps"] as? Int) < 5)
    let shown = try #require(shrunk["repeat"] as? String).split(separator: " ").dropFirst().map(String.init)
    #expect(try tool.run(shown).status == 1)
    // Without the bug the story is a good one.
    let file = try #require(shrunk["file"] as? String)
    #expect(try tool.run("simulate", "--service", file).status == 0)
  }

  /// One story reaches little, and that says nothing; of several it is told.
  @Test func whatIsNeverReachedIsToldOfSeveralStories() throws {
    let one = try Tool().run("simulate", "--swarm", "1", "--service")
    #expect(one.status == 0 && one.lines.count == 1, "\(one.output)")
    let two = try Tool().run("simulate", "--swarm", "2", "--service")
    #expect(two.lines.count == 2 && two.lines.last?.hasPrefix("never reached: ") == true, "\(two.output)")
    #expect(two.lines.first?.hasPrefix("2 stories of the service from seed 1, ") == true)
  }
}
