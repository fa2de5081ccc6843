package import AppBundle
package import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCommand
package import LinkspanCore
internal import LinkspanSimulator
package import LinkspanStories
package import SimulatedDevices
internal import SiteInput

extension LinkspanError {
  /// That Apple's link of an App Clip is asked about as if it were one of an app (AC24).
  package static func appleClipLink(_ link: String) -> LinkspanError {
    LinkspanError(
      "'\(link.withoutUserInformation)' is on Apple's host and opens an App Clip; no association file of yours decides about it "
        + "(AC24).",
      help:
        "Ask 'linkspan clip url URL --experiences FILE' whether it opens your clip. A link that opens an app is on "
        + "a host of your own.")
  }
}

extension Arguments {
  /// How the apps were signed: as '--build' says, else as the apps themselves show.
  package func build(of apps: [AppClaims]) -> (kind: BuildKind, isAssumed: Bool) {
    if let kind = choice("--build", BuildKind.self) { return (kind, false) }
    // Xcode gives it to what is to be debugged, and to nothing that is distributed.
    let isDevelopment = apps.contains { $0.entitlements?.getTaskAllow?.value == true }
    return isDevelopment ? (.development, false) : (.appStore, true)
  }
}

extension [AppClaims] {
  /// What keeps an app from being installed on a release: the oldest one that it runs on; nil where nothing does.
  package func minimum(above release: OSVersion) -> OSVersion? {
    compactMap { $0.infoPlist?.minimumRelease }.first { $0.platform == release.platform && release < $0 }
  }

  /// What keeps an app from being installed on every device; nil where nothing does.
  package var uninstallable: Finding? {
    flatMap { $0.installFindings }.first { $0.severity == .error }
  }

  /// The same as a sentence: why no device with a release has the app; nil where one may.
  package func obstacle(on os: OSVersion) -> String? {
    if let finding = uninstallable {
      return "no device installs the app: '\(finding.location.file)': \(finding.message)"
    }
    return minimum(above: os).map { minimum in
      "the app requires \(minimum.name), so no device with \(os.name) has it."
    }
  }
}

