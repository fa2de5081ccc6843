package import LinkspanCore
internal import LinkspanSpecification

/// Why a push got no further, or why it waits.
package enum DeliveryReason: String, Hashable, Sendable, CaseIterable {
  // APNs refuses it, or there is nothing to send it to.
  case noEntitlement = "no-aps-environment"
  case neverLaunched = "never-launched"
  case wrongEnvironment = "wrong-environment"
  case wrongTopic = "wrong-topic"
  case payloadTooLarge = "payload-too-large"
  case wrongPriority = "background-priority-10"
  case refusedHeaders = "headers-refused"
  case tokenGone = "token-unregistered"
  // APNs keeps it, or throws it away.
  case uninstalled
  case notificationsOff = "notifications-off"
  case offline
  case powerSaving = "power-saving"
  case grouped = "grouped-with-others"
  case expired
  case storedTooLong = "stored-30-days"
  case overwritten = "overwritten-by-newer"
  // The device gives it to nobody.
  case otherType = "type-not-simulated"
  case typeMismatch = "type-mismatch"
  case payloadError = "payload-error"
  case nothingToDo = "nothing-to-do"
  case notAskedFor = "no-content-available"
  case inForeground = "app-in-foreground"
  case forceQuit = "force-quit"
  case noBackgroundMode = "no-background-mode"
  case backgroundRefreshOff = "background-refresh-off"
  case notOpenedLately = "not-opened-lately"
  case testFlight = "testflight-push-disallowed"
  // The device keeps it for later.
  case justStarted = "just-started"
  case networkJustBack = "network-just-back"
  case appBudget = "app-budget-spent"
  case deviceBudget = "device-budget-spent"
  // What the device kept for later is lost.
  case replaced = "replaced-by-newer"
  case quitWhileHeld = "quit-while-held"
  case deletedWhileHeld = "deleted-while-held"
  case restartedWhileHeld = "restarted-while-held"
  // The handler had it, and did not finish.
  case handlerTimeout = "handler-timeout"

  /// What happens to a push for this reason.
  package enum Effect: String, Hashable, Sendable {
    /// APNs answers with an error, or the app has no token to send to.
    case refused
    /// APNs accepts it and throws it away.
    case discarded
    /// APNs keeps it and tries again.
    case stored
    /// The device does not wake the app for it.
    case dropped
    /// The device keeps it and tries again.
    case held
  }

  /// Who can change it.
  package enum Owner: String, Hashable, Sendable {
    case sender, app, user, time
  }

  /// What is known of a reason.
  package struct Facts: Sendable {
    package var effect: Effect
    package var provenance: Provenance
    /// A clause without capital letter and full stop.
    package var sentence: String
    package var owner: Owner
    /// What to change, a clause in the imperative.
    package var change: String

    init(
      _ effect: Effect, _ rules: [String], _ certainty: Certainty, _ sentence: String, _ owner: Owner,
      _ change: String
    ) {
      self.effect = effect
      provenance = Provenance(citing: rules, atMost: certainty)
      self.sentence = sentence
      self.owner = owner
      self.change = change
    }
  }

  package var facts: Facts {
    guard let facts = Self.table[self] else { preconditionFailure("every reason has its facts") }
    return facts
  }

  private static let table = senderFacts.merging(storeFacts) { $1 }.merging(deviceFacts) { $1 }
    .merging(heldFacts) { $1 }
}
