internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import PushTerms

/// Connections to one environment of APNs with one key, and what is under way on them.
struct SenderLane {
  /// A push that this sender holds.
  struct Flight {
    var delivery: Int64
    var token: DeviceToken
    var attempts: Int64
    var giveUpAt: WallTime
    /// When it was handed over, which is what a token's death is compared with where APNs names no moment.
    var sentAt: WallTime
  }

  private var client: PushClient
  private let wire: any PushWire
  private(set) var flights: [PushClient.Ticket: Flight] = [:]

  init(
    _ account: SenderAccount, _ environment: PushEnvironment, _ settings: SenderSettings,
    _ surroundings: SenderSurroundings
  ) {
    let place = account.place(for: environment)
    var configuration = PushClient.Configuration(
      authority: place.authority, deadline: WallTime(milliseconds: 253_402_300_799_999))
    configuration.connections = settings.connections
    configuration.retry.server = Self.serverBackOff(settings)
    // What comes of an attempt is stored before there is another one, which may be this process' or another's.
    configuration.retry.attempts = 1
    client = PushClient(
      configuration, .token(account.signer), generator: SeededGenerator(seed: surroundings.random()))
    wire = surroundings.wire(account, environment)
  }

  /// After APNs' 5xx.
  static func serverBackOff(_ settings: SenderSettings) -> PushRetryPolicy.BackOff {
    let first = Duration.seconds(settings.retrySeconds)
    return .init(first: first, longest: first * 8)
  }

  /// Takes a push; it goes out with the next ``advance(at:)``.
  mutating func submit(_ push: PushNotification, _ flight: Flight) {
    flights[client.submit(push)] = flight
  }

  /// Does what is due.
  ///
  /// - Returns: What has ended.
  mutating func advance(at now: WallTime) -> [(Flight, PushResult)] { perform(client.advance(to: now)) }

  /// Waits for something to happen, for a while at most.
  ///
  /// - Returns: What has ended.
  mutating func wait(_ time: Duration, now: () -> WallTime) -> [(Flight, PushResult)] {
    let events = wire.take(within: time)
    return events.isEmpty ? [] : perform(client.handle(events, at: now()))
  }

  /// When there is something to do that no event brings.
  var wakeUp: WallTime? { client.wakeUp }

  private mutating func perform(_ actions: [PushClient.Action]) -> [(Flight, PushResult)] {
    wire.perform(actions)
    var ended: [(Flight, PushResult)] = []
    for case .finished(let ticket, let result) in actions {
      if let flight = flights.removeValue(forKey: ticket) { ended.append((flight, result)) }
    }
    return ended
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

  func shutdown() { wire.shutdown() }
}
