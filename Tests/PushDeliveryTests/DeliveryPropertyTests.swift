import LinkspanCore
import PushProvider
import PushTerms
import Testing

@testable import PushDelivery

/// What holds whatever happens, on random sequences; nothing here looks into the device.
@Suite struct DeliveryPropertyTests {
  /// A random life of a phone with two apps, and every event of it.
  static func play(seed: UInt64) -> (events: [DeliveryEvent], sent: Int, device: PushDevice) {
    var chance = SeededGenerator(seed: seed)
    func one<Element>(_ elements: [Element]) -> Element {
      elements[Int(chance.draw(0...Int64(elements.count - 1)))]
    }
    var device = PushDevice(
      start: Phone.start, profile: one(DeliveryProfile.allCases), chance: chance.fork("device"))
    var now = Phone.start
    var sent = 0
    var events: [DeliveryEvent] = []
    let bundles = ["com.example.a", "com.example.b"]
    let payloads: [SentPush] = [.silent, .silent, .silent, .alert, .both, .badge]
    func traits(_ bundle: String) -> PushAppTraits {
      PushAppTraits(
        bundleIdentifier: bundle, environment: one([.production, .production, .sandbox, nil]),
        backgroundModes: one([["remote-notification"], ["remote-notification"], []]),
        isTestFlight: chance.chance(1, in: 5))
    }
    for bundle in bundles { device.install(traits(bundle), at: now) }
    for _ in 1...chance.draw(10...80) {
      now = WallTime(
        milliseconds: now.milliseconds + one([0, 1, 500, 10_000, 29_999, 60_000, 1_200_000, 86_400_000]))
      let bundle = one(bundles)
      switch chance.draw(0...13) {
      case 0...5:
        sent += 1
        var push = one(payloads)
        push.server = chance.chance(1, in: 10) ? .sandbox : .production
        push.priority = one(PushPriority.allCases + [push.kind.usualPriority, push.kind.usualPriority])
        push.expiry = one([
          .policy, .policy, .oneAttempt, .at(WallTime(milliseconds: now.milliseconds + 45_000)),
        ])
        if chance.chance(1, in: 4) { push.collapseIdentifier = "c" }
        device.send(push, number: sent, to: bundle, at: now)
      case 6, 7: device.move(bundle, to: one(PushApp.Life.allCases), at: now)
      case 8, 9:
        var conditions = device.conditions
        conditions.isOnline = !chance.chance(1, in: 3)
        conditions.power = one(DeviceConditions.Power.allCases)
        conditions.isInUse = chance.chance(1, in: 2)
        conditions.hasDebugger = chance.chance(1, in: 8)
        device.change(to: conditions, at: now)
      case 10: device.reboot(at: now)
      case 11:
        let plan = HandlerPlan(
          duration_ms: one([nil, 0, 2000, 15_000, 30_000, 45_000]), result: one(HandlerPlan.Result.allCases))
        let permission = one(PushApp.Permission.allCases)
        let allows = !chance.chance(1, in: 4)
        device.change(bundle, at: now) {
          $0.plan = plan
          $0.permission = permission
          $0.allowsBackgroundRefresh = allows
        }
      case 12: device.install(traits(bundle), at: now)
      default: device.advance(to: now)
      }
      events += device.takeEvents()
    }
    return (events, sent, device)
  }

  static let batches = 0..<20 as Range<UInt64>
  static let batchSize: UInt64 = 150

