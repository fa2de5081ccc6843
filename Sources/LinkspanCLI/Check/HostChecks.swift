internal import AppBundle
internal import AppSiteAssociation
internal import AssociationDelivery
internal import HTTPEngine
internal import LinkspanCore

/// Asks hosts, Apple's CDN, or both, and gathers what the answers mean.
struct HostChecks {
  /// One host with what it, and what the CDN, answered.
  struct Answered: Sendable {
    var host: String
    var origin: OriginCheck?
    var cdn: CDNCheck?
  }

  private(set) var answered: [Answered] = []
  private(set) var notChecked: [String] = []

  static let flags =
    [
      Flag(
        "--fetch", "FROM", repeats: true, choices: ["direct", "cdn", "both"],
        "Where the files of hosts come from: direct, cdn or both (direct)")
    ] + liveFlags

  /// How hosts and the CDN are asked, for every command that asks them.
  static let liveFlags = [
    Flag("--cdn", "URL", "Ask a stand-in for Apple's CDN; /a/v1/HOST is put behind it"),
    Flag(
      "--resolve", "HOST:PORT:ADDR", repeats: true,
      "Ask the host at this address, as curl does; ADDR may have a port of its own"),
    Flag("--ca", "FILE", "Trust the authorities in this PEM file, for hosts and '--cdn' (the system's)"),
    Flag("--allow-private", "Ask hosts at private and reserved addresses as well"),
    Flag("--timeout", "SECONDS", "How long one answer may take (5)"),
  ]

  /// Ours: enough to hide the waiting, few enough for a small machine.
  private static let width = 8
  /// T8: what the CDN's crawler is reported to allow.
  private static let timeout_s: Int64 = 5

  init() {}

  /// - Parameter claims: The apps that were given, for what their entries say about a host.
  init(_ hosts: [SiteName], _ arguments: Arguments, claims: [AppClaims], console: Console)
    throws(CommandError)
  {
    let routes = try Self.routes(arguments, hasHosts: !hosts.isEmpty)
    let endpoint = try Self.endpoint(arguments)
    let site = try Self.fetcher(arguments)
    let cdn = endpoint == .apple ? try Self.fetcher(arguments, trust: .system) : site
    for remark in hosts.compactMap(\.remark) { console.note("linkspan check: \(remark).") }

    var seen: Set<String> = []
    let names = hosts.map(\.host).filter { seen.insert($0).inserted }
    let modesOnly = Set(names.filter { Self.isForModesOnly($0, claims) })
    let results = Parallel.map(
      names, width: Self.width,
      everySecond: { done in
        let most = Self.longest_s(site, routes)
        console.note(
          "linkspan check: \(done) of \(names.count) hosts have answered; a silent one takes up to \(most) s …"
        )
      },
      { host in
        Self.ask(host, routes, site, cdn, endpoint, isForModesOnly: modesOnly.contains(host))
      })
    for result in results { answered.append(try result.get()) }
    notChecked = notChecked(routes, endpoint, site)
  }

  private struct Routes: OptionSet {
    let rawValue: Int
    static let direct = Routes(rawValue: 1)
    static let cdn = Routes(rawValue: 2)
  }

  private static func routes(_ arguments: Arguments, hasHosts: Bool) throws(CommandError) -> Routes {
    var routes: Routes = []
    for word in arguments.all("--fetch") {
      switch word {
      case "direct": routes.insert(.direct)
      case "cdn": routes.insert(.cdn)
      case "both": routes.formUnion([.direct, .cdn])
      default: throw arguments.usage("'--fetch' is direct, cdn or both, and '\(word)' is none of them")
      }
    }
    if !hasHosts, let flag = flags.first(where: { arguments.has($0.name) }) {
      throw arguments.usage(
        "'\(flag.name)' wants a host among the SITEs; where a file or folder has its name, write 'https://HOST'"
      )
    }
    return routes.isEmpty ? .direct : routes
  }

  /// Asks as `--resolve`, `--ca`, `--allow-private` and `--timeout` say.
  static func fetcher(_ arguments: Arguments) throws(CommandError) -> SiteFetcher {
    try fetcher(arguments, trust: arguments.trust())
  }

  /// The same, with authorities of the caller's choice in place of `--ca`.
  static func fetcher(_ arguments: Arguments, trust: TLSTrust) throws(CommandError) -> SiteFetcher {
    SiteFetcher(
      fixed: try FixedAddresses(arguments.all("--resolve")), allowsPrivate: arguments.has("--allow-private"),
      trust: trust,
      timeout: .seconds(try arguments.number("--timeout", atLeast: 1) ?? timeout_s))
  }

  /// Apple's CDN, or the stand-in of `--cdn`.
  static func endpoint(_ arguments: Arguments) throws(CommandError) -> CDNEndpoint {
    guard let text = arguments.value("--cdn") else { return .apple }
    guard let endpoint = CDNEndpoint(text) else {
      throw arguments.usage("'\(text)' is no URL of a CDN, such as http://127.0.0.1:8080")
    }
    return endpoint
  }

  private static func isForModesOnly(_ host: String, _ claims: [AppClaims]) -> Bool {
    let entries = claims.flatMap(\.associatedDomains).filter { $0.host == host }
    return !entries.isEmpty && entries.allSatisfy { $0.mode != nil }
  }

  /// Three questions at most wait for a silent host, one after the other, and beside them one for the CDN.
  private static func longest_s(_ site: SiteFetcher, _ routes: Routes) -> Int64 {
    site.timeout.components.seconds * (routes.contains(.direct) ? 3 : 1)
  }

