/// Which deliveries are one arrival: the same place by two roads, for one scene, within one moment of the life cycle.
struct ArrivalIdentity: Sendable {
  /// By which door of the app something came.
  struct Door: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case url
      case webURL
      case web
      case clip
      case activity(String)
    }

    var road: DeliveryRoad
    var kind: Kind
  }

  struct Delivery: Sendable {
    /// The place, or what stands for it: the same for each road of one arrival.
    var key: String
    var door: Door
    var scene: String?
  }

  private struct Known: Sendable {
    var number: Int
    var key: String
    var doors: Set<Door>
    var scene: String?
    var first: Duration
    /// When further deliveries are arrivals of their own; nil until the app, or the scene, becomes active.
    var end: Duration?
    /// Whether the end is a guess, made because nobody tells of the life cycle.
    var isGuessed = false
    var outcome: ArrivalOutcome
  }

  private enum Phase: Sendable { case inactive, active }

  /// A second after the app became active its deliveries are over; what comes later is a new tap.
  static let settling = Duration.seconds(1)
  /// Our choice, for apps that tell nothing of their life cycle: iOS ends an app that takes longer to launch.
  static let longestLaunch = Duration.seconds(20)
  /// Our choice: arrivals remembered at once.
  private static let limit = 64

  private var known: [Known] = []
  private var count = 0
  private var app: Phase?
  private var scenes: [String: Phase] = [:]
  private var isReady = false
  private var isObserved = false

  // MARK: - Deliveries

  /// The arrival of which this delivery is a further one; nil for the first.
  mutating func earlier(_ delivery: Delivery, at now: Duration) -> (number: Int, outcome: ArrivalOutcome)? {
    known = known.filter { isOpen($0, at: now) }
    let place = known.firstIndex { arrival in
      arrival.key == delivery.key && !arrival.doors.contains(delivery.door)
        && (arrival.scene == nil || delivery.scene == nil || arrival.scene == delivery.scene)
    }
    guard let place else { return nil }
    known[place].doors.insert(delivery.door)
    known[place].scene = known[place].scene ?? delivery.scene
    return (known[place].number, known[place].outcome)
  }

  /// Remembers a first delivery.
  ///
  /// - Returns: The arrival's number.
  mutating func add(_ delivery: Delivery, _ outcome: ArrivalOutcome, at now: Duration) -> Int {
    count += 1
    var arrival = Known(
      number: count, key: delivery.key, doors: [delivery.door], scene: delivery.scene, first: now,
      outcome: outcome)
    let phase = phase(of: delivery.scene)
    if phase == .active || phase == nil && !isObserved && isReady {
      arrival.end = now + Self.settling
      arrival.isGuessed = phase == nil
    }
    known.append(arrival)
    if known.count > Self.limit { known.removeFirst() }
    return count
  }

  /// The scene that the arrival has by now.
  func scene(ofArrival number: Int) -> String? { known.first { $0.number == number }?.scene }

  private func isOpen(_ arrival: Known, at now: Duration) -> Bool {
    if let end = arrival.end { return now <= end }
    return phase(of: arrival.scene) == .inactive || now <= arrival.first + Self.longestLaunch
  }

  // MARK: - Life cycle

  mutating func lifeCycleIsObserved() { isObserved = true }

  /// A scene that connects is on its way to become active.
  mutating func connect(_ scene: String?) {
    guard let scene, scenes[scene] == nil, isObserved || !scenes.isEmpty else { return }
    scenes[scene] = .inactive
  }

  mutating func becomeActive(_ scene: String?, at now: Duration) {
    if let scene { scenes[scene] = .active } else { app = .active }
    for place in known.indices where known[place].end == nil || known[place].isGuessed {
      let its = known[place].scene
      let isConcerned = scene == nil ? its.flatMap { scenes[$0] } == nil : its == nil || its == scene
      guard isConcerned else { continue }
      known[place].end = now + Self.settling
      known[place].isGuessed = false
    }
  }

  mutating func resignActive(_ scene: String?) {
    if let scene { scenes[scene] = .inactive } else { app = .inactive }
  }

  /// What the scene brought is over; without a scene, what any brought.
  mutating func enterBackground(_ scene: String?) {
    // Code that tells of the background alone never tells when the app is active again.
    if isObserved || app != nil || !scenes.isEmpty { resignActive(scene) }
    let isAppActive = phase(of: nil) == .active
    known.removeAll { scene == nil || $0.scene == scene || $0.scene == nil && !isAppActive }
  }

  mutating func disconnect(_ scene: String?) {
    guard let scene else { return }
    scenes[scene] = nil
    known.removeAll { $0.scene == scene }
  }

  /// Where nobody tells of the life cycle, an interface that is ready stands for an app that is active.
  mutating func becomeReady(at now: Duration) {
    isReady = true
    guard !isObserved, app == nil, scenes.isEmpty else { return }
    for place in known.indices where known[place].end == nil {
      known[place].end = now + Self.settling
      known[place].isGuessed = true
    }
  }

  /// Nil when nobody told.
  private func phase(of scene: String?) -> Phase? {
    if let scene, let phase = scenes[scene] { return phase }
    if let app { return app }
    return scenes.isEmpty ? nil : scenes.values.contains(.active) ? .active : .inactive
  }
}
