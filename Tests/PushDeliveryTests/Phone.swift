import LinkspanCore
import PushProvider
import PushTerms
import Testing

@testable import PushDelivery

/// A device with one app, and its pushes by number.
struct Phone {
  static let app = "com.example.steps"
  static let start = WallTime(milliseconds: 1_789_372_800_000)

  var device: PushDevice
  private(set) var log: [DeliveryEvent] = []
  private var count = 0
  private var clock: Int64 = 0

  static func traits(
    _ environment: PushEnvironment? = .production, modes: [String] = ["remote-notification"],
    isTestFlight: Bool = false
  ) -> PushAppTraits {
    PushAppTraits(
      bundleIdentifier: app, environment: environment, backgroundModes: modes, isTestFlight: isTestFlight)
  }

  /// - Parameter life: nil leaves the app as it is after the installation.
  init(
    _ traits: PushAppTraits = Self.traits(), life: PushApp.Life? = .suspended,
    profile: DeliveryProfile = .strict, seed: UInt64 = 1
  ) {
    device = PushDevice(start: Self.start, profile: profile, chance: SeededGenerator(seed: seed))
    device.install(traits, at: Self.start)
    if let life {
      device.move(Self.app, to: .foreground, at: Self.start)
      device.move(Self.app, to: life, at: Self.start)
    }
  }

  var now: WallTime { WallTime(milliseconds: Self.start.milliseconds + clock * 1000) }

  var state: PushApp { device.apps[Self.app] ?? PushApp(Self.traits(nil)) }

  mutating func wait(_ seconds: Int64) {
    clock += seconds
    device.advance(to: now)
    drain()
  }

  /// - Returns: The number of the push.
  @discardableResult mutating func send(_ push: SentPush, to bundle: String = Self.app) -> Int {
    count += 1
    device.send(push, number: count, to: bundle, at: now)
    drain()
    return count
  }

  /// Sends a push, and says what came of it at once.
  mutating func result(of push: SentPush) -> String {
    let number = send(push)
    return fate(number)
  }

  mutating func move(_ life: PushApp.Life) {
    device.move(Self.app, to: life, at: now)
    drain()
  }

  /// The user taps the newest notification.
  mutating func tap() {
    device.tapNotification(Self.app, at: now)
    drain()
  }

  mutating func conditions(_ change: (inout DeviceConditions) -> Void) {
    var conditions = device.conditions
    change(&conditions)
    device.change(to: conditions, at: now)
    drain()
  }

  mutating func set(_ change: (inout PushApp) -> Void) {
    device.change(Self.app, at: now, change)
    drain()
  }

  mutating func plan(_ plan: HandlerPlan) { set { $0.plan = plan } }

  mutating func reboot() {
    device.reboot(at: now)
    drain()
  }

  mutating func delete() {
    device.delete(Self.app, at: now)
    drain()
  }

  mutating func install(_ traits: PushAppTraits = Self.traits()) {
    device.install(traits, at: now)
    drain()
  }

  private mutating func drain() { log += device.takeEvents() }

  /// `push-woke`, or `push-dropped force-quit`.
  func fate(_ number: Int) -> String {
    guard let record = device.records[number] else { return "never sent" }
    return record.state.rawValue + (record.reason.map { " " + $0.rawValue } ?? "")
  }

  func fates() -> [String] { device.records.keys.sorted().map(fate) }

  func events(_ kind: DeliveryEvent.Kind) -> [Int] { log.filter { $0.kind == kind }.map(\.push) }
}

extension SentPush {
  static func read(
    _ text: String, kind: PushType? = nil, priority: PushPriority? = nil,
    server: PushEnvironment = .production
  ) -> SentPush {
    guard let payload = try? ReceivedPayload(Array(text.utf8)) else {
      preconditionFailure("no payload: \(text)")
    }
    return SentPush(payload, kind: kind, priority: priority, server: server)
  }

  static let silent = read(#"{"aps":{"content-available":1},"steps":4021}"#)
  static let alert = read(#"{"aps":{"alert":"Hello"}}"#)
  static let both = read(#"{"aps":{"alert":"Hello","content-available":1}}"#)
  static let badge = read(#"{"aps":{"badge":3}}"#)

  func expiring(_ expiry: Expiry) -> SentPush {
    var push = self
    push.expiry = expiry
    return push
  }

  func collapsing(_ identifier: String) -> SentPush {
    var push = self
    push.collapseIdentifier = identifier
    return push
  }

  func about(_ topic: String) -> SentPush {
    var push = self
    push.topic = topic
    return push
  }
}
