package import AppSiteAssociation
package import AssociationDelivery
package import LinkspanCore

/// A client that requests a host's association file.
package enum FetchClient: Hashable, Sendable {
  /// The crawler of Apple's CDN.
  case crawler
  case device(name: String, os: OSVersion)

  /// The numbers of CFNetwork are not modelled; those of Darwin follow
  /// the release (iOS 9 has Darwin 15; iOS 26 came after 18).
  package var userAgent: String {
    switch self {
    case .crawler: return AssociationUserAgent.crawler
    case .device(_, let os):
      let darwin = os.major >= 26 ? os.major - 1 : os.major + 6
      return AssociationUserAgent.device(network: "0", kernel: "\(darwin).\(os.minor).0")
    }
  }

  /// Its party name in traces and archives.
  package var name: String {
    switch self {
    case .crawler: "cdn"
    case .device(let name, _): name
    }
  }
}

/// How a client requests a file.
package struct FetchOptions: Hashable, Sendable {
  /// True in developer mode only (E13).
  package var acceptsAnyCertificate: Bool
  /// How long the client waits for the whole answer; beyond it the result is ``FetchFailure/timedOut``.
  package var timeout: Duration
  /// Why it requests the file, for the trace; no answer depends on it.
  package var cause: FetchCause
  /// When the request reaches the host, in virtual time, for whoever says how far a story has come; no answer depends on it.
  package var time: Duration = .zero

  package init(
    acceptsAnyCertificate: Bool = false, timeout: Duration, cause: FetchCause = .unknown
  ) {
    self.acceptsAnyCertificate = acceptsAnyCertificate
    self.timeout = timeout
    self.cause = cause
  }
}

/// Carries one request to the host it names and returns the result; never follows a redirect.
///
/// A transport to real hosts must block until it has the answer: the seeded executor has one thread, and a
/// suspended transport stalls the simulation. Only the content of its answers counts; the real time they took
/// never enters the trace.
package typealias Transport = @Sendable (HTTPRequest, FetchClient, FetchOptions) async -> FetchResult
