internal import AppSiteAssociation
internal import AssetLinks
internal import AssociationDelivery
package import LinkspanCore

/// Decides what is served: each host's files as they were last found good, unless a ``Standing`` says otherwise.
///
/// A value. Reading folders, checking, keeping a history and swapping the handler is the business of whoever owns it:
/// it calls ``note(_:at:hasEmptySite:)`` with everything that was read, has the checks made, calls ``settle(_:_:at:)``
/// with each verdict, and serves ``sites``.
package struct Publisher: Sendable {
  /// Publish files that devices would drop in part (section 6.4).
  package var acceptsErrors: Bool
  /// Hold every change of a host that is served until somebody approves it.
  package var needsApproval = false
  /// Removals within ``removalWindow`` above which they are held back; nil for a tenth of all hosts.
  package var removeAtMost: Int?
  /// The flags with which `linkspan publish` reaches this server, such as `--state PATH`; nil where nothing takes its orders.
  package var orderFlags: String?

  /// By the host's key; that of every host without a site of its own is empty.
  var live: [String: AssociationSite] = [:]
  var refusals: [String: PublicationOutcome] = [:]
  /// The files that a refusal is about, where it holds until they change.
  var refusedFiles: [String: Question] = [:]
  /// The files of the folder that are being checked.
  var pending: [String: Question] = [:]
  /// The files of clients of the API that are being checked. They do not end the check of the folder's: what is sent may
  /// be refused, and then the folder decides.
  var sent: [String: Question] = [:]
  /// Files of the folder that are good and could not be kept, so that they are to be tried again (``retry(all:)``).
  var hindered: [String: PublicationCandidate] = [:]
  /// The files of each host that could not be kept the last time.
  var unkept: [String: AssociationSite] = [:]
  /// The host that was tried again last.
  var lastRetried = ""
  var standings: [String: Standing] = [:]
  var drafts: [String: PublicationDraft] = [:]
  /// What lies in the folder.
  var folder: [String: AssociationSite] = [:]
  /// Since when removals are held back.
  var heldRemovals: [String: WallTime] = [:]
  /// Whether the folders were read.
  var hasRead = false
  /// What was withdrawn a moment ago.
  var removals: [Removal] = []
  /// What another server was told about hosts whose folders differ here.
  var elsewhere = Elsewhere()

  /// What a verdict is about.
  struct Question: Hashable {
    var site: AssociationSite
    var acceptsErrors: Bool
    var isHeld: Bool
    var author: String?

    init(_ check: PublicationCheck) {
      self.init(check.candidate, acceptsErrors: check.acceptsErrors, isHeld: check.isHeld)
    }

    init(_ candidate: PublicationCandidate, acceptsErrors: Bool, isHeld: Bool) {
      (site, author) = (candidate.site, candidate.author)
      (self.acceptsErrors, self.isHeld) = (acceptsErrors, isHeld)
    }
  }
  /// The hosts in the order they were first read, whether or not anything of them is live.
  var order: [String] = []
  var ordered: Set<String> = []

  package init(acceptsErrors: Bool = false) { self.acceptsErrors = acceptsErrors }

  /// What is live, in the order the hosts were first read; the site of all other hosts last.
  package var sites: [AssociationSite] {
    order.compactMap { live[$0] } + (live[""].map { [$0] } ?? [])
  }

  /// Whether anything is live, or lay in the folder when it was read last.
  package var hasSites: Bool { !live.isEmpty || !folder.isEmpty }

  /// The hosts whose newest files are refused, sorted.
  package var refused: [PublicationOutcome] { Self.byHost(refusals) }

  /// The hosts whose first files are being checked, so that nothing is served for them yet; sorted.
  package var undecided: [String?] {
    Self.byHost(checking.filter { live[$0.key] == nil }).map(\.site.host)
  }

  /// How many hosts those are.
  package var undecidedCount: Int { checking.keys.count { live[$0] == nil } }

  /// The hosts whose newest files are being checked.
  package var checkingCount: Int { checking.count }

  private var checking: [String: Question] { sent.isEmpty ? pending : pending.merging(sent) { $1 } }

  /// Whether files that a client of the API sent are being checked.
  package func isCheckingSent(of host: String?) -> Bool { sent[Self.key(host)] != nil }

  /// Whether files of a host are being checked, wherever they came from.
  package func isChecking(_ host: String?) -> Bool { checking[Self.key(host)] != nil }

  /// The decisions that go before the folder, sorted by host.
  package var allStandings: [Standing] { Self.byHost(standings) }

  /// The values, sorted by host. Only the keys are sorted: to copy two values for each comparison took a server of ten thousand
  /// hosts a second of its start.
  static func byHost<Value>(_ values: [String: Value]) -> [Value] {
    values.keys.sorted().compactMap { values[$0] }
  }

  /// Has a host serve what it served before this process began; for the time until its files are read.
  package mutating func restore(_ site: AssociationSite) { put(site) }

  /// What is known of one host after its files were read.
  package enum Step: Sendable {
    case outcome(PublicationOutcome)
    /// Its files are other ones than before, and somebody has to check them.
    case check(PublicationCheck)
  }

  /// Takes note of everything that was read: what needs no check is decided, one that is not among the hosts any more
  /// is withdrawn, or held back with others (``withdraw(_:_:at:)``).
  ///
  /// - Parameters:
  ///   - candidates: All hosts, each of them once.
  ///   - hasEmptySite: Whether one of several folders of sites is empty. That is rather a mistake, and as much as no candidate at
  ///     all: their removal is held back, however few hosts they are.
  /// - Returns: A step for each host in the order of the candidates, those withdrawn last, and none for a host whose
  ///   same files are being checked already.
  package mutating func note(
    _ candidates: [PublicationCandidate], at now: WallTime, hasEmptySite: Bool = false
  ) -> [Step] {
    hasRead = true
    for candidate in candidates { rank(candidate.site.host) }
    var steps = candidates.compactMap { note($0) }
    let kept = Set(candidates.map { Self.key($0.site.host) })
    for key in Set(folder.keys).union(standings.keys) where !kept.contains(key) { noteAbsence(key) }
    let missing = sites.filter { site in
      let key = Self.key(site.host)
      return !kept.contains(key) && standings[key]?.standsWithoutFiles != true
    }
    let isWhole = candidates.isEmpty || hasEmptySite
    steps += withdraw(missing, isWhole ? .whole : .partial, at: now)
    order.removeAll { !kept.contains($0) && live[$0] == nil && drafts[$0] == nil }
    ordered = Set(order)
    return steps
  }

  /// The folder has no files of a host any more. What that means for a decision about it, its removal says.
  private mutating func noteAbsence(_ key: String) {
    // What the API sent is none of the folder's.
    let (draft, question) = (hasSentDraft(key) ? drafts[key] : nil, sent[key])
    let refusal = draft == nil ? nil : refusals[key]
    forgetFiles(key)
    (drafts[key], sent[key], refusals[key]) = (draft, question, refusal)
  }

  private mutating func note(_ candidate: PublicationCandidate) -> Step? {
    let site = candidate.site
    let key = Self.key(site.host)
    heldRemovals[key] = nil
    let isSame = folder[key] == site
    folder[key] = site == live[key] ? live[key] : site
    if !isSame {
      // What the API sent counts until the folder changes.
      sent[key] = nil
      elsewhere.removed.remove(key)
      if hasSentDraft(key) { drafts[key] = nil }
    } else if candidate.problem == nil, hasSentDraft(key) || sent[key] != nil, hindered[key] == nil {
      return pending[key] == nil && sent[key] == nil ? .outcome(unchanged(site)) : nil
    }
    if pending[key] == question(of: candidate), candidate.problem == nil { return nil }
    pending[key] = nil
    hindered[key] = nil
    if let problem = candidate.problem ?? candidate.excess {
      return .outcome(refuse(candidate, .hindered(problem)))
    }
    if let standing = standings[key], standing.kind != .pin {
      guard !standing.replaced.contains(site.digest) else {
        // Of several folders' files, these came last.
        if !isSame { standings[key]?.replaced = [site.digest] }
        refusals[key] = nil
        refusedFiles[key] = nil
        if site == standing.site {
          drafts[key] = nil
        } else if drafts[key]?.site != site {
          drafts[key] = PublicationDraft(site: site, state: .replaced)
        }
        return .outcome(unchanged(standing.site))
      }
      standings[key] = nil
    }
    if site == live[key] {
      return .outcome(decided(site, .unchanged, PublicationVerdict(isRefused: false)))
    }
    if refusedFiles[key] == question(of: candidate), var outcome = refusals[key] {
      outcome.isRepeated = true
      outcome.isServed = live[key] != nil
      return .outcome(outcome)
    }
    if isHeld(site), let draft = drafts[key], draft.state == .held, draft.site == site {
      var outcome = heldOutcome(site, PublicationVerdict(isRefused: false))
      outcome.isRepeated = true
      return .outcome(outcome)
    }
    return check(candidate)
  }

  private func unchanged(_ site: AssociationSite) -> PublicationOutcome {
    PublicationOutcome(
      host: site.host, kind: .unchanged, errors: [], differences: [],
      isServed: live[Self.key(site.host)] != nil)
  }

  /// Whether good files of a host are not served before somebody says so. A host that has nothing yet takes its first files.
  private func isHeld(_ site: AssociationSite) -> Bool {
    let key = Self.key(site.host)
    if standings[key]?.kind == .pin { return true }
    guard needsApproval, live[key] != nil else { return false }
    return elsewhere.approved[key].map { $0 != site.digest } ?? true
  }

  private func question(of candidate: PublicationCandidate) -> Question {
    Question(candidate, acceptsErrors: acceptsErrors, isHeld: isHeld(candidate.site))
  }

  /// Whether the newest files of a host are those that a client of the API sent.
  private func hasSentDraft(_ key: String) -> Bool { drafts[key]?.author != nil }

  /// What is awaited of the folder, or of a client of the API.
  private func awaited(_ key: String, author: String?) -> Question? {
    author == nil ? pending[key] : sent[key]
  }

  private mutating func expect(_ question: Question?, _ key: String, author: String?) {
    if author == nil { pending[key] = question } else { sent[key] = question }
  }

  /// Has files checked.
  mutating func check(_ candidate: PublicationCandidate) -> Step? {
    let key = Self.key(candidate.site.host)
    let question = question(of: candidate)
    if awaited(key, author: candidate.author) == question { return nil }
    expect(question, key, author: candidate.author)
    noteDraft(PublicationDraft(site: candidate.site, state: .checking, author: candidate.author))
    return .check(
      PublicationCheck(
        candidate: candidate, before: live[key], acceptsErrors: acceptsErrors, isHeld: question.isHeld))
  }

  /// Keeps a draft, unless it is the folder's and a client of the API sent a newer one.
  private mutating func noteDraft(_ draft: PublicationDraft) {
    let key = Self.key(draft.site.host)
    if draft.author != nil || !hasSentDraft(key) { drafts[key] = draft }
  }

  /// Takes the verdict on a host's files: good ones are swapped in whole, bad ones leave what was live.
  ///
  /// - Returns: What became of the host; nil when its files are other ones by now, or gone.
  package mutating func settle(_ check: PublicationCheck, _ verdict: PublicationVerdict, at now: WallTime)
    -> PublicationOutcome?
  {
    guard let ruling = ruling(on: check, verdict, at: now) else { return nil }
    let (site, author) = (check.candidate.site, check.candidate.author)
    let key = Self.key(site.host)
    expect(nil, key, author: author)
    var outcome: PublicationOutcome
    switch ruling {
    case .refused:
      let before = refusals[key]
      outcome = refuse(check.candidate, verdict)
      outcome.isRepeated =
        verdict.isForNow && author == nil && unkept[key] == site && before?.problem == verdict.problem
      if verdict.isForNow {
        if author == nil { (hindered[key], unkept[key]) = (check.candidate, site) }
      } else {
        refusedFiles[key] = Question(check)
      }
    case .held:
      outcome = heldOutcome(site, verdict)
      (refusals[key], refusedFiles[key]) = (nil, nil)
      noteDraft(PublicationDraft(site: site, state: .held, author: author))
    case .live(let standing):
      outcome = decided(site, live[key] == nil ? .published : .changed, verdict, author: author)
      put(site)
      unkept[key] = nil
      standings[key] = standing
      elsewhere.approved[key] = nil
      // What a client sent replaces what lies in the folder, whatever its check says.
      if author != nil {
        pending[key] = nil
        hindered[key] = nil
        heldRemovals[key] = nil
      }
    }
    outcome.isSent = author != nil
    return outcome
  }

  private func heldOutcome(_ site: AssociationSite, _ verdict: PublicationVerdict) -> PublicationOutcome {
    var outcome = PublicationOutcome(
      host: site.host, kind: .held, errors: verdict.errors, errorCount: verdict.errorCount,
      differences: verdict.differences, isServed: true)
    outcome.endsRefusal = refusals[Self.key(site.host)] != nil
    return outcome
  }

  mutating func refuse(_ candidate: PublicationCandidate, _ verdict: PublicationVerdict) -> PublicationOutcome
  {
    let site = candidate.site
    let key = Self.key(site.host)
    let outcome = PublicationOutcome(
      host: site.host, kind: .refused, errors: verdict.errors, errorCount: verdict.errorCount,
      problem: verdict.problem, differences: [], isServed: live[key] != nil)
    refusals[key] = outcome
    refusedFiles[key] = nil
    noteDraft(
      PublicationDraft(
        site: site, state: .refused, errorCount: verdict.errorCount, problem: verdict.problem,
        author: candidate.author))
    return outcome
  }

  private mutating func decided(
    _ site: AssociationSite, _ kind: PublicationOutcome.Kind, _ verdict: PublicationVerdict,
    author: String? = nil
  ) -> PublicationOutcome {
    let key = Self.key(site.host)
    var outcome = PublicationOutcome(
      host: site.host, kind: kind, errors: verdict.errors, errorCount: verdict.errorCount,
      differences: verdict.differences, isServed: true)
    // What a client of the API sent after these files waits, or is refused, all the same.
    if author == nil, hasSentDraft(key) { return outcome }
    outcome.endsRefusal = refusals[key] != nil
    refusals[key] = nil
    refusedFiles[key] = nil
    drafts[key] = nil
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
    return lines + otherDifferences(from: old, to: new)
  }

  /// What differs besides the association file.
  package static func otherDifferences(from old: AssociationSite, to new: AssociationSite) -> [String] {
    var lines: [String] = []
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

  mutating func put(_ site: AssociationSite) {
    live[Self.key(site.host)] = site
    rank(site.host)
  }

  mutating func rank(_ host: String?) {
    if host != nil, ordered.insert(Self.key(host)).inserted { order.append(Self.key(host)) }
  }

  static func key(_ host: String?) -> String { host.map(HostName.key) ?? "" }
}
