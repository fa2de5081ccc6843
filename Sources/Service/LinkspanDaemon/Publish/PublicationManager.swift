internal import AppSiteAssociation
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import SiteInput

/// Reads the files of the operator's hosts, and keeps and remembers what is good.
///
/// The folder is the truth; the history is there for a start with a broken folder, for comparing and for rolling back.
/// A publication is on the disk before it is served, so that no death of the process loses what was served last. Checks
/// are made beside this thread: ``publish()`` begins them and ``takeOutcomes()`` has what they came to.
final class PublicationManager {
  private(set) var publisher: Publisher
  private(set) var settings: ServeSettings
  private var history: PublicationHistory?
  private let log: ServerLog
  private let writesHistory: Bool
  private let signedForms: SignedForms
  let checks: PublicationChecks
  /// What is served: what is live, signed where that is asked for.
  private(set) var served: [AssociationSite] = []
  /// Why the files or the configuration could not be read the last time; nil when they could.
  private(set) var problem: String?
  /// Why the certificates could not be read the last time; nil when they could.
  var certificateProblem: String?
  /// The keys of the configuration that say something else than what is in force.
  private(set) var keysRequiringRestart: [String] = []

  /// - Parameter writesHistory: False to try out what would be published.
  /// - Throws: That the history cannot be read.
  init(_ settings: ServeSettings, _ log: ServerLog, writesHistory: Bool = true) throws(LinkspanError) {
    self.settings = settings
    self.writesHistory = writesHistory
    self.log = log
    signedForms = SignedForms(settings.signers)
    checks = try PublicationChecks()
    publisher = Publisher(acceptsErrors: settings.acceptsErrors)
    history = settings.state.map { PublicationHistory(state: $0, count: settings.historyCount) }
    guard let history else { return }
    for host in try history.hosts() {
      do throws(LinkspanError) {
        guard try !history.isWithdrawn(host) else { continue }
        let entries = try history.entries(of: host, wantsAssociationFiles: !settings.acceptsErrors) {
          log.error($0)
        }
        if let newest = entries.first { publisher.restore(newest.site) }
      } catch {
        log.error(
          "the publications of \(host.map { "'\($0)'" } ?? "every other host") are left out: \(error.text)")
      }
    }
    served = signedForms.sites(publisher.sites, at: CurrentTime.now)
  }

  /// Reads the configuration file again, and goes by it from the next publication on.
  ///
  /// - Parameter began: The settings in force since the start.
  /// - Returns: Whether other keys than before wait for a start.
  /// - Throws: What is wrong with the file; the settings stay what they were.
  func readSettings(since began: ServeSettings) throws(LinkspanError) -> Bool {
    guard settings.configuration != nil else { return false }
    do throws(LinkspanError) {
      settings = try settings.readAgain()
    } catch {
      problem = error.problem
      throw error
    }
    publisher.acceptsErrors = settings.acceptsErrors
    signedForms.signers = settings.signers
    history = began.state.map { PublicationHistory(state: $0, count: settings.historyCount) }
    let before = keysRequiringRestart
    keysRequiringRestart = began.keysRequiringRestart(in: settings)
    return keysRequiringRestart != before
  }

  /// Reads everything again, and begins to check what is not as before.
  ///
  /// - Returns: What became of each host that needs no check.
  /// - Throws: That nothing could be read; everything that was live goes on.
  func publish() throws(LinkspanError) -> [PublicationOutcome] {
    do throws(LinkspanError) {
      var outcomes: [PublicationOutcome] = []
      for step in publisher.note(try candidates(), mayWithdrawAll: settings.sites.isEmpty) {
        switch step {
        case .outcome(let outcome): outcomes.append(outcome)
        case .check(let check): checks.add(check, keepingIn: writesHistory ? history : nil)
        }
      }
      problem = nil
      forget(outcomes.filter { $0.kind == .withdrawn }.map(\.host))
      served = signedForms.sites(publisher.sites, at: CurrentTime.now)
      return outcomes + unsigned
    } catch {
      problem = error.problem
      throw error
    }
  }

  /// What became of the hosts whose checks have ended since the last call.
  func takeOutcomes() -> [PublicationOutcome] {
    let done = checks.take()
    guard !done.isEmpty else { return [] }
    var outcomes: [PublicationOutcome] = []
    for done in done {
      if let outcome = publisher.settle(done.check, done.verdict) {
        outcomes.append(outcome)
      } else if done.isKept, !hasFiles(done.check.candidate.site.host) {
        // Withdrawn meanwhile.
        forget([done.check.candidate.site.host])
      }
    }
    served = signedForms.sites(publisher.sites, at: CurrentTime.now)
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

  private func hasFiles(_ host: String?) -> Bool {
    publisher.sites.contains { $0.host == host } || publisher.undecided.contains(host)
  }

  /// A file that could not be signed counts as refused: what is configured for its host is not what is served.
  private var unsigned: [PublicationOutcome] {
    signedForms.problems.map {
      PublicationOutcome(
        host: $0.host, kind: .refused, errors: [], problem: $0.message, differences: [], isServed: true)
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

  /// The end of each signature that is served.
  var signatureEnds: [(host: String, ends: WallTime)] { signedForms.ends }

  /// What to tell about signed files now.
  func signingWarnings() -> [String] { signedForms.warnings(at: CurrentTime.now) }

  /// None where no SITE is named: then the settings have a registry, which is served alone.
  private func candidates() throws(LinkspanError) -> [PublicationCandidate] {
    let reader = try settings.readSites()
    if settings.sites.isEmpty { return [] }
    let candidates = Self.candidates(of: reader)
    guard !candidates.isEmpty else {
      for finding in SiteChecker.findings(in: reader, ParsedSite(reader)) { log.error(finding.text()) }
      throw LinkspanError(
        "there is no association file to serve.",
        help: "Lay the folder out as HOST/.well-known/apple-app-site-association, or name the file itself.")
    }
    for folder in reader.emptyFolders { log.info("'\(folder.path)' has no file and is not served") }
    for error in reader.refusedLinks { log.info("not served: \(error.text)") }
    return candidates
  }

  /// They are not served already; where that cannot be written, a start without the folder serves them once more.
  private func forget(_ withdrawn: [String?]) {
    guard let history, writesHistory else { return }
    for host in withdrawn {
      do throws(LinkspanError) { try history.withdraw(host) } catch { log.error(error.text) }
    }
  }

  static func candidates(of reader: SiteReader) -> [PublicationCandidate] {
    var hosts: [String?] = []
    var seen: Set<String?> = []
    let all = reader.files.map(\.host) + reader.assetLinks.map(\.host) + reader.problems.map(\.host)
    for host in all where seen.insert(host).inserted { hosts.append(host) }
    let filesByHost = Dictionary(grouping: reader.files, by: \.host)
    return hosts.map { host in
      let files = filesByHost[host] ?? []
      let root = files.first { $0.location == .root }
      let file = files.first { $0.location == .wellKnown } ?? files.first { $0.location == nil } ?? root
      let assetLinks = reader.assetLinks.first { $0.host == host }
      return PublicationCandidate(
        AssociationSite(
          host: host, associationFile: file?.source.bytes, servesRootName: root != nil,
          assetLinks: assetLinks?.source.bytes),
        associationFileName: file?.source.name, assetLinksName: assetLinks?.source.name,
        problem: reader.problems.first { $0.host == host }?.message ?? host.flatMap(ServedHost.fault(of:)))
    }
  }
}
