internal import AppBundle
internal import AppSiteAssociation
internal import AssociatedDomains
internal import AssociationDelivery
internal import HTTPTransport
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSiteCommands
internal import LinkspanStandIns
import SimulatedDevices
internal import SiteInput

/// What keeps every link of a host, a folder or a file from opening an app.
extension DoctorRun {
  func answer(forHost name: SiteName) throws(LinkspanError) -> [DoctorAnswer] {
    try answer(for: name.host, host: name.host).map { [$0] } ?? []
  }

  /// What keeps every URL of a link's host, or this one, from opening the App Clips that were named; nil where an app was
  /// named, or none.
  func clipAnswer(forLink text: String) throws(LinkspanError) -> DoctorAnswer? {
    guard arguments.has("--app") else { return nil }
    let apps = try AppReader(arguments).readableApps()
    guard !apps.isEmpty, apps.allSatisfy({ $0.isAppClip }) else { return nil }
    let link = LinkURL(written: text)
    if let cause = FileCauses.unnamedHost(of: link) ?? FileCauses.port(of: link) {
      var found = Found(Self.subject(apps))
      found.add(cause)
      return conclude(text, found, nil, withoutLink(apps))
    }
    guard let answer = try answer(for: text, host: link.host) else { return nil }
    guard answer.verdict == .opens else { return answer }
    // Whether an experience takes this link is not known.
    return DoctorAnswer(
      target: text, question: answer.question, verdict: .unknown, outcome: "unknown", cause: nil,
      also: answer.also, notChecked: answer.notChecked)
  }

  private func answer(for target: String, host: String) throws(LinkspanError) -> DoctorAnswer? {
    let fetcher = try HostSurvey.fetcher(arguments)
    let endpoint = try HostSurvey.endpoint(arguments)
    let cdn = endpoint == .apple ? try HostSurvey.fetcher(arguments, trust: .system) : fetcher
    let apps = try AppReader(arguments).readableApps()
    let app = try appCauses(apps, .links(of: host))
    let home = app.entry?.host ?? host
    let survey = try LiveSurvey(hosts: [home], site: fetcher, cdn: cdn, endpoint: endpoint)
    guard let answer = Self.answer(of: home, in: survey.answered, asksCDN: os.fetchesThroughCDN) else {
      return nil
    }
    var found = Found(Self.subject(apps))
    let os = os
    found.look(at: answer, on: os) { file, work in
      Self.causes(of: file, apps, &work)
    }
    found.add(app)
    var left = withoutLink(apps)
    if let notAsked = answer.notAsked { left.append(notAsked) }
    if let unknown = answer.cdn?.unknownCopy { left.append(unknown) }
    return conclude(target, found, answer, left)
  }

