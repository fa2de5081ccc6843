internal import HTTPClientEngine
package import HTTPTransport
package import LinkspanCore
internal import LinkspanFiles
package import PushProvider
package import PushTerms

/// Asks APNs about the broadcast channels of a team's apps, and publishes to them. Any thread may ask.
package final class ChannelClient: Sendable {
  package typealias Completion = @Sendable (Result<ChannelAnswer, LinkspanError>) -> Void
  /// Sends a request to APNs, and hands over its answer, or in a few words why none came.
  package typealias Transport =
    @Sendable (HTTPRequest, @escaping @Sendable (Result<HTTPResponse, Unanswered>) -> Void) -> Void

  /// Why no answer came.
  package struct Unanswered: Error, Sendable {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
  }

  /// Another server than Apple's, for management and broadcasts alike.
  package struct Server: Hashable, Sendable {
    var scheme: String
    var authority: String

    package init(scheme: String, authority: String) {
      self.scheme = scheme
      self.authority = authority
    }
  }

  private struct State {
    var signer: ProviderTokenSigner
    var generator: SeededGenerator
    var pause = ChannelPause()
  }

  private let state: LockedState<State>
  private let server: Server?
  private let now: @Sendable () -> WallTime
  private let transport: Transport
  /// Ends with this; nil where somebody else sends the requests.
  private let client: HTTPClient?

  /// - Parameter server: nil for Apple's.
  package init(_ signer: ProviderTokenSigner, trust: TLSTrust, server: Server?) {
    state = LockedState(
      State(signer: signer, generator: SeededGenerator(seed: .random(in: .min ... .max))))
    self.server = server
    var configuration = HTTPClientConfiguration(trust: trust)
    configuration.protocols = .http2
    configuration.deadlines.request = AskedPatience.longest
    let client = HTTPClient(configuration)
    self.client = client
    now = { CurrentTime.now }
    transport = { request, completion in
      client.start(request) { result in
        completion(result.map { $0.response }.mapError { Unanswered($0.reason) })
      }
    }
  }

  /// A client without a network of its own.
  ///
  /// - Parameter seed: Of identifiers and of signatures.
  package init(
    _ signer: ProviderTokenSigner, seed: UInt64, now: @escaping @Sendable () -> WallTime,
    transport: @escaping Transport
  ) {
    state = LockedState(State(signer: signer, generator: SeededGenerator(seed: seed)))
    server = nil
    client = nil
    self.now = now
    self.transport = transport
  }

  deinit { client?.shutdown() }

  /// Asks APNs, and once more with a new provider token when APNs calls an old one expired. While APNs has asked to be left
  /// alone, its last answer is given again.
  ///
  /// - Parameter app: A bundle identifier without a suffix.
  package func ask(
    _ request: ChannelRequest, of app: String, in environment: PushEnvironment,
    _ completion: @escaping Completion
  ) {
    ask(request, of: app, in: environment, mayRenew: true, completion)
  }

  private func ask(
    _ request: ChannelRequest, of app: String, in environment: PushEnvironment, mayRenew: Bool,
    _ completion: @escaping Completion
  ) {
    let authority =
      server?.authority ?? (request.goesWithPushes ? environment.host : environment.channelAuthority)
    let now = now()
    if let answer = state.withLock({ $0.pause.answer(to: request, of: app, from: authority, at: now) }) {
      return completion(.success(answer))
    }
    let (token, identifier) = state.withLock { state in
      let token = Result { () throws(ProviderTokenError) in
        try state.signer.token(at: now, using: &state.generator)
      }
      return (token, ChannelRequest.newIdentifier(using: &state.generator))
    }
    let providerToken: ProviderToken
    switch token {
    case .success(let made): providerToken = made
    case .failure(let error): return completion(.failure(LinkspanError(error.message + ".")))
    }
    var http = request.request(of: app, to: authority, identifier: identifier, providerToken: providerToken)
    http.scheme = server?.scheme ?? "https"
    transport(http) { [self] result in
      switch result {
      case .failure(let error):
        completion(
          .failure(
            LinkspanError(
              "APNs cannot be asked at \(authority): \(error.reason).",
              help: "Check the network, and whether a firewall lets this machine out to that port.")))
      case .success(let answer):
        let read = ChannelAnswer(answer, to: request)
        if mayRenew, case .refused(let refusal) = read, refusal.reason == .expiredProviderToken {
          let expiry = state.withLock { $0.signer.expired(providerToken.issuedAt, at: now) }
          if expiry == .renewed {
            return ask(request, of: app, in: environment, mayRenew: false, completion)
          }
        }
        state.withLock { $0.pause.note(read, to: request, of: app, from: authority, at: self.now()) }
        completion(.success(read))
      }
    }
  }

  /// Asks and waits for the answer. Where APNs asks for some seconds it waits for them, too, and asks again.
  ///
  /// - Throws: That there was none.
  package func answer(
    to request: ChannelRequest, of app: String, in environment: PushEnvironment
  ) throws(LinkspanError) -> ChannelAnswer {
    let patience = AskedPatience(from: CurrentTime.uptime)
    while true {
      let answer = try firstAnswer(to: request, of: app, in: environment)
      guard case .refused(let refusal) = answer, let asked = refusal.retryAfter,
        patience.allows(asked, at: CurrentTime.uptime)
      else { return answer }
      AskedPatience.wait(for: asked)
    }
  }

  private func firstAnswer(
    to request: ChannelRequest, of app: String, in environment: PushEnvironment
  ) throws(LinkspanError) -> ChannelAnswer {
    let answer = LockedState<Result<ChannelAnswer, LinkspanError>?>(nil)
    ask(request, of: app, in: environment) { result in
      answer.withLock { $0 = result }
      answer.signal(all: true)
    }
    return try answer.wait { $0 }.get()
  }
}
