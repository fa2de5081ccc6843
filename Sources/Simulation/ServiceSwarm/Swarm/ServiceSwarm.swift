internal import LinkspanCore
package import LinkspanCrypto

/// Plays made-up stories of the service, with faults, and checks its promises.
package enum ServiceSwarm {
  /// The smallest story found that breaks a promise.
  package struct Shrunk: Sendable {
    package var play: ServicePlay
    /// How many stories were played to find it.
    package var tries: Int
  }

  /// Plays the story of a seed.
  ///
  /// - Parameter bug: One of ``PlantedBugs``; nil for none.
  package static func play(seed: UInt64, _ key: P256PrivateKey, bug: String? = nil) -> ServicePlay {
    ServicePlay(ServiceStory(seed: seed), key, bug: bug)
  }

  /// Makes a story that breaks a promise smaller, as long as it breaks the same one.
  package static func shrunk(
    _ play: ServicePlay, _ violation: ServiceViolation, _ key: P256PrivateKey, bug: String? = nil
  ) -> Shrunk {
    var shrinker = ServiceShrinker(violation.invariant, key, bug)
    let smallest = shrinker.shrunk(play)
    return Shrunk(play: smallest, tries: shrinker.tries)
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
  private let bug: String?
  private(set) var tries = 0

  init(_ invariant: ServiceInvariant, _ key: P256PrivateKey, _ bug: String?) {
    self.invariant = invariant
    self.key = key
    self.bug = bug
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
        let candidate = ServicePlay(play.story.with(entries), key, bug: bug)
        if candidate.violation?.invariant == invariant { best = candidate } else { place += size }
      }
      size /= 2
    }
    return best
  }
}
