package import LinkspanCore

/// Plays stories that chance made up and looks whether the invariants hold.
package enum Swarm {
  /// What came of one seed.
  package struct Outcome: Sendable {
    package var seed: UInt64
    package var digest: Digest
    package var eventCount: Int
    /// nil when every invariant held.
    package var failure: Failure?
  }

  package struct Failure: Sendable {
    /// The first that did not hold, in the story as it was made up.
    package var violation: Violation
    /// The steps and events of that story, until the end.
    package var stepCount: Int
    package var eventCount: Int
    package var shrunk: ShrunkStory
  }

  /// Plays the story of a seed; one that breaks an invariant is shrunk.
  ///
  /// - Throws: When the story never ends or has too many events, which is a mistake of the swarm.
  package static func run(seed: UInt64, plant: PlantedBug? = nil) throws(SimulationError) -> Outcome {
    let story = story(seed: seed)
    let result = try Simulation.run(story, plant: plant)
    var outcome = Outcome(
      seed: seed, digest: result.digest, eventCount: result.events.count)
    if let violation = result.violations.first {
      outcome.failure = Failure(
        violation: violation, stepCount: story.script.count, eventCount: result.events.count,
        shrunk: Shrinker(plant: plant, violation).shrunk(story, result))
    }
    return outcome
  }

  /// The story that a seed makes up.
  package static func story(seed: UInt64) -> Story { SwarmStory.make(seed: seed) }
}

/// A small story that breaks the same invariant.
package struct ShrunkStory: Sendable {
  package var story: Story
  package var violation: Violation
  package var eventCount: Int
  /// How many stories were played to find it.
  package var tries: Int

  /// The story as a file.
  ///
  /// - Parameter remarks: What its head says beside the invariant: how it was found, and how to see it fail.
  package func text(remarks: [String]) -> String {
    StoryWriter.text(
      of: story,
      remarks: ["Breaks the invariant '\(violation.invariant.name)': \(violation.detail)."] + remarks)
  }
}
