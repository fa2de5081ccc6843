package import AppSiteAssociation
package import AssociationDelivery
package import LinkspanCore

/// Who asks a host for its association file.
package enum FetchClient: Hashable, Sendable {
  /// The crawler of Apple's CDN.
  case crawler
  case device(name: String, os: OSVersion)

  /// The user agents that servers saw (T6). The numbers of CFNetwork are not modelled; those of Darwin follow
  /// the release (iOS 9 has Darwin 15; iOS 26 came after 18).
  package var userAgent: String {
    switch self {
    case .crawler: return "AASA-Bot/1.0.0"
    case .device(_, let os):
      let darwin = os.major >= 26 ? os.major - 1 : os.major + 6
      return "com.apple.swcd (unknown version) CFNetwork/0 Darwin/\(darwin).\(os.minor).0"
    }
  }

  /// The name it goes by in a trace.
  package var name: String {
    switch self {
    case .crawler: "cdn"
    case .device(let name, _): name
    }
  }
}

/// How an client asks.
package struct FetchOptions: Hashable, Sendable {
  /// True in developer mode only (E13).
  package var acceptsAnyCertificate: Bool
  /// How long it waits for the answer.
  package var timeout: Duration
  /// Why it asks; no answer depends on it.
  package var cause: FetchCause

  package init(
    acceptsAnyCertificate: Bool = false, timeout: Duration, cause: FetchCause = .unknown
  ) {
    self.acceptsAnyCertificate = acceptsAnyCertificate
    self.timeout = timeout
    self.cause = cause
  }
}

/// Carries one request to the host it names and brings back what came; never follows a redirect.
///
/// One that goes out to real hosts must answer before it returns to the simulation, that is block, because a
/// seeded executor has one thread and waits for nobody outside. Of its answers only the content counts: how
/// long it took never enters the trace.
package typealias Transport = @Sendable (HTTPRequest, FetchClient, FetchOptions) async -> FetchResult
