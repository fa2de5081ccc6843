/// The conversation of two apps while an activity moves from one device to the other.
///
/// Idle → announced → continued or failed: after the announcement exactly one of the two follows.
///
/// - Source: rule HO8, documented but for the machine itself, which is inferred.
package struct ContinuationSession: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    case idle
    case announced
    case continued
    case failed
  }

  package enum Event: Hashable, Sendable {
    /// The user takes the icon on the receiving device.
    case taken
    /// The sender's answer is there.
    case received
    case failed(ContinuationError)
    /// The receiving app gives the objects that restore their state.
    case restores(Int)
    /// The activity changes after it was continued.
    case updated
    /// The receiving app asks for streams.
    case opensStreams
  }

  /// A function that is called in one of the two apps.
  package struct Call: Hashable, Sendable {
    package enum Party: String, Hashable, Sendable {
      case sender
      case receiver
    }

    package var party: Party
    package var name: String

    init(_ party: Party, _ name: String) {
      self.party = party
      self.name = name
    }
  }

  package private(set) var state = State.idle
  private let activity: UserActivity
  private let usesScenes: Bool

  /// - Parameter usesScenes: Whether the receiving app is told through its scene.
  package init(_ activity: UserActivity, usesScenes: Bool) {
    self.activity = activity
    self.usesScenes = usesScenes
  }

  /// - Returns: What is called; nil when the event cannot happen in this state, which then stays.
  package mutating func handle(_ event: Event) -> [Call]? {
    switch (state, event) {
    case (.idle, .taken):
      state = .announced
      let save = activity.needsSave ? [Call(.sender, "userActivityWillSave(_:)")] : []
      return [Call(.receiver, name("willContinueUserActivityWithType:"))] + save
    case (.announced, .received):
      state = .continued
      return [
        Call(
          .receiver, usesScenes ? "scene(_:continue:)" : "application(_:continue:restorationHandler:)"),
        Call(.sender, "userActivityWasContinued(_:)"),
      ]
    case (.announced, .failed):
      state = .failed
      return [Call(.receiver, name("didFailToContinueUserActivityWithType:error:"))]
    case (.continued, .restores(let count)):
      return Array(repeating: Call(.receiver, "restoreUserActivityState(_:)"), count: count)
    case (.continued, .updated): return [Call(.receiver, name("didUpdate:"))]
    case (.continued, .opensStreams) where activity.streamBytes != nil:
      return [
        Call(.receiver, "getContinuationStreams(completionHandler:)"),
        Call(.sender, "userActivity(_:didReceive:outputStream:)"),
      ]
    default: return nil
    }
  }

  private func name(_ label: String) -> String { "\(usesScenes ? "scene" : "application")(_:\(label))" }
}

/// What can go wrong between the two devices after the user has taken the icon.
package enum TransferTrouble: String, Hashable, Sendable, CaseIterable {
  /// The devices lose each other.
  case connectionLost = "connection-lost"
  /// The sender's app does not answer.
  case senderSilent = "sender-silent"
  /// Anything else.
  case failure

  package var error: ContinuationError {
    switch self {
    case .connectionLost: .connectionUnavailable
    case .senderSilent: .remoteApplicationTimedOut
    case .failure: .handoffFailed
    }
  }
}

extension UserActivity {
  /// The error with which its transfer ends; nil when it arrives.
  ///
  /// - Parameter limitBytes: From how much `userInfo` on a device refuses it; not published, so nil for never.
  package func error(trouble: TransferTrouble?, limitBytes: Int?) -> ContinuationError? {
    if let trouble { return trouble.error }
    if let limitBytes, userInfo.serialisedBytes > limitBytes { return .userInfoTooLarge }
    return nil
  }
}
