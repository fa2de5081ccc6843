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
/// - What goes out next is chosen by lane; while APNs fails or refuses the key, nothing goes out but probes (``PushHealth``).
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

  let configuration: Configuration
  var credential: Credential
  var generator: SeededGenerator
  /// By the place in a ticket; the places of pushes that have ended are used again.
  var entries: [Entry] = []
  var freePlaces: [Int] = []
  /// No push that has not ended has an earlier deadline.
  var earliestDeadline: WallTime?
  /// Pushes that have not ended, at most; a ticket's lower bits are its place.
  private static let placeBits = 24
  var ready = ReadyTickets()
  var delayed = DelayedTickets()
  /// Whether APNs takes pushes of this environment and key.
  package internal(set) var health = PushHealth()
  /// Pushes that wait for the end of an outage.
  var postponed: [Ticket] = []
  /// Pushes that failed since APNs last took one, while no outage was known.
  var failedAlone: [Ticket] = []
  var connections: [Connection] = []
  /// Connections that take no new request, until what is under way has ended.
  var leaving: [Connection] = []
  var nextConnection = 0
  var connectFailures = 0
  /// No connection is tried before.
  var pausedUntil: WallTime?
  /// The time of the last call.
  private var lastCall = WallTime(milliseconds: .min)
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
  package var readyCount: Int { ready.count }

  /// How many pushes have not ended and were never sent.
  package var untriedCount: Int { entries.count { $0.push != nil && $0.attempts == 0 } }

  /// Takes a push; it goes out with the next ``advance(to:)``.
  ///
  /// - Parameters:
  ///   - deadline: When it ends as not now; nil for ``Configuration/deadline``.
  ///   - attempts: How often it was sent before it was handed over.
  package mutating func submit(
    _ push: PushNotification, by deadline: WallTime? = nil, in lane: PushLane = .transactional,
    after attempts: Int = 0
  ) -> Ticket {
    let identifier = push.messageIdentifier ?? MessageIdentifier.draw(using: &generator)
    let deadline = deadline ?? configuration.deadline ?? WallTime(milliseconds: .max)
    earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    unfinishedCount += 1
    let free = freePlaces.popLast()
    let ticket = free.map { entries[$0].ticket + 1 << Self.placeBits } ?? entries.count
    var entry = Entry(ticket: ticket, push: push, messageIdentifier: identifier, deadline: deadline)
    (entry.lane, entry.attemptsBefore) = (lane, attempts)
    if let free {
      entries[free] = entry
    } else {
      precondition(ticket >> Self.placeBits == 0, "too many pushes at once")
      entries.append(entry)
    }
    ready.append(ticket, to: lane, isRetry: attempts > 0)
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
    let held = ready.count > 0 ? [pausedUntil, health.wakeUp] : []
    return ([earliestDeadline, delayed.earliest, earliestMute] + held).compactMap { $0 }.min()
  }

  /// Does what is due.
  ///
  /// - Returns: What the transport has to do, in this order.
  package mutating func advance(to now: WallTime) -> [Action] {
    noteClock(now)
    if let earliestDeadline, now >= earliestDeadline { endOverdue(at: now) }
    while let ticket = delayed.removeDue(at: now) {
      // It may have been sent since, or be delayed anew.
      if isUnfinished(ticket), let due = entries[place(ticket)].dueAt, due <= now { retry(ticket) }
    }
    ping(at: now)
    retireMute(at: now)
    pump(at: now)
    endDoubtful()
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }

  /// Takes note of an event and does what is due.
  package mutating func handle(_ event: Event, at now: WallTime) -> [Action] {
    handle([event], at: now)
  }

  /// Takes note of many events and does what is due then, as one after the other would.
  package mutating func handle(_ events: [Event], at now: WallTime) -> [Action] {
    noteClock(now)
    for event in events { note(event, at: now) }
    return advance(to: now)
  }

  /// A clock that was set back ends pauses: how much of them has passed is not known, and they would last until the clock has
  /// caught up.
  private mutating func noteClock(_ now: WallTime) {
    if now < lastCall {
      pausedUntil = nil
      health.endWait(at: now)
    }
    lastCall = now
  }

  private mutating func note(_ event: Event, at now: WallTime) {
    switch event {
    case .streamLimit(let limit, let number):
      guard let index = index(of: number) else { break }
      connections[index].streamLimit = max(0, limit)
      connections[index].isEstablished = true
    case .answered(let ticket, let response):
      let answer = PushAnswer(response)
      guard let (number, isProven) = leave(ticket, at: now) else { break }
      connectFailures = 0
      pausedUntil = nil
      if let index = index(of: number) {
        connections[index].isEstablished = true
        // A refused token proves nothing; any other answer does.
        if answer.status != 403 { connections[index].isProven = true }
      }
      take(answer, of: ticket, from: number, isProven: isProven, at: now)
    case .failed(let ticket, let failure):
      guard let (number, _) = leave(ticket, at: nil) else { break }
      take(failure, of: ticket, from: number, at: now)
    case .goingAway(let number): retire(number, at: now)
    case .closed(let number, let reason): close(number, reason: reason, at: now)
    }
  }

  // MARK: - Sending

  private func room(of connection: Connection) -> Int {
    let isHeld = if case .token = credential { !connection.isProven } else { false }
    return (isHeld ? min(1, connection.streamLimit) : connection.streamLimit) - connection.underWay.count
  }

  private mutating func pump(at now: WallTime) {
    if let pausedUntil, now < pausedUntil { return }
    while connections.count < max(1, configuration.connections) { addConnection(at: now) }
    guard ready.count > 0 else { return }
    let underWay = (connections + leaving).reduce(0) { $0 + $1.underWay.count }
    var allowed = health.room(underWay: underWay, at: now)
    while allowed > 0, ready.count > 0 {
      guard
        let index = connections.indices.max(by: { room(of: connections[$0]) < room(of: connections[$1]) }),
        room(of: connections[index]) > 0, let ticket = ready.popFirst()
      else { break }
      guard isUnfinished(ticket) else { continue }
      if send(ticket, on: index, at: now) { allowed -= 1 }
    }
  }

  /// - Returns: False when it has ended instead.
  private mutating func send(_ ticket: Ticket, on index: Int, at now: WallTime) -> Bool {
    var providerToken: ProviderToken?
    if case .token(var signer) = credential {
      do throws(ProviderTokenError) {
        providerToken = try signer.token(at: now, using: &generator)
      } catch {
        end(ticket, .notNow(.init(status: nil, reason: error.message, retryAt: now)))
        return false
      }
      credential = .token(signer)
    }
    if !connections[index].isOpen {
      connections[index].isOpen = true
      actions.append(.open(connections[index].number))
    }
    if connections[index].underWay.isEmpty { connections[index].waitingSince = now }
    connections[index].underWay.insert(ticket)
    connections[index].lastUse = now
    health.noteSent(ticket)
    let place = place(ticket)
    entries[place].connection = connections[index].number
    entries[place].attempts += 1
    entries[place].issuedAt = providerToken?.issuedAt
    let request = entries[place].push?.request(
      to: configuration.authority, messageIdentifier: entries[place].messageIdentifier,
      providerToken: providerToken)
    guard let request else { return false }
    actions.append(.send(ticket, on: connections[index].number, request))
    return true
  }
}
