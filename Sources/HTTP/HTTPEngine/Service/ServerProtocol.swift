internal import LinkspanCore

/// One side of a protocol's conversation as a machine: bytes in, bytes out, no sockets, no clock.
///
/// A connection owns one and asks it, after every change, what it waits for: ``HTTP1Server`` or ``HTTP2Server``.
protocol ServerProtocol: AnyObject {
  /// What the connection waits for; each state has its own deadline.
  var waiting: ServerWait { get }

  /// Changes when the peer has done what ``waiting`` waits for, or enough of it: its deadline begins anew then. In
  /// HTTP/1.1 the requests answered so far.
  var progress: Int { get }

  /// Why the protocol ends the connection, where it is the protocol that does.
  var closing: ServerClosing? { get }

  /// The conversation itself, or the one that it has become after the first bytes.
  var current: any ServerProtocol { get }

  /// Takes bytes from the peer. They are kept until ``produce(into:date:limitBytes:)`` gets to them.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>)

  /// Takes note that the peer sends nothing more.
  func receiveEnd()

  /// Answers what can be answered until `limitBytes` bytes are waiting in `output`.
  ///
  /// - Parameter date: The value of the Date field.
  /// - Returns: False when it stopped at the limit and has more to do.
  func produce(into output: inout OutputQueue, date: String, limitBytes: Int) -> Bool

  /// Answers a request whose answer was not there at once, if it still waits for this answer.
  ///
  /// - Parameters:
  ///   - number: Under which ``LoopService/reply(to:_:from:on:)`` has announced it.
  ///   - stream: Of HTTP/2; 0 in HTTP/1.1.
  func deliver(
    _ response: HTTPResponse, number: Int, stream: Int32, into output: inout OutputQueue, date: String)

  /// Goes on with a streamed body that has news, in ``produce(into:date:limitBytes:)``.
  ///
  /// - Parameter stream: Of HTTP/2; 0 in HTTP/1.1.
  func resume(body number: Int, stream: Int32)

  /// The connection is over: what is open and what is still to come is forgotten, and counted so. Asked for nothing more.
  func abandon()

  /// The deadline of ``waiting`` has passed; whatever is owed the peer goes to `output`.
  func expire(into output: inout OutputQueue, date: String)

  /// Finishes what has begun and takes nothing new.
  func stop()
}

extension ServerProtocol {
  package var current: any ServerProtocol { self }
}

/// What a connection waits for.
package enum ServerWait: Hashable, Sendable {
  /// For the TLS handshake.
  case handshake
  /// For the next request, nothing of it being there.
  case request
  /// For a request that may have been sent before the peer could know that the server stops.
  case lastRequest
  /// For the rest of a request's header section.
  case header
  /// For the rest of a request's body.
  case body
  /// For the handler: for answers, which have a deadline each (``ServerDeadlines/handler``), or for the next piece of a
  /// streamed one; in HTTP/1.1 nothing is read meanwhile.
  case handler(isReading: Bool)
  /// For the peer to take what was written, or to open a window for it.
  case write
  /// For the peer to close, after an answer that it may not have read yet.
  case close
  /// For nothing: all is said, and the connection may be closed at once.
  case nothing
  /// As ``nothing``, but the peer may still be sending and would lose the answer if we closed now.
  case nothingYetSending

  /// Bytes that a peer has to take or to send for its deadline to begin anew.
  static let progressBytes = 65_536

  /// Whether what is to be sent is the last.
  var isEnd: Bool { self == .nothing || self == .nothingYetSending }
}
