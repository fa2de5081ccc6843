internal import DeviceRegistry
internal import LinkspanCore
internal import PushConnections
internal import PushProvider
internal import PushTerms

/// Connections to one environment of APNs with one key, and what is under way on them.
struct SenderLane {
  /// A push that this sender holds.
  struct Flight {
    var delivery: Int64
    var token: DeviceToken
    /// What its times are counted by.
    var series: SenderTimes.Series
    var attempts: Int64
    var giveUpAt: WallTime
    /// When it was due first.
    var createdAt: WallTime
    /// When it was handed over, which is what a token's death is compared with where APNs names no moment.
    var sentAt: WallTime
  }

  /// What has happened since the last call.
  struct News {
    var ended: [(Flight, PushResult)] = []
    var changes: [PushHealth.Change] = []
  }

  /// Ours: attempts count those of senders that died as well, so the pause after 429 grows less than the usual policy lets it.
  private static let longestRatePause = Duration.seconds(60)

  private var client: PushClient
  private let wire: any PushWire
  private(set) var flights: [PushClient.Ticket: Flight] = [:]

  init(
    _ account: SenderAccount, _ environment: PushEnvironment, _ settings: SenderSettings,
    _ surroundings: SenderSurroundings
  ) {
    let place = account.place(for: environment)
    var configuration = PushClient.Configuration(
      authority: place.authority, deadline: .last)
    configuration.connections = settings.connections
    let first = Duration.seconds(settings.retrySeconds)
    configuration.retry.server = .init(first: first, longest: first * 8)
    configuration.retry.rate.longest = Self.longestRatePause
    // What comes of an attempt is stored before there is another one, which may be this process' or another's.
    configuration.retry.attempts = 1
    client = PushClient(
      configuration, .token(account.signer), generator: SeededGenerator(seed: surroundings.random()))
    wire = surroundings.wire(account, environment)
  }

  /// Takes a push; it goes out with the next ``advance(at:)``.
  mutating func submit(_ push: PushNotification, _ flight: Flight) {
    let ticket = client.submit(push, in: flight.series.lane, after: Int(clamping: flight.attempts) - 1)
    flights[ticket] = flight
  }

  /// How many more pushes are worth taking: while APNs fails or refuses the key, one when it is time to try.
  func appetite(at now: WallTime) -> Int {
    guard client.health.outage != nil else { return .max }
    return client.readyCount == 0 && client.health.wakeUp.map { $0 <= now } ?? false ? 1 : 0
  }

  /// Why nothing goes out; nil while pushes do.
  var outage: PushHealth.Outage? { client.health.outage }

  /// Does what is due.
  mutating func advance(at now: WallTime) -> News { perform(client.advance(to: now)) }

  /// Waits for something to happen, for a while at most.
  mutating func wait(_ time: Duration, now: () -> WallTime) -> News {
    let events = wire.take(within: time)
    return events.isEmpty ? News() : perform(client.handle(events, at: now()))
  }

  /// When there is something to do that no event brings.
  var wakeUp: WallTime? { client.wakeUp }

  private mutating func perform(_ actions: [PushClient.Action]) -> News {
    wire.perform(actions)
    var news = News()
    for action in actions {
      switch action {
      case .finished(let ticket, let result):
        if let flight = flights.removeValue(forKey: ticket) { news.ended.append((flight, result)) }
      case .health(let change): news.changes.append(change)
      case .open, .close, .ping, .send: continue
      }
    }
    return news
  }

  /// Takes back what is not under way.
  mutating func withdraw() -> [Flight] {
    client.withdrawWaiting(where: { _ in true }).compactMap { flights.removeValue(forKey: $0) }
  }

  /// Takes back those of the deliveries that are not under way.
  mutating func withdraw(_ deliveries: Set<Int64>) -> [Flight] {
    let tickets = Set(flights.filter { deliveries.contains($0.value.delivery) }.keys)
    guard !tickets.isEmpty else { return [] }
    return client.withdrawWaiting(where: tickets.contains).compactMap { flights.removeValue(forKey: $0) }
  }

  /// Ends a wait of ``wait(_:now:)``; called on any thread.
  var alarm: @Sendable () -> Void { wire.alarm }

  func shutdown() { wire.shutdown() }
}
