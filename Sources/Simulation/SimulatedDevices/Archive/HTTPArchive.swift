import AppSiteAssociation
internal import AssociationDelivery
package import LinkspanCore

/// Exchanges as a HAR file, version 1.2, which browsers' developer tools and others open.
///
/// Members of our own begin with an underscore, as the format asks: `_party` who asked, `_reason` why, `_rules` of
/// `linkspan rules`, `_error` why there was no answer (its status is 0 then).
///
/// - Source: HTTP Archive 1.2, as the W3C web performance group's draft has it.
package enum HTTPArchive {
  /// - Parameters:
  ///   - start: The moment that exchanges are counted from.
  ///   - creator: Who wrote it: a name and a version.
  package static func json(
    _ exchanges: [Exchange], start: WallTime, creator: (name: String, version: String)
  ) -> JSON {
    var pages: [(String, JSON)] = []
    for exchange in exchanges where !pages.contains(where: { $0.0 == exchange.party }) {
      pages.append((exchange.party, page(exchange, start)))
    }
    return .object([
      (
        "log",
        .object([
          ("version", .string("1.2")),
          ("creator", .object([("name", .string(creator.name)), ("version", .string(creator.version))])),
          ("pages", .array(pages.map(\.1))), ("entries", .array(exchanges.map { entry($0, start) })),
        ])
      )
    ])
  }

  /// One for each party: what it asked stands together.
  private static func page(_ first: Exchange, _ start: WallTime) -> JSON {
    .object([
      ("startedDateTime", .string(start.advanced(by: first.started).description)),
      ("id", .string(first.party)),
      ("title", .string(first.party == "cdn" ? "Apple's CDN (crawler)" : first.party)),
      ("pageTimings", .object([])),
    ])
  }

  private static func entry(_ exchange: Exchange, _ start: WallTime) -> JSON {
    let time_ms = Int(exchange.time.wholeMilliseconds)
    var members: [(String, JSON)] = [
      ("pageref", .string(exchange.party)),
      ("startedDateTime", .string(start.advanced(by: exchange.started).description)),
      ("time", .int(time_ms)), ("request", request(exchange)),
    ]
    switch exchange.result {
    case .answered(let answer): members.append(("response", response(answer, exchange)))
    case .failed: members.append(("response", noResponse))
    }
    members += [
      ("cache", .object([])),
      ("timings", .object([("send", .int(0)), ("wait", .int(time_ms)), ("receive", .int(0))])),
      ("connection", .string(exchange.connection)), ("_party", .string(exchange.party)),
      ("_reason", .string(exchange.cause.reason)),
      ("_rules", .array(exchange.cause.provenance.rules.map(JSON.string))),
    ]
    if case .failed(let failure) = exchange.result {
      members.append(("_error", .string("the host \(failure.words)")))
    }
    return .object(members)
  }

  private static func request(_ exchange: Exchange) -> JSON {
    .object([
      ("method", .string(exchange.request.method)), ("url", .string(exchange.url)),
      ("httpVersion", .string(exchange.version.rawValue)), ("cookies", .array([])),
      ("headers", headers(exchange.request.fields)),
      ("queryString", .array(query(exchange.request))), ("headersSize", .int(-1)),
      ("bodySize", .int(exchange.request.body.count)),
    ])
  }

  private static func response(_ response: HTTPResponse, _ exchange: Exchange) -> JSON {
    var content: [(String, JSON)] = [
      ("size", .int(response.body.count)),
      ("mimeType", .string(response.fields["Content-Type"] ?? "x-unknown")),
    ]
    if let text = String(validating: response.body, as: UTF8.self) {
      content.append(("text", .string(text)))
    } else {
      content.append(("text", .string(Base64.text(of: response.body))))
      content.append(("encoding", .string("base64")))
    }
    return .object([
      ("status", .int(response.status)), ("statusText", .string(CrawlResult.phrase(response.status))),
      ("httpVersion", .string(exchange.version.rawValue)), ("cookies", .array([])),
      ("headers", headers(response.fields)), ("content", .object(content)),
      ("redirectURL", .string(response.fields["Location"] ?? "")), ("headersSize", .int(-1)),
      ("bodySize", .int(response.body.count)),
    ])
  }

  /// What browsers write for a request without an answer.
  private static let noResponse = JSON.object([
    ("status", .int(0)), ("statusText", .string("")), ("httpVersion", .string("")), ("cookies", .array([])),
    ("headers", .array([])), ("content", .object([("size", .int(0)), ("mimeType", .string("x-unknown"))])),
    ("redirectURL", .string("")), ("headersSize", .int(-1)), ("bodySize", .int(-1)),
  ])

  private static func headers(_ fields: HTTPFields) -> JSON {
    .array(fields.list.map { .object([("name", .string($0.name)), ("value", .string($0.value))]) })
  }

  private static func query(_ request: HTTPRequest) -> [JSON] {
    let query = request.target.dropFirst(request.path.count).dropFirst()
    return query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return .object([("name", .string(parts[0])), ("value", .string(parts.count > 1 ? parts[1] : ""))])
    }
  }
}
