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
  private let os: OSVersion
  /// What of a project's folder was not read, as clauses.
  private let unread: [String]

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
    let way = try arguments.wayOfFollowing() ?? .messages
    let asked = try arguments.asked(of: .explain, operands: [text]).with("--live", [""])
    let world = try ExplainWorld(asked, link: text, way: way, console: console)
    guard let survey = world.survey, let apps = world.apps else {
      throw LinkspanError("nothing was asked.")
    }
    var situation = world.situation
    let isInstalled = !arguments.has("--not-installed")
    let oldest = apps.claims.compactMap(\.infoPlist?.minimumRelease).first {
      $0.platform == os.platform && os < $0
    }
    if !isInstalled || oldest != nil { situation.story.script = [] }
    let link = situation.url
    let chain: LinkExplanation
    do throws(SimulationError) { chain = try situation.explained() } catch {
      throw LinkspanError("the simulation failed: \(error)")
    }
    let app = AppCauses(
      claims: apps.claims, host: link.host, device: situation.traits, kind: apps.buildKind)
    let domain = apps.claims.flatMap(\.associatedDomains).covering(host: link.host).first
    let answer = Self.answer(
      of: domain?.host ?? link.host, in: survey.answered,
      asksCDN: os.fetchesThroughCDN && !app.asksHostItself)
    if let next = try redirection(of: link, answer, isClaimed: domain != nil) {
      return try self.answer(behind: text, at: next)
    }
    let identifiers = apps.claims.isEmpty ? [] : Self.identifiers(situation, apps.claims)
    var found = Found(.init(app: identifiers.first, link: link))
    // A release without universal links reads no file; what the others read is looked at then.
    let reader = os.hasUniversalLinks ? os : Self.newest
    if let answer {
      let scope: HostScope =
        domain?.isWildcard == true ? .subdomains(of: domain?.host ?? "") : .exactly(link.host)
      found.look(at: answer, on: reader) { file, work in
        file.causes(of: link, apps: identifiers, scope: scope, &work)
      }
    }
    found.add(app.cause)
    let device = WayCauses(
      chain: chain, link: link, way: way, os: os, isInstalled: isInstalled, oldest: oldest)
    for cause in device.causes { found.add(cause) }
    return Self.conclude(
      text, "from \(way.name) on \(os.name)", chain, found, answer, notChecked(world, apps.claims, answer))
  }

  /// The identifiers of apps that are known well enough to be looked for in a file.
  private static func identifiers(_ situation: Situation, _ claims: [AppClaims]) -> [String] {
    let isKnown = claims.contains { claims in
      claims.applicationIdentifier != nil
        || claims.partialIdentifier.bundle.map(PartialIdentifier.isLiteral) == true
    }
    return isKnown ? situation.story.apps.map(\.build.identifier) : []
  }

  private static func answer(
    of host: String, in answered: [HostSurvey.Answered], asksCDN: Bool
  ) -> HostAnswer? {
    let one = answered.first { $0.host.isExactly(host) } ?? answered.first
    return one.map { HostAnswer(host: $0.host, origin: $0.origin, cdn: $0.cdn, asksCDN: asksCDN) }
  }

  private func notChecked(_ world: ExplainWorld, _ claims: [AppClaims], _ answer: HostAnswer?) -> [String] {
    var items = unread
    if !claims.contains(where: { $0.entitlements != nil }) { items.append("entitlement") }
    if let cdn = answer?.cdn, cdn.isUnknown { items.append("what Apple's CDN has: \(cdn.words)") }
    // What was just asked, and what the answer says by itself.
    return items + world.notKnown.filter { !$0.hasPrefix("what the CDN has") }
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
      DoctorAnswer(
        target: target, question: question, verdict: verdict, outcome: outcome, cause: cause,
        also: also + hidden.filter { $0.cause != cause?.cause }, notChecked: notChecked)
    }
    let isSilent = answer?.isCDNKnown != true
    if let first = causes.first, first.cause.facts.kind == .reaching, isSilent {
      return result(.unknown, "unknown", first, Array(causes.dropFirst()))
    }
    if let first = causes.first, first.isDisputed, verdict.app != nil {
      return result(.unknown, "unknown", first, Array(causes.dropFirst()))
    }
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

  // MARK: - A host, a folder, a file

  func answer(forHost name: SiteName) throws(LinkspanError) -> [DoctorAnswer] {
    let fetcher = try HostSurvey.fetcher(arguments)
    let endpoint = try HostSurvey.endpoint(arguments)
    let cdn = endpoint == .apple ? try HostSurvey.fetcher(arguments, trust: .system) : fetcher
    let survey = try LiveSurvey(hosts: [name.host], site: fetcher, cdn: cdn, endpoint: endpoint)
    guard let answer = Self.answer(of: name.host, in: survey.answered, asksCDN: os.fetchesThroughCDN) else {
      return []
    }
    let apps = try AppReader(arguments).apps
    var found = Found(Self.subject(apps))
    let os = os
    found.look(at: answer, on: os) { file, work in
      Self.causes(of: file, apps, &work)
    }
    found.add(try appCause(apps, host: name.host))
    var left = withoutLink(apps)
    if let cdn = answer.cdn, cdn.isUnknown { left.append("what Apple's CDN has: \(cdn.words)") }
    return [conclude(name.host, found, answer, left)]
  }

  func answers(forSite path: String) throws(LinkspanError) -> [DoctorAnswer] {
    let site = try SiteReader([path], host: nil, passesOverProblems: true)
    let apps = try AppReader(arguments).apps
    var answers: [DoctorAnswer] = []
    for file in site.files {
      var found = Found(Self.subject(apps))
      found.look(at: file.source.bytes, named: file.source.name, on: os) { file, work in
        Self.causes(of: file, apps, &work)
      }
      if let host = file.host { found.add(try appCause(apps, host: host)) }
      if file.location == .root { found.hide(Self.rootOnly(path, file.host)) }
      let left = withoutLink(apps) + ["how the file is served: 'linkspan doctor HOST' asks"]
      answers.append(conclude(site.files.count > 1 ? file.host ?? file.source.name : path, found, nil, left))
    }
    for host in site.emptyHosts {
      let missing = FoundCause(
        .status, evidence: ["'\(path)' has a folder for '\(host)', and no association file in it."],
        remedy: "Put the file at \(host)/.well-known/apple-app-site-association.",
        title: "The host has no association file.")
      var found = Found(Self.subject(apps))
      found.add(missing)
      answers.append(conclude(host, found, nil, withoutLink(apps)))
    }
    if let problem = site.problems.first, answers.isEmpty {
      throw LinkspanError("'\(path)': \(problem.message)")
    }
    guard !answers.isEmpty else {
      throw LinkspanError(
        "'\(path)' has no association file.",
        help: "Lay it out as HOST/.well-known/apple-app-site-association.")
    }
    return answers
  }

  private static func causes(of file: FileCauses, _ apps: [AppClaims], _ work: inout WorkBudget)
    -> [FoundCause]
  {
    if let cause = file.causeForEveryLink(&work) { return [cause] }
    let known = apps.compactMap { $0.applicationIdentifier?.description }
    guard let first = known.first, !known.contains(where: file.applications.contains) else { return [] }
    return file.notNamed(first).map { [$0] } ?? []
  }

  private static func subject(_ apps: [AppClaims]) -> FileCauses.Subject {
    FileCauses.Subject(app: apps.compactMap { $0.applicationIdentifier?.description }.first)
  }

  /// Devices find it for now, and Apple has called the place deprecated since 2019.
  private static func rootOnly(_ path: String, _ host: String?) -> FoundCause {
    FoundCause(
      .status, .observed, evidence: ["'\(path)' has the file at the root of '\(host ?? "")'."],
      remedy: "Move it to .well-known.", title: "The file is at the root, and not in .well-known.")
  }

  private func appCause(_ apps: [AppClaims], host: String) throws(LinkspanError) -> FoundCause? {
    var traits = DeviceTraits(
      name: "device", os: os, isDeveloper: arguments.has("--developer"), isManaged: false)
    traits.name = os.description
    return AppCauses(claims: apps, host: host, device: traits, kind: arguments.build(of: apps).kind).cause
  }

  private func withoutLink(_ apps: [AppClaims]) -> [String] {
    unread + (apps.contains { $0.entitlements != nil } ? [] : ["entitlement"])
      + ["whether one link opens: give a link for that, and its way of following with '--from'"]
  }

  private func conclude(
    _ target: String, _ found: Found, _ answer: HostAnswer?, _ notChecked: [String]
  ) -> DoctorAnswer {
    let causes = found.causes.sorted { $0.cause.rank < $1.cause.rank }
    let isUnreached = answer?.isCDNKnown == false && causes.first?.cause.facts.kind == .reaching
    let isGood = causes.isEmpty
    return DoctorAnswer(
      target: target, question: "any link on \(os.name)",
      verdict: isUnreached ? .unknown : isGood ? .opens : .browser,
      outcome: isUnreached ? "unknown" : isGood ? "some link can open an app" : "no link opens the app",
      cause: causes.first, also: Array(causes.dropFirst()) + found.hidden, notChecked: notChecked)
  }
}

