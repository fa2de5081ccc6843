package import LinkspanCore
package import LinkspanStories
package import SimulatedDevices

/// Runs randomly generated stories and checks the invariants after every step.
package enum Swarm {
  /// The result of one seed.
  package struct Outcome: Sendable {
    package var seed: UInt64
    /// Over the lines of the trace; the same in every process.
    package var digest: Digest
    package var eventCount: Int
    /// What happened in the story.
    package var result: SimulationResult
    /// nil when every invariant held.
    package var failure: Failure?
  }

  /// A broken invariant, and the smallest story found that breaks it.
  package struct Failure: Sendable {
    /// The first that did not hold, in the story as it was made up.
    package var violation: Violation
    /// The steps and events of that story, until the end.
    package var stepCount: Int
    package var eventCount: Int
    package var shrunk: ShrunkStory
  }

  /// Runs the story of a seed; one that breaks an invariant is shrunk, which takes up to 1,500 further runs.
  ///
  /// - Throws: ``SimulationError`` when the story stalls or has too many events, which is a bug in the swarm.
  package static func run(seed: UInt64, plant: PlantedBug? = nil) throws(SimulationError) -> Outcome {
    let story = story(seed: seed)
    let result = try Simulation.run(story, plant: plant)
    var outcome = Outcome(
      seed: seed, digest: result.digest, eventCount: result.events.count, result: result)
    if let violation = result.violations.first {
      outcome.failure = Failure(
        violation: violation, stepCount: story.script.count, eventCount: result.events.count,
        shrunk: Shrinker(plant: plant, violation).shrunk(story, result))
    }
    return outcome
  }

  /// The story generated from a seed, always the same.
  package static func story(seed: UInt64) -> Story { SwarmStory.make(seed: seed) }
}

/// A small story that breaks the same invariant.
package struct ShrunkStory: Sendable {
  package var story: Story
  package var violation: Violation
  package var eventCount: Int
  /// How many stories were run to find it.
  package var tries: Int

  /// The story as a file.
  ///
  /// - Parameter remarks: Comment lines for its head, after the one that names the invariant: how it was found, and how
  ///   to reproduce it.
  package func text(remarks: [String]) -> String {
    StoryWriter.text(
      of: story,
      remarks: ["Breaks the invariant '\(violation.invariant.name)': \(violation.detail)."] + remarks)
  }
}
