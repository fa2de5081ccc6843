package import LinkspanCore

/// A server whose answers may take a while: gets a request and says whether the answer is there, has to be worked for, or
/// depends on the body.
///
/// It is called when the request's header section is whole; ``HTTPRequest/body`` is empty then, even if a body follows.
/// Only ``HTTPReply/afterBody(limitBytes:_:)`` has the body collected. Any other reply answers the request without it:
/// nothing of the body is kept, and behind the answer the connection (HTTP/1.1) or the stream (HTTP/2) ends.
package typealias HTTPResponder = @Sendable (HTTPRequest, RequestOrigin) -> HTTPReply

/// What a responder gives back.
package enum HTTPReply: Sendable {
  case now(HTTPResponse)
  /// An answer that follows from the request alone, not from who asks or when: the same request gets it again without
  /// being asked for, until the server has another responder.
  case settled(HTTPResponse)
  /// Work that may wait for something. It is done on a thread of the server's pool, while the loop goes on.
  case later(@Sendable () -> HTTPResponse)
  /// The reply depends on the request's body. The body is collected within ``HTTPLimits/bodyBytes``,
  /// ``HTTP2Limits/bodyBytes`` and ``ConnectionLimits/bodyBytes``; then the closure gets the request with its body.
  ///
  /// - Parameter limitBytes: The largest body that the closure takes; above it the answer is 413.
  case afterBody(limitBytes: Int = .max, @Sendable (HTTPRequest) -> HTTPReply)
}

extension HTTPReply {
  /// A responder that has every answer there, and gets every body.
  static func responder(_ handler: @escaping HTTPHandler) -> HTTPResponder {
    { _, _ in .afterBody { .now(handler($0)) } }
  }
}

/// The connection that a request came over.
package struct RequestOrigin: Sendable {
  /// Its number in its loop.
  var descriptor: CInt = -1
  /// Nil when the system did not tell it.
  package var peer: SocketAddress?
  /// By TLS that this server ended.
  package var isEncrypted = false
}

/// How much of the work that ``HTTPReply/later(_:)`` brings is taken on. The defaults are guesses.
package struct HandOverLimits: Hashable, Sendable {
  /// Threads that work at the same time; they are started when there is work for them.
  package var workers = 16
  /// Requests that wait for a thread, of all loops together. One above it is answered 503 at once, with Retry-After.
  package var waiting = 1_024
  /// What Retry-After says, in seconds.
  package var retryAfter = 1

  package init() {}
}