/// Causes as they are gathered.
private struct Found {
  private(set) var causes: [FoundCause] = []
  /// What is wrong now and does no harm yet, since a copy hides it.
  private(set) var hidden: [FoundCause] = []
  private let subject: FileCauses.Subject
  /// For all comparisons of one target.
  private var work = WorkBudget.answer

  init(_ subject: FileCauses.Subject) { self.subject = subject }

  mutating func hide(_ cause: FoundCause) { hidden.append(cause) }

  mutating func add(_ cause: FoundCause?) {
    guard let cause, !causes.contains(where: { $0.cause == cause.cause }) else { return }
    causes.append(cause)
  }

  /// What a host serves, what its file says, and whether the CDN says something else.
  mutating func look(
    at answer: HostAnswer, on os: OSVersion, _ causes: (FileCauses, inout WorkBudget) -> [FoundCause]
  ) {
    let serving = answer.servingCause
    add(serving)
    let place = answer.published ?? Self.page(answer)
    if let bytes = place ?? answer.delivered {
      let name = place == nil ? "Apple's copy" : "the file of \(answer.host)"
      let own = Self.causes(subject, of: bytes, named: name, on: os, causes, &work)
      if serving == nil || answer.published != nil { for cause in own { add(cause) } }
      if own.isEmpty, serving == nil, answer.isCDNKnown, answer.asksCDN, let copy = answer.delivered,
        copy != bytes,
        let old = Self.causes(subject, of: copy, named: "Apple's copy", on: os, causes, &work).first
      {
        add(stale(answer, old))
      }
    }
    if serving == nil, let own = answer.hostCause { hidden.append(own) }
  }

