internal import LinkspanCore

/// What an answer, or a failure without one, means for its push and for the others.
extension PushClient {
  mutating func take(
    _ answer: PushAnswer, of ticket: Ticket, from number: Int, isProven: Bool, at now: WallTime
  ) {
    guard let step = answer.step else {
      note(.works, of: ticket, at: now)
      end(ticket, .accepted(uniqueIdentifier: answer.uniqueIdentifier))
      return
    }
    entries[place(ticket)].lastReason = answer.words
    entries[place(ticket)].lastStatus = answer.status
    let retry = configuration.retry
    switch step {
    case .fix, .unregister, .checkEnvironment, .never:
      if answer.reason?.isAboutCredential == true {
        refuseCredential(ticket, answer, answer.reason?.advice ?? "", at: now)
      } else {
        note(.works, of: ticket, at: now)
        reject(ticket, answer, step, answer.reason?.advice ?? "APNs refuses the push as it is.")
      }
    case .renewToken: renewToken(ticket, answer, at: now)
    case .reconnect: reconnect(ticket, answer, from: number, isProven: isProven, at: now)
    // A connection counts its own tokens (push notes, row 54): after the clock was set another one takes the new token at once.
    case .holdToken where isProven: reconnect(ticket, answer, from: number, isProven: isProven, at: now)
    // The token is every push's, so all wait.
    case .holdToken: fail(ticket, answer, after: retry.rate, at: now)
    case .retry where answer.status == 429:
      // It is about one device token.
      note(.works, of: ticket, at: now)
      again(ticket, after: retry.rate, answer.retryAfter, at: now)
    case .retry where answer.isForeign:
      // A proxy that drops a header may have passed the push on.
      if answer.status == 200 { entries[place(ticket)].isPossibleDuplicate = true }
      fail(ticket, answer, after: retry.connection, at: now)
    case .retry: fail(ticket, answer, after: retry.server, at: now)
    }
  }

  /// APNs fails, for this push or for all.
  private mutating func fail(
    _ ticket: Ticket, _ answer: PushAnswer, after backOff: PushRetryPolicy.BackOff, at now: WallTime
  ) {
    note(
      .fails(reason: "\(answer.status) \(answer.words)", retryAfter: answer.retryAfter), of: ticket, at: now)
    again(ticket, after: backOff, answer.retryAfter, isFailure: true, at: now)
  }

  private mutating func reconnect(
    _ ticket: Ticket, _ answer: PushAnswer, from number: Int, isProven: Bool, at now: WallTime
  ) {
    if answer.reason == .unrelatedKeyIdentifier, !isProven {
      // A new connection knows no other key.
      refuseCredential(
        ticket, answer, "APNs says so on a new connection too: the key may not be used for this topic.",
        at: now)
      return
    }
    note(.isUndecided, of: ticket, at: now)
    retire(number, at: now)
    again(ticket, after: configuration.retry.connection, answer.retryAfter, at: now)
  }

  private mutating func renewToken(_ ticket: Ticket, _ answer: PushAnswer, at now: WallTime) {
    guard case .token(var signer) = credential, let issuedAt = entries[place(ticket)].issuedAt else {
      refuseCredential(ticket, answer, "The connection has a certificate and no provider token.", at: now)
      return
    }
    let expiry = signer.expired(issuedAt, at: now)
    credential = .token(signer)
    if case .clockSkew(let age) = expiry {
      refuseCredential(
        ticket, answer,
        "APNs calls a provider token expired that was signed \(age.components.seconds) s ago: set this machine's clock.",
        at: now)
      return
    }
    note(.isUndecided, of: ticket, at: now)
    // One push tries the new token, on each connection.
    for index in connections.indices { connections[index].isProven = false }
    retry(ticket)
  }

  /// Ends a push that APNs refused for its sender, and with it all that wait: each of them would be refused alike.
  private mutating func refuseCredential(
    _ ticket: Ticket, _ answer: PushAnswer, _ advice: String, at now: WallTime
  ) {
    note(.refusesCredential(reason: answer.words, advice: advice), of: ticket, at: now)
    reject(ticket, answer, .fix, advice)
    end(at: now, reason: "APNs refuses the key: \(answer.words)", status: answer.status, needsFix: true) {
      $0.connection == nil
    }
  }

  mutating func take(_ failure: Failure, of ticket: Ticket, from number: Int, at now: WallTime) {
    let place = place(ticket)
    entries[place].lastReason = failure.reason
    entries[place].lastStatus = nil
    note([.notProcessed, .unusable].contains(failure.kind) ? .isUndecided : .isSilent, of: ticket, at: now)
    switch failure.kind {
    case .cannotConnect:
      if countConnectFailure(number, at: now), connectFailures >= configuration.retry.connectAttempts {
        endAll(at: now, reason: failure.reason)
        return
      }
    case .notProcessed:
      // GOAWAY and refused streams are the peer's way of moving its clients, and nobody's fault.
      entries[place].unprocessed += 1
    case .certificateRefused:
      _ = countConnectFailure(number, at: now)
      // What is under way on another connection may have been sent, and fails with it where it was not.
      end(at: now, reason: failure.reason, needsFix: true) { $0.connection == nil || $0.connection == number }
      return
    case .unusable:
      end(ticket, .notNow(.init(status: nil, reason: failure.reason, retryAt: now, needsFix: true)))
      return
    case .lost: entries[place].isPossibleDuplicate = true
    }
    again(ticket, after: configuration.retry.connection, nil, at: now)
  }

  // MARK: - Health

  /// Tells the health machine what an attempt says of APNs, and does what follows for the pushes that wait.
  mutating func note(_ sign: PushHealth.Sign, of ticket: Ticket, at now: WallTime) {
    let message = entries[place(ticket)].messageIdentifier
    let change = health.note(sign, of: ticket, message, at: now, using: &generator)
    if let change { actions.append(.health(change)) }
    switch change {
    case .began(let outage) where outage.cause == .service:
      // What failed before it was known failed for the same reason.
      for ticket in failedAlone where isUnfinished(ticket) && isDelayed(ticket) { postpone(ticket) }
      failedAlone = []
    case .ended:
      let waiting = postponed
      postponed = []
      for ticket in waiting where isUnfinished(ticket) { retry(ticket) }
    case .began, nil: break
    }
    if sign == .works, health.outage == nil { endAlone(at: now) }
  }

  private func isDelayed(_ ticket: Ticket) -> Bool {
    let entry = entries[place(ticket)]
    return entry.connection == nil && (entry.dueAt != nil || entry.doubtfulUntil != nil)
  }

  mutating func postpone(_ ticket: Ticket) {
    entries[place(ticket)].dueAt = nil
    entries[place(ticket)].doubtfulUntil = nil
    postponed.append(ticket)
  }

  /// Has a push go out again as soon as its lane lets it.
  mutating func retry(_ ticket: Ticket) {
    entries[place(ticket)].dueAt = nil
    ready.append(ticket, to: entries[place(ticket)].lane, isRetry: true)
  }
}
