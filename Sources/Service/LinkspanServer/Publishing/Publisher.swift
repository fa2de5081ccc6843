internal import AppSiteAssociation
internal import AssetLinks
internal import AssociationDelivery
internal import LinkspanCore

/// Decides what is served: each host's files as they were last found good.
///
/// A value. Reading folders, checking, keeping a history and swapping the handler is the business of whoever owns it:
/// it calls ``note(_:)`` with everything that was read, has the checks made, calls ``settle(_:_:)`` with each verdict,
/// and serves ``sites``.
package struct Publisher: Sendable {
  /// Publish files that devices would drop in part (section 6.4).
  package var acceptsErrors: Bool

  private var live: [String: AssociationSite] = [:]
  private var anyHost: AssociationSite?
  private var refusals: [String: PublicationOutcome] = [:]
  /// The files that a refusal is about, where it holds until they change.
  private var refusedFiles: [String: Question] = [:]
  /// The files that are being checked.
  private var pending: [String: Question] = [:]

  /// What a verdict is about.
  private struct Question: Hashable {
    var site: AssociationSite
    var acceptsErrors: Bool
  }
  /// The hosts in the order they were first read, whether or not anything of them is live.
  private var order: [String] = []
  private var ordered: Set<String> = []

  package init(acceptsErrors: Bool = false) { self.acceptsErrors = acceptsErrors }

  /// What is live, in the order the hosts were first read; the site of all other hosts last.
  package var sites: [AssociationSite] { order.compactMap { live[$0] } + (anyHost.map { [$0] } ?? []) }

  /// The hosts whose newest files are refused, sorted.
  package var refused: [PublicationOutcome] {
    refusals.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The hosts whose first files are being checked, so that nothing is served for them yet; sorted.
  package var undecided: [String?] {
    pending.filter { self[$0.value.site.host] == nil }.sorted { $0.key < $1.key }.map(\.value.site.host)
  }

  /// The hosts whose newest files are being checked.
  package var checkingCount: Int { pending.count }

  /// Has a host serve what it served before this process began; for the time until its files are read.
  package mutating func restore(_ site: AssociationSite) { put(site) }

  /// What is known of one host after its files were read.
  package enum Step: Sendable {
    case outcome(PublicationOutcome)
    /// Its files are other ones than before, and somebody has to check them.
    case check(PublicationCheck)
  }

  /// Takes note of everything that was read: what needs no check is decided, one that is not among the hosts any more
  /// is withdrawn.
  ///
  /// - Parameters:
  ///   - candidates: All hosts. Of two for one host the later one counts.
  ///   - mayWithdrawAll: Whether no candidate at all withdraws every host. Else it withdraws none: a folder that is gone
  ///     is rather a mistake.
  /// - Returns: A step for each host in the order of the candidates, those withdrawn last, and none for a host whose
  ///   same files are being checked already.
  package mutating func note(_ candidates: [PublicationCandidate], mayWithdrawAll: Bool = false) -> [Step] {
    guard mayWithdrawAll || !candidates.isEmpty else { return [] }
    for candidate in candidates { rank(candidate.site.host) }
    var steps = candidates.compactMap { note($0) }
    let kept = Set(candidates.map { Self.key($0.site.host) })
    for site in sites where !kept.contains(Self.key(site.host)) {
      remove(site.host)
      steps.append(
        .outcome(
          PublicationOutcome(
            host: site.host, kind: .withdrawn, errors: [], differences: [], isServed: false)))
    }
    for key in Set(refusals.keys).union(pending.keys) where !kept.contains(key) {
      refusals[key] = nil
      refusedFiles[key] = nil
      pending[key] = nil
    }
    order.removeAll { !kept.contains($0) }
    ordered.formIntersection(kept)
    return steps
  }

  private mutating func note(_ candidate: PublicationCandidate) -> Step? {
    let site = candidate.site
    let key = Self.key(site.host)
    let question = Question(site: site, acceptsErrors: acceptsErrors)
    if pending[key] == question, candidate.problem == nil { return nil }
    pending[key] = nil
    if let problem = candidate.problem ?? candidate.excess {
      return .outcome(refuse(site, .hindered(problem)))
    }
    if site == self[site.host] {
      return .outcome(decided(site, .unchanged, PublicationVerdict(isRefused: false)))
    }
    if refusedFiles[key] == question, var outcome = refusals[key] {
      outcome.isRepeated = true
      outcome.isServed = self[site.host] != nil
      return .outcome(outcome)
    }
    pending[key] = question
    return .check(
      PublicationCheck(candidate: candidate, before: self[site.host], acceptsErrors: acceptsErrors))
  }

  /// Takes the verdict on a host's files: good ones are swapped in whole, bad ones leave what was live.
  ///
  /// - Returns: What became of the host; nil when its files are other ones by now, or gone.
  package mutating func settle(_ check: PublicationCheck, _ verdict: PublicationVerdict)
    -> PublicationOutcome?
  {
    let site = check.candidate.site
    let key = Self.key(site.host)
    let question = Question(site: site, acceptsErrors: check.acceptsErrors)
    guard pending[key] == question else { return nil }
    pending[key] = nil
    if verdict.isRefused {
      let outcome = refuse(site, verdict)
      if !verdict.isForNow { refusedFiles[key] = question }
      return outcome
    }
    let outcome = decided(site, self[site.host] == nil ? .published : .changed, verdict)
    put(site)
    return outcome
  }

  private mutating func refuse(_ site: AssociationSite, _ verdict: PublicationVerdict) -> PublicationOutcome {
    let key = Self.key(site.host)
    let outcome = PublicationOutcome(
      host: site.host, kind: .refused, errors: verdict.errors, errorCount: verdict.errorCount,
      problem: verdict.problem, differences: [], isServed: self[site.host] != nil)
    refusals[key] = outcome
    refusedFiles[key] = nil
    return outcome
  }

  private mutating func decided(
    _ site: AssociationSite, _ kind: PublicationOutcome.Kind, _ verdict: PublicationVerdict
  ) -> PublicationOutcome {
    let key = Self.key(site.host)
    var outcome = PublicationOutcome(
      host: site.host, kind: kind, errors: verdict.errors, errorCount: verdict.errorCount,
      differences: verdict.differences, isServed: true)
    outcome.endsRefusal = refusals[key] != nil
    refusals[key] = nil
    refusedFiles[key] = nil
    return outcome
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
    live[Self.key(site.host)] = site
    rank(site.host)
  }

  private mutating func rank(_ host: String?) {
    if host != nil, ordered.insert(Self.key(host)).inserted { order.append(Self.key(host)) }
  }

  private mutating func remove(_ host: String?) {
    guard host != nil else {
      anyHost = nil
      return
    }
    live[Self.key(host)] = nil
  }

  private static func key(_ host: String?) -> String { host.map { ASCII.lowercased($0) } ?? "" }
}
