internal import LinkspanCore
package import LinkspanCrypto

/// Plays made-up stories of the service, with faults, and checks its promises.
package enum ServiceSwarm {
  /// What came of one seed.
  package struct Outcome: Sendable {
    package var play: ServicePlay
    /// The smallest story that breaks the same promise; nil when all of them held.
    package var shrunk: ServicePlay?
    /// How many stories were played to find it.
    package var tries = 0
  }

  /// Plays the story of a seed; one that breaks a promise is made smaller.
  package static func run(seed: UInt64, _ key: P256PrivateKey) -> Outcome {
    let play = ServicePlay(ServiceStory(seed: seed), key)
    guard let violation = play.violation else { return Outcome(play: play) }
    var shrinker = ServiceShrinker(violation.invariant, key)
    let shrunk = shrinker.shrunk(play)
    return Outcome(play: play, shrunk: shrunk, tries: shrinker.tries)
  }
}

/// Takes steps away from a story while it still breaks the same promise.
///
/// - Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002).
struct ServiceShrinker {
  /// Ours: over in seconds.
  private static let tryLimit = 600

  private let invariant: ServiceInvariant
  private let key: P256PrivateKey
  private(set) var tries = 0

  init(_ invariant: ServiceInvariant, _ key: P256PrivateKey) {
    self.invariant = invariant
    self.key = key
  }

  mutating func shrunk(_ play: ServicePlay) -> ServicePlay {
    var best = play
    var size = max(1, best.story.entries.count / 2)
    while size >= 1 {
      var place = 0
      while place < best.story.entries.count, tries < Self.tryLimit {
        var entries = best.story.entries
        entries.removeSubrange(place..<min(place + size, entries.count))
        tries += 1
        let candidate = ServicePlay(ServiceStory(seed: play.story.seed, entries: entries), key)
        if candidate.violation?.invariant == invariant { best = candidate } else { place += size }
      }
      size /= 2
    }
    return best
  }
}
