internal import AppSiteAssociation
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import RegistryRequests
internal import SiteInput

#if PLANTED_BUGS
  internal import DeviceRegistry
#endif

/// Reads the files of the operator's hosts, and keeps and remembers what is good.
///
/// The folder is the truth; the history is there for a start with a broken folder, for comparing and for rolling back.
/// A publication is on the disk before it is served, so that no death of the process loses what was served last, and it
/// counts there from the moment when it is decided that it is served, so that no start serves what was not. Checks are made
/// beside this thread: ``publish()`` begins them and ``takeOutcomes()`` has what they came to.
final class PublicationManager {
  var publisher: Publisher
  private(set) var settings: ServeSettings
  private(set) var history: PublicationHistory?
  let log: ServerLog
  let writesHistory: Bool
  private let signedForms: SignedForms
  let checks: PublicationChecks
  /// What is served: what is live, signed where that is asked for.
  private(set) var served: [AssociationSite] = []
  /// What answered last, for the next one.
  private var handler: AssociationHandler?
  /// Why the files or the configuration could not be read the last time; nil when they could.
  private(set) var problem: String?
  /// Why the certificates could not be read the last time; nil when they could.
  var certificateProblem: String?
  /// Why the keys for pushes could not be read the last time, so that the previous ones are used; nil when they could.
  var keyProblem: String?
  /// That another server works on the state or on the registry of this one, or why that cannot be told, by the part that it
  /// is about.
  var neighbours: [Readiness.Part: String] = [:]
  /// Hosts of which several folders had files the last time; nil without any.
  private(set) var repetition: String?
  /// The keys of the configuration that say something else than what is in force.
  private(set) var keysRequiringRestart: [String] = []
  /// What the state knows of decisions.
  var kept = Kept(Publisher())
  /// Hosts whose removal was held back before this process began.
  private(set) var heldBefore: Set<String?> = []
  /// Drafts of the API of before this process began, which are checked again after the first reading.
  var sent: [PublicationCandidate] = []
  /// Whether these wait until the orders of a registry are known, so that all servers hear of what is published.
  var followsLater = false
  /// Whether the folders were read once; what is resumed before would be taken for older than what lies there.
  private(set) var hasRead = false
  /// Whether a folder of sites held no host at all when it was read last.
  private var hasEmptySite = false
  /// Clients of the API that wait for a verdict, by host.
  var waiting: [String?: [(site: AssociationSite, completion: PublicationOrders.Completion)]] = [:]

  /// Checks of what clients had sent before, whose publication the registry has not taken, by host.
  var unshared: [String?: PublicationCheck] = [:]
  /// Orders that every server of the registry obeys; nil without a registry.
  var shared: SharedOrders?

  /// When to try again what could not be kept.
  var retry = Retry()

  private let surroundings: PublicationSurroundings

  /// What answers requests for files, as they are published now.
  ///
  /// - Parameter aliases: Served beside what is published.
  func newHandler(_ aliases: [AssociationSite] = []) -> AssociationHandler {
    let new = AssociationHandler(served + aliases, undecided: publisher.undecided, before: handler)
    handler = new
    return new
  }

  /// - Parameter writesHistory: False to try out what would be published.
  /// - Throws: That the history cannot be read.
  init(
    _ settings: ServeSettings, _ log: ServerLog, writesHistory: Bool = true,
    _ surroundings: PublicationSurroundings = PublicationSurroundings()
  ) throws(LinkspanError) {
    self.settings = settings
    self.surroundings = surroundings
    self.writesHistory = writesHistory
    self.log = log
    signedForms = SignedForms(settings.signers, surroundings.files)
    checks = try PublicationChecks(stepping: surroundings.now)
    publisher = Publisher(acceptsErrors: settings.acceptsErrors)
    history = surroundings.history(settings.state, count: settings.historyCount)
    configure()
    publisher.orderFlags =
      settings.state.map { "--state \(ShellWord.quoted($0))" }
      ?? settings.registry.map { _ in "--to URL --token-file FILE" }
    let last = try history?.last(
      wantsAssociationFiles: !settings.acceptsErrors, takesOver: writesHistory
    ) { log.error($0) }
    for host in last ?? [] { restore(host) }
    kept = Kept(publisher)
    heldBefore = kept.held
    served = signedForms.sites(publisher.sites, at: surroundings.now?() ?? CurrentTime.now)
  }

