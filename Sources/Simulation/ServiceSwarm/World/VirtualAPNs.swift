internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanDaemon
internal import PushProvider
internal import PushStandIn
internal import PushTerms

/// Apple's servers and the network to them: the stand-in as a function, with answers that come late or never.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class VirtualAPNs: @unchecked Sendable {
  /// A push that APNs accepted.
  struct Accepted: Hashable {
    var token: String
    var payload: String
    var messageIdentifier: String
  }

  static let (team, keyIdentifier, topic) = ("F6G7H8I9J0", "A1B2C3D4E5", "com.example.app")

  private var service: APNsService
  private var generator: SeededGenerator
  var mood = ServiceStep.Mood.healthy
  /// Pushes that were accepted since the last ``takeAccepted()``.
  private var accepted: [Accepted] = []
  private(set) var requestCount = 0
  private let now: @Sendable () -> WallTime

  init(
    _ key: P256PublicKey, start: WallTime, _ generator: SeededGenerator,
    now: @escaping @Sendable () -> WallTime
  ) {
    var configuration = APNsConfiguration()
    configuration.environment = .production
    configuration.keys = [ProviderKey(identifier: Self.keyIdentifier, team: Self.team, publicKey: key)]
    configuration.topics = [Self.topic]
    configuration.limits.unregisterLag = .zero
    configuration.seed = 1
    service = APNsService(configuration, start: start)
    self.generator = generator
    self.now = now
  }

  func takeAccepted() -> [Accepted] {
    defer { accepted = [] }
    return accepted
  }

  /// The app has gone from a phone.
  func remove(_ token: String) { service.set(.init(state: .unregistered(since: now())), for: token) }

  /// The app is there again, which a registration tells.
  func install(_ token: String) { service.set(.init(state: .registered), for: token) }

  /// What becomes of a request.
  enum Fate {
    case answer(HTTPResponse, after: Int64)
    case lost
    case silence
  }

  func fate(of request: HTTPRequest, over connection: inout APNsConnection) -> Fate {
    requestCount += 1
    switch mood {
    case .healthy: return .answer(reply(request, &connection), after: generator.draw(5...60))
    case .slow: return .answer(reply(request, &connection), after: generator.draw(1_000...9_000))
    case .failing:
      var fields = HTTPFields()
      if generator.chance(1, in: 2) { fields["Retry-After"] = "\(generator.draw(1...20))" }
      return refusal(503, "ServiceUnavailable", request, fields)
    case .tooMany: return refusal(429, "TooManyRequests", request)
    case .refusingKey: return refusal(403, "InvalidProviderToken", request)
    case .cutting:
      switch generator.draw(0...2) {
      case 0: return .lost
      case 1:
        _ = reply(request, &connection)
        return .lost
      default: return .answer(reply(request, &connection), after: generator.draw(5...60))
      }
    case .silent:
      if generator.chance(1, in: 2) { _ = reply(request, &connection) }
      return .silence
    }
  }

  private func refusal(
    _ status: Int, _ reason: String, _ request: HTTPRequest, _ fields: HTTPFields = [:]
  ) -> Fate {
    var fields = fields
    fields["apns-id"] = request.fields["apns-id"]
    let body = JSON.object([("reason", .string(reason))]).bytes
    return .answer(HTTPResponse(status: status, fields: fields, body: body), after: generator.draw(5...60))
  }

  private func reply(_ request: HTTPRequest, _ connection: inout APNsConnection) -> HTTPResponse {
    let reply = service.reply(to: request, over: &connection, at: now())
    if reply.response.status == 200, let token = reply.facts.token {
      accepted.append(
        Accepted(
          token: token, payload: String(decoding: request.body, as: UTF8.self),
          messageIdentifier: request.fields["apns-id"] ?? ""))
    }
    return reply.response
  }
}

/// The connections of one sender to ``VirtualAPNs``. They end with their process.
final class VirtualWire: PushWire {
  private let apns: VirtualAPNs
  private let time: SimulatedTime
  private var connections: [Int: APNsConnection] = [:]
  private var events: [(due: WallTime, event: PushClient.Event)] = []

  init(_ apns: VirtualAPNs, _ time: SimulatedTime) {
    self.apns = apns
    self.time = time
  }

  func perform(_ actions: [PushClient.Action]) {
    for action in actions {
      switch action {
      case .open(let number):
        connections[number] = APNsConnection(number: number)
        add(.streamLimit(100, on: number), after: 1)
      case .close(let number): connections[number] = nil
      case .send(let ticket, let number, let request): send(ticket, number, request)
      default: continue
      }
    }
  }

  /// Ours, and the engine's: how long an answer is waited for.
  private static let patienceMilliseconds: Int64 = 30_000

  private func send(_ ticket: PushClient.Ticket, _ number: Int, _ request: HTTPRequest) {
    var connection = connections[number] ?? APNsConnection(number: number)
    switch apns.fate(of: request, over: &connection) {
    case .answer(let response, let milliseconds): add(.answered(ticket, response), after: milliseconds)
    case .lost:
      add(.failed(ticket, .init(.lost, "the connection ended")), after: 5)
      add(.goingAway(number), after: 5)
    case .silence: add(.failed(ticket, .init(.lost, "no answer came")), after: Self.patienceMilliseconds)
    }
    connections[number] = connection
  }

  private func add(_ event: PushClient.Event, after milliseconds: Int64) {
    events.append((time.now.advanced(by: .milliseconds(milliseconds)), event))
  }

  func take(within limit: Duration) -> [PushClient.Event] {
    // A wait lets time pass, until the next thing happens; once around a loop takes a moment at least, or a loop that waits
    // for an hour would never see it.
    let next = (events.map(\.due).min() ?? time.now.advanced(by: limit)).milliseconds - time.now.milliseconds
    time.advance(max(10, min(next, limit.wholeMilliseconds)))
    let now = time.now
    // In the order they are due; of two at once the one that was sent first.
    let due = events.enumerated().filter { $0.element.due <= now }
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element.event)
    events.removeAll { $0.due <= now }
    return due
  }

  func shutdown() {
    events = []
    connections = [:]
  }
}