  /// Every push has one fate at most, its handler is called once at most, and nothing happens to it afterwards but
  /// what its own handler does.
  @Test(arguments: batches) func oneFateAndOneHandlerCall(_ batch: UInt64) {
    for seed in (batch * Self.batchSize + 1)...((batch + 1) * Self.batchSize) {
      let (events, sent, device) = Self.play(seed: seed)
      for (number, own) in Dictionary(grouping: events, by: \.push) {
        let fates = own.filter(\.kind.isFate)
        #expect(fates.count <= 1, "seed \(seed), push \(number)")
        #expect(own.filter { $0.kind == .shown }.count <= 1, "seed \(seed), push \(number)")
        #expect(
          own.filter { $0.kind == .finished || $0.kind == .killed }.count <= 1, "seed \(seed), push \(number)"
        )
        if let fate = own.firstIndex(where: \.kind.isFate) {
          let after = Set(own[(fate + 1)...].map(\.kind))
          #expect(after.isSubset(of: [.finished, .killed, .notified]), "seed \(seed), push \(number)")
          #expect(after.isEmpty || own[fate].kind == .woke, "seed \(seed), push \(number)")
        }
        #expect(zip(own, own.dropFirst()).allSatisfy { $0.time <= $1.time }, "seed \(seed)")
      }
      // What has no fate waits, one in APNs and one on the device for each app.
      let waiting = (1...max(sent, 1)).filter { device.records[$0]?.state.isFate == false }
      for (_, some) in Dictionary(grouping: waiting, by: { device.records[$0]?.app }) {
        #expect(some.filter { device.records[$0]?.state == .stored }.count <= 1, "seed \(seed)")
        #expect(some.filter { device.records[$0]?.state == .held }.count <= 1, "seed \(seed)")
        #expect(some.count <= 2, "seed \(seed)")
      }
      #expect(sent == 0 || device.records.count == sent, "seed \(seed)")
    }
  }

  /// After the story nothing waits for ever but what only the user can change.
  @Test(arguments: 1...100 as ClosedRange<UInt64>) func everyPushEndsWithin31Days(_ seed: UInt64) {
    var device = Self.play(seed: seed).device
    device.change(to: DeviceConditions(), at: device.now)
    device.advance(to: WallTime(milliseconds: device.now.milliseconds + 31 * 86_400_000))
    let waiting = device.records.values.filter { !$0.state.isFate }
    #expect(waiting.isEmpty)
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>) func theSameSeedIsTheSameStory(_ seed: UInt64) {
    #expect(Self.play(seed: seed).events == Self.play(seed: seed).events)
  }

  /// An explanation says what the device then does.
  @Test func theExplanationAgreesWithTheDevice() {
    var chance = SeededGenerator(seed: 7)
    func one<Element>(_ elements: [Element]) -> Element {
      elements[Int(chance.draw(0...Int64(elements.count - 1)))]
    }
    var seen: Set<String> = []
    for _ in 1...4000 {
      let traits = Phone.traits(
        one([.production, .production, .sandbox, nil]), modes: one([["remote-notification"], []]),
        isTestFlight: chance.chance(1, in: 6))
      var push = one([SentPush.silent, .silent, .alert, .both, .badge])
      if chance.chance(1, in: 6) { push.priority = one(PushPriority.allCases) }
      if chance.chance(1, in: 8) { push.kind = one(SentPush.simulatedTypes) }
      let life = one(PushApp.Life.allCases.filter { $0 != .notInstalled } + [.suspended, .suspended])
      var situation = PushSituation(push, to: traits, life: life, at: Phone.start)
      situation.profile = one(DeliveryProfile.allCases)
      situation.conditions.isOnline = !chance.chance(1, in: 6)
      situation.conditions.power = one([.normal, .normal, .low, .critical])
      situation.conditions.isInUse = chance.chance(1, in: 3)
      situation.app.allowsBackgroundRefresh = !chance.chance(1, in: 6)
      situation.app.permission = one([.authorized, .authorized, .denied, .provisional])
      var phone = Phone(traits, life: life == .neverLaunched ? nil : life, profile: situation.profile)
      phone.set {
        $0.allowsBackgroundRefresh = situation.app.allowsBackgroundRefresh
        $0.permission = situation.app.permission
      }
      phone.conditions { $0 = situation.conditions }
      let number = phone.send(push)
      let explanation = situation.explained
      let words = "\(situation.app.life) \(push.kind) \(push.payload): \(phone.fate(number))"
      seen.insert(phone.fate(number))
      #expect((explanation.wakes.verdict == .yes) == (phone.events(.woke) == [number]), "\(words)")
      #expect((explanation.shows.verdict == .yes) == (phone.events(.shown) == [number]), "\(words)")
      let record = phone.device.records[number]
      let isOver = record?.state != .delivered && explanation.wakes.verdict != .yes
      if isOver, record?.state.isFate == false, explanation.wakes.verdict == .no {
        // It waits, and what the explanation names ends it as soon as it comes through.
        phone.conditions { $0 = DeviceConditions() }
        phone.device.advance(to: WallTime(milliseconds: phone.device.now.milliseconds + 31 * 86_400_000))
        #expect(phone.events(.woke).isEmpty, "\(words)")
      } else if isOver {
        #expect(explanation.wakes.reason == record?.reason, "\(words)")
      }
    }
    #expect(seen.count > 12)
  }
}
