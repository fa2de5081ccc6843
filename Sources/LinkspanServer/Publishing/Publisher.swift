internal import AppSiteAssociation
internal import AssetLinks
internal import AssociationDelivery
internal import LinkspanCore

/// Decides what is served: each host's files as they were last found good.
///
/// A value. Reading folders, keeping a history and swapping the handler is the business of whoever owns it: it calls
/// ``propose(_:)`` with everything that was read, keeps what has to be kept, and serves ``sites``.
package struct Publisher: Sendable {
  /// Publish files that devices would drop in part (spec associated-domains 13.3).
  package var acceptsErrors: Bool

  private var live: [String: AssociationSite] = [:]
  private var anyHost: AssociationSite?
  private var refusals: [String: PublicationOutcome] = [:]
  /// The hosts in the order they were first read.
  private var order: [String] = []

  package init(acceptsErrors: Bool = false) { self.acceptsErrors = acceptsErrors }

  /// What is live, in the order the hosts were first read; the site of all other hosts last.
  package var sites: [AssociationSite] { order.compactMap { live[$0] } + (anyHost.map { [$0] } ?? []) }

  /// The hosts whose newest files are refused, sorted.
  package var refused: [PublicationOutcome] {
    refusals.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Has a host serve what it served before this process began; for the time until its files are read.
  package mutating func restore(_ site: AssociationSite) { put(site) }

  /// Takes note of everything that was read, host by host: a good host is swapped in whole, a bad one leaves what was
  /// live, one that is not among them any more is withdrawn.
  ///
  /// - Parameter candidates: All hosts. Of two for one host the later one counts.
  /// - Returns: What became of each host, in the order of the candidates, those withdrawn last. Nothing is withdrawn
  ///   when there is no candidate at all: a folder that is gone is rather a mistake.
  package mutating func propose(_ candidates: [PublicationCandidate]) -> [PublicationOutcome] {
    var outcomes: [PublicationOutcome] = []
    for candidate in candidates {
      var outcome = decide(candidate)
      let key = Self.key(candidate.site.host)
      outcome.endsRefusal = outcome.kind != .refused && refusals[key] != nil
      refusals[key] = outcome.kind == .refused ? outcome : nil
      if outcome.kind != .refused { put(candidate.site) }
      outcomes.append(outcome)
    }
    guard !candidates.isEmpty else { return [] }
    let kept = Set(candidates.map { Self.key($0.site.host) })
    for site in sites where !kept.contains(Self.key(site.host)) {
      remove(site.host)
      outcomes.append(
        PublicationOutcome(host: site.host, kind: .withdrawn, errors: [], differences: [], isServed: false))
    }
    for key in refusals.keys where !kept.contains(key) { refusals[key] = nil }
    return outcomes
  }

  private func decide(_ candidate: PublicationCandidate) -> PublicationOutcome {
    let site = candidate.site
    let before = self[site.host]
    func outcome(
      _ kind: PublicationOutcome.Kind, errors: [Finding] = [], differences: [String] = []
    ) -> PublicationOutcome {
      PublicationOutcome(
        host: site.host, kind: kind, errors: errors, problem: candidate.problem, differences: differences,
        isServed: kind != .refused || before != nil)
    }
    if candidate.problem != nil { return outcome(.refused) }
    if site == before { return outcome(.unchanged) }
    let errors = Self.errors(in: candidate)
    if !errors.isEmpty, !acceptsErrors { return outcome(.refused, errors: errors) }
    guard let before else { return outcome(.published, errors: errors) }
    return outcome(.changed, errors: errors, differences: Self.differences(from: before, to: site))
  }

  private static func errors(in candidate: PublicationCandidate) -> [Finding] {
    var findings: [Finding] = []
    if let bytes = candidate.site.associationFile {
      let name = candidate.associationFileName ?? candidate.site.host ?? "the association file"
      findings += AssociationChecker.findings(in: AssociationSource(SourceText(name: name, bytes: bytes)))
    }
    if let bytes = candidate.site.assetLinks {
      let name = candidate.assetLinksName ?? "assetlinks.json"
      findings += StatementChecker.findings(in: StatementSource(SourceText(name: name, bytes: bytes)))
    }
    return findings.filter { $0.severity == .error }
  }

  /// What changes for devices, host by host: services, apps and rules.
  package static func differences(from old: AssociationSite, to new: AssociationSite) -> [String] {
    var lines: [String] = []
    switch (old.associationFile, new.associationFile) {
    case (let before?, let after?) where before != after:
      lines += AssociationDifference.lines(
        from: AssociationContent(before).document.root ?? .init(.null, at: 0..<0),
        to: AssociationContent(after).document.root ?? .init(.null, at: 0..<0))
    case (nil, .some): lines.append("the association file is new")
    case (.some, nil): lines.append("the association file is gone")
    default: break
    }
    if old.servesRootName != new.servesRootName {
      lines.append(
        new.servesRootName ? "it is served at the root as well" : "it is no longer served at the root")
    }
    switch (old.assetLinks, new.assetLinks) {
    case (nil, .some): lines.append("assetlinks.json is new")
    case (.some, nil): lines.append("assetlinks.json is gone")
    case (let before?, let after?) where before != after: lines.append("assetlinks.json differs")
    default: break
    }
    return lines
  }

  private subscript(_ host: String?) -> AssociationSite? { host == nil ? anyHost : live[Self.key(host)] }

  private mutating func put(_ site: AssociationSite) {
    guard site.host != nil else {
      anyHost = site
      return
    }
    let key = Self.key(site.host)
    if live.updateValue(site, forKey: key) == nil, !order.contains(key) { order.append(key) }
  }

  private mutating func remove(_ host: String?) {
    guard host != nil else {
      anyHost = nil
      return
    }
    live[Self.key(host)] = nil
    order.removeAll { $0 == Self.key(host) }
  }

  private static func key(_ host: String?) -> String { host.map { ASCII.lowercased($0) } ?? "" }
}
