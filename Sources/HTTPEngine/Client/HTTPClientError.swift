/// Why a request got no answer, or none that can be used.
package struct HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The name has no address.
    case cannotResolve
    /// Nobody listens at the address and port.
    case refused
    /// Any other reason for which no connection comes about.
    case cannotConnect
    /// The deadline passed.
    case timeout
    case tls(TLSFailure)
    /// The connection broke in the middle.
    case connectionLost
    /// What came back is not HTTP/1.1, or ended too early.
    case malformedAnswer
    /// A limit on header or body was passed.
    case tooLarge
    /// The certificate authorities to trust cannot be loaded.
    case unusableTrust
    /// The request itself cannot be sent: its authority, method, target or a field has bytes that do not belong there.
    case unusableRequest
  }

  package var kind: Kind
  /// The host and port asked for.
  package var authority: String
  package var reason: String

  package var description: String { "\(authority): \(reason)" }

  init(_ kind: Kind, _ authority: String, _ reason: String) {
    self.kind = kind
    self.authority = authority
    self.reason = reason
  }
}
