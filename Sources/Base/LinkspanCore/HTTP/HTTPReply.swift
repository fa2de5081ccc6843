/// How a responder answers a request.
package enum HTTPReply: Sendable {
  case now(HTTPResponse)

  /// An answer that follows from the request alone, not from who asks or when: an engine may give it again for the same
  /// request without asking, until the server has another responder. It may also keep the bytes it has written for a
  /// response whose fields and body are the very same memory, so a handler does well to keep such responses.
  case cacheable(HTTPResponse)

  /// Work that may wait for something. It is done on a thread of the server's pool, which is bounded.
  case offload(@Sendable () -> HTTPResponse)

  /// The answer comes by completion, from any thread. Thousands may be awaited at the same time, none of which holds a
  /// thread; so one thread can commit many writes together and answer all of them.
  ///
  /// The closure is called at once, on the loop's thread, and must not wait. The first call of the completion counts; a
  /// call that comes after the deadline for handlers, or when the client has gone, is dropped.
  case later(@Sendable (_ completion: @escaping @Sendable (HTTPResponse) -> Void) -> Void)

  /// The response's status and fields now, its body piece by piece from the stream as fast as the client takes it.
  ///
  /// With Content-Length among the fields the body has to have that length; otherwise its end is marked by the protocol.
  /// The response's own ``HTTPResponse/body`` is not sent.
  case stream(HTTPResponse, HTTPBodyStream)

  /// The reply depends on the request's body, which is collected first, within the server's limits.
  ///
  /// - Parameter limitBytes: The largest body that the closure takes; above it the answer is 413.
  case afterBody(limitBytes: Int = .max, @Sendable (HTTPRequest) -> HTTPReply)

  /// The request's body is streamed: the closure is called at once, with a stream that the body arrives in. The client is
  /// held back while the stream is full, so no more than its capacity is ever kept.
  ///
  /// An answer that comes before the body's end drops the rest. Where the body cannot be read to its end (the client has
  /// gone, or sent more than it may), the stream fails.
  ///
  /// - Parameters:
  ///   - limitBytes: The largest body that is taken, beside the server's own limit for one message.
  ///   - capacityBytes: What the stream holds.
  case readingBody(
    limitBytes: Int = .max, capacityBytes: Int = 65_536, @Sendable (HTTPRequest, HTTPBodyStream) -> HTTPReply)

  /// Something happens to the connection, and then the request is answered; nil leaves it without an answer, which is for
  /// a disturbance that ends its stream. HTTP/1.1 is not disturbed.
  indirect case disturbed(HTTPDisturbance, HTTPReply?)
}

extension HTTPReply {
  /// A responder that has every answer there, and gets every body.
  package static func responder(_ handler: @escaping HTTPHandler) -> HTTPResponder {
    { _, _ in .afterBody { .now(handler($0)) } }
  }
}
