internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem

/// What other threads put before a client's loop, taken out in batches; it also begins and ends the loop's thread.
final class ClientMailbox: Sendable {
  /// Addresses that a resolver found for a connection.
  struct Resolved: Sendable {
    var connection: Int32
    /// Which of the connections of that number, one after the other, they are for.
    var serial: Int
    var result: Result<[SocketAddress], HTTPClientError>
  }

  struct Mail: Sendable {
    var exchanges: [ClientExchange] = []
    var resolved: [Resolved] = []
    var isStopping = false
    /// Connections are to be asked whether they live.
    var pings = false
    var isEmpty: Bool { exchanges.isEmpty && resolved.isEmpty && !isStopping && !pings }

    /// Keeps the memory for the mail to come.
    mutating func clear() {
      exchanges.removeAll(keepingCapacity: true)
      resolved.removeAll(keepingCapacity: true)
      pings = false
    }
  }

  private struct State: Sendable {
    var mail = Mail()
    var isAsleep = false
    var hasEnded = false
    var wakeup: Wakeup?
  }

  private let configuration: HTTPClientConfiguration
  private let state = LockedState(State())

  init(_ configuration: HTTPClientConfiguration) { self.configuration = configuration }

  /// - Throws: ``HTTPClientError`` without an authority, when the client was shut down or no loop can be made.
  func put(_ exchanges: [ClientExchange]) throws(HTTPClientError) {
    try put { $0.append(contentsOf: exchanges) }
  }

  func put(_ exchange: ClientExchange) throws(HTTPClientError) {
    try put { $0.append(exchange) }
  }

  private func put(_ add: (inout [ClientExchange]) -> Void) throws(HTTPClientError) {
    let result: Result<Void, HTTPClientError> = state.withLock { state in
      do throws(HTTPClientError) {
        guard !state.mail.isStopping, !state.hasEnded else {
          throw HTTPClientError(.shutDown, "", "the client was shut down")
        }
        if state.wakeup == nil { state.wakeup = try begin() }
        add(&state.mail.exchanges)
        Self.rouse(&state)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  func put(_ resolved: Resolved) {
    state.withLock { state in
      state.mail.resolved.append(resolved)
      Self.rouse(&state)
    }
  }

  func ping() {
    state.withLock { state in
      state.mail.pings = true
      Self.rouse(&state)
    }
  }

  func stop() {
    state.withLock { state in
      state.mail.isStopping = true
      Self.rouse(&state)
    }
  }

  func wake() { state.withLock { $0.wakeup?.signal() } }

  /// A loop that is awake looks into the mailbox before it sleeps, and need not be told.
  private static func rouse(_ state: inout State) {
    guard state.isAsleep else { return }
    state.isAsleep = false
    state.wakeup?.signal()
  }

  /// Takes everything that lies here, on the loop's thread.
  ///
  /// - Parameters:
  ///   - mail: Empty; its memory takes the next mail.
  ///   - sleeps: The loop is about to wait for news; has no effect when there is mail.
  func take(into mail: inout Mail, thenSleeping sleeps: Bool) {
    state.withLock { state in
      if state.mail.isEmpty {
        state.isAsleep = sleeps
        return
      }
      state.isAsleep = false
      swap(&mail, &state.mail)
      state.mail.isStopping = mail.isStopping
    }
  }

  /// The loop has woken up by itself and will look into the mailbox.
  func stayAwake() { state.withLock { $0.isAsleep = false } }

  /// The loop has ended: what lies here fails with an error, and so does everything later.
  func close(_ end: HTTPClientError) {
    let exchanges = state.withLock { state in
      state.hasEnded = true
      state.wakeup = nil
      defer { state.mail = Mail(isStopping: true) }
      return state.mail.exchanges
    }
    for exchange in exchanges {
      let authority = exchange.call.request.authority
      exchange.call.completion(.failure(HTTPClientError(end.kind, authority, end.reason)))
    }
  }

  // MARK: - The thread

  private func begin() throws(HTTPClientError) -> Wakeup {
    do throws(LinkspanError) {
      let wakeup = try Wakeup()
      try DetachedThread.start { [self, configuration] in
        do throws(HTTPServerError) {
          try ClientLoop(configuration, self, wakeup).run()
        } catch {
          close(Self.cannotBegin(error.reason))
        }
      }
      return wakeup
    } catch {
      throw Self.cannotBegin(HTTPServerError(error).reason)
    }
  }

  private static func cannotBegin(_ reason: String) -> HTTPClientError {
    HTTPClientError(.cannotConnect, "", "the client cannot go on: \(reason)")
  }
}
