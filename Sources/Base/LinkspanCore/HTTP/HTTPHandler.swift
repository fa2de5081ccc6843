/// A server whose answers are all there at once: a function from request to response.
package typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPResponse

/// A server whose answers may take a while: gets a request and says how it is answered.
///
/// It is called when the request's header section is whole; ``HTTPRequest/body`` is empty then, even if a body follows.
/// ``HTTPReply/afterBody(limitBytes:_:)`` has the body collected and ``HTTPReply/readingBody(limitBytes:capacityBytes:_:)``
/// has it streamed. Any other reply answers the request without its body: nothing of it is kept, and behind the answer
/// the connection (HTTP/1.1) or the stream (HTTP/2) ends.
///
/// It may be called on several threads at the same time and must not wait.
package typealias HTTPResponder = @Sendable (HTTPRequest, RequestOrigin) -> HTTPReply

/// A client: sends a request and calls the completion once, with an answer of any status or with why there is none.
///
/// The completion is called on a thread of the client's and must not wait.
package typealias HTTPClientFunction =
  @Sendable (
    HTTPRequest, _ completion: @escaping @Sendable (Result<HTTPAnswer, HTTPClientError>) -> Void
  ) -> Void

/// Where a request came from.
package struct RequestOrigin: Hashable, Sendable {
  /// Nil when the system did not tell it, and for a request that came over no socket.
  package var peer: SocketAddress?
  /// By TLS that this server ended.
  package var isEncrypted: Bool
  /// Another number for each connection of a server; 0 for a request that came over no socket.
  package var connection = 0
  package var isHTTP2 = false
  /// The client's certificate in DER form, where the server asks for one (`TLSCredentials`) and the client has one. Nobody
  /// has checked it, save that the client holds its key.
  package var certificate: [UInt8]?

  package init(peer: SocketAddress? = nil, isEncrypted: Bool = false) {
    self.peer = peer
    self.isEncrypted = isEncrypted
  }
}
