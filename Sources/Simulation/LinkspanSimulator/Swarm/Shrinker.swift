import AppSiteAssociation
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// Makes a story that breaks an invariant smaller while it still breaks it: fewer steps first, then fewer parties,
/// faults, facts and rules, again and again until nothing more can go.
///
/// - Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002), for the steps.
struct Shrinker {
  private let plant: PlantedBug?
  private let invariant: String
  private(set) var tries = 0

  /// Ours: enough for what the swarm makes up, and over in seconds.
  private static let tryLimit = 1500

  init(plant: PlantedBug?, _ violation: Violation) {
    self.plant = plant
    invariant = violation.invariant.name
  }

  private struct Found {
    var story: Story
    var violation: Violation
    var eventCount: Int

    /// What counts as smaller: fewer events, then fewer steps, then less to read.
    var size: (Int, Int, Int) { (eventCount, story.script.count, StoryWriter.text(of: story).utf8.count) }
  }

  func shrunk(_ story: Story, _ result: SimulationResult) -> ShrunkStory {
    var shrinker = self
    var found = Found(story: story, violation: result.violations[0], eventCount: result.events.count)
    var last: (Int, Int, Int)
    repeat {
      last = found.size
      shrinker.shrinkScript(&found)
      shrinker.shrinkParties(&found)
    } while found.size < last && shrinker.tries < Self.tryLimit
    return ShrunkStory(
      story: found.story, violation: found.violation, eventCount: found.eventCount, tries: shrinker.tries)
  }

  /// Takes the candidate when it breaks the same invariant and is smaller.
  private mutating func accept(_ candidate: Story, _ found: inout Found) -> Bool {
    guard tries < Self.tryLimit else { return false }
    tries += 1
    // A story that has no result shows nothing.
    guard let result = try? Simulation.run(candidate, plant: plant),
      let violation = result.violations.first(where: { $0.invariant.name == invariant })
    else { return false }
    let smaller = Found(story: candidate, violation: violation, eventCount: result.events.count)
    guard smaller.size < found.size else { return false }
    found = smaller
    return true
  }

  // MARK: - Steps

  private mutating func shrinkScript(_ found: inout Found) {
    var candidate = found.story
    candidate.script = Array(candidate.script.prefix(found.violation.step + 1))
    _ = accept(candidate, &found)
    var size = max(1, found.story.script.count / 2)
    while size >= 1 {
      var place = 0
      while place < found.story.script.count {
        var candidate = found.story
        candidate.script.removeSubrange(place..<min(place + size, candidate.script.count))
        if candidate.script.isEmpty || !accept(candidate, &found) { place += size }
      }
      size /= 2
    }
  }

  // MARK: - The rest

  private mutating func shrinkParties(_ found: inout Found) {
    // The last ones first, so that places stay what they are.
    for kind in StoryReduction.kinds {
      var place = kind.count(found.story) - 1
      while place >= 0 {
        for candidate in kind.candidates(found.story, place) where accept(candidate, &found) { break }
        place = min(place, kind.count(found.story)) - 1
      }
    }
  }
}
