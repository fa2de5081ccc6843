internal import AppBundle
internal import AppSiteAssociation
internal import AssociatedDomains
internal import AssociationDelivery
internal import HTTPTransport
import LinkExplanation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
internal import LinkspanSiteCommands
internal import LinkspanStandIns
import LinkspanStories
import SimulatedDevices
internal import SiteInput

/// Looks at one link as a device would, and gathers what keeps it from opening the app.
struct DoctorRun {
  private(set) var arguments: Arguments
  private let console: Console
  let os: OSVersion
  /// What of a project's folder was not read, as clauses.
  let unread: [String]

  /// Ours: the newest release that people have.
  private static let newest = OSVersion(.iOS, 26)

  /// - Throws: A wrong release, or an app that cannot be read.
  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    let files = try ProjectFolder.expanded(arguments.all("--app"))
    self.arguments = arguments.with("--app", files.paths)
    unread = files.unread
    self.console = console
    do throws(OSVersionError) {
      os = try OSVersion(arguments.value("--os") ?? Self.newest.description)
    } catch {
      throw LinkspanError("\(error)")
    }
  }

  /// The same run for links that are reached by way of others.
  func through(_ links: [String]) -> DoctorRun {
    var copy = self
    copy.arguments = arguments.with("--through", links)
    return copy
  }

  // MARK: - A link

  func answer(forLink text: String) throws(LinkspanError) -> DoctorAnswer {
    if LinkURL(written: text).isAppleClipLink { return Self.clipLink(text) }
    if let answer = try clipAnswer(forLink: text) { return answer }
    let way = try arguments.wayOfFollowing() ?? .messages
    let asked = try arguments.asked(of: .explain, operands: [text]).with("--live", [""])
    let world = try ExplainWorld(asked, link: text, way: way, console: console)
    guard let survey = world.survey, let apps = world.apps else {
      throw LinkspanError("nothing was asked.")
    }
    var situation = world.situation
    let isInstalled = !arguments.has("--not-installed")
    if !isInstalled || apps.claims.uninstallable != nil || apps.claims.minimum(above: os) != nil {
      situation.story.script = []
    }
    let link = situation.url
    let chain: LinkExplanation
    do throws(SimulationError) { chain = try situation.explained() } catch {
      throw LinkspanError("the simulation failed: \(error)")
    }
    let app = AppCauses(
      claims: apps.claims, of: .links(of: link.host), device: situation.traits, kind: apps.buildKind)
    let domain = app.entry
    let answer = Self.answer(
      of: domain?.host ?? link.host, in: survey.answered,
      asksCDN: os.fetchesThroughCDN && !app.asksHostItself)
    if let next = try redirection(of: link, answer, isClaimed: domain != nil) {
      return try self.answer(behind: text, at: next)
    }
    let identifiers = apps.claims.isEmpty ? [] : Self.identifiers(situation, apps.claims)
    var found = Found(.init(app: identifiers.first, link: link))
    if let cause = FileCauses.unnamedHost(of: link) {
      found.add(cause)
      return Self.conclude(
        text, "from \(way.name) on \(os.name)", chain, found, answer, notChecked(world, apps.claims, nil))
    }
    found.add(FileCauses.port(of: link))
    // A release without universal links reads no file; what the others read is looked at then.
    let reader = os.hasUniversalLinks ? os : Self.newest
    if let answer {
      let scope = domain.map { HostScope(of: $0) } ?? .exactly(link.host)
      found.look(at: answer, on: reader) { file, work in
        file.causes(of: link, apps: identifiers, scope: scope, &work)
      }
    }
    // Where a file has no rule for the link devices ask the next entry's; an exclusion ends that (E9).
    if !found.causes.isEmpty, !found.causes.contains(where: { $0.cause == .ruleExcludes }) {
      for entry in app.others {
        guard
          let next = Self.answer(
            of: entry.host, in: survey.answered.filter { $0.host.isExactly(entry.host) },
            asksCDN: os.fetchesThroughCDN && !app.asksHostItself)
        else { continue }
        found.look(behind: next, on: reader) { file, work in
          file.causes(of: link, apps: identifiers, scope: HostScope(of: entry), &work)
        }
      }
    }
    found.add(app)
    let device = WayCauses(chain: chain, link: link, way: way, os: os, isInstalled: isInstalled)
    for cause in device.causes { found.add(cause) }
    return Self.conclude(
      text, "from \(way.name) on \(os.name)", chain, found, answer, notChecked(world, apps.claims, answer))
  }

  /// The answer for Apple's own link of a clip, about which no file and no app says anything (AC24).
  private static func clipLink(_ text: String) -> DoctorAnswer {
    let error = LinkspanError.appleClipLink(text)
    let cause = FoundCause(
      .unusableLink, evidence: [WayCauses.sentence(error.message)], remedy: error.help ?? "",
      owner: Cause.Owner.none,
      title: "The link is Apple's, and is for an App Clip.")
    return DoctorAnswer(
      target: text, question: "an App Clip's link", verdict: .unknown, outcome: "unknown", cause: cause,
      also: [],
      notChecked: [])
  }

  /// The identifiers of apps that are known well enough to be looked for in a file.
  private static func identifiers(_ situation: Situation, _ claims: [AppClaims]) -> [String] {
    let isKnown = claims.contains { claims in
      claims.applicationIdentifier != nil
        || claims.partialIdentifier.bundle.map(PartialIdentifier.isLiteral) == true
    }
    return isKnown ? situation.story.apps.map { $0.build.identifier } : []
  }

  static func answer(
    of host: String, in answered: [HostSurvey.Answered], asksCDN: Bool
  ) -> HostAnswer? {
    let one = answered.first { $0.host.isExactly(host) } ?? answered.first
    return one.map { HostAnswer(host: $0.host, origin: $0.origin, cdn: $0.cdn, asksCDN: asksCDN) }
  }

  private func notChecked(_ world: ExplainWorld, _ claims: [AppClaims], _ answer: HostAnswer?) -> [String] {
    var items = unread + AppCauses.expired(claims)
    if !claims.contains(where: { $0.entitlements != nil }) { items.append("entitlement") }
    if let notAsked = answer?.notAsked { items.append(notAsked) }
    if let unknown = answer?.cdn?.unknownCopy { items.append(unknown) }
    // What was just asked, and what the answer says by itself.
    let copies = world.survey?.unknownCopies ?? []
    return items + world.notKnown.filter { !copies.contains($0) }
  }

  private static func conclude(
    _ target: String, _ question: String, _ chain: LinkExplanation, _ found: Found, _ answer: HostAnswer?,
    _ notChecked: [String]
  ) -> DoctorAnswer {
    let causes = found.causes.sorted { $0.cause.rank < $1.cause.rank }
    let verdict = chain.verdict
    let hidden = found.hidden
    func result(
      _ verdict: DoctorAnswer.Verdict, _ outcome: String, _ cause: FoundCause?, _ also: [FoundCause]
    ) -> DoctorAnswer {
      let told = Set(also.map { $0.cause } + (cause.map { [$0.cause] } ?? []))
      return DoctorAnswer(
        target: target, question: question, verdict: verdict, outcome: outcome, cause: cause,
        also: also + hidden.filter { !told.contains($0.cause) }, notChecked: notChecked)
    }
    let isSilent = answer?.isCDNKnown != true
    // What becomes of a compressed answer (R6), or of a file that is called a page (R2), is documented nowhere; the CDN's answer
    // would show it.
    if let first = causes.first, isSilent,
      first.cause.facts.kind == .reaching || [.compressed, .contentType].contains(first.cause)
    {
      return result(.unknown, "unknown", first, Array(causes.dropFirst()))
    }
    if let first = causes.first, first.isDisputed, verdict.app != nil {
      return result(.unknown, "unknown", first, Array(causes.dropFirst()))
    }
    if causes.isEmpty, answer?.isUnasked == true { return result(.unknown, "unknown", nil, []) }
    if let app = verdict.app { return result(.opens, "opens \(app)", nil, causes) }
    let settled = causes.filter { !(verdict.isUnknown && $0.cause.facts.kind == .way) }
    if let first = settled.first {
      let rest = causes.filter { $0.cause != first.cause }
      return result(
        .browser, "opens \(verdict.isUnknown ? "the browser" : verdict.destination.words)", first, rest)
    }
    if verdict.isUnknown || !verdict.isDecided {
      return result(.unknown, "unknown", causes.first, Array(causes.dropFirst()))
    }
    return result(.browser, "opens \(verdict.destination.words)", Self.cause(of: verdict), [])
  }

  /// What the device itself names, where no finder has found anything.
  private static func cause(of verdict: LinkVerdict) -> FoundCause {
    let cause: Cause =
      switch verdict.step {
      case .release: .releaseTooOld
      case .wayOfFollowing: .unsettledWay
      case .userChoice: .userChoseBrowser
      case .noAssociation: .entitlementHost
      case .fetch: .status
      case .pattern: .noRule
      }
    return FoundCause(
      cause, WayCauses.sureness(verdict.certainty), evidence: [WayCauses.sentence(verdict.reason)],
      remedy: verdict.change ?? "Run 'linkspan explain' with the same words for every step.")
  }
}
