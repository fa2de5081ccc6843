internal import AppSiteAssociation
internal import AssociationDelivery
internal import HTTPTransport
package import LinkExplanation
package import LinkspanCommand
package import LinkspanCore
internal import LinkspanSimulator
package import LinkspanStandIns
import LinkspanStories
package import SimulatedDevices
internal import SiteInput

/// The question as a person asked it: the world, and what can't be known of it.
package struct ExplainWorld {
  package let situation: Situation
  package private(set) var notKnown: [String]
  /// Where in a story the question is asked; nil for a world of its own.
  let remark: String?
  /// With `--live`: what the hosts left unanswered.
  let silence: LiveSilence?
  /// With `--live`: what the hosts and Apple's CDN answered.
  package let survey: LiveSurvey?
  /// What `--app` named; nil in a story.
  package let apps: ExplainApps?

  package init(_ arguments: Arguments, link: String, way: WayOfFollowing?, console: Console)
    throws(LinkspanError)
  {
    if let path = arguments.value("--story") {
      let file = try StoryFile(path, console)
      let moment = try StoryMoment(file, arguments, link: link)
      situation = Situation(
        moment.story, device: moment.device, link: link, way: way ?? moment.way, after: moment.steps)
      remark = moment.remark
      silence = nil
      survey = nil
      apps = nil
      notKnown = ["whether the real network is as the story describes it"] + file.story.assumptions
      return
    }
    remark = nil
    let world = try OwnWorld(arguments, link: link, way: way ?? .messages, console: console)
    situation = world.situation
    notKnown = world.notKnown
    survey = world.survey
    apps = world.apps
    silence = world.silence
  }
}

/// A world of sites and apps that were named one by one.
private struct OwnWorld {
  let situation: Situation
  let notKnown: [String]
  let silence: LiveSilence?
  let survey: LiveSurvey?
  let apps: ExplainApps

  init(_ arguments: Arguments, link: String, way: WayOfFollowing, console: Console) throws(LinkspanError) {
    let host = LinkURL(written: link).host
    let named = try arguments.host()
    let site = try SiteReader(arguments.all("--site"), host: named)
    if let name = site.names.first, !arguments.has("--live") {
      throw LinkspanError(
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
    var apps = try ExplainApps(arguments, link: LinkURL(written: link))
    for finding in apps.clipFindings { console.note(finding.text()) }
    var survey: LiveSurvey?
    if arguments.has("--live") {
      let endpoint = try HostSurvey.endpoint(arguments)
      let believesAnyone = arguments.has("--developer") && apps.believesAnyCertificate
      let fetcher = try HostSurvey.fetcher(arguments, trust: believesAnyone ? .anyone : arguments.trust())
      let cdn = endpoint == .apple ? try HostSurvey.fetcher(arguments, trust: .system) : fetcher
      let asked = try LiveSurvey(
        hosts: [host] + site.names.map(\.host) + apps.deciding, site: fetcher, cdn: cdn,
        endpoint: endpoint)
      asked.teach(&story)
      notKnown += asked.notKnown
      survey = asked
    } else {
      notKnown.append(
        "how the files are served, by status, redirects, certificate and filters, and what Apple's CDN has: '--live' asks"
      )
    }
    story.apps = try apps.identified(in: story)
    notKnown += apps.notKnown
    var traits = DeviceTraits(
      name: "device", os: try OSVersion.read(arguments.value("--os") ?? "ios:26.0"),
      isDeveloper: arguments.has("--developer"), isManaged: arguments.has("--managed"))
    traits.name = traits.os.description
    story.devices = [traits]
    story.script = [
      StoryStep(.install(apps: Array(story.apps.indices), devices: [0]), at: .init(file: story.name))
    ]
    silence = survey.map {
      LiveSilence($0, host: host, deciding: apps.deciding, areAppsKnown: apps.areKnown, on: traits.os)
    }
    situation = Situation(story, device: 0, link: link, way: way)
    self.notKnown = notKnown
    self.survey = survey
    self.apps = apps
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

  init(_ file: StoryFile, _ arguments: Arguments, link: String) throws(LinkspanError) {
    var story = file.story
    if let seed: UInt64 = try arguments.number("--seed", atLeast: 0) { story.seed = seed }
    self.story = story
    guard !story.devices.isEmpty else { throw LinkspanError("the story '\(file.path)' has no device.") }
    let result: SimulationResult
    do throws(SimulationError) {
      result = try Simulation.run(story)
    } catch {
      throw LinkspanError("'\(file.path)': \(error)")
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
