internal import AppSiteAssociation
package import AssociationDelivery
package import LinkspanCore
internal import LinkspanSimulator
package import LinkspanStories
import SimulatedDevices
package import SiteInput

/// What real hosts, and Apple's CDN, answer: learnt once, so that the world can then be played and changed.
package struct LiveSurvey {
  /// What each host, and the CDN about it, answered.
  package private(set) var answered: [HostSurvey.Answered] = []
  private let endpoint: CDNEndpoint

  /// - Parameters:
  ///   - hosts: Each is asked once, as Apple's crawler and, where that is turned away, as a device.
  ///   - site: Asks the hosts.
  ///   - cdn: Asks the CDN.
  /// - Throws: When the authorities to trust cannot be loaded.
  package init(
    hosts: [String], site: SiteFetcher, cdn: SiteFetcher, endpoint: CDNEndpoint
  ) throws(LinkspanError) {
    self.endpoint = endpoint
    var seen: Set<String> = []
    for host in hosts where seen.insert(host).inserted {
      let origin = try OriginProbe.ask(host, isForModesOnly: false) {
        (question: OriginQuestion) throws(LinkspanError) in
        try site.send(question.request)
      }
      let copy = try cdn.send(endpoint.request(for: host))
      answered.append(
        .init(
          host: host, origin: origin,
          cdn: CDNCheck(host: host, endpoint: endpoint, result: copy, origin: origin)))
    }
  }

  /// Gives a story's hosts what the real ones answer.
  package func teach(_ story: inout Story) {
    story.cdnName = endpoint.name
    for answer in answered {
      if let origin = answer.origin {
        story.sites[answer.host] = Site(documents(origin))
        story.network[answer.host] = facts(origin)
      }
      if let cdn = answer.cdn, !cdn.isUnknown, case .answered(let response) = cdn.result {
        story.cdnAnswers[answer.host] = response
      }
    }
  }

  /// What the answers leave open, for the list of what is not known.
  package var notKnown: [String] {
    var items = [
      "what other networks see of the hosts: filters by address do not show from this machine (T5)",
      "what a CDN's answer becomes when its copy ages: it may ask the host again at any time (C2)",
    ]
    if endpoint != .apple { items.append("what Apple's own CDN has: a stand-in was asked") }
    return items
      + answered.compactMap { answer in
        guard answer.origin?.served?.response.isCalledPage == true, answer.cdn?.isUnknown ?? true else {
          return nil
        }
        return
          "whether Apple's CDN and devices take the file of '\(answer.host)', which is served as text/html: no source says (R2)"
      } + unknownCopies
  }

  /// The items of ``notKnown`` about the CDN's copies.
  package var unknownCopies: [String] { answered.compactMap { $0.cdn?.unknownCopy } }

  /// What a device gets from each place, and else the crawler.
  private func documents(_ origin: OriginCheck) -> [Site.Document] {
    let wellKnown = [origin.wellKnownForDevice, origin.wellKnown].compactMap { $0 }
    let answers = [(AssociationLocation.wellKnown, wellKnown), (.root, [origin.root].compactMap { $0 })]
    return answers.compactMap { location, results in
      let responses = results.compactMap { result -> HTTPResponse? in
        guard case .answered(let response) = result else { return nil }
        return response
      }
      guard let response = responses.first(where: { $0.status == 200 }) ?? responses.first,
        response.status != 404, response.status >= 200
      else { return nil }
      return Site.Document(
        path: location.rawValue, status: response.status, contentType: response.fields["Content-Type"],
        location: response.fields["Location"], body: response.body)
    }
  }

  private func facts(_ origin: OriginCheck) -> HostFacts {
    var facts = HostFacts()
    let isForDevices = origin.wellKnownForDevice?.carriesFile == true
    switch origin.wellKnown {
    case .answered(let response):
      if isForDevices, response.status != 200 { facts.forbids = .crawler }
    case .failed(let failure):
      switch failure {
      case .unresolvable, .lookupFailed: facts.isUnresolvable = true
      case .privateAddress(let address): facts.privateAddress = address
      case .unreachable, .handshake, .malformed: facts.isDown = true
      case .timedOut, .unfinished: facts.drops = isForDevices ? .crawler : .everybody
      case .certificate(let problem): facts.certificate = problem
      case .tooLarge: break
      }
    }
    return facts
  }
}
