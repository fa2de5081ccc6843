package import LinkspanCore

/// A request that the handler answered, for an access log. What the engine refused itself is counted in
/// ``ServerMetrics`` only.
package struct ServerExchange: Sendable {
  /// Method, target, authority and fields (user agent, forwarded addresses) as they came.
  package var request: HTTPRequest
  package var status: Int
  /// Bytes of the response body that were sent: 0 for HEAD.
  package var bodyBytes: Int
  /// From the whole request to the answer, in nanoseconds: the handler's time, and the wait for a thread
  /// where it is computed off the loop (``HTTPReply/offload(_:)``). 0 where the answer was given before
  /// (``HTTPReply/cacheable(_:)``). Sending comes after it, except for a streamed answer, which is told of at its end.
  package var durationNanoseconds: Int64
  package var version: HTTPVersion
  /// Nil when the system did not tell it.
  package var peer: SocketAddress?

  package init(
    request: HTTPRequest, status: Int, bodyBytes: Int, durationNanoseconds: Int64, version: HTTPVersion,
    peer: SocketAddress? = nil
  ) {
    self.request = request
    self.status = status
    self.bodyBytes = bodyBytes
    self.durationNanoseconds = durationNanoseconds
    self.version = version
    self.peer = peer
  }
}

/// Called on the loop's thread, on several at the same time: it must not wait.
package typealias ServerObserver = @Sendable (ServerExchange) -> Void
