import AppSiteAssociation
import LinkspanCore

/// What a device has and knows between two steps.
struct DeviceSnapshot: Sendable {
  var traits: DeviceTraits
  /// What is installed, by identifier.
  var apps: [AppBuild]
  /// In the order of app and entry.
  var records: [AssociationRecord]

  func record(_ key: AssociationRecord.Key) -> AssociationRecord? { records.first { $0.key == key } }

  /// The entries of the installed apps that can be read, each with its build.
  var claims: [(build: AppBuild, domain: AssociatedDomain)] {
    apps.flatMap { Self.claims($0, on: traits) }
  }

  /// The entries of an app, and those that management adds (E17).
  static func claims(
    _ build: AppBuild, on traits: DeviceTraits
  ) -> [(build: AppBuild, domain: AssociatedDomain)] {
    (build.entries + (traits.managedEntries[build.identifier] ?? [])).compactMap { text in
      // What can't be read claims nothing.
      guard let domain = try? AssociatedDomain(text), domain.service == .applinks else { return nil }
      return (build, domain)
    }
  }
}

/// One step of a run with what was before and after: all that an invariant looks at.
struct Moment: Sendable {
  struct Tap: Sendable {
    /// The place of the device in the story.
    var device: Int
    var link: LinkURL
    var way: WayOfFollowing
    var verdict: LinkVerdict
  }

  var story: Story
  /// From 0.
  var step: Int
  var action: StoryStep.Action
  var began: Duration
  /// What the trace says of the step.
  var events: [Event] { didSet { eventsOfParty = Dictionary(grouping: events, by: \.party) } }
  /// In the order they began.
  var exchanges: [Exchange] {
    didSet { exchangesOfAsker = Dictionary(grouping: exchanges, by: \.party) }
  }
  var taps: [Tap]
  var before: [DeviceSnapshot]
  var after: [DeviceSnapshot]
  /// Every body that a host has published so far, at any place.
  var published: [String: [[UInt8]]]
  /// How the network treats the hosts during the step.
  var facts: [String: HostFacts]
  private var eventsOfParty: [String: [Event]]
  private var exchangesOfAsker: [String: [Exchange]]

  init(
    story: Story, step: Int, action: StoryStep.Action, began: Duration, events: [Event],
    exchanges: [Exchange], taps: [Tap], before: [DeviceSnapshot], after: [DeviceSnapshot],
    published: [String: [[UInt8]]], facts: [String: HostFacts]
  ) {
    self.story = story
    self.step = step
    self.action = action
    self.began = began
    self.events = events
    self.exchanges = exchanges
    self.taps = taps
    self.before = before
    self.after = after
    self.published = published
    self.facts = facts
    eventsOfParty = Dictionary(grouping: events, by: \.party)
    exchangesOfAsker = Dictionary(grouping: exchanges, by: \.party)
  }

  /// The devices that an app was put on, taken from or put on anew, with its identifiers.
  var changedApps: (identifiers: Set<String>, devices: Set<Int>) {
    switch action {
    case .install(let apps, let devices), .update(let apps, let devices), .reinstall(let apps, let devices),
      .delete(let apps, let devices):
      (Set(apps.map { story.apps[$0].build.identifier }), Set(devices))
    default: ([], [])
    }
  }

  func exchanges(of device: Int) -> [Exchange] { exchangesOfAsker[before[device].traits.name] ?? [] }

  func events(_ kind: String, of party: String) -> [Event] {
    (eventsOfParty[party] ?? []).filter { $0.kind == kind }
  }

  /// Records that were there before and still are, of apps that were left alone.
  func kept(_ device: Int) -> [(before: AssociationRecord, after: AssociationRecord)] {
    let changed = changedApps
    let isTouched = changed.devices.contains(device)
    return before[device].records.compactMap { old in
      if isTouched, changed.identifiers.contains(old.app) { return nil }
      return after[device].record(old.key).map { (old, $0) }
    }
  }
}
