internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
package import LinkspanCore

/// An HTTP client: one loop on a thread of its own, which owns every connection and keeps those that can carry another
/// request. HTTP/1.1 and HTTP/2; no redirects followed.
///
/// The thread begins with the first request and ends with ``shutdown()`` or with the client. Every method may be called
/// from any thread; completions are called on the loop's thread and must not wait.
package final class HTTPClient: Sendable {
  package typealias Completion = @Sendable (Result<HTTPAnswer, HTTPClientError>) -> Void

  /// A request on its way into the client.
  package struct Call: Sendable {
    package var request: HTTPRequest
    /// Where to connect; nil asks ``HTTPClientConfiguration/connectTo``, then the resolver.
    package var addresses: [SocketAddress]?
    /// From now to the end of the answer; nil is ``ClientDeadlines/request``.
    package var deadline: Duration?
    package var completion: Completion

    package init(
      _ request: HTTPRequest, to addresses: [SocketAddress]? = nil, deadline: Duration? = nil,
      completion: @escaping Completion
    ) {
      self.request = request
      self.addresses = addresses
      self.deadline = deadline
      self.completion = completion
    }
  }

  package let configuration: HTTPClientConfiguration
  private let mailbox: ClientMailbox

  package init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
    self.configuration = configuration
    mailbox = ClientMailbox(configuration)
  }

  deinit { mailbox.stop() }

  /// Sends a request. `Host`, `Content-Length`, `Connection` and the like are set here.
  ///
  /// - Parameter completion: Called once, whatever happens; an answer of any status is an answer.
  package func start(
    _ request: HTTPRequest, to addresses: [SocketAddress]? = nil, deadline: Duration? = nil,
    completion: @escaping Completion
  ) {
    start(Call(request, to: addresses, deadline: deadline, completion: completion))
  }

  /// Sends a request, as ``start(_:to:deadline:completion:)``.
  package func start(_ call: consuming Call) {
    let exchange = ClientExchange(call)
    do throws(HTTPClientError) {
      try mailbox.put(exchange)
    } catch {
      Self.fail(exchange, error)
    }
  }

  /// Sends many requests with one visit to the loop.
  package func start(_ calls: [Call]) {
    let exchanges = calls.map(ClientExchange.init)
    do throws(HTTPClientError) {
      try mailbox.put(exchanges)
    } catch {
      for exchange in exchanges { Self.fail(exchange, error) }
    }
  }

  private static func fail(_ exchange: ClientExchange, _ error: HTTPClientError) {
    var error = error
    error.authority = exchange.call.request.authority
    exchange.call.completion(.failure(error))
  }

  /// Sends a request whose answer is waited for later.
  package func begin(
    _ request: HTTPRequest, to addresses: [SocketAddress]? = nil, deadline: Duration? = nil
  ) -> PendingAnswer {
    let pending = PendingAnswer(self)
    start(request, to: addresses, deadline: deadline) { [promise = pending.promise] in promise.keep($0) }
    return pending
  }

  /// Sends a request and waits for its answer; not from a completion, which would wait for itself.
  ///
  /// - Throws: ``HTTPClientError``; an answer of any status is an answer.
  package func answer(
    _ request: HTTPRequest, to addresses: [SocketAddress]? = nil, deadline: Duration? = nil
  ) throws(HTTPClientError) -> HTTPAnswer {
    try begin(request, to: addresses, deadline: deadline).wait()
  }

  /// As ``answer(_:to:deadline:)``, without how it came.
  package func send(
    _ request: HTTPRequest, to addresses: [SocketAddress]? = nil, deadline: Duration? = nil
  ) throws(HTTPClientError) -> HTTPResponse {
    try answer(request, to: addresses, deadline: deadline).response
  }

  /// The client as the function that code takes which knows no client.
  package var exchange: HTTPClientFunction {
    { request, completion in self.start(request, completion: completion) }
  }

  /// Closes every connection and fails what is under way with ``HTTPClientError/Kind/shutDown``. Returns at once; a
  /// second call changes nothing.
  package func shutdown() { mailbox.stop() }

  /// Asks the server of every open HTTP/2 connection whether it is still there; a connection without an answer within
  /// ``ClientDeadlines/pong`` ends, and what is under way on it fails.
  package func ping() { mailbox.ping() }

  /// Has the loop read its clock; for a clock that was moved by hand.
  package func wake() { mailbox.wake() }

  /// Connects and says nothing: whether somebody listens there.
  ///
  /// - Throws: ``HTTPClientError``, when nobody does.
  package static func reach(_ address: SocketAddress, within time: Duration) throws(HTTPClientError) {
    let socket: Socket
    switch ConnectAttempt.begin(address) {
    case .failed(let code): throw ConnectAttempt.error(code, address, "\(address)")
    case .begun(let begun): socket = begun
    }
    var descriptor = pollfd(fd: socket.descriptor, events: Int16(POLLOUT), revents: 0)
    let count = poll(&descriptor, 1, CInt(clamping: time.nanoseconds / 1_000_000))
    guard count > 0 else {
      throw HTTPClientError(.timeout, "\(address)", "connecting to \(address): no answer in time")
    }
    let code = ConnectAttempt.outcome(of: socket)
    if code != 0 { throw ConnectAttempt.error(code, address, "\(address)") }
  }
}
