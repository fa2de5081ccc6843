/// What the service promises, checked while a story is played and after everything has drained.
package enum ServiceInvariant: String, Hashable, Sendable, CaseIterable {
  case registrationDurable = "registration-durable"
  case readsCurrent = "reads-current"
  case deliveryStored = "delivery-stored"
  case deliveryAtMostOnce = "delivery-at-most-once"
  case deliveryToItsPerson = "delivery-to-its-person"
  case acceptedIsTrue = "accepted-is-true"
  case keyAnswersOnce = "key-answers-once"
  case retryAfterKept = "retry-after-kept"
  case quotaKept = "quota-kept"
  case erasureComplete = "erasure-complete"
  case channelsAgree = "channels-agree"
  case exportsWhole = "exports-whole"
  case auditComplete = "audit-complete"
  case oneLivePublication = "one-live-publication"
  case ordersShared = "orders-shared"
  case rollbackRestores = "rollback-restores"
  case sessionsKept = "sessions-kept"
  case formsCountOnce = "forms-count-once"
  case accessLogTrue = "access-log-true"
  case signedAsConfigured = "signed-as-configured"
  case campaignsGuarded = "campaigns-guarded"
  case configurationKept = "configuration-kept"
  case metricsTrue = "metrics-true"
  case mistakesRefused = "mistakes-refused"
  case secretsHidden = "secrets-hidden"
  case drains

  /// The promise, in a sentence.
  package var sentence: String {
    switch self {
    case .registrationDurable:
      "A registration, deletion or erasure that was acknowledged survives every crash."
    case .readsCurrent: "A device that is read is as the last acknowledged change left it."
    case .deliveryStored:
      "A notification that was acknowledged is stored, with a delivery for each device of its person, until its time is over."
    case .deliveryAtMostOnce:
      "APNs accepts a push of a message to a device once, or the journal marks it as possibly sent twice."
    case .deliveryToItsPerson:
      "A device that was deleted gets nothing more, and one that is another person's gets nothing of the person before; a campaign"
        + " reaches devices that fit its query, with what is known of them."
    case .acceptedIsTrue: "What the journal counts as accepted was accepted by APNs."
    case .keyAnswersOnce: "Requests with one Idempotency-Key of one credential make one message."
    case .retryAfterKept: "A push that APNs answers with 429 and a Retry-After does not come again before."
    case .quotaKept:
      "A credential has its number of requests a minute, not one more and not one fewer; wrong passwords are counted as well."
    case .erasureComplete:
      "After the receipt of an erasure nothing goes out to the person, and no byte on the disk names the person."
    case .channelsAgree:
      "A channel or a Live Activity that was acknowledged stays until somebody ends it, and a channel-sync brings the registry"
        + " and APNs together."
    case .exportsWhole:
      "A day of the journal is exported whole, and its file names neither devices nor persons."
    case .auditComplete: "Every acknowledged change has its line in the audit log."
    case .oneLivePublication:
      "A host serves one version of its files, whole and without errors, and after every crash the one that it served before."
    case .ordersShared:
      "What one server is ordered to do with a host, every server of the registry does, also after a start; the next deployment"
        + " reaches all of them."
    case .rollbackRestores:
      "A rollback serves the previous version, and goes on until the host's folder changes or the rollback is released."
    case .sessionsKept:
      "The console lets in who has logged in with the right password, until the session's time, a logout, another password or a"
        + " restart, and no one else."
    case .formsCountOnce: "A form of the console that was sent does nothing when it is sent again."
    case .accessLogTrue:
      "The access log has one line for each answer, which other programs read, without queries, tokens and passwords."
    case .signedAsConfigured:
      "A host is served signed where the configuration says so; where it cannot be signed, the log says so."
    case .campaignsGuarded:
      "A campaign is paused by itself only where APNs rejected too much of it, and devices that are gone do not count."
    case .configurationKept:
      "A configuration with a mistake changes nothing, and the log names it with its line; of a good one the keys that wait for"
        + " a start are named."
    case .metricsTrue: "The page of metrics has each series once, and counters only grow while a server runs."
    case .mistakesRefused:
      "A request with a mistake changes nothing, and its answer says what is wrong and where the body has it."
    case .secretsHidden: "No answer and no message holds a secret."
    case .drains: "Every loop ends, and when the faults are over, everything that waits comes to an end."
    }
  }
}

/// A promise that was broken.
package struct ServiceViolation: Hashable, Sendable {
  package var invariant: ServiceInvariant
  /// What was expected and what was found.
  package var detail: String
  /// The place of the step in the story, from 0; the number of its steps where it showed at the end.
  package var step: Int
}
