internal import AppSiteAssociation
internal import LinkspanCore

/// `http[s]://host[:port]`: a website as statements name it (D5).
package struct WebSite: Hashable, Sendable, CustomStringConvertible {
  package let scheme: String
  /// Lower-case, without the final dot of a fully qualified name.
  package let host: String
  /// nil for the scheme's own.
  package let port: Int?

  package var isSecure: Bool { scheme == "https" }

  package var description: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

  /// - Throws: The first thing that keeps the text from naming a site.
  package init(_ text: String) throws(StatementFault) {
    let url = try Self.parts(of: text, as: .site)
    let written = url.text
    func refuse(_ what: String) -> StatementFault {
      StatementFault(
        .site, "the site '\(text)' has \(what)",
        help: "A site consists of scheme, host and port. Write '\(url.site)'.")
    }
    if url.hasUser { throw refuse("user information") }
    if written.contains("?") { throw refuse("a query") }
    if written.contains("#") { throw refuse("a fragment") }
    if !url.path.isEmpty { throw refuse(url.path == "/" ? "a trailing '/'" : "a path") }
    self = url.site
  }

  private init(scheme: String, host: String, port: Int?) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// A URL as far as statements look at it.
  struct Parts {
    var text: String
    var site: WebSite
    var path: String
    var hasUser: Bool
  }

  static func parts(of text: String, as kind: StatementFault.Kind) throws(StatementFault) -> Parts {
    let url = LinkURL(text)
    let noun = kind == .include ? "included URL" : "site"
    guard let mark = text.firstRange(of: "://"), !url.scheme.isEmpty else {
      throw StatementFault(
        kind, "the \(noun) '\(text)' has no scheme",
        help: "Write 'https://\(text.isEmpty ? "www.example.com" : text)'.")
    }
    guard url.scheme == "https" || url.scheme == "http" else {
      throw StatementFault(
        kind, "the scheme of the \(noun) '\(text)' is not http or https",
        help: "Write a URL that begins with 'https://'.")
    }
    let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
    var host = url.host
    if host.hasSuffix(".") { host.removeLast() }
    let bytes = Array(host.utf8)
    guard !host.isEmpty, HostName.fault(in: bytes) == nil else {
      throw StatementFault(
        kind, "the host '\(url.host)' in '\(text)' is not a host name",
        help: "Write the host name; for non-ASCII characters, use the 'xn--' form.")
    }
    var port: Int?
    if let digits = url.port {
      guard let number = Int(digits), (1...65535).contains(number), digits.utf8.allSatisfy(ASCII.isDigit)
      else {
        throw StatementFault(
          kind, "the \(noun) '\(text)' is not a valid URL: '\(digits)' is not a port",
          help: "Expected a port from 1 to 65535.")
      }
      port = number == (url.scheme == "https" ? 443 : 80) ? nil : number
    }
    return Parts(
      text: text, site: WebSite(scheme: url.scheme, host: host, port: port), path: url.text(of: url.path),
      hasUser: authority.contains("@"))
  }
}
