package import LinkspanCore

/// A server whose answers may take a while: gets a request and says whether the answer is there or has to be worked for.
package typealias HTTPResponder = @Sendable (HTTPRequest, RequestOrigin) -> HTTPReply

/// What a responder gives back.
package enum HTTPReply: Sendable {
  case now(HTTPResponse)
  /// An answer that follows from the request alone, not from who asks or when: the same request gets it again without
  /// being asked for, until the server has another responder.
  case settled(HTTPResponse)
  /// Work that may wait for something. It is done on a thread of the server's pool, while the loop goes on.
  case later(@Sendable () -> HTTPResponse)
}

extension HTTPReply {
  /// A responder that has every answer there.
  static func responder(_ handler: @escaping HTTPHandler) -> HTTPResponder {
    { request, _ in .now(handler(request)) }
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
