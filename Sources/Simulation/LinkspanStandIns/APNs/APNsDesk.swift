internal import Dispatch
internal import LinkspanCore
internal import PushStandIn

/// The stand-in for APNs behind all connections of a server: finds what is known of a connection, and turns the model's
/// replies into the engine's.
final class APNsDesk: Sendable {
  /// Ours: connections beyond it are forgotten, the oldest first.
  private static let connectionLimit = 20_000

  private struct State {
    var service: APNsService
    var connections: [Int: APNsConnection] = [:]

    /// Forgets the older half, when there are too many: a connection does not say when it ends.
    mutating func makeRoom() {
      guard connections.count >= APNsDesk.connectionLimit else { return }
      let middle = connections.keys.sorted()[connections.count / 2]
      connections = connections.filter { $0.key >= middle }
    }
  }

  private let state: LockedState<State>
  private let clock: MovableClock
  private let record: RequestRecord?
  private let allowsHTTP1: Bool
  private let initialStreams: Int

  init(
    _ configuration: APNsConfiguration, clock: MovableClock, record: RequestRecord?, allowsHTTP1: Bool
  ) {
    state = LockedState(State(service: APNsService(configuration, start: clock.start)))
    initialStreams = configuration.limits.initialStreams
    self.clock = clock
    self.record = record
    self.allowsHTTP1 = allowsHTTP1
  }

  /// The stand-in's clock.
  var now: WallTime { clock.time }

  /// Does something to the service.
  func change(_ body: (inout APNsService) -> Void) { state.withLock { body(&$0.service) } }

  func respond(to head: HTTPRequest, from origin: RequestOrigin) -> HTTPReply {
    guard origin.isHTTP2 || allowsHTTP1 else {
      return .now(.text(505, "APNs speaks HTTP/2; --allow-http1 has the stand-in answer HTTP/1.1 as well"))
    }
    return .afterBody { self.reply(to: $0, from: origin) }
  }

  private func reply(to request: HTTPRequest, from origin: RequestOrigin) -> HTTPReply {
    let now = clock.time
    let reply = state.withLock { state in
      // By the place of its key: a look at the value would copy all that is known of the connection.
      if let place = state.connections.index(forKey: origin.connection) {
        return state.service.reply(to: request, over: &state.connections.values[place], at: now)
      }
      state.makeRoom()
      var connection = APNsConnection(
        number: origin.connection,
        certificate: origin.certificate.map { ProviderCertificate(der: $0, at: now) },
        initialStreams: initialStreams)
      defer { state.connections[origin.connection] = connection }
      return state.service.reply(to: request, over: &connection, at: now)
    }
    record?.add(reply.facts)
    return Self.engineReply(reply)
  }

  private static func engineReply(_ reply: APNsReply) -> HTTPReply {
    var disturbance = HTTPDisturbance()
    disturbance.concurrentStreams = reply.concurrentStreams
    disturbance.goAway = reply.goAway.map { ($0.code, $0.debugData) }
    let answer: HTTPReply?
    switch reply.ending {
    case .answered: answer = reply.delay.map { later(reply.response, after: $0) } ?? .now(reply.response)
    case .silence: answer = .later { _ in }
    case .reset(let code):
      disturbance.ending = .resetStream(code: code)
      answer = nil
    case .requestLost, .answerLost:
      disturbance.ending = .dropConnection
      answer = nil
    }
    if let answer, reply.concurrentStreams == nil, reply.goAway == nil { return answer }
    return .disturbed(disturbance, answer)
  }

  private static func later(_ response: HTTPResponse, after delay: Duration) -> HTTPReply {
    .later { completion in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(delay.wholeMilliseconds))) {
        completion(response)
      }
    }
  }
}
