package import LinkspanCore

/// A provider's client as a state machine: which push goes out when on which connection, and how each ends. It knows no
/// socket: a transport performs its ``Action``s and tells it ``Event``s.
///
/// One client serves one team in one environment with one key or certificate, because a connection of APNs is bound to
/// them; so it is also the one place that signs for its key.
///
/// - Every push that is handed over ends once: accepted, rejected or not now.
/// - `apns-id` is drawn when a push is handed over, and is the same for every attempt.
/// - Under token authentication a connection carries one request until its first answer, then as many as the peer's SETTINGS allow.
/// - A push whose fate a dead connection hides is sent again, and its result says so.
package struct PushClient: Sendable {
  package enum Credential: Sendable {
    case token(ProviderTokenSigner)
    /// The connections have a client certificate.
    case certificate
  }

  package struct Configuration: Sendable {
    /// Host and port.
    package var authority: String
    package var connections = 1
    /// Requests under way on a connection before the peer's SETTINGS are known. Ours; APNs was seen to allow 500 to 1,500.
    package var streams = 100
    package var retry = PushRetryPolicy()
    /// When a push ends as not now that has not ended, unless it brings a deadline of its own; nil for never.
    package var deadline: WallTime?

    package init(authority: String, deadline: WallTime? = nil) {
      self.authority = authority
      self.deadline = deadline
    }
  }

  /// Apple: a connection that is mostly idle may be pinged after an hour.
  private static let pingAfter = Duration.seconds(60 * 60)

  let configuration: Configuration
  private var credential: Credential
  var generator: SeededGenerator
  /// By the place in a ticket; the places of pushes that have ended are used again.
  var entries: [Entry] = []
  var freePlaces: [Int] = []
  /// No push that has not ended has an earlier deadline.
  var earliestDeadline: WallTime?
  /// Pushes that have not ended, at most; a ticket's lower bits are its place.
  private static let placeBits = 24
  private var ready: [Ticket] = []
  private var readyStart = 0
  var delayed = DelayedTickets()
  private var connections: [Connection] = []
  /// Connections that take no new request, until what is under way has ended.
  private var leaving: [Connection] = []
  private var nextConnection = 0
  private var connectFailures = 0
  /// No connection is tried before.
  private var pausedUntil: WallTime?
  var actions: [Action] = []
  /// How many pushes have not ended.
  package internal(set) var unfinishedCount = 0

  /// - Parameter generator: Draws message identifiers and jitter.
  package init(_ configuration: Configuration, _ credential: Credential, generator: SeededGenerator) {
    self.configuration = configuration
    self.credential = credential
    self.generator = generator
  }

  // MARK: - Interface

  /// How many pushes wait to be sent for the first time, or anew at once.
  package var readyCount: Int { ready.count - readyStart }

  /// How many pushes have not ended and were never sent.
  package var untriedCount: Int { entries.count { $0.push != nil && $0.attempts == 0 } }

  /// Takes a push; it goes out with the next ``advance(to:)``.
  ///
  /// - Parameter deadline: When it ends as not now; nil for ``Configuration/deadline``.
  package mutating func submit(_ push: PushNotification, by deadline: WallTime? = nil) -> Ticket {
    let identifier = push.messageIdentifier ?? MessageIdentifier.draw(using: &generator)
    let deadline = deadline ?? configuration.deadline ?? WallTime(milliseconds: .max)
    earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    unfinishedCount += 1
    var entry = Entry(ticket: entries.count, push: push, messageIdentifier: identifier, deadline: deadline)
    if let place = freePlaces.popLast() {
      entry.ticket = entries[place].ticket + 1 << Self.placeBits
      entries[place] = entry
    } else {
      precondition(entry.ticket >> Self.placeBits == 0, "too many pushes at once")
      entries.append(entry)
    }
    let ticket = entry.ticket
    ready.append(ticket)
    return ticket
  }

  func place(_ ticket: Ticket) -> Int { ticket & (1 << Self.placeBits - 1) }

  /// Whether a push has not ended.
  func isUnfinished(_ ticket: Ticket) -> Bool {
    let place = place(ticket)
    return place < entries.count && entries[place].ticket == ticket && entries[place].push != nil
  }

  /// When ``advance(to:)`` has something to do that no event brings.
  package var wakeUp: WallTime? {
    guard unfinishedCount > 0 else { return nil }
    let isPaused = readyStart < ready.count
    return [earliestDeadline, delayed.earliest, isPaused ? pausedUntil : nil].compactMap { $0 }.min()
  }

  /// Does what is due.
  ///
  /// - Returns: What the transport has to do, in this order.
  package mutating func advance(to now: WallTime) -> [Action] {
    if let earliestDeadline, now >= earliestDeadline { endOverdue(at: now) }
    while let ticket = delayed.removeDue(at: now) {
      if isUnfinished(ticket) { ready.append(ticket) }
    }
    for index in connections.indices where connections[index].isOpen && connections[index].underWay.isEmpty {
      guard connections[index].lastUse.advanced(by: Self.pingAfter) <= now else { continue }
      connections[index].lastUse = now
      actions.append(.ping(connections[index].number))
    }
    pump(at: now)
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }

  /// Takes note of an event and does what is due.
  package mutating func handle(_ event: Event, at now: WallTime) -> [Action] {
    note(event, at: now)
    return advance(to: now)
  }

  /// Takes note of many events and does what is due then, as one after the other would.
  package mutating func handle(_ events: [Event], at now: WallTime) -> [Action] {
    for event in events { note(event, at: now) }
    return advance(to: now)
  }

  private mutating func note(_ event: Event, at now: WallTime) {
    switch event {
    case .streamLimit(let limit, let number):
      if let index = index(of: number) { connections[index].streamLimit = max(0, limit) }
    case .answered(let ticket, let response):
      guard let number = leave(ticket) else { break }
      let answer = PushAnswer(response)
      connectFailures = 0
      pausedUntil = nil
      // A refused token proves nothing; any other answer does.
      if let index = index(of: number), answer.status != 403 { connections[index].isProven = true }
      take(answer, of: ticket, from: number, at: now)
    case .failed(let ticket, let failure):
      guard let number = leave(ticket) else { break }
      take(failure, of: ticket, from: number, at: now)
    case .goingAway(let number): retire(number, at: now)
    case .closed(let number, let reason): close(number, reason: reason, at: now)
    }
  }

  // MARK: - Connections

  private func index(of number: Int) -> Int? { connections.firstIndex { $0.number == number } }

  private mutating func addConnection(at now: WallTime) {
    connections.append(
      Connection(number: nextConnection, streamLimit: configuration.streams, lastUse: now))
    nextConnection += 1
  }

  /// Gives a connection no new request, and closes it when nothing is under way on it.
  private mutating func retire(_ number: Int, at now: WallTime) {
    guard let index = index(of: number) else { return }
    let connection = connections.remove(at: index)
    addConnection(at: now)
    if connection.underWay.isEmpty {
      if connection.isOpen { actions.append(.close(number)) }
    } else {
      leaving.append(connection)
    }
  }

  private mutating func close(_ number: Int, reason: String, at now: WallTime) {
    var lost: Set<Ticket> = []
    if let index = index(of: number) {
      lost = connections.remove(at: index).underWay
      addConnection(at: now)
    } else if let index = leaving.firstIndex(where: { $0.number == number }) {
      lost = leaving.remove(at: index).underWay
    }
    for ticket in lost.sorted() {
      entries[place(ticket)].connection = nil
      guard isUnfinished(ticket) else {
        freePlaces.append(place(ticket))
        continue
      }
      take(Failure(.lost, reason), of: ticket, from: number, at: now)
    }
  }

  /// Takes a ticket off its connection.
  ///
  /// - Returns: The connection; nil for a ticket that is not under way, such as one that has ended meanwhile.
  private mutating func leave(_ ticket: Ticket) -> Int? {
    let place = place(ticket)
    guard place < entries.count, entries[place].ticket == ticket, let number = entries[place].connection
    else { return nil }
    entries[place].connection = nil
    if let index = index(of: number) {
      connections[index].underWay.remove(ticket)
    } else if let index = leaving.firstIndex(where: { $0.number == number }) {
      leaving[index].underWay.remove(ticket)
      if leaving[index].underWay.isEmpty {
        leaving.remove(at: index)
        actions.append(.close(number))
      }
    }
    guard entries[place].push != nil else {
      freePlaces.append(place)
      return nil
    }
    return number
  }

  // MARK: - Sending

  private func room(of connection: Connection) -> Int {
    let isHeld = if case .token = credential { !connection.isProven } else { false }
    return (isHeld ? min(1, connection.streamLimit) : connection.streamLimit) - connection.underWay.count
  }

  private mutating func pump(at now: WallTime) {
    if let pausedUntil, now < pausedUntil { return }
    while connections.count < max(1, configuration.connections) { addConnection(at: now) }
    while readyStart < ready.count {
      guard
        let index = connections.indices.max(by: { room(of: connections[$0]) < room(of: connections[$1]) }),
        room(of: connections[index]) > 0
      else { break }
      let ticket = ready[readyStart]
      readyStart += 1
      if isUnfinished(ticket), let push = entries[place(ticket)].push {
        send(push, as: ticket, on: index, at: now)
      }
    }
    if readyStart == ready.count || readyStart > 4_096 {
      ready.removeFirst(readyStart)
      readyStart = 0
    }
  }

  private mutating func send(_ push: PushNotification, as ticket: Ticket, on index: Int, at now: WallTime) {
    var providerToken: ProviderToken?
    if case .token(var signer) = credential {
      do throws(ProviderTokenError) {
        providerToken = try signer.token(at: now, using: &generator)
      } catch {
        end(ticket, .notNow(.init(status: nil, reason: error.message, retryAt: now)))
        return
      }
      credential = .token(signer)
    }
    if !connections[index].isOpen {
      connections[index].isOpen = true
      actions.append(.open(connections[index].number))
    }
    connections[index].underWay.insert(ticket)
    connections[index].lastUse = now
    let place = place(ticket)
    entries[place].connection = connections[index].number
    entries[place].attempts += 1
    entries[place].issuedAt = providerToken?.issuedAt
    let request = push.request(
      to: configuration.authority, messageIdentifier: entries[place].messageIdentifier,
      providerToken: providerToken)
    actions.append(.send(ticket, on: connections[index].number, request))
  }

  // MARK: - Answers

  private mutating func take(_ answer: PushAnswer, of ticket: Ticket, from number: Int, at now: WallTime) {
    guard let step = answer.step else {
      end(ticket, .accepted(uniqueIdentifier: answer.uniqueIdentifier))
      return
    }
    let reason = answer.reasonText ?? "status \(answer.status)"
    entries[place(ticket)].lastReason = reason
    entries[place(ticket)].lastStatus = answer.status
    let retry = configuration.retry
    switch step {
    case .fix, .unregister, .checkEnvironment, .never:
      reject(ticket, answer, step, answer.reason?.advice ?? "APNs refuses the push as it is.")
    case .renewToken: renewToken(ticket, answer, at: now)
    case .reconnect:
      retire(number, at: now)
      again(ticket, after: retry.connection, answer.retryAfter, at: now)
    case .holdToken: again(ticket, after: retry.rate, answer.retryAfter, at: now)
    case .retry:
      again(ticket, after: answer.status == 429 ? retry.rate : retry.server, answer.retryAfter, at: now)
    }
  }

  private mutating func renewToken(_ ticket: Ticket, _ answer: PushAnswer, at now: WallTime) {
    guard case .token(var signer) = credential, let issuedAt = entries[place(ticket)].issuedAt else {
      reject(ticket, answer, .fix, "The connection has a certificate and no provider token.")
      return
    }
    let expiry = signer.expired(issuedAt, at: now)
    credential = .token(signer)
    if case .clockSkew(let age) = expiry {
      reject(
        ticket, answer, .fix,
        "APNs calls a provider token expired that was signed \(age.components.seconds) s ago: set this machine's clock."
      )
    } else if entries[place(ticket)].hasRenewedToken {
      reject(
        ticket, answer, .fix,
        "APNs calls a new provider token expired, too: set this machine's clock.")
    } else {
      entries[place(ticket)].hasRenewedToken = true
      ready.append(ticket)
    }
  }

  private mutating func take(_ failure: Failure, of ticket: Ticket, from number: Int, at now: WallTime) {
    let place = place(ticket)
    entries[place].lastReason = failure.reason
    entries[place].lastStatus = nil
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
    case .lost: entries[place].isPossibleDuplicate = true
    }
    again(ticket, after: configuration.retry.connection, nil, at: now)
  }

  /// Pauses after a connection that did not come about. All that waited for it learn of it, and all connections that were
  /// tried at once count as one try.
  ///
  /// - Returns: Whether it counted.
  private mutating func countConnectFailure(_ number: Int, at now: WallTime) -> Bool {
    guard index(of: number) != nil else { return false }
    retire(number, at: now)
    guard pausedUntil.map({ now >= $0 }) ?? true else { return false }
    connectFailures += 1
    let delay = configuration.retry.connection.delay(after: connectFailures, using: &generator)
    pausedUntil = now.advanced(by: delay)
    return true
  }
}