  private static func ask(
    _ host: String, _ routes: Routes, _ site: SiteFetcher, _ cdn: SiteFetcher, _ endpoint: CDNEndpoint,
    isForModesOnly: Bool
  ) -> Result<Answered, CommandError> {
    do throws(CommandError) {
      var answered = Answered(host: host)
      let copy = routes.contains(.cdn) ? cdn.begin(endpoint.request(for: host)) : nil
      if routes.contains(.direct) {
        answered.origin = try OriginProbe.ask(host, isForModesOnly: isForModesOnly) {
          (question: OriginQuestion) throws(CommandError) in try site.send(question.request)
        }
      }
      if let copy {
        answered.cdn = CDNCheck(
          host: host, endpoint: endpoint, result: try copy.result(), origin: answered.origin,
          isForModesOnly: isForModesOnly)
      }
      return .success(answered)
    } catch {
      return .failure(error)
    }
  }

  // MARK: - What it comes to

  /// How the files are served, and what the CDN has.
  var findings: [Finding] {
    answered.flatMap { ($0.origin?.servingFindings ?? []) + ($0.cdn?.findings ?? []) }
  }

  /// The files to look into: the host's own, else the CDN's copy.
  var files: [SiteReader.SiteFile] {
    answered.compactMap { answered in
      if let served = answered.origin?.served {
        return SiteReader.SiteFile(
          host: answered.host, location: nil,
          source: SourceText(name: served.location.url(host: answered.host), bytes: served.response.body))
      }
      return answered.cdn.flatMap { cdn in
        cdn.copy.map {
          SiteReader.SiteFile(
            host: answered.host, location: nil, source: SourceText(name: cdn.url, bytes: $0.body))
        }
      }
    }
  }

  /// Hosts that say themselves that they have no file.
  var emptyHosts: [String] {
    answered.filter { $0.origin?.hasNoFile == true && $0.cdn?.copy == nil }.map(\.host)
  }

  /// Whether the CDN alone was asked for some host and could not be.
  var isUnanswered: Bool { answered.contains { $0.origin == nil && $0.cdn?.isUnknown == true } }

  private func notChecked(_ routes: Routes, _ endpoint: CDNEndpoint, _ site: SiteFetcher) -> [String] {
    guard !answered.isEmpty else { return [] }
    let hosts = answered.map(\.host).joined(separator: ", ")
    var items: [String] = []
    if !routes.contains(.cdn) {
      items.append(
        "what Apple's CDN has for \(hosts), which devices from iOS 14 on ask instead: '--fetch both' compares"
      )
    } else if endpoint != .apple {
      items.append("what Apple's own CDN has for \(hosts): a stand-in was asked")
    }
    if !routes.contains(.direct) {
      items.append("the direct answers of \(hosts): '--fetch both' compares")
    } else {
      items.append(
        "the answers of \(hosts) to other networks: filters by address or country do not show from this machine"
      )
    }
    for host in answered.map(\.host) {
      if let address = site.privateAddress(of: host) {
        items.append(
          "the public address of \(host): it was asked at \(address), which Apple's CDN would refuse (SWCERR00202)"
        )
      }
    }
    for answered in answered {
      if case .failed(.privateAddress)? = answered.origin?.wellKnown {
        items.append(
          "how the file is served at the private address of \(answered.host): '--allow-private' asks it all the same"
        )
      }
      if let cdn = answered.cdn, cdn.isUnknown {
        items.append("what the CDN has for \(answered.host): \(cdn.words)")
      }
      if case .answered(let response)? = answered.origin?.wellKnown,
        response.fields["Content-Encoding"] != nil,
        answered.origin?.served == nil
      {
        items.append("what is in the file of \(answered.host): it came compressed")
      } else if let origin = answered.origin, origin.served == nil, answered.cdn?.copy == nil,
        !origin.hasNoFile
      {
        items.append("what is in the file of \(answered.host): none was given")
      }
    }
    return items + [
      "what devices have stored already: they look again about weekly, or at installation (V2, V3)"
    ]
  }

  /// `example.com: crawler 403, device 200; CDN 404 SWCERR00101`
  var lines: [String] {
    answered.map { answered in
      var parts: [String] = []
      if let origin = answered.origin {
        parts.append(
          origin.answers.map { question, result in
            let place = question.location == .root ? " at the root" : ""
            return "\(question.client.rawValue)\(place) \(result.words)"
          }.joined(separator: ", "))
      }
      if let cdn = answered.cdn { parts.append("CDN \(cdn.words)") }
      return "\(answered.host): \(parts.joined(separator: "; "))"
    }
  }

  /// One object a question, in the order of asking.
  var json: [JSON] {
    answered.flatMap { answered -> [JSON] in
      let origin = (answered.origin?.answers ?? []).map { question, result in
        Self.json(answered.host, question.url, client: question.client.rawValue, result, reason: nil)
      }
      let cdn = answered.cdn.map {
        Self.json(answered.host, $0.url, client: "cdn", $0.result, reason: $0.answer?.failure?.reason)
      }
      return origin + [cdn].compactMap { $0 }
    }
  }

  private static func json(
    _ host: String, _ url: String, client: String, _ result: FetchResult, reason: String?
  ) -> JSON {
    var status: Int?
    var size: Int?
    var failure: String?
    switch result {
    case .answered(let response): (status, size) = (response.status, response.body.count)
    case .failed: failure = result.words
    }
    return .object([
      ("host", .string(host)), ("asker", .string(client)), ("url", .string(url)), ("status", .init(status)),
      ("size_bytes", .init(size)), ("failure", .init(failure)), ("reason", .init(reason)),
    ])
  }
}
