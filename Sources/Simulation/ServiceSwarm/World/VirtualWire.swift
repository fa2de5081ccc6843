internal import LinkspanCore
internal import LinkspanDaemon
internal import PushConnections
internal import PushProvider
internal import PushSending
internal import PushStandIn

/// The connections of one sender to ``VirtualAPNs``. They end with their process; what was sent before arrives all the same.
final class VirtualWire: PushWire {
  private let apns: VirtualAPNs
  private let time: SimulatedTime
  private var connections: [Int: APNsConnection] = [:]
  /// How often it was shut down. A sender that goes on afterwards counts its connections and tickets from the start, and must
  /// not hear what comes for those of before.
  private var life = 0
  /// What the sender hears, over which connection, and when, in milliseconds of uptime.
  private var events: [(due: Int64, connection: Int, event: PushClient.Event)] = []

  init(_ apns: VirtualAPNs, _ time: SimulatedTime) {
    self.apns = apns
    self.time = time
  }

  /// Nobody waits: a scheduler turns the sender.
  let alarm: @Sendable () -> Void = {}

  func perform(_ actions: [PushClient.Action]) {
    for action in actions {
      switch action {
      case .open(let number):
        connections[number] = APNsConnection(number: number)
        add(.streamLimit(100, on: number), over: number, after: 1)
      case .close(let number):
        connections[number] = nil
        loseEvents { $0 == number }
      case .send(let ticket, let number, let request): send(ticket, number, request)
      default: continue
      }
    }
  }

  /// Ours, and the engine's: how long an answer is waited for.
  private static let patienceMilliseconds: Int64 = 30_000

  private func send(_ ticket: PushClient.Ticket, _ number: Int, _ request: HTTPRequest) {
    switch apns.fate(of: request) {
    case .reached(let milliseconds, let answered):
      expect(request, number, after: milliseconds) { [weak self] response in
        self?.add(.answered(ticket, response), over: number, after: answered)
      }
    case .refused(let response, let milliseconds):
      add(.answered(ticket, response), over: number, after: milliseconds)
    case .lost(let arrival):
      if let arrival { expect(request, number, after: arrival) { _ in } }
      add(.failed(ticket, .init(.lost, "the connection ended")), over: number, after: 5)
      add(.goingAway(number), over: number, after: 5)
    case .silence(let arrival):
      if let arrival { expect(request, number, after: arrival) { _ in } }
      add(.failed(ticket, .init(.lost, "no answer came")), over: number, after: Self.patienceMilliseconds)
    }
  }

  private func expect(
    _ request: HTTPRequest, _ number: Int, after milliseconds: Int64,
    _ answered: @escaping (HTTPResponse) -> Void
  ) {
    let (apns, sentAt, setCount, life) = (apns, time.uptimeMilliseconds, time.setCount, life)
    apns.expect(request, after: milliseconds) { [weak self] request in
      let open = self?.life == life ? self?.connections[number] : nil
      var connection = open ?? APNsConnection(number: number)
      let response = apns.reply(request, over: &connection, sentAt: sentAt, setCount: setCount)
      guard open != nil else { return }
      self?.connections[number] = connection
      answered(response)
    }
  }

  private func add(_ event: PushClient.Event, over connection: Int, after milliseconds: Int64) {
    events.append((time.uptimeMilliseconds + milliseconds, connection, event))
  }

  /// Once around a loop takes that long at least, or a loop that waits for an hour would never see it. Ours.
  private static let shortestWait: Int64 = 10

  func take(within limit: Duration) -> [PushClient.Event] {
    apns.advance()
    // A wait lets time pass, until the next thing happens.
    let end = time.uptimeMilliseconds + max(Self.shortestWait, limit.wholeMilliseconds)
    while time.uptimeMilliseconds < end {
      let next = [events.map(\.due).min(), apns.nextArrival].compactMap { $0 }.min() ?? end
      let isOver = events.contains { $0.due <= time.uptimeMilliseconds }
      if isOver { break }
      time.advance(max(1, min(next, end) - time.uptimeMilliseconds))
      apns.advance()
    }
    let now = time.uptimeMilliseconds
    // In the order they are due; of two at once the one that was sent first.
    let due = events.enumerated().filter { $0.element.due <= now }
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element.event)
    events.removeAll { $0.due <= now }
    return due
  }

  /// A sender whose lease ended unseen goes on under another name, and may not hear what was answered to the one before.
  func shutdown() {
    loseEvents { _ in true }
    connections = [:]
    life += 1
  }

  /// What was under way over a connection is never heard, and what APNs asked there is not known.
  private func loseEvents(over isMeant: (Int) -> Bool) {
    for case (_, let number, .answered(_, let response)) in events where isMeant(number) {
      apns.forgetRetry(response.fields["apns-id"])
    }
    events.removeAll { isMeant($0.connection) }
  }
}
