import LinkspanCore
import LinkspanStories
import PushDelivery
import SimulatedDevices

/// What may happen to a push. Only events and steps are looked at, never the device that made them.
extension Invariant {
  static let pushes: [Invariant] = [
    Invariant(
      "one-fate-a-push",
      "Each push to a device ends exactly once: it is refused, discarded, dropped, delivered, or wakes the app; "
        + "until then it waits.", rules: ["push 7.12", "push 7.13", "push 7.4"], .documented
    ) { FateWatcher() },
    Invariant(
      "no-handler-twice",
      "The handler of an app gets a push once, only the push that woke it, and once more for a tap on its notification.",
      rules: ["push 7.1", "push 7.5", "push 7.7"], .documented
    ) { HandlerWatcher() },
    Invariant(
      "force-quit-means-asleep",
      "After the user force-quit an app, no push wakes it until the user opens it or restarts the device.",
      rules: ["push 7.6"], .documented
    ) { ForceQuitWatcher() },
  ]

  private struct Key: Hashable {
    var device: String
    var push: Int
  }

  private static let waits: [DeliveryEvent.Kind] = [.stored, .held]

  /// What an event says of a push.
  private struct Told {
    var key: Key
    var kind: DeliveryEvent.Kind
    /// The device and the app.
    var place: String

    /// - Returns: nil for an event that is about no push.
    init?(_ event: Event) {
      guard case .delivery(let delivery, let app)? = event.what as? PushHappening, delivery.push > 0 else {
        return nil
      }
      key = Key(device: event.party, push: delivery.push)
      kind = delivery.kind
      place = event.party + " " + app
    }
  }

  private struct FateWatcher: InvariantWatcher {
    private var ended: Set<Key> = []
    /// What waits, by where it does.
    private var waiting: [DeliveryEvent.Kind: [String: Set<Key>]] = [:]

    mutating func problems(_ step: StepRecord) -> [String] {
      var problems: [String] = []
      let all = step.events.compactMap(Told.init)
      for told in all {
        let (key, kind, place) = (told.key, told.kind, told.place)
        let what = "push \(key.push) on \(key.device)"
        if kind.isFate {
          if !ended.insert(key).inserted { problems.append("\(what) ends a second time: \(kind.rawValue)") }
          for wait in waits { waiting[wait]?[place]?.remove(key) }
        } else if waits.contains(kind) {
          if ended.contains(key) { problems.append("\(what) waits after its end") }
          for wait in waits { waiting[wait]?[place]?.remove(key) }
          waiting[kind, default: [:]][place, default: []].insert(key)
        }
      }
      for (kind, places) in waiting.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        for (place, keys) in places.sorted(by: { $0.key < $1.key }) where keys.count > 1 {
          problems.append("\(keys.count) pushes of \(place) are in the state \(kind.rawValue)")
        }
      }
      if case .push(.send(let sending)) = step.action {
        let devices = Set(all.map(\.key.device))
        for place in sending.devices where !devices.contains(step.story.devices[place].name) {
          problems.append("nothing happened to the push on \(step.story.devices[place].name)")
        }
      }
      return problems
    }
  }

  private struct HandlerWatcher: InvariantWatcher {
    private var woken: Set<Key> = []
    /// Handlers that run: one after the wake, and one more after each tap on the push's notification.
    private var running: [Key: Int] = [:]

    mutating func problems(_ step: StepRecord) -> [String] {
      var problems: [String] = []
      for told in step.events.compactMap(Told.init) {
        let key = told.key
        let what = "push \(key.push) on \(key.device)"
        switch told.kind {
        case .woke:
          if !woken.insert(key).inserted { problems.append("\(what) woke its app twice") }
          running[key, default: 0] += 1
        case .calledAgain: running[key, default: 0] += 1
        case .finished, .killed:
          running[key, default: 0] -= 1
          if running[key] == -1 { problems.append("a handler of \(what) ended that nothing had begun") }
        default: break
        }
      }
      return problems
    }
  }

  private struct ForceQuitWatcher: InvariantWatcher {
    /// Bundle identifiers, which are what a device tells apps apart by, each with its device.
    private var asleep: Set<String> = []

    mutating func problems(_ step: StepRecord) -> [String] {
      func places(_ apps: [Int], _ devices: [Int]) -> Set<String> {
        Set(
          devices.flatMap { device in
            apps.map { place(step.story.devices[device].name, step.story.apps[$0].build.identifier) }
          })
      }
      switch step.action {
      case .launch(let apps, let devices), .reinstall(let apps, let devices), .delete(let apps, let devices):
        asleep.subtract(places(apps, devices))
      case .reboot(let devices): asleep.subtract(places(Array(step.story.apps.indices), devices))
      case .push(.app(let change)):
        if change.tapsNotification || change.life.map({ $0 != .forceQuit }) == true {
          asleep.subtract(places([change.app], change.devices))
        }
      default: break
      }
      let problems = step.events.compactMap { event -> String? in
        guard case .delivery(let delivery, let app)? = event.what as? PushHappening,
          delivery.kind == .woke || delivery.kind == .fetched, asleep.contains(place(event.party, app))
        else { return nil }
        return "\(app) was woken on \(event.party) after a force-quit"
      }
      if case .push(.app(let change)) = step.action, change.life == .forceQuit {
        asleep.formUnion(places([change.app], change.devices))
      }
      return problems
    }

    private func place(_ device: String, _ identifier: String) -> String {
      device + " " + AppBuild(identifier: identifier, entries: []).bundleIdentifier
    }
  }
}
