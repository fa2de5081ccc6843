internal import AppSiteAssociation
internal import LinkspanCore

/// A line of swcd's log with a known meaning.
///
/// - Source: section 11.3, all observed. Lines are recognised by their words, wherever they
///   stand, since every tool puts other things before them.
package struct DeviceEvent: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A download begins; `route` is `cdn` for Apple's.
    case download(route: String?)
    /// The CDN told the device to stop.
    case refusedByCDN(status: Int?, reason: String)
    case redirectRefused(from: String, to: String)
    /// The host's certificate was refused, with the number of the reason when there is one.
    case certificateRefused(code: Int?)
    /// The association stands.
    case added(service: String, app: String)
  }

  /// From 1.
  package var line: Int
  package var kind: Kind
  /// Lower-case; nil when neither the line nor a line before it names one.
  package var domain: String?
  package var time: DeviceTime?

  /// - Returns: nil for any other line.
  init?(_ text: String, line: Int) {
    func after(_ marker: String) -> Substring? {
      text.firstRange(of: marker).map { text[$0.upperBound...] }
    }
    func word(_ text: Substring?) -> String? {
      guard let text else { return nil }
      let word = text.drop { " '\"=:".contains($0) }.prefix { !" ',;\"{}[]()".contains($0) }
      return word.isEmpty ? nil : String(word)
    }
    func host(_ url: String?) -> String? {
      guard let url else { return nil }
      let host = LinkURL(url).host
      return host.isEmpty ? nil : host
    }
    let cdn = word(after("app-site-association.cdn-apple.com/a/v1/"))
    var named =
      word(after("omain:")) ?? word(after("d = ")) ?? word(after("omain = ")) ?? word(after("domain '"))
      ?? cdn

    if let rest = after("Denying redirect ") {
      let urls = rest.split(separator: "'", omittingEmptySubsequences: false)
      guard urls.count >= 4 else { return nil }
      kind = .redirectRefused(from: String(urls[1]), to: String(urls[3]))
      named = host(String(urls[1])) ?? named
    } else if let rest = after("CDN told us to stop") {
      let status = after("HTTP status ").flatMap { Int($0.prefix { $0.isNumber }) }
      let reason = rest.firstRange(of: "SWCERR").map { rest[$0.lowerBound...] } ?? ""
      kind = .refusedByCDN(status: status, reason: String(reason))
    } else if let rest = after("apple-app-site-association server trust:") {
      kind = .certificateRefused(code: word(rest).flatMap { Int($0) })
    } else if let rest = after("Rejecting URL "), text.contains("NSURLAuthenticationMethodServerTrust") {
      kind = .certificateRefused(code: nil)
      named = host(word(rest)) ?? named
    } else if let rest = after("Added service "), let service = word(rest) {
      let app = word(after("appID")) ?? ""
      kind = .added(service: service, app: app)
      named = named ?? word(after("domain "))
    } else if let rest = after("Beginning data task AASA-") {
      let details = rest.firstIndex(of: "{").map { rest[rest.index(after: $0)...] }
      kind = .download(route: word(after("route:")))
      named = named ?? word(details)
    } else if cdn != nil {
      kind = .download(route: "cdn")
    } else {
      return nil
    }
    self.line = line
    domain = named.map { ASCII.lowercased($0.prefix { $0 != "?" }) }
    // A date of 10 characters, a blank, a time with a fraction and an offset.
    let stamp = text.prefix(32).split(separator: " ").prefix(2).joined(separator: " ")
    let time = DeviceTime(stamp)
    self.time = time.moment == nil ? nil : time
  }

  /// Whether it reports a failure.
  package var isProblem: Bool {
    switch kind {
    case .download, .added: false
    case .refusedByCDN, .redirectRefused, .certificateRefused: true
    }
  }
}
