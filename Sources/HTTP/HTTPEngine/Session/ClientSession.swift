package import LinkspanCore

/// The client's side of a protocol as a machine: requests and bytes in, bytes and outcomes out, no sockets, no clock.
///
/// A connection owns one: ``HTTP1ClientSession`` or ``HTTP2ClientSession``. A request's number is the caller's.
package protocol ClientSession: AnyObject {
  var version: HTTPAnswer.Version { get }

  /// How many more requests it takes now.
  var room: Int { get }

  /// Requests without an outcome.
  var inFlightCount: Int { get }

  /// Takes no request any more, and closes when those in flight have their outcome.
  var isLeaving: Bool { get }

  /// Nothing more is to be read or expected: the connection is closed once the output is written.
  var isFinished: Bool { get }

  /// Takes a request; there has to be ``room``.
  func submit(_ request: HTTPRequest, as number: Int)

  /// Gives a request up; it has no outcome.
  func cancel(_ number: Int)

  /// How much of an answer has come.
  func receivedBytes(of number: Int) -> Int

  /// Takes bytes from the server.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>)

  /// Takes note that nothing more comes.
  ///
  /// - Parameter reason: Why the connection broke, or nil when the server ended it in order.
  func receiveEnd(_ reason: String?)

  /// Writes what there is to write until `limitBytes` bytes wait in `output`.
  ///
  /// - Returns: False when it stopped at the limit.
  func produce(into output: inout OutputQueue, limitBytes: Int) -> Bool

  /// The outcomes since the last call.
  func takeOutcomes() -> [ClientOutcome]

  /// What the server has said of the connection since the last call, where the protocol has such words.
  func takeNews() -> [ClientSessionNews]

  /// Asks the server whether it is still there.
  ///
  /// - Returns: False where the protocol has no word for it.
  func ping() -> Bool

  /// Says goodbye where the protocol has a word for it.
  func end()
}

extension ClientSession {
  package func takeNews() -> [ClientSessionNews] { [] }
  package func ping() -> Bool { false }
}

/// What a server says of a connection beside its answers.
package enum ClientSessionNews: Hashable, Sendable {
  /// So many requests may be under way from now on.
  case streamLimit(Int)
  /// It takes no new request (GOAWAY).
  case leaving(HTTP2GoAway)
}

/// How one request of a session ended.
package struct ClientOutcome: Sendable {
  package var number: Int
  package var result: Result<HTTPResponse, ClientFailure>
}

/// Why there is no answer.
package struct ClientFailure: Error, Hashable, Sendable {
  package var kind: HTTPClientError.Kind
  package var reason: String
  /// The connection ended and nothing of an answer had come: when it had been idle before, server and client may have
  /// met at a bad moment (RFC 9112, 9.3.1).
  package var isUnheard = false
  package var goAway: HTTP2GoAway?
}
