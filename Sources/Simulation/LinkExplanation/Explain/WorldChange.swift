import AppSiteAssociation
package import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// One thing that somebody could change in the world of a question.
package struct WorldChange: Sendable, HasProvenance {
  /// Who has to act.
  package enum Actor: String, Hashable, Sendable, CaseIterable {
    case user
    /// Whoever puts the link where it is followed.
    case linkAuthor = "link"
    case app
    case site
    case network
    case administrator
  }

  enum Edit: Sendable {
    case way(WayOfFollowing)
    case link(String)
    case release(OSVersion)
    case developerMode
    case management
    /// A new build of the app of that identifier.
    case build(AppBuild)
    case install(app: Int)
    case launch(app: Int)
    case reinstall(app: Int)
    case delete(app: Int)
    case site(host: String, Site)
    case heal(host: String, NetworkFact)
    case choose(browser: Bool, host: String)
    /// Until every re-check has come.
    case wait
  }

  package var who: [Actor]
  /// What they do, as a sentence without full stop.
  package var what: String
  package var rules: [String]
  package var certainty: Certainty
  /// Of the changes of one family the first that turns the answer is enough.
  var family: String
  /// Two changes of one target do not go together.
  var target: String
  var edits: [Edit]

  init(
    _ who: [Actor], _ what: String, rules: [String], _ certainty: Certainty = .documented,
    family: String? = nil,
    target: String, _ edits: [Edit]
  ) {
    self.who = who
    self.what = what
    self.rules = rules
    self.certainty = certainty
    self.family = family ?? what
    self.target = target
    self.edits = edits
  }

  /// Whether devices see it only after they have looked again.
  package var needsNewLook: Bool {
    edits.contains { edit in
      switch edit {
      case .site, .heal, .build, .install: true
      default: false
      }
    }
  }

  /// Who has to act, for people: "app and user".
  package var whoWords: String { who.map { $0.rawValue }.joined(separator: " and ") }
}

/// One thing about a host that is out of the ordinary in the network.
enum NetworkFact: Hashable, Sendable, CaseIterable {
  case drops, forbids, regions, privateAddress, unresolvable, down, certificate, latency

  /// - Returns: nil when nothing is out of the ordinary there.
  func healed(_ facts: HostFacts) -> HostFacts? {
    var healed = facts
    let healthy = HostFacts()
    switch self {
    case .drops: healed.drops = healthy.drops
    case .forbids: healed.forbids = healthy.forbids
    case .regions:
      healed.regions = healthy.regions
      healed.elsewhere = healthy.elsewhere
    case .privateAddress: healed.privateAddress = healthy.privateAddress
    case .unresolvable: healed.isUnresolvable = healthy.isUnresolvable
    case .down: healed.isDown = healthy.isDown
    case .certificate: healed.certificate = healthy.certificate
    case .latency: healed.latency_ms = healthy.latency_ms
    }
    return healed == facts ? nil : healed
  }
}

extension Situation {
  /// V2: a re-check comes within five days; the CDN's copies do not live that long.
  private static let untilEveryCheck: Duration = .seconds(6 * 86_400)

  /// The same question in a world where these things were changed.
  package func applying(_ changes: [WorldChange]) -> Situation {
    var copy = self
    for edit in changes.flatMap({ $0.edits }) { copy.apply(edit) }
    if changes.contains(where: { $0.needsNewLook }) { copy.apply(.wait) }
    return copy
  }

  private mutating func apply(_ edit: WorldChange.Edit) {
    switch edit {
    case .way(let way): self.way = way
    case .link(let link): self.link = link
    case .release(let os): story.devices[device].os = os
    case .developerMode: story.devices[device].isDeveloper = true
    case .management: story.devices[device].isManaged = true
    case .build(let build):
      let name =
        story.apps.first { $0.build.identifier == build.identifier }?.name ?? build.identifier
      story.apps.append(.init(name: name, build: build))
      add(.update(apps: [story.apps.count - 1], devices: [device]))
    case .install(let app): add(.install(apps: [app], devices: [device]))
    case .launch(let app): add(.launch(apps: [app], devices: [device]))
    case .reinstall(let app): add(.reinstall(apps: [app], devices: [device]))
    case .delete(let app): add(.delete(apps: [app], devices: [device]))
    case .site(let host, let site): add(.deploy([host: site]))
    case .heal(let host, let fact):
      if let healed = fact.healed(network[host] ?? HostFacts()) { add(.network([host: healed])) }
    case .choose(let browser, let host): add(.choose(browser: browser, host: host, devices: [device]))
    case .wait: add(.wait(Self.untilEveryCheck))
    }
  }

  private mutating func add(_ action: StoryStep.Action) {
    story.script.append(StoryStep(action, at: .init(file: story.name)))
  }
}
