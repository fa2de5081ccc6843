package import LinkspanCore
package import SimulatedDevices

/// One step between finger and screen, and what was found there.
package struct ExplanationStep: Hashable, Sendable, HasProvenance {
  /// In the order in which they are taken.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case release
    case wayOfFollowing = "way-of-following"
    /// Whether an installed app claims the host.
    case entitlement
    /// Which of the entries that cover the host is asked first, and whose file it reads.
    case host
    /// Whom this release asks for the file.
    case route = "fetch-route"
    /// What the device has stored.
    case file
    case userChoice = "user-choice"
    case pattern
    /// What opens.
    case screen
  }

  /// Whether the step lets the app open.
  package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case yes
    case no
    /// Sources disagree, or none says.
    case unknown
    /// An earlier step leaves nothing to look at.
    case notReached = "not-reached"
  }

  package var name: Name
  package var verdict: Verdict
  package var rules: [String]
  package var certainty: Certainty
  /// One sentence without capital letter and full stop.
  package var message: String
}

/// The chain from finger to screen for one link on one device, as the device itself decides it.
package struct LinkExplanation: Hashable, Sendable {
  /// What the device does with the link.
  package var verdict: LinkVerdict
  /// Every step once, in order; the first that says no is the one the verdict names.
  package var steps: [ExplanationStep]

  package init(verdict: LinkVerdict, steps: [ExplanationStep]) {
    self.verdict = verdict
    self.steps = steps
  }
}
