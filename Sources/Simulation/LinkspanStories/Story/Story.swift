internal import AssociationDelivery
package import LinkspanCore
package import SimulatedDevices

/// A story that was read: who is there, and what happens to them.
package struct Story: Sendable {
  /// The name of the file it is from.
  package var name: String
  /// What the comment at the top of the file says, on one line; nil without one.
  package var comment: String?
  /// Decides every delay and fault; a caller may run the story with another.
  package var seed: UInt64
  /// The wall-clock time at which virtual time 0 is.
  package var start: WallTime
  /// By host: what each publishes at the start; `deploy` steps change it.
  package var sites: [String: Site]
  /// By host: how the network treats it at the start; hosts without an entry are healthy.
  package var network: [String: HostFacts]
  /// Steps refer to apps by their place here, so an update is an app of its own.
  package var apps: [App]
  /// Steps refer to devices by their place here.
  package var devices: [DeviceTraits]
  /// Every link of the story, each once: those of `links`, then those that only a step names.
  package var links: [String]
  package var script: [StoryStep]
  /// What Apple's CDN holds when it begins, by host; a host that is not here is crawled when it is asked for.
  package var cdnAnswers: [String: HTTPResponse] = [:]
  /// What messages call the CDN that those are of.
  package var cdnName = CDNEndpoint.apple.name
  package var cdnSwitches = CDNSwitches()
  package var deviceSwitches = DeviceSwitches()
  package var faults = FaultOptions()
  /// More events end the run with ``SimulationError/Kind/tooManyEvents(limit:)``.
  package var eventLimit = StoryLimits().events
  /// A PEM text of the certificate authorities that devices trust for signed files; empty for none.
  package var authorities: [UInt8] = []
  /// Steps refer to clips by their place here.
  package var clips: [Clip] = []
  /// What was assumed of apps whose files don't say their identifier, a sentence each without its full stop.
  package var assumptions: [String] = []
  /// What is most likely a mistake and keeps the story from nothing, in the order of their places.
  package var warnings: [Finding] = []

  /// An app by the name that the story uses.
  package struct App: Hashable, Sendable {
    /// What the story calls it.
    package var name: String
    package var build: AppBuild
    /// What it says of pushes; nil when it has nothing to do with them.
    package var push: AppPush?
    package var continuity = AppContinuity()

    package init(name: String, build: AppBuild) {
      self.name = name
      self.build = build
    }
  }

  package init(
    name: String, seed: UInt64 = 1, start: WallTime, sites: [String: Site] = [:],
    network: [String: HostFacts] = [:], apps: [App] = [], devices: [DeviceTraits] = [], links: [String] = [],
    script: [StoryStep] = []
  ) {
    self.name = name
    self.seed = seed
    self.start = start
    self.sites = sites
    self.network = network
    self.apps = apps
    self.devices = devices
    self.links = links
    self.script = script
  }
}

/// One step of the script.
package struct StoryStep: Sendable {
  package var action: Action
  /// Where it stands in the file.
  package var location: Finding.Location

  package init(_ action: Action, at location: Finding.Location) {
    self.action = action
    self.location = location
  }

  /// Devices, links and apps are named by their place in the story.
  package enum Action: Sendable {
    case install(apps: [Int], devices: [Int])
    case update(apps: [Int], devices: [Int])
    case reinstall(apps: [Int], devices: [Int])
    case delete(apps: [Int], devices: [Int])
    case launch(apps: [Int], devices: [Int])
    case tap(links: [Int], way: WayOfFollowing, devices: [Int], expectations: [Expectation])
    case wait(Duration)
    case deploy([String: Site])
    case network([String: HostFacts])
    case choose(browser: Bool, host: String, devices: [Int])
    case reboot(devices: [Int])
    case expect([Expectation])
    case push(PushStep)
    case continuity(ContinuityStep)
    case clip(ClipStep)
  }

  /// The key that makes a step this one.
  package static let verbs =
    [
      "install", "update", "reinstall", "delete", "launch", "tap", "wait", "deploy", "network", "choose",
      "reboot",
      "expect",
    ] + PushStep.verbs + ContinuityStep.verbs + ClipStep.verbs
}

/// What the last tap of some links on some devices should have done.
package struct Expectation: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// Whatever no app gets.
    case browser
    /// An app may open or not: no source settles it.
    case unknown
    /// The app of this identifier; the story calls it by the name.
    case app(identifier: String, name: String)
  }

  package var opens: Outcome
  package var links: [Int]
  package var devices: [Int]
  /// `entry/rule`, both from 0.
  package var rule: String?
  /// The host of the entry that decides, as in `*.example.com`.
  package var by: String?
  package var step: LinkVerdict.Step?
  package var location: Finding.Location
}
