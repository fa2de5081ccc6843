package import LinkspanCore

/// One thing that happens to an app on a screen.
package struct ScreenStep: Hashable, Sendable {
  /// What can be seen in a place.
  package enum Content: String, Hashable, Sendable, CaseIterable {
    case cover
    case privateContent = "private"
    /// No source says.
    case unknown
  }

  package enum Place: String, Hashable, Sendable, CaseIterable {
    /// The app itself, with something of the system's over it.
    case behindPrompt = "behind-prompt"
    /// The app's window while it shrinks to its icon.
    case homeAnimation = "home-animation"
    /// The live interface among the cards of the switcher.
    case liveCard = "switcher-live"
    /// The picture on the card.
    case pictureCard = "switcher-picture"
    /// The app in use, which shows a cover only by mistake.
    case inUse = "in-use"
  }

  package enum Kind: Hashable, Sendable {
    case callback(Callback)
    /// `UIApplicationWillBeginSuspendAnimationNotification`.
    case suspendAnimation
    case cover(isOn: Bool)
    case shows(Content, at: Place)
    /// The system takes the picture that the switcher shows later.
    case snapshot(Content)
    /// The system refuses to start the app.
    case launchRefused
  }

  package var kind: Kind
  package var certainty: Certainty

  init(_ kind: Kind, _ certainty: Certainty) {
    self.kind = kind
    self.certainty = certainty
  }

  /// In the program's output.
  package var name: String {
    switch kind {
    case .callback(let callback): callback.rawValue
    case .suspendAnimation: "UIApplicationWillBeginSuspendAnimationNotification"
    case .cover(let isOn): isOn ? "cover-on" : "cover-off"
    case .shows(_, let place): place.rawValue
    case .snapshot: "snapshot"
    case .launchRefused: "launch-refused"
    }
  }

  /// What can be seen, where that is what the step says.
  package var content: Content? {
    switch kind {
    case .shows(let content, _), .snapshot(let content): content
    default: nil
    }
  }

  /// The rule it rests on, such as `LC5`.
  package var rule: String {
    switch kind {
    case .callback, .suspendAnimation: "LC4"
    case .cover: "SR6"
    case .shows(_, let place): place == .liveCard ? "SR7" : place == .pictureCard ? "LC5" : "LC4"
    case .snapshot: "LC5"
    case .launchRefused: "LC2"
    }
  }

  /// `{"step":…,"content":…,"certainty":…}`
  package var json: JSON {
    .object([
      ("step", .string(name)), ("content", .init(content?.rawValue)),
      ("certainty", .string(certainty.rawValue)),
    ])
  }
}