  private func configure() {
    publisher.acceptsErrors = settings.acceptsErrors
    publisher.needsApproval = settings.needsApproval
    publisher.removeAtMost = settings.removeAtMost
  }

  /// Has a host go on as the process before this one left it.
  private func restore(_ last: PublicationHistory.Last) {
    let newest = last.newest
    if let time = last.withdrawal {
      return publisher.restore(Publisher.Removal(newest.site, at: time), isHeld: false)
    }
    publisher.restore(newest.site)
    #if PLANTED_BUGS
      if ServiceBug.rollbackForgotten.isPlanted { return }
    #endif
    if let standing = last.standing { publisher.restore(standing) }
    if let since = last.heldRemoval {
      publisher.restore(Publisher.Removal(newest.site, at: since), isHeld: true)
    }
    if let draft = last.draft, draft.author != nil, draft.isNewer(than: newest) {
      sent.append(PublicationCandidate(draft.site, author: draft.author))
    }
  }

  /// Reads the configuration file again, and goes by it from the next publication on. Tells the operator which keys wait for a
  /// start, when they are other ones than before.
  ///
  /// - Parameter began: The settings in force since the start.
  /// - Returns: Whether other keys than before wait for a start.
  /// - Throws: What is wrong with the file; the settings stay what they were.
  func readSettings(since began: ServeSettings) throws(LinkspanError) -> Bool {
    guard settings.configuration != nil else { return false }
    do throws(LinkspanError) {
      settings = try settings.readAgain()
    } catch {
      #if PLANTED_BUGS
        if ServiceBug.configurationMistakeUntold.isPlanted { return false }
      #endif
      problem = error.problem
      throw error
    }
    configure()
    #if PLANTED_BUGS
      if !ServiceBug.signersForgotten.isPlanted { signedForms.signers = settings.signers }
    #else
      signedForms.signers = settings.signers
    #endif
    history = surroundings.history(began.state, count: settings.historyCount)
    let before = keysRequiringRestart
    keysRequiringRestart = began.keysRequiringRestart(in: settings)
    guard keysRequiringRestart != before else { return false }
    if !keysRequiringRestart.isEmpty {
      log.error("these keys require a restart: \(keysRequiringRestart.joined(separator: ", "))")
    }
    return true
  }

  /// Reads everything again, and begins to check what is not as before.
  ///
  /// - Returns: What became of each host that needs no check.
  /// - Throws: That nothing could be read; everything that was live goes on.
  func publish(at now: WallTime = CurrentTime.now) throws(LinkspanError) -> [PublicationOutcome] {
    publish(try read(), at: now)
  }

  /// Reads everything again, and does nothing about it.
  ///
  /// - Throws: That nothing could be read.
  func read() throws(LinkspanError) -> [PublicationCandidate] {
    do throws(LinkspanError) {
      let found = try candidates()
      problem = nil
      return found
    } catch {
      problem = error.problem
      throw error
    }
  }

  /// The rest of ``publish(at:)``.
  func publish(_ candidates: [PublicationCandidate], at now: WallTime) -> [PublicationOutcome] {
    var steps = publisher.note(candidates, at: now, hasEmptySite: hasEmptySite)
    hasRead = true
    if !followsLater { steps += resumed() }
    return finish(begin(steps), at: now)
  }

  /// Begins the checks of these steps.
  ///
  /// - Returns: The outcomes among them.
  func begin(_ steps: [Publisher.Step]) -> [PublicationOutcome] {
    steps.compactMap { step in
      switch step {
      case .outcome(let outcome): return outcome
      case .check(let check):
        // What is held back is a draft, and no publication.
        checks.add(check, keepingIn: writesHistory && !check.isHeld ? history : nil)
        return nil
      }
    }
  }

