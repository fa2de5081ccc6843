internal import Dispatch
package import HTTPEngine
internal import LinkspanCore
package import PushProvider
internal import Synchronization

/// Performs what a push client asks for over the engine's HTTP client: one client, and so one HTTP/2 connection, for
/// each number. The peer's SETTINGS, GOAWAY and idle connections are the engine's.
package final class PushTransport {
  /// What has happened, from the clients' threads to the one that waits.
  private final class Mailbox: Sendable {
    private let events = Mutex<[PushClient.Event]>([])
    private let semaphore = DispatchSemaphore(value: 0)

    func put(_ event: PushClient.Event) {
      let isFirst = events.withLock { events in
        events.append(event)
        return events.count == 1
      }
      if isFirst { semaphore.signal() }
    }

    func take(within time: Duration) -> [PushClient.Event] {
      _ = semaphore.wait(timeout: .now() + .milliseconds(Int(clamping: time.wholeMilliseconds)))
      return events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  private let configuration: HTTPClientConfiguration
  private let scheme: String
  private let mailbox = Mailbox()
  private var clients: [Int: HTTPClient] = [:]

  /// - Parameter patience: No request takes longer.
  package init(scheme: String, trust: TLSTrust, patience: Duration) {
    var configuration = HTTPClientConfiguration(trust: trust)
    configuration.protocols = .http2
    // Another attempt is the push client's to decide.
    configuration.retries = 0
    configuration.deadlines.request = patience
    configuration.deadlines.idle = .seconds(3_600)
    self.configuration = configuration
    self.scheme = scheme
  }

  /// Does all of them but the ends of pushes, which are the caller's.
  package func perform(_ actions: [PushClient.Action]) {
    var batch: [HTTPClient.Call] = []
    var number: Int?
    func flush() {
      if let number, !batch.isEmpty { clients[number]?.start(batch) }
      batch = []
    }
    for action in actions {
      switch action {
      case .send(let ticket, let connection, let request):
        if connection != number { flush() }
        number = connection
        batch.append(call(ticket, request))
      case .open(let connection):
        flush()
        clients[connection] = HTTPClient(configuration)
      case .close(let connection):
        flush()
        clients.removeValue(forKey: connection)?.shutdown()
      // A command ends long before an idle connection would be asked.
      case .ping, .finished: continue
      }
    }
    flush()
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
    case .cannotResolve, .forbiddenAddress, .refused, .cannotConnect, .handshake, .tls, .unusableTrust:
      return .init(.cannotConnect, reason)
    case .notProcessed, .tooManyWaiting, .unusableRequest: return .init(.notProcessed, reason)
    case .timeout, .unfinished, .connectionLost, .streamReset, .malformedAnswer, .tooLarge, .shutDown:
      return .init(.lost, reason)
    }
  }

  /// What has happened since, after waiting for the first of it.
  package func events(within time: Duration) -> [PushClient.Event] { mailbox.take(within: time) }

  package func shutdown() {
    for client in clients.values { client.shutdown() }
    clients = [:]
  }
}
