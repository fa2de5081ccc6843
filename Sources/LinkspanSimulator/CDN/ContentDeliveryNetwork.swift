import AppSiteAssociation
package import LinkspanCore

/// Apple's CDN for association files: asks origins, keeps what they said, and answers devices.
///
/// - Source: spec associated-domains section 4. That devices which ask for a host while it is being crawled
///   wait for that crawl is ours.
package actor ContentDeliveryNetwork {
  package static let host = "app-site-association.cdn-apple.com"
  private static let pathPrefix = "/a/v1/"

  /// T8: not documented; reports speak of 5 seconds.
  package static let crawlTimeout: Duration = .seconds(5)

  /// Ours; T3 was seen with one redirect.
  private static let redirectLimit = 3

  private struct Copy {
    var response: HTTPResponse
    var fetched: Duration
    var life: Duration
  }

  private let clock: VirtualClock
  private let transport: Transport
  private let switches: CDNSwitches
  private let note: @Sendable (_ host: String, _ fields: [(String, JSON)]) async -> Void
  private let copyLife: CopyLife
  private var copies: [String: Copy] = [:]
  private var crawls: [String: Int] = [:]
  /// Those who wait for a crawl of a host that has begun; never more than there are askers.
  private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

  /// - Parameters:
  ///   - answers: What it holds already, by host, as fresh as if it had just been crawled.
  ///   - note: Told of every crawl, for a trace.
  package init(
    clock: VirtualClock, transport: @escaping Transport, switches: CDNSwitches = CDNSwitches(),
    holding answers: [String: HTTPResponse] = [:],
    note: @escaping @Sendable (_ host: String, _ fields: [(String, JSON)]) async -> Void = { _, _ in }
  ) {
    self.init(
      clock: clock, transport: transport, switches: switches, holding: answers, copyLife: CopyLife(),
      note: note)
  }

  init(
    clock: VirtualClock, transport: @escaping Transport, switches: CDNSwitches,
    holding answers: [String: HTTPResponse], copyLife: CopyLife,
    note: @escaping @Sendable (_ host: String, _ fields: [(String, JSON)]) async -> Void
  ) {
    self.copyLife = copyLife
    self.clock = clock
    self.transport = transport
    self.switches = switches
    self.note = note
    for (host, response) in answers {
      let life = response.status == 200 ? CrawlResult.positiveLife_s : CrawlResult.negativeLife_s
      copies[host] = Copy(response: response, fetched: clock.now.offset, life: .seconds(life))
    }
  }

  /// Answers `GET /a/v1/HOST`, from its copy while that lives, else after a crawl. A query is not looked at
  /// (C7 has one report only).
  package func answer(_ request: HTTPRequest) async -> HTTPResponse {
    guard request.method == "GET", request.path.hasPrefix(Self.pathPrefix) else {
      return .text(405, "Method Not Allowed")
    }
    let host = String(request.path.dropFirst(Self.pathPrefix.count))
    guard !host.isEmpty, host.utf8.allSatisfy(Self.belongsInHost) else { return .text(400, "Bad Request") }
    if let response = freshCopy(of: host) { return response }
    if waiting[host] != nil {
      await withCheckedContinuation { waiting[host]?.append($0) }
    } else {
      waiting[host] = []
      let crawl = await crawl(host)
      let response = crawl.answer(switches)
      let life = response.status == 200 ? CrawlResult.positiveLife_s : CrawlResult.negativeLife_s
      crawls[host, default: 0] += 1
      let kept = copyLife.life(response, life_s: life, host: host, crawl: crawls[host] ?? 0)
      copies[host] = Copy(response: response, fetched: clock.now.offset, life: kept)
      for continuation in waiting.removeValue(forKey: host) ?? [] { continuation.resume() }
      await note(
        host,
        [
          ("host", .string(host)), ("urls", .array(crawl.urls.map(JSON.string))),
          ("origin", .string(crawl.result.words)),
          ("answers", .string(CDNFailure(response)?.line ?? "200")), ("keeps_s", .int(life)),
        ])
    }
    return freshCopy(of: host) ?? .text(503, "Service Unavailable")
  }

  /// Forgets every copy, as a server of its edge does that starts anew.
  func restart() { copies = [:] }

  private func freshCopy(of host: String) -> HTTPResponse? {
    guard let copy = copies[host] else { return nil }
    let age = clock.now.offset - copy.fetched
    guard age < copy.life else { return nil }
    var response = copy.response
    response.fields["Age"] = String(age.components.seconds)
    return response
  }

  private func crawl(_ host: String) async -> CrawlResult {
    let wellKnown = AssociationLocation.wellKnown.url(host: host)
    var crawl = CrawlResult(
      urls: [wellKnown], result: await get(host, AssociationLocation.wellKnown.rawValue))
    for _ in 0..<Self.redirectLimit {
      guard switches.followsRedirectInsideDomain, case .answered(let response) = crawl.result,
        (300..<400).contains(response.status), let location = response.fields["Location"]
      else { break }
      let target = LinkURL(location)
      guard target.scheme == "https", target.hasDefaultPort,
        OriginCheck.registrable(of: location) == OriginCheck.registrable(of: wellKnown)
      else { break }
      let path = location.utf8.dropFirst(target.path.lowerBound)
      crawl.urls.append(location)
      crawl.result = await get(target.host, String(decoding: Array(path), as: UTF8.self))
    }
    guard switches.asksRootAfterNotFound, case .answered(let response) = crawl.result, response.status == 404,
      crawl.urls.count == 1
    else { return crawl }
    let root = CrawlResult(
      urls: [AssociationLocation.root.url(host: host)],
      result: await get(host, AssociationLocation.root.rawValue))
    // A failure names the `.well-known` URL only (F5).
    return root.answer(switches).status == 200 ? root : crawl
  }

  private func get(_ host: String, _ target: String) async -> FetchResult {
    await transport(
      HTTPRequest(authority: host, target: target), .crawler, FetchOptions(timeout: Self.crawlTimeout))
  }

  private static func belongsInHost(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || (0x61...0x7A).contains(byte) || "-._".utf8.contains(byte)
  }
}