  /// What became of the hosts whose checks have ended since the last call.
  func takeOutcomes(at now: WallTime = CurrentTime.now) -> [PublicationOutcome] {
    let done = checks.take()
    guard !done.isEmpty else { return [] }
    var outcomes: [PublicationOutcome] = []
    for done in done {
      var verdict = done.verdict
      let isSent = done.check.candidate.author != nil
      // Of files that a newer upload has replaced, nothing is to be given up.
      if isSent, verdict.isForNow, publisher.ruling(on: done.check, verdict, at: now) != nil {
        giveUp(done.check, .temporary(verdict.problem ?? "It cannot be done now.", help: "Try again later."))
        continue
      }
      do throws(LinkspanError) {
        try keep(done, at: now)
      } catch {
        if isSent {
          if !postpone(done.check, error) { giveUp(done.check, error) }
          continue
        }
        verdict = .hindered(error.text)
      }
      if let outcome = publisher.settle(done.check, verdict, at: now) { outcomes.append(outcome) }
    }
    // What takes one publication takes the others.
    if outcomes.contains(where: { [.published, .changed].contains($0.kind) }) { tryAgain(all: true) }
    return finish(outcomes, at: now)
  }

  /// Has the history know what a check is about to bring live.
  private func keep(_ done: PublicationChecks.Done, at now: WallTime) throws(LinkspanError) {
    #if PLANTED_BUGS
      if ServiceBug.publicationNotKept.isPlanted { return }
    #endif
    guard let history, let prepared = done.prepared else {
      guard shared != nil,
        case .live(let standing?)? = publisher.ruling(on: done.check, done.verdict, at: now)
      else { return }
      return try keep(standing, of: done.check.candidate.site.host) {}
    }
    var isPublished = false
    defer { if !isPublished { discard(prepared) } }
    guard case .live(let standing)? = publisher.ruling(on: done.check, done.verdict, at: now) else { return }
    try keep(standing, of: prepared.site.host) { () throws(LinkspanError) in
      try history.publish(prepared, at: now)
      isPublished = true
    }
  }

  /// Forgets what is not served after all; what is left of it the next start removes.
  private func discard(_ prepared: PublicationHistory.Prepared) {
    do throws(LinkspanError) {
      try history?.discard(prepared)
    } catch {
      log.error(error.text)
    }
  }

  /// Has the history know a decision about a host, and then the publication that it is about. Where it knows both, they hold
  /// after any start; where it throws, what held before does.
  ///
  /// - Parameters:
  ///   - isShared: Whether the registry has it already, so that a state that takes nothing changes nothing.
  ///   - publication: Keeps the publication, unless it is the newest one already.
  func keep(
    _ standing: Standing?, of host: String?, isShared: Bool = false,
    _ publication: () throws(LinkspanError) -> Void
  ) throws(LinkspanError) {
    let isShared = try share(standing, of: host) || isShared
    guard let history, writesHistory else { return }
    let before = kept.standings[host]
    do throws(LinkspanError) {
      if standing != before { try history.keep(standing, of: host, before: before) }
      try publication()
      kept.standings[host] = standing
    } catch {
      if isShared {
        kept.behind.insert(host)
        return
      }
      if standing != before {
        do throws(LinkspanError) { try history.keep(before, of: host) } catch { log.error(error.text) }
      }
      throw error
    }
  }

  /// Has the state know what is decided now, and makes ready what is served.
  ///
  /// - Parameter hasWithdrawals: Whether the state knows already of the hosts that are withdrawn.
  func finish(
    _ outcomes: [PublicationOutcome], at now: WallTime, hasWithdrawals: Bool = false
  ) -> [PublicationOutcome] {
    keepDecisions(outcomes, at: now, hasWithdrawals: hasWithdrawals)
    keepKnownOrders()
    served = signedForms.sites(publisher.sites, at: now)
    let hosts = Set(outcomes.map(\.host))
    return outcomes + unsigned.filter { hosts.contains($0.host) }
  }

