package import DeviceRegistry
internal import Dispatch
internal import HTTPClientEngine
package import HTTPTransport
package import LinkspanCore
internal import LinkspanDecisions
internal import LinkspanFiles
internal import LinkspanServer
internal import PushConnections
internal import RegistryRequests
internal import RegistryServer

/// The registry's API as the command line uses it: of a server, or in this process on the store itself.
package final class RegistryClient {
  private enum Place {
    case server(HTTPClient, scheme: String, authority: String, base: String, token: String, flag: String)
    case store(Registry, RegistryAPI, Failures)
  }

  private let place: Place
  private let note: (String) -> Void

  /// - Parameters:
  ///   - address: Where the server is, such as `https://push.example.com`.
  ///   - flag: What the address was given with, for errors.
  ///   - token: A credential of `linkspan token create`; empty for none.
  ///   - note: Takes a line that says what it waits for.
  package init(
    server address: ServiceAddress, of flag: String = "--server", token: String, trust: TLSTrust,
    note: @escaping (String) -> Void
  ) throws(LinkspanError) {
    self.note = note
    let server = try LinkspanError.server(
      address, of: flag, example: "https://push.example.com", takesPath: true)
    if server.scheme == "http", !token.isEmpty, !Self.isHere(server.authority) {
      note(
        "warning: the credential goes to \(server.authority) without TLS, so others on the way can read it; "
          + "use https")
    }
    var configuration = HTTPClientConfiguration(trust: trust)
    // The server may count a million devices before it answers.
    configuration.deadlines.request = .seconds(60)
    place = .server(
      HTTPClient(configuration), scheme: server.scheme, authority: server.authority, base: server.path,
      token: token, flag: flag)
  }

  /// Whether only this machine hears what is sent there.
  private static func isHere(_ authority: String) -> Bool {
    var host = authority[...]
    if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") { host = host[..<colon] }
    let name = host.filter { $0 != "[" && $0 != "]" }
    return name == "localhost" || SocketAddress(name, port: 0)?.isLoopback == true
  }

  /// The server's base address as requests have it, without a slash at the end; empty for a store.
  package var base: String {
    guard case .server(_, let scheme, let authority, let path, _, _) = place else { return "" }
    return "\(scheme)://\(authority)\(path)"
  }

  package init(store address: ServiceAddress, for use: Registry.Use) throws(LinkspanError) {
    note = { _ in }
    let registry = try Registry.open(address, makesFile: false, for: use)
    var options = RegistryAPI.Options()
    options.zone = { ZoneFiles.system.rules($0) }
    let failures = Failures()
    let api = RegistryAPI(
      registry, options, now: { CurrentTime.now },
      report: { error in failures.last.withLock { $0 = error } })
    place = .store(registry, api, failures)
  }

  /// Sends a request and waits for its answer. Where the server asks for some seconds (Retry-After with 429 or 503) it waits for
  /// them, too, and sends the same request again, unless a second one could do something twice.
  ///
  /// - Parameters:
  ///   - target: Path and query, from `/v1`.
  ///   - key: Makes a repeated request be done once.
  /// - Throws: That the server cannot be reached; of a store also why it does not do it, which a server's clients are not told.
  package func send(
    _ method: String, _ target: String, body: [UInt8] = [], key: String? = nil
  ) throws(LinkspanError) -> HTTPResponse {
    let patience = AskedPatience(from: CurrentTime.uptime)
    while true {
      let answer = try sendOnce(method, target, body, key)
      // A server that has done nothing says 429; after 503 it may have (RFC 9110, 9.2.2: idempotent methods).
      let mayRepeat = answer.status == 429 || answer.status == 503 && (method != "POST" || key != nil)
      guard mayRepeat, let seconds = Self.retryAfter(of: answer),
        seconds <= AskedPatience.longest.components.seconds,
        patience.allows(.seconds(seconds), at: CurrentTime.uptime)
      else {
        if let error = failure { throw LinkspanError(error) }
        return answer
      }
      let reason = JSONParser.parse(answer.body).root?["detail"]?.string.map { ": \($0.onOneLine)" } ?? ""
      note("waiting \(seconds) s, as the server asks with status \(answer.status)\(reason)")
      AskedPatience.wait(for: .seconds(seconds))
    }
  }

  private static func retryAfter(of answer: HTTPResponse) -> Int? {
    answer.fields["Retry-After"].flatMap {
      RetryAfter.seconds($0, date: answer.fields["Date"], now: CurrentTime.now.milliseconds / 1_000)
    }
  }

  private func sendOnce(
    _ method: String, _ target: String, _ body: [UInt8], _ key: String?
  ) throws(LinkspanError) -> HTTPResponse {
    var request = HTTPRequest(method: method, authority: "registry", target: target, body: body)
    if !body.isEmpty { request.fields["Content-Type"] = "application/json" }
    if let key { request.fields["Idempotency-Key"] = key }
    switch place {
    case .server(let client, let scheme, let authority, let base, let token, let flag):
      request.scheme = scheme
      request.authority = authority
      request.target = base + target
      if !token.isEmpty { request.fields["Authorization"] = "Bearer \(token)" }
      do throws(HTTPClientError) {
        return try client.send(request)
      } catch {
        throw LinkspanError(
          "the server \(authority) cannot be reached: \(error.reason).",
          help: "Check the address after '\(flag)'.")
      }
    case .store(_, let api, let failures):
      failures.last.withLock { $0 = nil }
      let (answer, semaphore) = (Answer(), DispatchSemaphore(value: 0))
      api.answerOperator(request) { response in
        answer.response.withLock { $0 = response }
        semaphore.signal()
      }
      semaphore.wait()
      return answer.response.withLock { $0 } ?? HTTPResponse(status: 500)
    }
  }

  /// What the store failed with; a person who works on it is its operator.
  private final class Failures: Sendable {
    let last = LockedState<RegistryError?>(nil)
  }

  private var failure: RegistryError? {
    guard case .store(_, _, let failures) = place else { return nil }
    return failures.last.withLock { $0 }
  }

  private final class Answer: Sendable {
    let response = LockedState<HTTPResponse?>(nil)
  }

  /// Ends all that waits of a campaign that was cancelled, or lets it go on: on a store that this process works on itself,
  /// where nobody does so afterwards. A server does it by itself.
  ///
  /// - Parameter campaign: Its identifier.
  /// - Throws: Where the store fails; then the next sender goes on.
  package func settle(_ campaign: Int64) throws(LinkspanError) {
    guard case .store(let registry, _, _) = place else { return }
    var hasMore = true
    while hasMore {
      let now = CurrentTime.now
      hasMore = try registry.changeNow { store throws(RegistryError) in
        try store.settleWaiting(of: campaign, at: now)
      }
    }
  }

  /// Ends what it works with.
  package func stop() {
    switch place {
    case .server(let client, _, _, _, _, _): client.shutdown()
    case .store(let registry, _, _): registry.stop()
    }
  }
}
