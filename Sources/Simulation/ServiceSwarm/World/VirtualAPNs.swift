internal import LinkspanCore
internal import LinkspanCrypto
internal import PushProvider
internal import PushStandIn
internal import PushTerms

/// Apple's servers and the network to them: the stand-in as a function, which requests reach late and whose answers come late or
/// never.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class VirtualAPNs: @unchecked Sendable {
  /// The channels that APNs has, by its own names.
  private(set) var channels: Set<String> = []
  /// What it calls the broadcasts that it accepted.
  private(set) var broadcasts: Set<String> = []

  /// A push that APNs accepted.
  struct Accepted: Hashable {
    var token: String
    var payload: String
    var messageIdentifier: String
    /// Uptime in milliseconds.
    var sentAt: Int64
    /// How often the wall clock had been set.
    var setCount: Int
  }

  /// A request that a sender sent, and what becomes of it.
  struct Request: Hashable {
    var token: String
    var identifier: String
    var fate: String
  }

  /// A request on its way.
  private struct Arrival {
    var due: Int64
    var request: HTTPRequest
    var sentAt: Int64
    var setCount: Int
    var arrive: (HTTPRequest) -> Void
  }

  static let (team, keyIdentifier, topic) = ("F6G7H8I9J0", "A1B2C3D4E5", "com.example.app")

  /// Before any device registered; milliseconds since 1970.
  static let longAgo = 1_000_000_000_000

  private var service: APNsService
  private var generator: SeededGenerator
  private let time: SimulatedTime
  var mood = ServiceStep.Mood.healthy
  private var arrivals: [Arrival] = []
  /// Pushes that were accepted since the last ``takeAccepted()``.
  private var accepted: [Accepted] = []
  /// Requests that were sent since the last ``takeRequests()``.
  private var requests: [Request] = []
  /// Statuses of answers.
  private(set) var statuses: Set<Int> = []
  /// An answer with a `Retry-After`: when it was given, and when its push may come again.
  private struct Retry {
    var givenAt: Int64
    var due: Int64
  }

  /// By the identifier of the push.
  private var retries: [String: Retry] = [:]
  /// Payloads of pushes that were rejected since the last ``takeRefused()``.
  private var refused: [[UInt8]] = []
  /// Whether any was.
  private(set) var hasRefused = false
  /// Pushes that came again too early, in sentences.
  private(set) var early: [String] = []

  init(_ key: P256PublicKey, _ time: SimulatedTime, _ generator: SeededGenerator) {
    var configuration = APNsConfiguration()
    configuration.environment = .production
    configuration.keys = [ProviderKey(identifier: Self.keyIdentifier, team: Self.team, publicKey: key)]
    configuration.topics = [Self.topic]
    configuration.limits.unregisterLag = .zero
    configuration.seed = 1
    service = APNsService(configuration, start: time.now)
    self.generator = generator
    self.time = time
  }

  func takeAccepted() -> [Accepted] {
    defer { accepted = [] }
    return accepted
  }

  func takeRequests() -> [Request] {
    defer { requests = [] }
    return requests
  }

  func takeRefused() -> [[UInt8]] {
    defer { refused = [] }
    return refused
  }

  /// The app has gone from a phone.
  func remove(_ token: String) { service.set(.init(state: .unregistered(since: time.now)), for: token) }

  /// The app is there again, which a registration tells.
  func install(_ token: String) { service.set(.init(state: .registered), for: token) }

  /// Forgets what was asked of servers that may not know it: they ended before they could store it.
  ///
  /// - Parameter age: Forgets only what was asked so many milliseconds ago.
  func forgetRetries(age: Int64 = 0) {
    retries = retries.filter { time.uptimeMilliseconds - $0.value.givenAt < age }
  }

  /// Forgets what it asked for one push, whose answer its sender never hears.
  func forgetRetry(_ message: String?) { retries[message ?? ""] = nil }

  // MARK: - Requests

  /// What becomes of a request; times are in milliseconds.
  enum Fate {
    /// It arrives after a while, and its answer comes after another one.
    case reached(after: Int64, answered: Int64)
    case refused(HTTPResponse, after: Int64)
    /// Its connection ends, maybe after it arrived.
    case lost(arrives: Int64?)
    /// No answer comes, maybe although it arrived.
    case silence(arrives: Int64?)

    /// For a person who reads events.
    var words: String {
      switch self {
      case .reached: "arrives"
      case .refused(let response, _): "\(response.status)"
      case .lost(nil): "lost"
      case .lost: "arrives, its answer is lost"
      case .silence(nil): "never arrives"
      case .silence: "arrives, and no answer comes"
      }
    }
  }

  func fate(of request: HTTPRequest) -> Fate {
    noteRetry(request)
    let fate = drawnFate(of: request)
    requests.append(
      Request(
        token: String(request.path.split(separator: "/").last ?? ""),
        identifier: request.fields["apns-id"] ?? "", fate: fate.words))
    return fate
  }

  func drawnFate(of request: HTTPRequest) -> Fate {
    switch mood {
    case .healthy: return .reached(after: generator.draw(1...20), answered: generator.draw(1...40))
    case .slow: return .reached(after: generator.draw(1...400), answered: generator.draw(1_000...9_000))
    case .failing:
      var fields = HTTPFields()
      if generator.chance(1, in: 2) { fields["Retry-After"] = "\(generator.draw(1...20))" }
      return refusal(503, "ServiceUnavailable", request, fields)
    case .tooMany:
      var fields = HTTPFields()
      if generator.chance(1, in: 2) {
        let seconds = generator.draw(5...600)
        fields["Retry-After"] = "\(seconds)"
        let now = time.uptimeMilliseconds
        // A request about channels has none; its server gives the answer again meanwhile.
        if let message = request.fields["apns-id"] {
          retries[message] = Retry(givenAt: now, due: now + seconds * 1_000)
        }
      }
      return refusal(429, "TooManyRequests", request, fields)
    case .rejecting:
      guard request.target.hasPrefix("/3/device/"), generator.chance(2, in: 3) else {
        return .reached(after: generator.draw(1...20), answered: generator.draw(1...40))
      }
      hasRefused = true
      // The app was gone before the device registered: the rejection counts neither against the device nor the campaign.
      if generator.chance(1, in: 4) { return refusal(410, "Unregistered", request, since: Self.longAgo) }
      refused.append(request.body)
      return refusal(400, "PayloadEmpty", request)
    case .refusingKey: return refusal(403, "InvalidProviderToken", request)
    case .cutting:
      switch generator.draw(0...2) {
      case 0: return .lost(arrives: nil)
      case 1: return .lost(arrives: generator.draw(1...4))
      default: return .reached(after: generator.draw(1...20), answered: generator.draw(1...40))
      }
    case .silent: return .silence(arrives: generator.chance(1, in: 2) ? generator.draw(1...400) : nil)
    }
  }

  /// - Parameter since: When the app was gone; milliseconds since 1970.
  private func refusal(
    _ status: Int, _ reason: String, _ request: HTTPRequest, _ fields: HTTPFields = [:], since: Int? = nil
  ) -> Fate {
    var fields = fields
    fields["apns-id"] = request.fields["apns-id"]
    statuses.insert(status)
    var members = [("reason", JSON.string(reason))]
    if let since { members.append(("timestamp", .int(since))) }
    return .refused(
      HTTPResponse(status: status, fields: fields, body: JSON.object(members).bytes),
      after: generator.draw(5...60))
  }

  private func noteRetry(_ request: HTTPRequest) {
    let message = request.fields["apns-id"] ?? ""
    guard let due = retries.removeValue(forKey: message)?.due, time.uptimeMilliseconds < due else { return }
    early.append(
      "APNs gets push \(message) again \(due - time.uptimeMilliseconds) ms before its Retry-After is over")
  }

  /// Has a request arrive after a while, whatever becomes of its sender.
  func expect(_ request: HTTPRequest, after milliseconds: Int64, _ arrive: @escaping (HTTPRequest) -> Void) {
    arrivals.append(
      Arrival(
        due: time.uptimeMilliseconds + milliseconds, request: request, sentAt: time.uptimeMilliseconds,
        setCount: time.setCount, arrive: arrive))
  }

  /// When the next request arrives.
  var nextArrival: Int64? { arrivals.map(\.due).min() }

  /// Has everything arrive that is due.
  func advance() {
    let now = time.uptimeMilliseconds
    guard arrivals.contains(where: { $0.due <= now }) else { return }
    // In the order they are due; of two at once the one that was sent first.
    let due = arrivals.enumerated().filter { $0.element.due <= now }
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
    arrivals.removeAll { $0.due <= now }
    for arrival in due { arrival.arrive(arrival.request) }
  }

  /// Takes what an answer says about channels.
  private func note(_ response: HTTPResponse, to request: HTTPRequest) {
    switch response.status {
    case 201: if let channel = response.fields["apns-channel-id"] { channels.insert(channel) }
    case 204: channels.remove(request.fields["apns-channel-id"] ?? "")
    case 200:
      if request.fields["apns-channel-id"] != nil, request.method == "POST" {
        broadcasts.insert(response.fields["apns-request-id"] ?? response.fields["apns-id"] ?? "")
      }
    default: break
    }
  }

  /// Answers a request that has arrived.
  func reply(_ request: HTTPRequest, over connection: inout APNsConnection, sentAt: Int64, setCount: Int)
    -> HTTPResponse
  {
    let reply = service.reply(to: request, over: &connection, at: time.now)
    statuses.insert(reply.response.status)
    note(reply.response, to: request)
    if reply.response.status == 200, let token = reply.facts.token {
      accepted.append(
        Accepted(
          token: token, payload: String(decoding: request.body, as: UTF8.self),
          messageIdentifier: request.fields["apns-id"] ?? "", sentAt: sentAt, setCount: setCount))
    }
    return reply.response
  }
}
