internal import AppBundle
internal import AppSiteAssociation
internal import AssociationDelivery
internal import LinkspanCore
internal import LinkspanSimulator

/// The question as a person asked it: the world, and what can't be known of it.
struct ExplainWorld {
  let situation: Situation
  private(set) var notKnown: [String]
  /// Where in a story the question is asked; nil for a world of its own.
  let remark: String?

  init(_ arguments: Arguments, link: String, way: WayOfFollowing?, console: Console) throws(CommandError) {
    if let path = arguments.value("--story") {
      let moment = try StoryMoment(try StoryFile(path, console), arguments, link: link)
      situation = Situation(
        moment.story, device: moment.device, link: link, way: way ?? moment.way, after: moment.steps)
      remark = moment.remark
      notKnown = ["whether the real network is as the story tells it"]
      return
    }
    remark = nil
    (situation, notKnown) = try Self.ownWorld(arguments, link: link, way: way ?? .messages, console: console)
  }

  // MARK: - A world of sites and apps

  private static func ownWorld(
    _ arguments: Arguments, link: String, way: WayOfFollowing, console: Console
  ) throws(CommandError) -> (Situation, [String]) {
    let host = LinkURL(link).host
    let site = try SiteReader(
      arguments.all("--site"), host: arguments.value("--host").map { ASCII.lowercased($0) })
    if let name = site.names.first, !arguments.has("--live") {
      throw CommandError(
        "'\(name.host)' is a host, and hosts are asked with '--live' only.",
        help: "Add '--live', or name its file or folder.")
    }
    guard !arguments.all("--site").isEmpty || arguments.has("--live") else {
      throw arguments.usage("'--site', '--live' or '--story' is missing")
    }
    var story = Story(name: "explain", start: WallTime(milliseconds: 0))
    var documents: [String: [Site.Document]] = [:]
    for file in site.files {
      documents[file.host ?? host, default: []].append(
        .init(path: (file.location ?? .wellKnown).rawValue, body: file.source.bytes))
    }
    // A host without a file still has a server.
    for empty in site.emptyHosts { documents[empty] = documents[empty] ?? [] }
    story.sites = documents.mapValues { Site($0) }
    var notKnown = [
      "what the user of a device once chose there (section 10 row 6)",
      "what a device has stored already: it looks again about weekly (V2, V3)",
    ]
    story.apps = try apps(arguments, host: host, notKnown: &notKnown)
    if arguments.has("--live") {
      let survey = try LiveSurvey(
        hosts: [host] + site.names.map(\.host) + story.apps.flatMap { parents(of: $0.build, covering: host) },
        arguments)
      survey.teach(&story)
      notKnown += survey.notKnown
    } else {
      notKnown.append(
        "how the files are served, by status, redirects, certificate and filters, and what Apple's CDN has: '--live' asks"
      )
    }
    if story.apps.isEmpty { story.apps = assumedApps(in: story, host: host, arguments, notKnown: &notKnown) }
    var traits = DeviceTraits(
      name: "device", os: try OSVersion.read(arguments.value("--os") ?? "ios:26.0"),
      isDeveloper: arguments.has("--developer"), isManaged: arguments.has("--managed"))
    traits.name = traits.os.description
    story.devices = [traits]
    story.script = [
      StoryStep(.install(apps: Array(story.apps.indices), devices: [0]), at: .init(file: story.name))
    ]
    return (Situation(story, device: 0, link: link, way: way), notKnown)
  }

  private static func kind(_ arguments: Arguments, notKnown: inout [String]) throws(CommandError) -> BuildKind
  {
    guard let word = arguments.value("--build") else {
      notKnown.append("how the app was signed: an App Store build is assumed (E13)")
      return .appStore
    }
    if let kind = BuildKind(rawValue: word) { return kind }
    let known = BuildKind.allCases.map(\.rawValue).joined(separator: ", ")
    throw arguments.usage("'\(word)' is no kind of build; there are \(known)")
  }