  func answers(forSite path: String) throws(LinkspanError) -> [DoctorAnswer] {
    let site = try SiteReader([path], host: nil, passesOverProblems: true)
    let apps = try AppReader(arguments, among: site.files.map { $0.source }).readableApps()
    var answers: [DoctorAnswer] = []
    for file in site.files { answers.append(try answer(for: file, in: site, path, apps)) }
    for host in site.emptyHosts {
      let missing = FoundCause(
        .status, evidence: ["'\(path)' has a folder for '\(host)', and no association file in it."],
        remedy: "Put the file at \(host)/.well-known/apple-app-site-association.",
        title: "The host has no association file.")
      let app = try appCauses(apps, .file(of: host))
      var found = elsewhere(app.homes, site, apps)
      if found?.causes.isEmpty != true {
        found = Found(Self.subject(apps))
        found?.add(missing)
      }
      if let found { answers.append(conclude(host, found, nil, withoutLink(apps))) }
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

  private func answer(
    for file: SiteReader.SiteFile, in site: SiteReader, _ path: String, _ apps: [AppClaims]
  ) throws(LinkspanError) -> DoctorAnswer {
    let left = withoutLink(apps) + ["how the file is served: 'linkspan doctor HOST' asks"]
    let target = site.files.count > 1 ? file.host ?? file.source.name : path
    guard let host = file.host else {
      return conclude(target, looking(at: file, apps), nil, left)
    }
    if let unnamed = FileCauses.unnamedFolder(host) {
      var found = looking(at: file, apps)
      found.add(unnamed)
      return conclude(target, found, nil, left)
    }
    let app = try appCauses(apps, .file(of: host))
    let homes = app.homes
    var found: Found
    if let unread = app.unread {
      found = elsewhere(homes, site, apps) ?? Found(Self.subject(apps))
      if homes.contains(where: { Self.file(of: $0, in: site) != nil }) {
        found.hide(unread)
      } else {
        found.add(unread)
      }
      found.add(try appCauses(apps, .links(of: host)))
    } else {
      found = looking(at: file, apps)
      found.add(app)
    }
    if os.fetchesThroughCDN, !app.asksHostItself {
      found.add(FileCauses.hostOfOneNetwork(app.entry?.host ?? host))
    }
    if file.location == .root { found.hide(Self.rootOnly(path, host)) }
    return conclude(target, found, nil, left)
  }

  /// What the files of other hosts say, which devices read in place of a host's own: of the first that opens a link, else
  /// of the first that is there.
  private func elsewhere(_ homes: [String], _ site: SiteReader, _ apps: [AppClaims]) -> Found? {
    let found = homes.compactMap { Self.file(of: $0, in: site) }.map { looking(at: $0, apps) }
    return found.first { $0.causes.isEmpty } ?? found.first
  }

  /// The one in .well-known, which hides the one at the root (F6).
  private static func file(of host: String, in site: SiteReader) -> SiteReader.SiteFile? {
    let files = site.files.filter { $0.host.map(host.isExactly) ?? false }
    return files.first { $0.location != .root } ?? files.first
  }

  private func looking(at file: SiteReader.SiteFile, _ apps: [AppClaims]) -> Found {
    var found = Found(Self.subject(apps))
    found.look(at: file.source.bytes, named: file.source.name, on: os) { file, work in
      Self.causes(of: file, apps, &work)
    }
    return found
  }

  private static func causes(of file: FileCauses, _ apps: [AppClaims], _ work: inout WorkBudget)
    -> [FoundCause]
  {
    if file.subject.isClip { return [] }
    if let cause = file.causeForEveryLink(&work) { return [cause] }
    let known = apps.filter { !$0.isAppClip }.compactMap { $0.applicationIdentifier?.description }
    guard let first = known.first, !known.contains(where: file.applications.contains) else { return [] }
    return file.notNamed(first).map { [$0] } ?? []
  }

  private static func subject(_ apps: [AppClaims]) -> FileCauses.Subject {
    let own = apps.filter { !$0.isAppClip }
    let isClip = own.isEmpty && !apps.isEmpty
    return FileCauses.Subject(
      app: (isClip ? apps : own).compactMap { $0.applicationIdentifier?.description }.first, isClip: isClip)
  }

  /// Devices find it for now, and Apple has called the place deprecated since 2019.
  private static func rootOnly(_ path: String, _ host: String?) -> FoundCause {
    FoundCause(
      .status, .observed, evidence: ["'\(path)' has the file at the root of '\(host ?? "")'."],
      remedy: "Move it to .well-known.", title: "The file is at the root, and not in .well-known.")
  }

  private func appCauses(_ apps: [AppClaims], _ subject: AppCauses.Subject) throws(LinkspanError) -> AppCauses
  {
    var traits = DeviceTraits(
      name: "device", os: os, isDeveloper: arguments.has("--developer"), isManaged: false)
    traits.name = os.description
    return AppCauses(claims: apps, of: subject, device: traits, kind: arguments.build(of: apps).kind)
  }

  private func withoutLink(_ apps: [AppClaims]) -> [String] {
    let question =
      !apps.isEmpty && apps.allSatisfy { $0.isAppClip }
      ? "which URLs open the clip, from where: its experiences decide, and 'linkspan clip url' reads them (AC15)"
      : "whether one link opens: give a link for that, and its way of following with '--from'"
    return unread + AppCauses.expired(apps)
      + (apps.contains { $0.entitlements != nil } ? [] : ["entitlement"])
      + [question]
  }

  private func conclude(
    _ target: String, _ found: Found, _ answer: HostAnswer?, _ notChecked: [String]
  ) -> DoctorAnswer {
    var found = found
    if arguments.has("--not-installed") { found.add(WayCauses.notInstalled(nil)) }
    let causes = found.causes.sorted { $0.cause.rank < $1.cause.rank }
    let isUnreached =
      answer?.isCDNKnown == false && causes.first?.cause.facts.kind == .reaching
      || causes.isEmpty && answer?.isUnasked == true
    let isGood = causes.isEmpty
    let (good, bad) =
      found.isOfClip
      ? ("an experience can open the clip", "no link opens the clip")
      : ("some link can open an app", "no link opens the app")
    return DoctorAnswer(
      target: target, question: "any link on \(os.name)",
      verdict: isUnreached ? .unknown : isGood ? .opens : .browser,
      outcome: isUnreached ? "unknown" : isGood ? good : bad,
      cause: causes.first, also: Array(causes.dropFirst()) + found.hidden, notChecked: notChecked)
  }
}
