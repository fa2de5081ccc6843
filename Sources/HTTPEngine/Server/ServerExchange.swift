package import LinkspanCore

/// A request that the handler answered, for an access log. What the engine refused itself is counted in
/// ``ServerMetrics`` only.
package struct ServerExchange: Sendable {
  /// Method, target, authority and fields (user agent, forwarded addresses) as they came.
  package var request: HTTPRequest
  package var status: Int
  /// Of the answer's body as it is sent: 0 for HEAD.
  package var bodyBytes: Int
  /// From the whole request to the answer, in nanoseconds: the handler's time, and the wait for a thread
  /// where it is handed over (``HTTPReply/later(_:)``). 0 where the answer was settled before
  /// (``HTTPReply/settled(_:)``). Sending comes after it.
  package var durationNanoseconds: Int64
  package var version: Version
  /// Nil when the system did not tell it.
  package var peer: SocketAddress?

  package enum Version: String, Sendable {
    case http10 = "HTTP/1.0"
    case http11 = "HTTP/1.1"
    case http2 = "HTTP/2"
  }
}

/// Called on the loop's thread, on several at the same time: it must not wait.
package typealias ServerObserver = @Sendable (ServerExchange) -> Void
