package import LinkspanCore

/// What came back from asking a host for its association file once, over whatever carried the question.
package enum FetchResult: Hashable, Sendable {
  case answered(HTTPResponse)
  case failed(FetchFailure)
}

/// Why there was no answer.
package enum FetchFailure: Error, Hashable, Sendable {
  package enum CertificateProblem: Hashable, Sendable {
    case expired
    case wrongName
    /// It chains to no root the asker trusts; self-signed ones are among these.
    case untrusted
    case other(String)
  }

  case unresolvable
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
  /// The answer was longer than the asker reads.
  case tooLarge(limitBytes: Int)
}

/// Where an association file lies (F1, F2) and how large it may be (R4).
package enum AssociationLocation: String, Hashable, Sendable, CaseIterable {
  case wellKnown = "/.well-known/apple-app-site-association"
  /// Deprecated since 2019 (F3).
  case root = "/apple-app-site-association"

  /// R4: 128 KB uncompressed, documented for iOS 9.3.1 and later.
  package static let maximumFileBytes = 131_072

  /// How much of an answer is worth reading: one byte more tells that the file is too large, and files of 27 MB
  /// exist (R4).
  package static let readLimitBytes = maximumFileBytes + 1

  package func url(host: String) -> String { "https://\(host)\(rawValue)" }
}