  /// The same for a file by itself.
  mutating func look(
    at bytes: [UInt8], named name: String, on os: OSVersion,
    _ causes: (FileCauses, inout WorkBudget) -> [FoundCause]
  ) {
    for cause in Self.causes(subject, of: bytes, named: name, on: os, causes, &work) { add(cause) }
  }

  private static func causes(
    _ subject: FileCauses.Subject, of bytes: [UInt8], named name: String, on os: OSVersion,
    _ causes: (FileCauses, inout WorkBudget) -> [FoundCause], _ work: inout WorkBudget
  ) -> [FoundCause] {
    let file = FileCauses(bytes, named: name, on: os, for: subject)
    return file.ofFile.map { [$0] } ?? causes(file, &work)
  }

  /// What the host answers 200 with that is no file.
  private static func page(_ answer: HostAnswer) -> [UInt8]? {
    guard case .answered(let response)? = answer.counting, response.status == 200 else { return nil }
    return response.body
  }

  private func stale(_ answer: HostAnswer, _ old: FoundCause) -> FoundCause {
    let life = answer.cdn?.answer?.remaining_s.map { "another " + CacheControl.words($0) }
    return FoundCause(
      .cdnStale, .observed,
      evidence: old.evidence + ["The host's own file opens the link."] + answer.evidence,
      remedy:
        "Wait: Apple's CDN keeps its copy for \(life ?? "some hours"), and it cannot be purged (C4, C5). Then "
        + "install the app again; other devices look about once a week (V2, V3).")
  }
}