/// The apps of an explanation: first what they claim, and when the files of the hosts are known, who they are.
package struct ExplainApps {
  private struct App {
    var claims: AppClaims
    var entries: [String]
  }

  private let apps: [App]
  private let stated: StatedIdentity
  private let kind: BuildKind
  /// The first name in the files that looks like an app's and is none's.
  private var misnamed: (name: String, problem: ApplicationIdentifierProblem)?
  private let link: LinkURL
  private var host: String { link.host }
  package private(set) var notKnown: [String] = []
  /// What is wrong with the clips of bundles.
  let clipFindings: [Finding]
  /// What each app says of itself, in the order of `--app`.
  package let claims: [AppClaims]
  /// How the apps were signed.
  package var buildKind: BuildKind { kind }

  /// - Parameter sites: Association files, whose identifiers are named where half of one is refused.
  package init(
    _ arguments: Arguments, link: LinkURL, among sites: [SourceText] = []
  ) throws(LinkspanError) {
    self.link = link
    let reader = try AppReader(arguments, among: sites)
    claims = try reader.appsForLinks()
    let build = arguments.build(of: claims)
    kind = build.kind
    if build.isAssumed { notKnown.append("how the app was signed: an App Store build is assumed (E13)") }
    stated = reader.stated
    clipFindings = reader.findings.filter { $0.rule.hasPrefix("clip.") }
    let said = arguments.all("--claims")
    var apps: [App] = []
    for claims in self.claims {
      for loss in claims.lostDomains {
        notKnown.append("which domains \(claims.name) was meant to claim: \(loss.message) \(loss.help ?? "")")
      }
      if let entitlements = claims.entitlements {
        let entries = entitlements.associatedDomains?.map { $0.text } ?? []
        apps.append(App(claims: claims, entries: Self.near(link.host, of: entries)))
        continue
      }
      if said.isEmpty {
        notKnown.append(
          "whether \(claims.name) claims '\(link.host)': "
            + (claims.isUnsigned
              ? "the program is not signed and has no entitlements yet, and it is assumed; '--app' with its "
                + ".entitlements says"
              : "no entitlements were given, and it is assumed"))
      }
      apps.append(App(claims: claims, entries: said.isEmpty ? ["applinks:\(link.host)"] : said))
    }
    self.apps = apps
  }

  /// Ours: more apps make a world slow, and nobody has them installed together.
  private static let appLimit = 20
  /// Ours: an app has few entries, and each is fetched in every world that is played.
  private static let entryLimit = 50

  /// The entries that can decide about a host; of an app with few, all. The others change nothing about its links.
  private static func near(_ host: String, of entries: [String]) -> [String] {
    guard entries.count > entryLimit else { return entries }
    return Array(
      entries.filter { text in
        guard let domain = readable([AssociatedDomain.mended(text) ?? text]).first else {
          return text.contains(host)
        }
        return domain.covers(host: host) || domain.host == host || host.hasSuffix("." + domain.host)
      }.prefix(entryLimit))
  }

  /// Whether some app is, by `--app` or by a file.
  package private(set) var areKnown = true

  /// Whether a device in developer mode asks the link's host itself and believes any certificate: every entry for the host
  /// has that mode, and the app is a development build (E13).
  package var believesAnyCertificate: Bool {
    let deciding = domains.filter { $0.covers(host: host) }
    return kind == .development && !deciding.isEmpty && deciding.allSatisfy { $0.mode == .developer }
  }

  /// The hosts whose files decide about the link, as the apps that were named claim them: its own, and those of
  /// wildcards that cover it.
  package var deciding: [String] { domains.filter { $0.covers(host: host) }.map { $0.host } }

  private var domains: [AssociatedDomain] { apps.flatMap { Self.readable($0.entries) } }

  private static func readable(_ entries: [String]) -> [AssociatedDomain] {
    entries.compactMap { text in
      do throws(AssociatedDomainProblem) {
        return try AssociatedDomain(asDevicesRead: text)
      } catch {
        return nil
      }
    }
  }

  /// The apps as they are installed.
  ///
  /// - Parameter story: With the files of its hosts.
  /// - Throws: When an app may be one of several that the files name.
  package mutating func identified(in story: Story) throws(LinkspanError) -> [Story.App] {
    let files = files(of: story)
    var result: [Story.App] = []
    for (index, app) in apps.enumerated() {
      let partial = app.claims.partialIdentifier
      let name = app.claims.name
      var identifier: String
      notKnown += app.claims.remarks
      switch partial.resolved(among: Self.readable(app.entries).candidates(in: files)) {
      case .known(let known): identifier = known
      case .assumed(let fitting):
        identifier = fitting
        notKnown.append(
          "the identity of \(name): assumed to be \(fitting), the only matching app in the files; "
            + "\(app.claims.identityGap); '--team' and '--bundle-identifier' set another")
      case .ambiguous(let fitting):
        throw LinkspanError(
          "\(name) may be any of \(fitting.joined(separator: ", ")): \(app.claims.identityGap).",
          help:
            "Say which with '--team' and '--bundle-identifier', or add its Info.plist or profile with '--app'."
        )
      case .unknown:
        identifier = partial.standIn(named: index == 0 ? "app" : "app-\(index + 1)")
        notKnown.append(
          "the application identifier of \(name): \(app.claims.identityGap); the files name no app that matches, so "
            + "'\(identifier)' is used; give it with '--team' and '--bundle-identifier'")
      }
      var build = AppBuild(identifier: identifier, entries: app.entries, kind: kind)
      build.isBrowser = app.claims.entitlements?.isBrowser ?? false
      result.append(.init(name: identifier, build: build))
    }
    guard apps.isEmpty else { return result }
    let assumed = assumed(in: story)
    return assumed.isEmpty ? [standIn()] : assumed
  }

  /// An app that claims the host, where nobody named one and no file does: the host's file decides then.
  private mutating func standIn() -> Story.App {
    let meant = misnamed.flatMap { name, problem in
      problem.kind == .missingPrefix
        ? name : problem.isOfPrefix ? String(name.drop { $0 != "." }.dropFirst()) : nil
    }
    let wanted = PartialIdentifier(prefix: stated.prefix, bundle: stated.bundleIdentifier ?? meant)
    let identifier = wanted.standIn(named: "app")
    areKnown = false
    let none = stated.isEmpty ? "no app" : "no app that fits"
    notKnown.append(
      "which app claims '\(host)': no '--app' was given, and the files name \(none) for it, so '\(identifier)' is "
        + "used"
    )
    return .init(
      name: identifier,
      build: AppBuild(identifier: identifier, entries: ["applinks:\(host)"], kind: kind))
  }

  /// The files that decide about the link; all of the story's when it has none of them.
  private func files(of story: Story) -> [(host: String?, file: AssociationFile)] {
    var bodies: [(host: String, body: [UInt8])] = []
    for (host, site) in story.sites.sorted(by: { $0.key < $1.key }) {
      bodies += site.documents.map { (host, $0.body) }
    }
    for (host, answer) in story.cdnAnswers.sorted(by: { $0.key < $1.key }) {
      bodies.append((host, answer.body))
    }
    let all: [(host: String?, file: AssociationFile)] = bodies.compactMap { host, body in
      AssociationContent(body).file.map { (host, $0) }
    }
    let decisive = Set([host] + deciding)
    let near = all.filter { file in file.host.map(decisive.contains) ?? true }
    return near.isEmpty ? all : near
  }

  /// Without `--app`: every app of the host's file, as if it were installed and claimed the host. A host without a file
  /// has the apps of the nearest host above it, which claim that one alone (E7, E8).
  private mutating func assumed(in story: Story) -> [Story.App] {
    var labels = host.split(separator: ".", omittingEmptySubsequences: false)
    while true {
      let name = labels.joined(separator: ".")
      let apps = assumed(from: name, in: story)
      if !apps.isEmpty || labels.count <= 2 { return apps }
      labels.removeFirst()
    }
  }

  private mutating func assumed(from host: String, in story: Story) -> [Story.App] {
    let bodies =
      (story.sites[host]?.documents ?? []).map { $0.body } + [story.cdnAnswers[host]?.body].compactMap { $0 }
    let wanted = PartialIdentifier(prefix: stated.prefix, bundle: stated.bundleIdentifier)
    var identifiers: [String] = []
    var matching: Set<String> = []
    var seen: Set<String> = []
    var work = WorkBudget.decision
    var unusable: [(name: String, problem: ApplicationIdentifierProblem)] = []
    for body in bodies {
      guard let file = AssociationContent(body).file else { continue }
      let matcher = AssociationMatcher(file)
      for app in matcher.applicationsOfAnyRelease
      where (stated.isEmpty || wanted.fits(app)) && seen.insert(app).inserted {
        do throws(ApplicationIdentifierProblem) { _ = try ApplicationIdentifier(app) } catch {
          unusable.append((app, error))
          continue
        }
        identifiers.append(app)
        let decision = matcher.decide(link, app: app, host: .exactly(host), &work)
        if decision.verdict == .match { matching.insert(app) }
      }
    }
    if let first = unusable.first {
      misnamed = misnamed ?? first
      let others = unusable.count > 1 ? ", the first of \(unusable.count) names that identify no app" : ""
      notKnown.append("which app the file of '\(host)' means by '\(first.name)'\(others): \(first.problem)")
    }
    if identifiers.count > Self.appLimit {
      let first = identifiers.filter(matching.contains) + identifiers.filter { !matching.contains($0) }
      let kept = Set(first.prefix(Self.appLimit))
      notKnown.append(
        "what changes when more than \(Self.appLimit) of the \(identifiers.count) apps of '\(host)' are installed: those "
          + "that its file matches the link with come first, and '--app' names others")
      identifiers = identifiers.filter(kept.contains)
    }
    if !identifiers.isEmpty {
      let which = stated.isEmpty ? "all of its file" : "those of its file that fit"
      let limit = host == self.host ? "" : ", with no claim of '\(self.host)', which has no file"
      notKnown.append(
        "which apps are installed and claim '\(host)': no '--app' was given, and \(which) are assumed\(limit)"
      )
    }
    return identifiers.map {
      .init(name: $0, build: AppBuild(identifier: $0, entries: ["applinks:\(host)"], kind: kind))
    }
  }
}
