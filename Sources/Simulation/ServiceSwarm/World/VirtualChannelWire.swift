internal import LinkspanCore
internal import LinkspanCrypto
internal import PushConnections
internal import PushProvider
internal import PushStandIn
internal import RegistryServer

/// How one server asks ``VirtualAPNs`` about channels. What was asked before its process ends reaches APNs all the same.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class VirtualChannelWire: @unchecked Sendable {
  private let apns: VirtualAPNs
  private let time: SimulatedTime
  private var connection = APNsConnection(number: 0)
  private var answers: [(due: Int64, give: @Sendable () -> Void)] = []
  private var isOver = false

  init(_ apns: VirtualAPNs, _ time: SimulatedTime) {
    self.apns = apns
    self.time = time
  }

  /// The route of a server with one key.
  func route(_ signer: ProviderTokenSigner) -> RegistryAPI.ChannelRoute {
    let client = ChannelClient(signer, seed: time.random(), now: { [time] in time.now }) {
      [weak self] request, completion in self?.send(request, completion)
    }
    return { request, app, environment, completion in
      client.ask(request, of: app, in: environment) { completion($0.mapError { .init($0.text) }) }
    }
  }

  /// Ours, and the client's: how long an answer is waited for.
  private static let patienceMilliseconds: Int64 = 20_000

  private func send(
    _ request: HTTPRequest,
    _ completion: @escaping @Sendable (Result<HTTPResponse, ChannelClient.Unanswered>) -> Void
  ) {
    switch apns.drawnFate(of: request) {
    case .reached(let milliseconds, let answered):
      expect(request, after: milliseconds) { [weak self] response in
        self?.add(after: answered) { completion(.success(response)) }
      }
    case .refused(let response, let milliseconds):
      add(after: milliseconds) { completion(.success(response)) }
    case .lost(let arrival):
      if let arrival { expect(request, after: arrival) { _ in } }
      add(after: 5) { completion(.failure(.init("the connection ended"))) }
    case .silence(let arrival):
      if let arrival { expect(request, after: arrival) { _ in } }
      add(after: Self.patienceMilliseconds) { completion(.failure(.init("no answer came"))) }
    }
  }

  private func expect(
    _ request: HTTPRequest, after milliseconds: Int64, _ answered: @escaping (HTTPResponse) -> Void
  ) {
    let (apns, sentAt, setCount) = (apns, time.uptimeMilliseconds, time.setCount)
    apns.expect(request, after: milliseconds) { [weak self] request in
      var connection = self?.connection ?? APNsConnection(number: 0)
      let response = apns.reply(request, over: &connection, sentAt: sentAt, setCount: setCount)
      self?.connection = connection
      answered(response)
    }
  }

  private func add(after milliseconds: Int64, _ give: @escaping @Sendable () -> Void) {
    answers.append((time.uptimeMilliseconds + milliseconds, give))
  }

  /// Gives the answers that have come.
  func deliver() {
    let now = time.uptimeMilliseconds
    let due = answers.filter { $0.due <= now }
    answers.removeAll { $0.due <= now }
    for answer in due where !isOver { answer.give() }
  }

  /// Its process ends, and hears nothing more.
  func end() {
    isOver = true
    answers = []
  }
}
