package import LinkspanCore

/// What came of an event and the return to the app: what the table of policies says about it.
package struct ScreenOutcome: Hashable, Sendable {
  /// What the app's card in the switcher shows.
  package enum Card: String, Hashable, Sendable, CaseIterable {
    case hidden
    case visibleLive = "visible-live"
    case visibleInPicture = "visible-in-picture"
    case unknown
    /// The switcher is not part of it.
    case notShown = "not-shown"
  }

  /// What the cover does to somebody who uses the app.
  package enum Disturbance: String, Hashable, Sendable, CaseIterable {
    case none
    /// It appears behind a prompt and goes again.
    case flash
    /// It stays on when the app is active again.
    case stuck
  }

  package let steps: [ScreenStep]

  package init(_ steps: [ScreenStep]) { self.steps = steps }

  /// An event in an app that is active, then the switcher for an app that left, and the way back into the app.
  package static func of(
    _ event: ScreenEvent, policy: CoverPolicy,
    surroundings: ScreenMachine.Surroundings = ScreenMachine.Surroundings()
  ) -> ScreenOutcome {
    let shape = AppShape(policy == .scenePhase ? .swiftUI : .scene)
    var machine = ScreenMachine(AppProcess(shape), policy: policy, surroundings: surroundings)
    _ = machine.perform(.open)
    var steps: [ScreenStep] = []
    if event == .otherApp { steps += machine.perform(.switcher) }
    steps += machine.perform(event)
    if event.leavesApp { steps += machine.perform(.switcher) }
    if event != .open { steps += machine.perform(.open) }
    return ScreenOutcome(steps)
  }

  package var card: Card {
    var seen: [Card] = []
    for step in steps {
      switch step.kind {
      case .shows(let content, .liveCard): seen.append(Self.card(content, .visibleLive))
      case .shows(let content, .pictureCard): seen.append(Self.card(content, .visibleInPicture))
      default: break
      }
    }
    // The worst that could be seen.
    return [.visibleLive, .visibleInPicture, .unknown, .hidden].first(where: seen.contains) ?? .notShown
  }

  /// What is in the last picture that the system took; nil when it took none.
  package var snapshot: ScreenStep.Content? {
    steps.last {
      if case .snapshot = $0.kind { true } else { false }
    }?.content
  }

  package var disturbance: Disturbance {
    if steps.contains(where: { $0.kind == .shows(.cover, at: .inUse) }) { return .stuck }
    return steps.contains { $0.kind == .shows(.cover, at: .behindPrompt) } ? .flash : .none
  }

  /// Whether private content could be seen where the user is not using the app, or lies in a picture.
  package var exposes: Bool {
    card == .visibleLive || card == .visibleInPicture || snapshot == .privateContent
  }

  /// That of the least certain sight.
  package var certainty: Certainty {
    let sights = steps.filter { step in
      if case .shows(_, .homeAnimation) = step.kind { return false }
      return step.content != nil
    }
    return Certainty.allCases.last { certainty in sights.contains { $0.certainty == certainty } }
      ?? .documented
  }

  private static func card(_ content: ScreenStep.Content, _ visible: Card) -> Card {
    switch content {
    case .cover: .hidden
    case .privateContent: visible
    case .unknown: .unknown
    }
  }
}

extension ScreenEvent {
  fileprivate var leavesApp: Bool { self == .home || self == .notification || self == .otherApp }
}
