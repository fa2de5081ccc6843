#if PLANTED_BUGS
  /// A mistake put into the service on purpose, to see whether the service swarm finds it. Debug builds alone have them
  /// (`PLANTED_BUGS` in Package.swift).
  package enum ServiceBug: String, Hashable, Sendable, CaseIterable {
    /// A change is acknowledged before it is on the disk.
    case answerBeforeSync = "answer-before-sync"
    /// What a dead sender held is dropped instead of sent again.
    case journalRowLost = "journal-row-lost"
    /// A sender takes over what another one holds whose lease has not ended.
    case leaseTakenTwice = "lease-taken-twice"
    /// What another sender may have sent is sent again without a mark.
    case takeOverUnmarked = "take-over-unmarked"
    /// A start makes everything due at once.
    case retryAfterForgotten = "retry-after-forgotten"
    /// The receipt of an erasure does not wait for what is under way.
    case erasureBesideSend = "erasure-beside-send"
    /// What an erased person was told stays in the store.
    case redactionMissed = "redaction-missed"
    /// A rollback does not end the check of a deployment.
    case rollbackBesideDeploy = "rollback-beside-deploy"
    /// A start forgets that a publication was rolled back or pinned.
    case rollbackForgotten = "rollback-forgotten"
    /// A publication is served without having been kept.
    case publicationNotKept = "publication-not-kept"
    /// Files with errors are served.
    case refusedFilesServed = "refused-files-served"
    /// An Idempotency-Key of one credential answers for another one.
    case keyAcrossCredentials = "key-across-credentials"
    /// The limiter goes by the wall clock.
    case clockSetBack = "clock-set-back"
    /// A credential has one request too many.
    case quotaOffByOne = "quota-off-by-one"
    /// Outcomes are forgotten when the store does not take them.
    case storeAwayBeforeOutcome = "store-away-before-outcome"
    /// What a sender claimed with a commit whose answer never came is its own for ever.
    case uncertainClaimForgotten = "uncertain-claim-forgotten"
    /// So is what it was given with one.
    case uncertainHandoverForgotten = "uncertain-handover-forgotten"
    /// Lines of a journal go before their message does.
    case journalDroppedWhileRead = "journal-dropped-while-read"
    /// The journal of a message goes by its age, whether or not it has ended.
    case liveMessagePruned = "live-message-pruned"
    /// A refused credential is repeated in the answer.
    case credentialInAnswer = "credential-in-answer"
    /// A message to the operator has the values of a statement.
    case tokenInMessage = "token-in-message"
    /// Of several registrations together one is audited.
    case auditLineMissing = "audit-line-missing"
    /// A device that becomes another person's still gets what waits for the person before.
    case aliasMovedQueueKept = "alias-moved-queue-kept"
    /// A device that is deleted still gets what waits for it.
    case deletionKeepsQueue = "deletion-keeps-queue"
    /// A push whose answer was lost counts as accepted.
    case lostAnswerCounted = "lost-answer-counted"

    /// The end of a Live Activity is answered, and not stored.
    case activityNeverEnds = "activity-never-ends"
    /// The last delivery of a page is left out of an export.
    case exportLineMissing = "export-line-missing"
    /// The file that a host had before is served on.
    case oldFileServed = "old-file-served"
    /// A session goes on when its user has another password.
    case sessionOutlivesPassword = "session-outlives-password"
    /// A form of the console does its work each time it is sent.
    case formCountsTwice = "form-counts-twice"
    /// A server hears nothing of what other servers of the registry are told.
    case sharedOrdersUnheard = "shared-orders-unheard"
    /// A reload does not take the signers of the configuration.
    case signersForgotten = "signers-forgotten"
    /// The access log has the tokens of devices.
    case tokenInLog = "token-in-log"
    /// A reload with a broken configuration says that all is well.
    case configurationMistakeUntold = "configuration-mistake-untold"
    /// A push to a phone without the app counts against its campaign.
    case goneDevicesCounted = "gone-devices-counted"
    /// Keys that no message has are taken, and ignored.
    case unknownKeyTaken = "unknown-key-taken"
    /// Wrong passwords are not counted.
    case guessesNotCounted = "guesses-not-counted"

    /// The one that is planted where this runs; nil for none. Other threads have none.
    @TaskLocal package static var planted: ServiceBug?

    package var isPlanted: Bool { Self.planted == self }
  }
#endif
