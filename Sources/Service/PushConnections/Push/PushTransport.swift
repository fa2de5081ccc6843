internal import HTTPClientEngine
internal import HTTPTransport
internal import LinkspanCore
internal import PushProvider

/// Performs what a push client asks for over the engine's HTTP client: one client, and so one HTTP/2 connection, for
/// each number. What the peer says of a connection (SETTINGS, GOAWAY, its end) goes to the push client.
final class PushTransport {
  /// Ours: APNs answers in milliseconds; what it has not answered by then may be sent again, as a possible duplicate.
  private static let answerPatience = Duration.seconds(30)
  /// Ours: a connection that is silent while pushes are under way is asked for a sign of life after the one, and replaced
  /// after the other. Both together stay below 10 s, and an answer after 4 s is slow and not silent.
  private static let silence = Duration.seconds(3)
  private static let pongPatience = Duration.seconds(5)

  private let configuration: HTTPClientConfiguration
  private let scheme: String
  private let mailbox: PushMailbox
  private var clients: [Int: HTTPClient] = [:]

  /// - Parameters:
  ///   - mailbox: Where what happens on the connections arrives.
  ///   - patience: No request takes longer.
  init(_ account: PushAccount, _ mailbox: PushMailbox, patience: Duration) {
    var configuration = HTTPClientConfiguration(trust: account.trust)
    configuration.identity = account.identity
    configuration.protocols = .http2
    configuration.isSingleConnection = true
    // Another attempt is the push client's to decide.
    configuration.retries = 0
    configuration.indexedOnce = PushNotification.fieldsIndexedOnce
    configuration.deadlines.request = patience
    configuration.deadlines.answer = min(patience, Self.answerPatience)
    // Apple: keep a connection for hours to days, and ask it after an hour of silence (notes, 1.14).
    configuration.deadlines.idle = .seconds(24 * 3_600)
    configuration.deadlines.silence = Self.silence
    configuration.deadlines.pong = Self.pongPatience
    self.configuration = configuration
    scheme = account.scheme
    self.mailbox = mailbox
  }

  /// Does all of them but the ends of pushes, which are the caller's.
  func perform(_ actions: [PushClient.Action]) {
    var batch: [HTTPClient.Call] = []
    var number: Int?
    func flush() {
      if let number, !batch.isEmpty { clients[number]?.start(batch) }
      batch.removeAll(keepingCapacity: true)
    }
    for action in actions {
      switch action {
      case .send(let ticket, let connection, let request):
        if connection != number { flush() }
        number = connection
        batch.append(call(ticket, request))
      case .open(let connection):
        flush()
        clients[connection] = open(connection)
      case .close(let connection):
        flush()
        clients.removeValue(forKey: connection)?.shutdown()
      case .ping(let connection): clients[connection]?.ping()
      case .finished, .health: continue
      }
    }
    flush()
  }

  private func open(_ number: Int) -> HTTPClient {
    var configuration = configuration
    configuration.onEvent = { [mailbox] event in
      switch event {
      case .streamLimit(let limit): mailbox.put(.streamLimit(limit, on: number))
      // The fate of each request is told by its own outcome: those above GOAWAY's last stream were not acted upon, and
      // an end in the middle of an answer is a loss.
      case .leaving, .ended: mailbox.put(.goingAway(number))
      }
    }
    return HTTPClient(configuration)
  }

  private func call(_ ticket: PushClient.Ticket, _ request: HTTPRequest) -> HTTPClient.Call {
    var request = request
    request.scheme = scheme
    return HTTPClient.Call(request) { [mailbox] result in
      switch result {
      case .success(let answer): mailbox.put(.answered(ticket, answer.response))
      case .failure(let error): mailbox.put(.failed(ticket, Self.failure(error)))
      }
    }
  }

  private static func failure(_ error: HTTPClientError) -> PushClient.Failure {
    let reason = error.goAway.flatMap { PushAnswer.reasonText(inGoAway: $0.debugData) } ?? error.reason
    switch error.kind {
    case .cannotResolve, .forbiddenAddress, .refused, .cannotConnect, .handshake:
      return .init(.cannotConnect, reason)
    case .tls, .unusableTrust: return .init(.certificateRefused, reason)
    case .unusableRequest: return .init(.unusable, reason)
    case .notProcessed, .tooManyWaiting: return .init(.notProcessed, reason)
    case .timeout, .unfinished, .connectionLost, .streamReset, .malformedAnswer, .tooLarge, .shutDown:
      return .init(.lost, reason)
    }
  }

  func shutdown() {
    for client in clients.values { client.shutdown() }
    clients = [:]
  }
}
