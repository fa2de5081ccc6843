internal import AppBundle
package import AssociationDelivery
package import HTTPTransport
package import LinkspanCommand
package import LinkspanCore
package import SiteInput

/// How hosts are asked, as a person says it.
extension HostSurvey {
  static let flags =
    [
      Flag(
        "--fetch", "FROM", repeats: true, choices: ["direct", "cdn", "both"],
        "Where the files of hosts come from: direct, cdn or both (direct)")
    ] + liveFlags

  /// How hosts and the CDN are asked, for every command that asks them.
  package static let liveFlags = [
    Flag.address("--cdn", "URL", "Ask a stand-in for Apple's CDN; /a/v1/HOST is appended"),
    Flag(
      "--resolve", "HOST:PORT:ADDR", repeats: true,
      "Connect to the host at this address, as curl does; ADDR may have its own port"),
    Flag("--ca", "FILE", "Trust the authorities in this PEM file, for hosts and '--cdn' (the system's)"),
    Flag("--allow-private", "Also fetch from private and reserved addresses"),
    Flag("--timeout", "SECONDS", "Seconds that one answer may take (5)"),
  ]

  /// T8: what the CDN's crawler is reported to allow.
  private static let timeout_s: Int64 = 5

  init(
    _ hosts: [SiteName], _ arguments: Arguments, claims: [AppClaims], console: Console
  ) throws(LinkspanError) {
    let routes = try Self.routes(arguments, hasHosts: !hosts.isEmpty)
    guard !hosts.isEmpty else {
      self.init()
      return
    }
    let endpoint = try Self.endpoint(arguments)
    let site = try Self.fetcher(arguments)
    let cdn = endpoint == .apple ? try Self.fetcher(arguments, trust: .system) : site
    for remark in hosts.compactMap({ $0.remark }) { console.note("linkspan check: \(remark).") }
    try self.init(hosts, routes, site: site, cdn: cdn, endpoint: endpoint, claims: claims) {
      console.note("linkspan check: \($0)")
    }
  }

  private static func routes(_ arguments: Arguments, hasHosts: Bool) throws(LinkspanError) -> Routes {
    var routes: Routes = []
    for word in arguments.all("--fetch") {
      if word != "cdn" { routes.insert(.direct) }
      if word != "direct" { routes.insert(.cdn) }
    }
    if !hasHosts, let flag = flags.first(where: { arguments.has($0.name) }) {
      throw arguments.usage(
        "'\(flag.name)' needs a host among the SITEs; if a file or folder has the same name, write 'https://HOST'"
      )
    }
    return routes.isEmpty ? .direct : routes
  }

  /// Asks as `--resolve`, `--ca`, `--allow-private` and `--timeout` say.
  package static func fetcher(_ arguments: Arguments) throws(LinkspanError) -> SiteFetcher {
    try fetcher(arguments, trust: arguments.trust())
  }

  /// The same, with authorities of the caller's choice in place of `--ca`.
  package static func fetcher(_ arguments: Arguments, trust: TLSTrust) throws(LinkspanError) -> SiteFetcher {
    SiteFetcher(
      fixed: try FixedAddresses(arguments.all("--resolve")),
      allowsPrivate: arguments.has("--allow-private"),
      trust: trust,
      timeout: .seconds(try arguments.number("--timeout", atLeast: 1) ?? timeout_s))
  }

  /// Apple's CDN, or the stand-in of `--cdn`.
  package static func endpoint(_ arguments: Arguments) throws(LinkspanError) -> CDNEndpoint {
    guard let address = arguments.address("--cdn") else { return .apple }
    return try CDNEndpoint.read(address, of: "--cdn")
  }

  /// One object a question, in the order of asking.
  var json: [JSON] {
    answered.flatMap { answered -> [JSON] in
      let origin = (answered.origin?.answers ?? []).map { question, result in
        Self.json(answered.host, question.url, asker: question.client.rawValue, result, reason: nil)
      }
      let cdn = answered.cdn.map {
        Self.json(answered.host, $0.url, asker: "cdn", $0.result, reason: $0.answer?.failure?.reason)
      }
      return origin + [cdn].compactMap { $0 }
    }
  }

  private static func json(
    _ host: String, _ url: String, asker: String, _ result: FetchResult, reason: String?
  ) -> JSON {
    var status: Int?
    var size: Int?
    var failure: String?
    switch result {
    case .answered(let response): (status, size) = (response.status, response.body.count)
    case .failed: failure = result.words
    }
    return .object([
      ("host", .string(host)), ("asker", .string(asker)), ("url", .string(url)), ("status", .init(status)),
      ("size_bytes", .init(size)), ("failure", .init(failure)), ("reason", .init(reason)),
    ])
  }
}
