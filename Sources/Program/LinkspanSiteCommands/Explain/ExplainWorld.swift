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
      let moment = try StoryMoment(path, arguments, link: link, console)
      situation = moment.situation(link: link, way: way)
      remark = moment.remark
      silence = nil
      survey = nil
      apps = nil
      notKnown = ["whether the real network is as the story describes it"] + moment.story.assumptions
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
    let site = try SiteReader(arguments.all("--site"), host: named, isProject: true)
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
    var apps = try ExplainApps(
      arguments, link: LinkURL(written: link), among: site.files.map { $0.source })
    for finding in apps.clipFindings { console.note(finding.text()) }
    var survey: LiveSurvey?
    if arguments.has("--live") {
      let endpoint = try HostSurvey.endpoint(arguments)
      let believesAnyone = arguments.has("--developer") && apps.believesAnyCertificate
      let fetcher = try HostSurvey.fetcher(arguments, trust: believesAnyone ? .anyone : arguments.trust())
      let cdn = endpoint == .apple ? try HostSurvey.fetcher(arguments, trust: .system) : fetcher
      let asked = try LiveSurvey(
        hosts: [host] + site.names.map { $0.host } + apps.deciding, site: fetcher, cdn: cdn,
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
