package import AppBundle
internal import AppSiteAssociation
internal import AssociatedDomains
package import AssociationDelivery
package import LinkspanCore

/// Asks hosts, Apple's CDN, or both, and gathers what the answers mean.
package struct HostSurvey {
  /// One host with what it, and what the CDN, answered.
  package struct Answered: Sendable {
    package var host: String
    package var origin: OriginCheck?
    package var cdn: CDNCheck?

    package init(host: String, origin: OriginCheck? = nil, cdn: CDNCheck? = nil) {
      self.host = host
      self.origin = origin
      self.cdn = cdn
    }

    /// Whether nothing came that says what a device gets: no file, no word that there is none, and nothing from the CDN.
    package var isSilent: Bool {
      origin?.served == nil && origin?.hasNoFile != true && cdn?.isUnknown != false
    }

    /// `example.com: crawler: 403; device: OK; CDN: 404 SWCERR00101`
    package var line: String {
      var parts: [String] = []
      if let origin {
        parts += origin.answers.map { question, result in
          let place = question.location == .root ? " at the root" : ""
          return "\(question.client.rawValue)\(place): \(Self.words(result))"
        }
      }
      if let cdn { parts.append("CDN: \(cdn.words)") }
      return "\(host): \(parts.joined(separator: "; "))"
    }

    /// What is compressed unasked is not looked into (R6), so it is not called a file that a device can use.
    private static func words(_ result: FetchResult) -> String {
      if case .answered(let response) = result, result.carriesFile, response.contentCoding != nil {
        return "a compressed file"
      }
      return result.carriesFile ? "OK" : result.words
    }
  }

  package private(set) var answered: [Answered] = []
  /// What the answers leave open, for the list of what was not checked.
  package private(set) var notChecked: [String] = []

  /// Ours: enough to hide the waiting, few enough for a small machine.
  private static let width = 8

  /// Nobody was asked.
  package init() {}

  /// Asks every host once.
  ///
  /// - Parameters:
  ///   - claims: The apps that were given, for what their entries say about a host.
  ///   - site: Asks the hosts.
  ///   - cdn: Asks the CDN.
  ///   - progress: Called each second while hosts are being asked, with a sentence about how far it is.
  /// - Throws: When the authorities to trust cannot be loaded.
  package init(
    _ hosts: [SiteName], _ routes: Routes, site: SiteFetcher, cdn: SiteFetcher, endpoint: CDNEndpoint,
    claims: [AppClaims], progress: (String) -> Void
  ) throws(LinkspanError) {
    var seen: Set<String> = []
    let names = hosts.map { $0.host }.filter { seen.insert($0).inserted }
    let modesOnly = Set(names.filter { Self.isForModesOnly($0, claims) })
    let results = Parallel.map(
      names, width: Self.width,
      everySecond: { done in
        let most = Self.longest_s(site, routes)
        progress(
          "\(done) of \(names.count) hosts have answered; a silent one takes up to \(most) s …"
        )
      },
      { host in
        Self.ask(host, routes, site, cdn, endpoint, isForModesOnly: modesOnly.contains(host))
      })
    for result in results { answered.append(try result.get()) }
    notChecked = notChecked(routes, endpoint, site)
  }

  /// Where the files of hosts come from.
  package struct Routes: OptionSet, Sendable {
    package let rawValue: Int
    package static let direct = Routes(rawValue: 1)
    package static let cdn = Routes(rawValue: 2)

    package init(rawValue: Int) { self.rawValue = rawValue }
  }

  private static func isForModesOnly(_ host: String, _ claims: [AppClaims]) -> Bool {
    let entries = claims.flatMap { $0.associatedDomains }.filter { $0.host == host }
    return !entries.isEmpty && entries.allSatisfy { $0.mode != nil }
  }

  /// Three questions at most wait for a silent host, one after the other, and beside them one for the CDN.
  private static func longest_s(_ site: SiteFetcher, _ routes: Routes) -> Int64 {
    site.timeout.components.seconds * (routes.contains(.direct) ? 3 : 1)
  }

  private static func ask(
    _ host: String, _ routes: Routes, _ site: SiteFetcher, _ cdn: SiteFetcher, _ endpoint: CDNEndpoint,
    isForModesOnly: Bool
  ) -> Result<Answered, LinkspanError> {
    do throws(LinkspanError) {
      var answered = Answered(host: host)
      let copy = routes.contains(.cdn) ? cdn.begin(endpoint.request(for: host)) : nil
      if routes.contains(.direct) {
        answered.origin = try OriginProbe.ask(host, isForModesOnly: isForModesOnly) {
          (question: OriginQuestion) throws(LinkspanError) in try site.send(question.request)
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
  package var findings: [Finding] {
    answered.flatMap { ($0.origin?.servingFindings ?? []) + ($0.cdn?.findings ?? []) }
  }

  /// The files to look into: the host's own, else the CDN's copy.
  package var files: [SiteReader.SiteFile] {
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
  package var emptyHosts: [String] {
    answered.filter { $0.origin?.hasNoFile == true && $0.cdn?.copy == nil }.map { $0.host }
  }

  /// Whether of some host nothing came that can be judged: it could not be looked up, its server had an error, it compressed
  /// the file, or the CDN alone was asked and said nothing.
  package var isUnanswered: Bool { answered.contains { $0.isSilent } }

  private func notChecked(_ routes: Routes, _ endpoint: CDNEndpoint, _ site: SiteFetcher) -> [String] {
    guard !answered.isEmpty else { return [] }
    let hosts = answered.map { $0.host }.joined(separator: ", ")
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
    for host in answered.map({ $0.host }) {
      if let address = site.privateAddress(of: host) {
        items.append(
          "the public address of \(host): it was asked at \(address), which Apple's CDN would refuse (SWCERR00202)"
        )
      }
    }
    for answered in answered {
      if case .failed(.privateAddress)? = answered.origin?.wellKnown {
        items.append(
          "how the file is served at the private address of \(answered.host): '--allow-private' fetches it"
        )
      }
      if let unknown = answered.cdn?.unknownCopy { items.append(unknown) }
      if case .answered(let response)? = answered.origin?.wellKnown,
        response.fields["Content-Encoding"] != nil,
        answered.origin?.served == nil
      {
        items.append("what is in the file of \(answered.host): it came with 'Content-Encoding'")
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

  /// One line for each host: who was asked, and what came back.
  package var lines: [String] { answered.map { $0.line } }
}