  private static func apps(
    _ arguments: Arguments, host: String, notKnown: inout [String]
  ) throws(CommandError) -> [Story.App] {
    let kind = try kind(arguments, notKnown: &notKnown)
    var apps: [Story.App] = []
    for text in arguments.all("--app") {
      if try FileReader.kind(of: text) == .missing {
        do throws(ApplicationIdentifierProblem) {
          let identifier = try ApplicationIdentifier(text).description
          let claims = arguments.all("--claims")
          if claims.isEmpty {
            notKnown.append(
              "whether \(identifier) claims '\(host)': no entitlements were given, and it is assumed")
          }
          apps.append(
            .init(
              name: identifier,
              build: AppBuild(
                identifier: identifier, entries: claims.isEmpty ? ["applinks:\(host)"] : claims, kind: kind)))
        } catch {
          throw CommandError(
            "there is no file '\(text)', and it is no application identifier.", help: error.help)
        }
        continue
      }
      guard let claims = try AppReader.read([text]).first, let identifier = claims.applicationIdentifier()
      else {
        throw CommandError(
          "'\(text)' does not say by which identifier a file has to name the app.",
          help: "Name the app by its identifier, and what it claims with '--claims'.")
      }
      let entries = claims.entitlements?.associatedDomains?.map(\.text) ?? []
      var build = AppBuild(identifier: identifier.description, entries: entries, kind: kind)
      build.isBrowser = claims.entitlements?.isBrowser ?? false
      apps.append(.init(name: identifier.description, build: build))
    }
    return apps
  }

  /// Without `--app`: every app of the host's file, as if it were installed and claimed the host.
  private static func assumedApps(
    in story: Story, host: String, _ arguments: Arguments, notKnown: inout [String]
  ) -> [Story.App] {
    let kind = arguments.value("--build").flatMap { BuildKind(rawValue: $0) } ?? .appStore
    let bodies =
      (story.sites[host]?.documents ?? []).map(\.body) + [story.cdnAnswers[host]?.body].compactMap(\.self)
    var identifiers: [String] = []
    for body in bodies {
      guard let file = AssociationContent(body).file else { continue }
      for app in AssociationMatcher(file).applicationsOfAnyRelease where !identifiers.contains(app) {
        identifiers.append(app)
      }
    }
    if !identifiers.isEmpty {
      notKnown.append(
        "which apps are installed and claim '\(host)': no '--app' was given, and all of its file are assumed")
    }
    return identifiers.map {
      .init(name: $0, build: AppBuild(identifier: $0, entries: ["applinks:\(host)"], kind: kind))
    }
  }

  /// The hosts whose files wildcards of an app read for a host.
  private static func parents(of build: AppBuild, covering host: String) -> [String] {
    build.entries.compactMap { text in
      do throws(AssociatedDomainProblem) {
        let domain = try AssociatedDomain(text)
        return domain.covers(host: host) ? domain.host : nil
      } catch {
        return nil
      }
    }
  }
}

/// The moment of a story at which a link is explained, and the device.
private struct StoryMoment {
  let story: Story
  let device: Int
  let way: WayOfFollowing
  /// How many steps of the script come before it; nil for all.
  let steps: Int?
  let remark: String

  init(_ file: StoryFile, _ arguments: Arguments, link: String) throws(CommandError) {
    var story = file.story
    if let seed: UInt64 = try arguments.number("--seed", atLeast: 0) { story.seed = seed }
    self.story = story
    guard !story.devices.isEmpty else { throw CommandError("the story '\(file.path)' has no device.") }
    let result: SimulationResult
    do throws(SimulationError) {
      result = try Simulation.run(story)
    } catch {
      throw CommandError("'\(file.path)': \(error)")
    }
    var named: Int?
    if let name = arguments.value("--device") { named = try file.device(name) }
    let asked = try file.moment(arguments.value("--at"))
    let isAsked = arguments.has("--at")
    let taps = result.taps.filter { tap in
      tap.row.link == link && (named.map { story.devices[$0].name == tap.row.device.name } ?? true)
        && (!isAsked || tap.step < asked ?? Int.max)
    }
    let decisive = taps.last { $0.row.verdict.app == nil } ?? taps.last
    device =
      named ?? decisive.flatMap { tap in story.devices.firstIndex { $0.name == tap.row.device.name } } ?? 0
    way = decisive?.row.way ?? .messages
    steps = isAsked ? asked : decisive?.row.verdict.app == nil ? decisive.map { $0.step + 1 } : nil
    let count = story.script.count
    var remark = "\(file.path), device \(story.devices[device].name), "
    remark += steps.map { "after step \($0) of \(count)" } ?? "at the end"
    if !isAsked, steps != nil { remark += ", the last time it opened no app; '--at end' asks at the end" }
    self.remark = remark
  }
}