  /// Whether there are hosts whose files are being checked.
  var isChecking: Bool { checks.isBusy }

  /// Waits until every check has ended.
  func allOutcomes() -> [PublicationOutcome] {
    var outcomes = takeOutcomes()
    while isChecking {
      checks.wait()
      outcomes += takeOutcomes()
    }
    return outcomes
  }

  /// A file that could not be signed counts as refused: what is configured for its host is not what is served.
  private var unsigned: [PublicationOutcome] {
    signedForms.problems.map { host, message, servesPlain in
      var outcome = PublicationOutcome(
        host: host, kind: .refused, errors: [], problem: message, differences: [], isServed: true)
      outcome.lacksSignature = servesPlain
      return outcome
    }
  }

  /// The hosts whose newest files are not live, or not signed, for the operator.
  var refused: [Readiness.Refused] {
    (publisher.refused + unsigned).map {
      Readiness.Refused(
        host: $0.host, errors: max(1, $0.errorCount),
        findings: $0.problem.map { [$0] } ?? $0.errors.prefix(Readiness.findingLimit).map(\.text))
    }
  }

  /// Every host with its state; one that is to be signed and is not counts as refused.
  var reports: [HostReport] {
    let unsigned = Dictionary(self.unsigned.map { ($0.host, $0) }) { first, _ in first }
    let signed = signedForms.digests(of: served)
    return publisher.reports.map { report in
      var report = report
      report.signedDigest = report.host.flatMap { signed[$0] }
      guard let outcome = unsigned[report.host], let problem = outcome.problem else { return report }
      (report.state, report.errorCount, report.findings) = (.refused, 1, [problem])
      report.reason =
        "It cannot be signed. \(outcome.lacksSignature ? "It is served unsigned" : "The previous version is served")."
      return report
    }
  }

  /// The end of each signature that is served.
  var signatureEnds: [(host: String, ends: WallTime)] { signedForms.ends }

  /// What to tell about signed files now.
  func signingWarnings() -> [String] { signedForms.warnings(at: CurrentTime.now) }

  /// Has the operator hear of files that are not served since another folder has some of the same host.
  private func note(_ repeated: [SiteReader.RepeatedHost]) {
    let words = repeated.prefix(3).map(\.words).joined(separator: " ")
    let rest = repeated.count > 3 ? " So are files of \((repeated.count - 3).counted("more host"))." : ""
    let now = repeated.isEmpty ? nil : words + rest
    if let now, now != repetition { log.error(now) }
    repetition = now
  }

  /// None where no SITE is named: then the settings have a registry, which is served alone.
  private func candidates() throws(LinkspanError) -> [PublicationCandidate] {
    if let read = surroundings.candidates { return try read() }
    let reader = try settings.readSites()
    if settings.sites.isEmpty {
      (hasEmptySite, repetition) = (false, nil)
      return []
    }
    let candidates = Self.candidates(of: reader)
    note(reader.repeatedHosts)
    hasEmptySite = !reader.emptySites.isEmpty
    // Where files were there before, they are gone, and it is the publisher's to say what that means.
    if let error = reader.emptySites.first, !publisher.hasSites { throw error }
    guard !candidates.isEmpty || publisher.hasSites else {
      for finding in SiteChecker.findings(in: reader, ParsedSite(reader)) { log.error(finding.text()) }
      throw LinkspanError(
        "there is no association file to serve.",
        help: "Lay the folder out as HOST/.well-known/apple-app-site-association, or name the file itself.")
    }
    for error in reader.emptySites { log.info(error.text) }
    for folder in reader.emptyFolders { log.info("'\(folder.path)' has no file and is not served") }
    for error in reader.refusedLinks { log.info("not served: \(error.text)") }
    return candidates
  }
}
