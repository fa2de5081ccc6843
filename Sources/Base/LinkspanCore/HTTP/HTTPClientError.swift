/// Why a request got no answer, or none that can be used.
package struct HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The name has no address; or the resolver gave no answer, so that whether it has one is not known.
    case cannotResolve(isAnswered: Bool)
    /// The client may not connect to one of the host's addresses (the client's configuration says which).
    case forbiddenAddress(SocketAddress)
    /// Nobody listens at the address and port.
    case refused
    /// Any other reason for which no connection comes about.
    case cannotConnect
    /// A deadline passed before anything of an answer came.
    case timeout
    /// The deadline passed in the middle of the answer; the bytes of it that had come, header section included.
    case unfinished(receivedBytes: Int)
    /// No TLS connection came about, and no certificate is at fault.
    case handshake
    /// The server's certificate is refused.
    case tls(TLSFailure)
    /// The connection broke before the answer was whole; the request may have been acted upon.
    case connectionLost
    /// The server says that it has not acted upon the request (RFC 9113, 8.7), or never got it: to send it again
    /// is safe. The client has done so already, as often as it may.
    case notProcessed
    /// The server reset the stream of the request (RFC 9113, 7); the request may have been acted upon.
    case streamReset(code: UInt32)
    /// What came back is not HTTP, or ended too early.
    case malformedAnswer
    /// A limit on the body was passed; or on the header section or the trailer section.
    case tooLarge(isHeader: Bool)
    /// More requests wait than the client's limits allow.
    case tooManyWaiting
    /// The client was shut down meanwhile; the request may have been acted upon.
    case shutDown
    /// The certificate authorities to trust cannot be loaded.
    case unusableTrust
    /// The request itself cannot be sent: its authority, method, target or a field has bytes that do not belong there.
    case unusableRequest
  }

  package var kind: Kind
  /// The host and port asked for.
  package var authority: String
  package var reason: String
  /// What the server said when it left, if it did.
  package var goAway: HTTP2GoAway?

  package var description: String { "\(authority): \(reason)" }

  package init(_ kind: Kind, _ authority: String, _ reason: String, goAway: HTTP2GoAway? = nil) {
    self.kind = kind
    self.authority = authority
    self.reason = reason
    self.goAway = goAway
  }
}
