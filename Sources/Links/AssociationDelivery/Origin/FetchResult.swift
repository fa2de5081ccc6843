package import LinkspanCore

/// The result of one request for an association file, whatever the transport.
package enum FetchResult: Hashable, Sendable {
  case answered(HTTPResponse)
  case failed(FetchFailure)
}

/// Why a request got no usable response.
package enum FetchFailure: Error, Hashable, Sendable {
  package enum CertificateProblem: Hashable, Sendable {
    case expired
    case wrongName
    /// It chains to no root the client trusts; self-signed ones are among these.
    case untrusted
    case other(String)
  }

  /// The host has no address.
  case unresolvable
  /// The resolver gave no answer, so nothing was learnt about the host: the reason as the system words it.
  case lookupFailed(String)
  /// The host's address lies inside a private or reserved range (T9).
  case privateAddress(String)
  /// Refused, reset, no route: the reason as the system words it.
  case unreachable(String)
  /// Nothing of an answer came in time.
  case timedOut
  /// The answer had begun and was not whole in time; the bytes that had come.
  case unfinished(receivedBytes: Int)
  /// No TLS connection came about, and no certificate is at fault: the reason as the library words it.
  case handshake(String)
  case certificate(CertificateProblem)
  /// The answer breaks HTTP.
  case malformed(String)
  /// The answer was longer than the client reads.
  case tooLarge(limitBytes: Int)

  /// Whether it is this machine that could not ask, so that nothing was learnt about the host.
  package var isOfThisMachine: Bool {
    guard case .lookupFailed = self else { return false }
    return true
  }

  /// Whether the host took the connection and broke it off; the reason of any other begins with what could not be done.
  package var isBrokenOff: Bool {
    guard case .unreachable(let reason) = self else { return false }
    return reason.hasPrefix("the connection ")
  }
}
