internal import AssociationDelivery
package import LinkspanCore
internal import LinkspanSpecification

/// Apple's CDN crawled a host, and keeps what it found.
package struct Crawl: Happening {
  package var host: String
  /// What the origin said.
  package var found: CrawlResult
  package var cause: FetchCause
  /// What devices are answered because of it.
  package var answer: HTTPResponse
  package var keeps: Duration

  /// Whether devices get a file.
  package var hasFile: Bool { CDNFailure(answer) == nil }

  /// Whether the origin answered with 200.
  package var isOriginGood: Bool {
    if case .answered(let response) = found.result { response.status == 200 } else { false }
  }

  package var kind: String { "crawl" }

  package var fields: [(String, JSON)] {
    [
      ("host", .string(host)), ("urls", .array(found.urls.map(JSON.string))),
      ("origin", .string(found.result.traceWords)), ("why", .string(cause.reason)),
      ("answers", .string(CDNFailure(answer)?.line ?? "200")),
      ("keeps_s", .int(Int(keeps.components.seconds))),
    ]
  }

  package var usualProvenance: Provenance? { Provenance(citing: ["C2", "C5", "C6"]) }
}
