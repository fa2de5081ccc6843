internal import LinkspanCore

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
    var calls: [HTTPClient.Call] = []
    var resolved: [Resolved] = []
    var isStopping = false
    var isEmpty: Bool { calls.isEmpty && resolved.isEmpty && !isStopping }
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
  func put(_ calls: [HTTPClient.Call]) throws(HTTPClientError) {
    let result: Result<Void, HTTPClientError> = state.withLock { state in
      do throws(HTTPClientError) {
        guard !state.mail.isStopping, !state.hasEnded else {
          throw HTTPClientError(.shutDown, "", "the client was shut down")
        }
        if state.wakeup == nil { state.wakeup = try begin() }
        state.mail.calls.append(contentsOf: calls)
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

  /// Everything that lies here, on the loop's thread.
  ///
  /// - Parameter sleeps: The loop is about to wait for news; has no effect when there is mail.
  func take(thenSleeping sleeps: Bool) -> Mail {
    state.withLock { state in
      if state.mail.isEmpty {
        state.isAsleep = sleeps
        return Mail()
      }
      state.isAsleep = false
      let mail = state.mail
      state.mail = Mail(isStopping: mail.isStopping)
      return mail
    }
  }

  /// The last mail of a loop that ends; whoever comes later is told so.
  func close() -> Mail {
    state.withLock { state in
      state.hasEnded = true
      state.wakeup = nil
      defer { state.mail = Mail(isStopping: true) }
      return state.mail
    }
  }

  // MARK: - The thread

  private func begin() throws(HTTPClientError) -> Wakeup {
    let wakeup: Wakeup
    do throws(HTTPServerError) { wakeup = try Wakeup() } catch { throw Self.cannotBegin(error.reason) }
    let code = DetachedThread.start { [self, configuration] in
      do throws(HTTPServerError) {
        try ClientLoop(configuration, self, wakeup).run()
      } catch {
        let end = Self.cannotBegin(error.reason)
        for call in close().calls {
          call.completion(.failure(HTTPClientError(end.kind, call.request.authority, end.reason)))
        }
      }
    }
    guard code == 0 else { throw Self.cannotBegin(SystemError.text(code)) }
    return wakeup
  }

  private static func cannotBegin(_ reason: String) -> HTTPClientError {
    HTTPClientError(.cannotConnect, "", "the client cannot go on: \(reason)")
  }
}
