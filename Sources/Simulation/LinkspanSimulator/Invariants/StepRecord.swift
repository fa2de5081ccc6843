import AppSiteAssociation
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// One step of a run with what was before and after: all that an invariant looks at.
struct StepRecord: Sendable {
  struct Tap: Sendable {
    /// The place of the device in the story.
    var device: Int
    var link: LinkURL
    var way: WayOfFollowing
    var verdict: LinkVerdict
  }

  var story: Story
  /// From 0.
  var index: Int
  var action: StoryStep.Action
  var began: Duration
  /// What the trace says of the step.
  var events: [Event] { didSet { eventsOfParty = Dictionary(grouping: events, by: \.party) } }
  /// In the order they began.
  var exchanges: [Exchange] {
    didSet { exchangesOfClient = Dictionary(grouping: exchanges, by: \.party) }
  }
  var taps: [Tap]
  var before: [DeviceSnapshot]
  var after: [DeviceSnapshot]
  /// Every body that a host has published so far, at any place.
  var published: [String: [[UInt8]]]
  /// How the network treats the hosts during the step.
  var facts: [String: HostFacts]
  private var eventsOfParty: [String: [Event]]
  private var exchangesOfClient: [String: [Exchange]]

  init(
    story: Story, index: Int, action: StoryStep.Action, began: Duration, events: [Event],
    exchanges: [Exchange], taps: [Tap], before: [DeviceSnapshot], after: [DeviceSnapshot],
    published: [String: [[UInt8]]], facts: [String: HostFacts]
  ) {
    self.story = story
    self.index = index
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
    exchangesOfClient = Dictionary(grouping: exchanges, by: \.party)
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

  func exchanges(of device: Int) -> [Exchange] { exchangesOfClient[before[device].traits.name] ?? [] }

  func events(of party: String) -> [Event] { eventsOfParty[party] ?? [] }

  /// Those that something happened to, in order of their names.
  var parties: [String] { eventsOfParty.keys.sorted() }

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
