/// Why a server was not believed, or why the handshake failed.
package enum TLSFailure: Hashable, Sendable {
  case expired
  case notYetValid
  case unknownIssuer
  /// The certificate is for other hosts.
  case wrongName
  case other(String)
}
