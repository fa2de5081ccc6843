package import LinkspanCore

/// How pushes end, or wait for another attempt.
extension PushClient {
  /// Sends a push again after a while; ends it where that would be too late or once too often.
  ///
  /// - Parameter isFailure: Whether APNs failed, so that the push waits for the end of an outage where there is one.
  mutating func again(
    _ ticket: Ticket, after backOff: PushRetryPolicy.BackOff, _ asked: Duration?, isFailure: Bool = false,
    at now: WallTime
  ) {
    let place = place(ticket)
    let attempts = entries[place].attempts - entries[place].unprocessed
    let before = entries[place].attemptsBefore
    let time = now.advanced(by: asked ?? backOff.delay(after: max(1, before + attempts), using: &generator))
    let outage = isFailure ? health.outage : nil
    if attempts >= configuration.retry.attempts {
      let wait: PushOutcome.Wait =
        asked != nil || !isFailure ? .usual : outage == nil ? .alone : .outage
      end(ticket, at: wait == .outage ? outage?.probeAt ?? time : time, wait)
    } else if outage != nil, asked == nil {
      postpone(ticket)
    } else if time < entries[place].deadline {
      entries[place].dueAt = time
      delayed.insert(ticket, at: time)
      if isFailure, asked == nil { failedAlone.append(ticket) }
    } else if isFailure {
      entries[place].doubtfulUntil = time
      failedAlone.append(ticket)
    } else {
      end(ticket, at: time, .usual)
    }
  }

  private mutating func end(_ ticket: Ticket, at time: WallTime, _ wait: PushOutcome.Wait) {
    let entry = entries[place(ticket)]
    end(ticket, .notNow(.init(status: entry.lastStatus, reason: entry.lastReason, retryAt: time, wait: wait)))
  }

  /// APNs has taken a push, so what failed before failed alone; what cannot wait for so long ends.
  mutating func endAlone(at now: WallTime) {
    guard !failedAlone.isEmpty else { return }
    let alone = failedAlone
    failedAlone = []
    for ticket in alone where isUnfinished(ticket) {
      if let time = entries[place(ticket)].doubtfulUntil { end(ticket, at: time, .alone) }
    }
  }

  /// Ends what failed too late to be sent again when nothing else is left whose answer could show an outage.
  mutating func endDoubtful() {
    guard !failedAlone.isEmpty else { return }
    let doubtful = failedAlone.filter { isUnfinished($0) && entries[place($0)].doubtfulUntil != nil }
    guard !doubtful.isEmpty, doubtful.count == unfinishedCount else { return }
    failedAlone = []
    for ticket in doubtful {
      end(ticket, at: entries[place(ticket)].doubtfulUntil ?? .init(milliseconds: 0), .alone)
    }
  }

  mutating func reject(
    _ ticket: Ticket, _ answer: PushAnswer, _ step: RejectionStep, _ advice: String
  ) {
    end(
      ticket,
      .rejected(
        .init(
          status: answer.status, reason: answer.reasonText, step: step, advice: advice,
          timestamp: answer.timestamp)))
  }

  mutating func end(_ ticket: Ticket, _ outcome: PushOutcome) {
    let place = place(ticket)
    guard isUnfinished(ticket), let token = entries[place].push.take()?.token else { return }
    unfinishedCount -= 1
    // One that is under way gets its place back when its connection is done with it.
    if entries[place].connection == nil { freePlaces.append(place) }
    actions.append(
      .finished(
        ticket,
        PushResult(
          token: token, outcome: outcome, messageIdentifier: entries[place].messageIdentifier,
          attemptCount: entries[place].attempts,
          isPossibleDuplicate: entries[place].isPossibleDuplicate)))
  }

  /// Ends what has reached its deadline.
  mutating func endOverdue(at now: WallTime) {
    end(at: now, reason: nil) { $0.deadline <= now }
    earliestDeadline = entries.lazy.filter { $0.push != nil }.map { $0.deadline }.min()
  }

  /// Ends all pushes that have not ended as not now, before the connections are closed.
  package mutating func end(because reason: String, at now: WallTime) -> [Action] {
    endAll(at: now, reason: reason)
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }

  /// Ends those that are not under way as not now; the others go on to their answers.
  package mutating func endWaiting(because reason: String, at now: WallTime) -> [Action] {
    end(at: now, reason: reason) { $0.connection == nil }
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }

  /// Ends all that has not ended.
  mutating func endAll(at now: WallTime, reason: String) { end(at: now, reason: reason) { _ in true } }

  /// Ends the pushes that `isMeant` chooses, in the order in which they came; what is under way may have been accepted.
  ///
  /// - Parameter needsFix: Whether no connection came about, so that nothing of them was sent, and a person has to mend that.
  mutating func end(
    at now: WallTime, reason: String?, status: Int? = nil, needsFix: Bool = false,
    where isMeant: (Entry) -> Bool
  ) {
    guard unfinishedCount > 0 else { return }
    for entry in entries.filter({ $0.push != nil && isMeant($0) }).sorted(by: { $0.ticket < $1.ticket }) {
      var (status, known) = (status ?? entry.lastStatus, entry.lastReason)
      if entry.connection != nil, !needsFix {
        entries[place(entry.ticket)].isPossibleDuplicate = true
        (status, known) = (nil, "it was sent, and the answer did not come in time")
      }
      end(
        entry.ticket,
        .notNow(
          .init(
            status: status, reason: reason ?? known,
            retryAt: entry.doubtfulUntil ?? health.outage?.probeAt ?? now,
            needsFix: needsFix)))
    }
  }
}
