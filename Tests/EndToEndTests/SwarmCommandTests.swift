import Foundation
import TestSupport
import Testing

/// `linkspan simulate --swarm`, as a person runs it.
@Suite struct SwarmCommandTests {
  static let plant = ["--plant", "stored-file-dropped-on-timeout"]

  /// Nothing of a process shows: no order of a Set or Dictionary, no address, no clock.
  @Test func twoProcessesGiveTheSameBytes() throws {
    let outcomes = try (1...2).map { _ in try Tool().run("simulate", "--swarm", "20", "--json") }
    #expect(outcomes[0].status == 0)
    #expect(outcomes[0].output == outcomes[1].output)
    let summary = try outcomes[0].json()
    #expect(summary["type"] as? String == "swarm")
    #expect(summary["held"] as? Bool == true)
    #expect(summary["stories"] as? Int == 20)
    #expect(summary["digest"] as? String == Self.digest)
  }

  /// Of the digests of seeds 1 to 20. A change of the simulator that changes its traces changes it on purpose.
  static let digest = "a2fe19ed4c4e2cba"

  /// As the summary of a story has it.
  @Test func aSeedThatManyReadersWouldRoundIsAString() throws {
    let outcome = try Tool().run("simulate", "--swarm", "1", "--seed", "18446744073709551615", "--json")
    #expect(try outcome.json()["seed"] as? String == "18446744073709551615")
  }

  /// The story of a seed can be read as one of a person can.
  @Test func theStoryOfASeedIsShown() throws {
    let tool = try Tool()
    let words = ["simulate", "--swarm", "1", "--seed", "7"]
    let plain = try tool.run(words)
    let shown = try tool.run(words + ["--events", "--html", "story.html"])
    #expect(shown.status == 0 && shown.output.hasSuffix("\n\n" + plain.output), "\(shown.errors)")
    #expect(shown.lines.count > 50 && shown.lines.contains { $0.contains(" install ") })
    #expect(try tool.text("story.html").contains("swarm, seed 7"))
    let objects = try tool.run(words + ["--events", "--json"]).lines
    #expect(objects.count > 50 && objects.last?.hasPrefix(#"{"type":"swarm","#) == true)
    let many = try tool.run("simulate", "--swarm", "2", "--events")
    #expect(many.status == 2 && many.errors.contains("'--events' shows one story"), "\(many.errors)")
  }

  @Test func progressGoesToStandardError() throws {
    let outcome = try Tool().run("simulate", "--swarm", "21", "--seed", "5000")
    #expect(outcome.errors.hasPrefix("swarm: 10 of 21 stories, "), "\(outcome.errors)")
    #expect(outcome.errors.contains("swarm: 20 of 21 stories, "), "\(outcome.errors)")
    #expect(outcome.lines.count == 1)
    #expect(outcome.output.hasPrefix("21 stories from seed 5000, "))
  }

  /// What is said about a failure is enough to see it again: the two commands show the same invariant.
  @Test func aPlantedBugIsToldWithItsCommandsAndItsStory() throws {
    let tool = try Tool()
    let outcome = try tool.run(["simulate", "--swarm", "100", "--json"] + Self.plant)
    #expect(outcome.status == 1)
    let failure = try outcome.json()
    let shrunk = try #require(failure["shrunk"] as? [String: Any])
    #expect(try #require(shrunk["events"] as? Int) < 10)
    #expect(failure["invariant"] as? String == "approval-survives-what-passes")

    let command = try #require(failure["repeat"] as? String).split(separator: " ").dropFirst().map(
      String.init)
    let again = try tool.run(command + ["--json"])
    #expect(try again.json()["detail"] as? String == failure["detail"] as? String)

    let shown = try #require(shrunk["repeat"] as? String).split(separator: " ").dropFirst().map(String.init)
    let played = try tool.run(shown)
    #expect(played.status == 1)
    #expect(played.output.contains("error[invariant.approval-survives-what-passes]"))

    // Without the bug the story is a good one.
    let file = try #require(shrunk["file"] as? String)
    #expect(try tool.run("simulate", file).status == 0)
  }

  @Test(arguments: [
    (["--swarm", "1", "story.json5"], "unexpected argument 'story.json5'"),
    (["--swarm", "0"], "'--swarm': expected an integer ≥ 1, got '0'"),
    (["--swarm", "1", "--plant", "a-tree"], "'--plant': expected negative-cache-ignored, "),
    (["--swarm", "2", "--events"], "'--events' shows one story"),
    (["--swarm", "1", "--har", "a"], "'--har' goes with a story"),
    (["story.json5", "--shrunk", "a"], "'--shrunk' goes with '--swarm'"),
  ]) func flagsThatWouldDoNothingAreRefused(_ arguments: [String], _ message: String) throws {
    let outcome = try Tool().run(["simulate"] + arguments)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message))
  }

  @Test func aStoryThatCannotBeWrittenIsToldSo() throws {
    let outcome = try Tool().run(
      ["simulate", "--swarm", "100", "--shrunk", "missing/story.json5"] + Self.plant)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("missing/story.json5"))
  }
}
