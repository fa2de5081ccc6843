internal import AppSiteAssociation
internal import LinkspanCore
internal import LinkspanServer

/// Reads the files of the operator's hosts, and keeps and remembers what is good.
///
/// The folder is the truth; the history is there for a start with a broken folder, for comparing and for rolling back.
/// A publication is on the disk before it is served, so that no death of the process loses what was served last.
final class PublishingDesk {
  private(set) var publisher: Publisher
  private(set) var settings: ServeSettings
  private var history: PublicationHistory?
  private let log: ServerLog
  private let writesHistory: Bool
  private let signedForms: SignedForms
  /// What is served: what is live, signed where that is asked for.
  private(set) var served: [AssociationSite] = []
  /// Why the files or the configuration could not be read the last time; nil when they could.
  private(set) var problem: String?
  /// Why the certificates could not be read the last time; nil when they could.
  var certificateProblem: String?
  /// The keys of the configuration that say something else than what is in force.
  private(set) var keysThatWait: [String] = []

  /// - Parameter writesHistory: False to try out what would be published.
  /// - Throws: That the history cannot be read.
  init(_ settings: ServeSettings, _ log: ServerLog, writesHistory: Bool = true) throws(CommandError) {
    self.settings = settings
    self.writesHistory = writesHistory
    self.log = log
    signedForms = SignedForms(settings.signers)
    publisher = Publisher(acceptsErrors: settings.acceptsErrors)
    history = settings.state.map { PublicationHistory(state: $0, count: settings.historyCount) }
    guard let history else { return }
    for host in try history.hosts() where try !history.isWithdrawn(host) {
      let entries = try history.entries(of: host) { log.error($0) }
      if let newest = entries.first { publisher.restore(newest.site) }
    }
    served = signedForms.sites(publisher.sites, at: CurrentTime.now)
  }

  /// Reads the configuration file again, and goes by it from the next publication on.
  ///
  /// - Parameter began: The settings in force since the start.
  /// - Returns: Whether other keys than before wait for a start.
  /// - Throws: What is wrong with the file; the settings stay what they were.
  func readSettings(since began: ServeSettings) throws(CommandError) -> Bool {
    guard settings.configuration != nil else { return false }
    do throws(CommandError) {
      settings = try settings.readAgain()
    } catch {
      problem = error.message
      throw error
    }
    publisher.acceptsErrors = settings.acceptsErrors
    signedForms.signers = settings.signers
    history = began.state.map { PublicationHistory(state: $0, count: settings.historyCount) }
    let before = keysThatWait
    keysThatWait = began.keysThatWait(in: settings)
    return keysThatWait != before
  }

  /// Reads everything again and publishes what is good.
  ///
  /// - Returns: What became of each host.
  /// - Throws: That nothing could be read; everything that was live goes on.
  func publish() throws(CommandError) -> [PublicationOutcome] {
    do throws(CommandError) {
      let outcomes = try decide()
      problem = nil
      served = signedForms.sites(publisher.sites, at: CurrentTime.now)
      return outcomes + unsigned
    } catch {
      problem = error.message
      throw error
    }
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
        host: $0.host, errors: max(1, $0.errors.count),
        findings: $0.problem.map { [$0] } ?? $0.errors.map { $0.text() })
    }
  }

  /// The end of each signature that is served.
  var signatureEnds: [(host: String, ends: WallTime)] { signedForms.ends }

  /// What to tell about signed files now.
  func signingWarnings() -> [String] { signedForms.warnings(at: CurrentTime.now) }

  private func decide() throws(CommandError) -> [PublicationOutcome] {
    let reader = try settings.readSites()
    var candidates = Self.candidates(of: reader)
    guard !candidates.isEmpty else {
      for finding in SiteChecker.findings(in: reader) { log.error(finding.text()) }
      throw CommandError(
        "there is no association file to serve.",
        help: "Lay the folder out as HOST/.well-known/apple-app-site-association, or name the file itself.")
    }
    for folder in reader.emptyFolders { log.info("'\(folder.path)' has no file and is not served") }
    var next = publisher
    var outcomes = next.propose(candidates)
    if keep(outcomes, &candidates) {
      next = publisher
      outcomes = next.propose(candidates)
    }
    publisher = next
    forget(outcomes.filter { $0.kind == .withdrawn })
    return outcomes
  }

  /// Puts what is about to be served into the history.
  ///
  /// - Returns: Whether there was one that could not be kept. Such a candidate is not served and has the reason then.
  private func keep(_ outcomes: [PublicationOutcome], _ candidates: inout [PublicationCandidate]) -> Bool {
    guard let history, writesHistory else { return false }
    let time = CurrentTime.now
    var isMissing = false
    for (index, outcome) in zip(candidates.indices, outcomes)
    where outcome.kind == .published || outcome.kind == .changed {
      do throws(CommandError) {
        try history.add(candidates[index].site, from: candidates[index].associationFileName, at: time)
      } catch {
        candidates[index].problem = error.text
        isMissing = true
      }
    }
    return isMissing
  }

  /// They are not served already; where that cannot be written, a start without the folder serves them once more.
  private func forget(_ withdrawn: [PublicationOutcome]) {
    guard let history, writesHistory else { return }
    for outcome in withdrawn {
      do throws(CommandError) { try history.withdraw(outcome.host) } catch { log.error(error.text) }
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
        problem: reader.problems.first { $0.host == host }?.message ?? host.flatMap(Self.fault))
    }
  }

  /// Why nobody can ask for a host with the name of this folder; nil when somebody can.
  private static func fault(of host: String) -> String? {
    // Letters beyond ASCII are asked for in Punycode, and addresses of IPv6 in brackets.
    let isAskedFor = host.utf8.allSatisfy {
      $0 >= 0x80 || ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
    }
    if isAskedFor || host.hasPrefix("[") { return nil }
    return
      "no device asks for a host '\(host)': give the folder the name of the host itself, without a port, and each host a folder"
  }
}
