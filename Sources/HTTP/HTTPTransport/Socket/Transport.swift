/// The one seam between a connection and what carries its bytes: plain TCP, or TLS over it.
///
/// Everything above knows no TLS library. Non-blocking: an operation that cannot go on says so, and is tried
/// again when the socket has news. Confined to the thread of its loop.
package protocol Transport: AnyObject {
  /// The protocol agreed on in the handshake (ALPN), or nil.
  var applicationProtocol: String? { get }

  /// The certificate that the peer has shown, in DER form; nil for none.
  var peerCertificate: [UInt8]? { get }

  /// Whether there is a handshake at all.
  var isEncrypted: Bool { get }

  /// Goes on with the handshake, as often as it takes; afterwards answers ``TransportStep/done`` at once.
  func handshake() -> TransportStep

  /// Reads what there is, at most the buffer's size.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportRead

  /// Whether the last read took all there was: what comes later makes the socket readable anew (epoll(7)), except the
  /// peer's end that was announced already.
  var isDrained: Bool { get }

  /// The socket has become readable: what the last read left says nothing any more. One who reads what he had read ahead
  /// would otherwise take the socket for drained, and the news of these bytes comes only once.
  func noteReadable()

  /// Whether the socket did not take all at some time: news of room in it is worth having from then on.
  var hasBeenFull: Bool { get }

  /// TLS has failed and the peer was sent an alert: reading goes on with the socket's bytes, which mean nothing.
  var hasSentAlert: Bool { get }

  /// Writes as much as goes. After ``TransportWrite/wouldBlock`` the same bytes have to be given again.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) -> TransportWrite

  /// What is written from here on is the last: it need not leave before ``finishWriting()``, which has to follow.
  func expectEnd()

  /// Says to the peer that nothing more will come, at the latest in ``endTurn()``; reading goes on.
  func finishWriting()

  /// Keeps what was read ahead into memory that connections share, and does what was put off; called before another
  /// connection's turn.
  func endTurn()

  /// Closes the socket.
  ///
  /// - Parameter reset: Drops what is not delivered yet instead of trying on.
  func close(reset: Bool)
}

extension Transport {
  package var hasSentAlert: Bool { false }
  package var peerCertificate: [UInt8]? { nil }
}

/// How far a handshake is.
package enum TransportStep: Equatable {
  case done
  case wouldBlock
  case failed(String)
}

/// What a read brought.
package enum TransportRead: Equatable {
  /// At least one.
  case bytes(Int)
  case wouldBlock
  /// The peer sends nothing more.
  case end
  case failed(String)
}

/// What a write came to; of fewer bytes than given the rest has to be given again.
package enum TransportWrite: Equatable {
  case bytes(Int)
  case wouldBlock
  case failed(String)
}
