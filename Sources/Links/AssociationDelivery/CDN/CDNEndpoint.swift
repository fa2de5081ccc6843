internal import AppSiteAssociation
package import LinkspanCore

/// The address of Apple's CDN, or of a stand-in for it.
package struct CDNEndpoint: Hashable, Sendable {
  /// `http` or `https`.
  package let scheme: String
  package let authority: String
  /// The path before the host.
  private let prefix: String

  /// - Source: section 4.
  package static let apple = CDNEndpoint(
    scheme: "https", authority: "app-site-association.cdn-apple.com", prefix: "/a/v1/")

  private init(scheme: String, authority: String, prefix: String) {
    self.scheme = scheme
    self.authority = authority
    self.prefix = prefix
  }

  /// - Parameter url: `https://cdn.example` or with the path up to the host, `http://127.0.0.1:8080/a/v1/`; a last
  ///   component `HOST` stands for the host.
  /// - Returns: nil when it is no such URL.
  package init?(_ url: String) {
    let parsed = LinkURL(url)
    guard ["http", "https"].contains(parsed.scheme), !parsed.host.isEmpty, parsed.query.isEmpty,
      parsed.fragment.isEmpty
    else { return nil }
    var path = parsed.text(of: parsed.path)
    if path.hasSuffix("/HOST") { path.removeLast(4) }
    if path.isEmpty || path == "/" { path = Self.apple.prefix }
    scheme = parsed.scheme
    authority = parsed.host + (parsed.port.map { ":" + $0 } ?? "")
    prefix = path.hasSuffix("/") ? path : path + "/"
  }

  /// What messages call it, as they begin.
  package var subject: String { self == .apple ? "Apple's CDN" : "The stand-in for Apple's CDN" }
  /// The same within a sentence.
  package var name: String { self == .apple ? subject : "the stand-in for Apple's CDN" }

  package func url(for host: String) -> String { "\(scheme)://\(authority)\(prefix)\(host)" }

  /// The question as a device asks it.
  package func request(for host: String) -> HTTPRequest {
    HTTPRequest(
      scheme: scheme, authority: authority, target: prefix + host,
      fields: [
        "User-Agent": OriginQuestion.Client.device.userAgent, "Accept": "*/*", "Accept-Encoding": "identity",
      ])
  }
}
