internal import AppSiteAssociation
internal import AssociatedDomains
package import AssociationDelivery
package import LinkspanCore

/// What the crawler found at an origin, and what Apple's CDN answers because of it.
///
/// - Source: section 4; what the CDN answers for each failure of the host is partly inferred.
package struct CrawlResult: Hashable, Sendable {
  /// C5: how long a good answer is kept, in seconds (2026).
  package static let positiveLife_s = 21_600
  /// C6: how long a bad answer is kept, in seconds (2026).
  package static let negativeLife_s = 3600

  /// The URLs that led to the answer, the first one asked first; more than one after a redirect.
  package var urls: [String]
  package var result: FetchResult

  package init(urls: [String], result: FetchResult) {
    self.urls = urls
    self.result = result
  }

  /// The answer as it leaves the CDN at the moment of the crawl, without an age.
  package func answer(_ switches: CDNSwitches) -> HTTPResponse {
    let from = urls.joined(separator: ",")
    guard let failure = failure(switches) else {
      guard case .answered(let origin) = result else { preconditionFailure("a good crawl has an answer") }
      let format = AssociationContent(origin.body).format
      return HTTPResponse(
        status: 200,
        fields: [
          "Content-Type": "application/json", "Apple-From": from,
          // What a signed file reports was never seen in public (H15).
          "Apple-Origin-Format": format == .json ? "json" : "pkcs7 (simulated)",
          "Cache-Control": "max-age=\(switches.positiveLife_s),public",
        ], body: origin.body)
    }
    var response = HTTPResponse.text(failure.code == nil ? 405 : 404, failure.reason)
    response.fields["Content-Type"] = "text/plain"
    response.fields["Apple-From"] = from
    response.fields["Apple-Failure-Reason"] = failure.reason
    response.fields["Apple-Failure-Details"] = failure.details?.text
    response.fields["Apple-Try-Direct"] = failure.triesDirect ? "true" : "false"
    response.fields["Cache-Control"] = "max-age=\(switches.negativeLife_s),public"
    if failure.code == nil {
      // L2: one report of a 405, and of no failure headers with it.
      for name in ["Apple-From", "Apple-Failure-Reason", "Apple-Try-Direct"] { response.fields[name] = nil }
    }
    return response
  }

  private struct Failure {
    /// Five digits behind `SWCERR`; nil for a host the CDN doesn't know.
    var code: String?
    var text: String
    var details: JSON?
    var triesDirect = false

    var reason: String { code.map { "SWCERR\($0) \(text)" } ?? text }
  }

  private func failure(_ switches: CDNSwitches) -> Failure? {
    switch result {
    case .failed(let failure): return Self.failure(for: failure)
    case .answered(let response):
      guard response.status == 200 else {
        let line = "\(response.status) \(Self.phrase(response.status))"
        return Failure(
          code: "00101", text: "Bad HTTP Response: \(line)", details: .object([("status", .string(line))]))
      }
      if let limit = switches.largestFileBytes, response.body.count > limit {
        return Failure(code: "00490", text: "Too large (simulated)")
      }
      let content = AssociationContent(response.body)
      return content.file == nil ? Failure(code: "00401", text: "Bad JSON content") : nil
    }
  }

  /// Codes that nobody has published end in 9x and are marked; their hundreds follow what is known.
  private static func failure(for failure: FetchFailure) -> Failure {
    func cause(_ text: String) -> JSON { .object([("cause", .string(text))]) }
    switch failure {
    case .unresolvable, .lookupFailed: return Failure(code: nil, text: "Method Not Allowed")
    case .privateAddress:
      return Failure(
        code: "00202", text: "Connections to private/reserved IP addresses are not allowed")
    case .timedOut, .unfinished:
      return Failure(
        code: "00301", text: "Timeout",
        details: cause(
          "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"),
        triesDirect: true)
    case .certificate(let problem):
      return Failure(
        code: "00290", text: "Certificate refused (simulated)", details: cause("it is \(problem.words)"))
    case .unreachable(let reason), .handshake(let reason):
      return Failure(
        code: CDNFailure.connectionFailed, text: "Connection failed (simulated)", details: cause(reason))
    case .malformed(let reason):
      return Failure(code: "00190", text: "Malformed HTTP response (simulated)", details: cause(reason))
    case .tooLarge: return Failure(code: "00490", text: "Too large (simulated)")
    }
  }

  /// The reason phrases of RFC 9110 that an origin is likely to send; HTTP/2 has none, so they are made here.
  static func phrase(_ status: Int) -> String {
    let phrases: [Int: String] = [
      200: "OK", 204: "No Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
      304: "Not Modified",
      307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
      403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 410: "Gone",
      421: "Misdirected Request", 429: "Too Many Requests", 451: "Unavailable For Legal Reasons",
      500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
      504: "Gateway Timeout",
    ]
    return phrases[status] ?? "Status"
  }
}
