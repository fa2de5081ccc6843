import AppSiteAssociation
internal import AssociationDelivery
package import LinkspanCore
internal import LinkspanSpecification

/// Apple's CDN for association files: asks origins, keeps what they said, and answers devices.
///
/// - Source: section 4. That clients of a host that is being crawled wait for that crawl is
///   ours, and so is that HEAD is answered like GET.
package actor ContentDeliveryNetwork {
  /// The host that devices send their requests to.
  package static let host = CDNEndpoint.apple.authority
  package static let pathPrefix = "/a/v1/"

  /// Ours; T3 was seen with one redirect.
  private static let redirectLimit = 3

  /// Ours: beyond it the answers that end first are forgotten, so that nobody fills the memory with names.
  private static let copyLimit = 10_000

  /// What messages call it.
  package nonisolated let name: String
  private let now: @Sendable () -> Duration
  private let transport: Transport
  private let switches: CDNSwitches
  private let note: @Sendable (_ crawl: Crawl) async -> Void
  private let copyLife: CopyLife
  private var copies: [String: CachedAnswer] = [:]
  private var crawls: [String: Int] = [:]
  /// Those who wait for a crawl of a host that has begun; never more than there are clients.
  private var waiting: [String: [CheckedContinuation<HTTPResponse, Never>]] = [:]

  /// - Parameters:
  ///   - now: Its clock, counted from any moment; it never goes back.
  ///   - answers: What it holds already, by host, as fresh as if it had just been crawled.
  ///   - copyLife: What chance adds to the time it keeps an answer.
  ///   - note: Told of every crawl, for a trace.
  package init(
    now: @escaping @Sendable () -> Duration, transport: @escaping Transport,
    switches: CDNSwitches = CDNSwitches(), named name: String = CDNEndpoint.apple.name,
    holding answers: [String: HTTPResponse] = [:],
    copyLife: CopyLife = CopyLife(), note: @escaping @Sendable (_ crawl: Crawl) async -> Void = { _ in }
  ) {
    self.name = name
    self.now = now
    self.copyLife = copyLife
    self.transport = transport
    self.switches = switches
    self.note = note
    for (host, response) in answers {
      let life_s = switches.life_s(response)
      copies[host] = CachedAnswer(
        host: host, response: response, fetched: now(), expires: now() + .seconds(life_s))
    }
  }

  /// Answers `GET /a/v1/HOST`, from what it keeps while that lives, else after a crawl.
  package func answer(_ request: HTTPRequest) async -> HTTPResponse {
    guard ["GET", "HEAD"].contains(request.method), request.path.hasPrefix(Self.pathPrefix) else {
      return .text(405, "Method Not Allowed")
    }
    let host = String(request.path.dropFirst(Self.pathPrefix.count))
    guard !host.isEmpty, host.utf8.allSatisfy(Self.belongsInHost) else { return .text(400, "Bad Request") }
    let hasQuery = request.target.utf8.count > request.path.utf8.count
    var response = await answer(for: host, anew: hasQuery && switches.crawlsAnewForQuery)
    if request.method == "HEAD" {
      response.fields["Content-Length"] = String(response.body.count)
      response.body = []
    }
    return response
  }

  /// What it keeps, by host; also what is past its life and was not asked for since.
  package var kept: [CachedAnswer] { copies.values.sorted { $0.host < $1.host } }

  /// Forgets a host, or all of them. Apple's has no such thing (C4).
  ///
  /// - Returns: How many answers were forgotten.
  package func purge(_ host: String?) -> Int {
    let before = copies.count
    copies = copies.filter { host != nil && $0.key != host }
    return before - copies.count
  }

  // MARK: - Keeping

  private func answer(for host: String, anew: Bool) async -> HTTPResponse {
    let before = copies[host]
    if !anew, let response = before?.answer(at: now()) { return response }
    if waiting[host] != nil { return await withCheckedContinuation { waiting[host]?.append($0) } }
    waiting[host] = []
    let cause = cause(before, anew: anew)
    let crawl = await crawl(host, because: cause)
    let copy = keep(crawl.answer(switches), for: host, instead: before)
    let response = copy.aged(at: now())
    for continuation in waiting.removeValue(forKey: host) ?? [] { continuation.resume(returning: response) }
    await note(
      Crawl(host: host, found: crawl, cause: cause, answer: response, keeps: copy.expires - now()))
    return response
  }

  private func keep(_ response: HTTPResponse, for host: String, instead before: CachedAnswer?) -> CachedAnswer
  {
    let now = now()
    crawls[host, default: 0] += 1
    let life = copyLife.life(
      response, life_s: switches.life_s(response), host: host, crawl: crawls[host] ?? 0)
    var copy = CachedAnswer(host: host, response: response, fetched: now, expires: now + life)
    if switches.keepsOldCopy, response.status != 200, let before, before.response.status == 200 {
      copy.response = before.response
      copy.fetched = before.fetched
    }
    if copies.count >= Self.copyLimit, copies[host] == nil {
      let first = copies.values.min { ($0.expires, $0.host) < ($1.expires, $1.host) }
      if let first { copies[first.host] = nil }
    }
    copies[host] = copy
    return copy
  }

  private func cause(_ before: CachedAnswer?, anew: Bool) -> FetchCause {
    if anew { return FetchCause("a query asks for a fresh answer", Provenance(citing: ["C7"])) }
    guard let before else {
      return FetchCause("a request for a host of which nothing is cached", Provenance(citing: ["C2"]))
    }
    return before.response.status == 200
      ? FetchCause("its copy has expired", Provenance(citing: ["C2", "C5"]))
      : FetchCause("its cached failure has expired", Provenance(citing: ["C6"]))
  }

  // MARK: - Crawling

  private func crawl(_ host: String, because cause: FetchCause) async -> CrawlResult {
    let wellKnown = AssociationLocation.wellKnown.url(host: host)
    var crawl = CrawlResult(
      urls: [wellKnown], result: await get(host, AssociationLocation.wellKnown.rawValue, of: host, cause))
    for _ in 0..<Self.redirectLimit {
      guard switches.followsRedirectInsideDomain, case .answered(let response) = crawl.result,
        (300..<400).contains(response.status), let location = response.fields["Location"]
      else { break }
      let target = LinkURL(location)
      guard target.scheme == "https", target.hasDefaultPort,
        OriginCheck.registrable(of: location) == OriginCheck.registrable(of: wellKnown)
      else { break }
      let path = String(decoding: Array(location.utf8.dropFirst(target.path.lowerBound)), as: UTF8.self)
      crawl.urls.append(location)
      crawl.result = await get(
        target.host, path, of: host, FetchCause("the origin redirects there", Provenance(citing: ["T3"])))
    }
    guard switches.asksRootAfterNotFound, case .answered(let response) = crawl.result, response.status == 404,
      crawl.urls.count == 1
    else { return crawl }
    let root = CrawlResult(
      urls: [AssociationLocation.root.url(host: host)],
      result: await get(
        host, AssociationLocation.root.rawValue, of: host,
        FetchCause("there is no file at .well-known", Provenance(citing: ["F5"]))))
    // A failure names the `.well-known` URL only (F5).
    return root.answer(switches).status == 200 ? root : crawl
  }

  /// - Parameter origin: The host whose crawl this belongs to.
  private func get(_ host: String, _ target: String, of origin: String, _ cause: FetchCause) async
    -> FetchResult
  {
    var cause = cause
    cause.lane = origin
    return await transport(
      HTTPRequest(authority: host, target: target), .crawler,
      FetchOptions(timeout: .seconds(switches.crawlTimeout_s), cause: cause))
  }

  private static func belongsInHost(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || (0x61...0x7A).contains(byte) || "-._".utf8.contains(byte)
  }
}
