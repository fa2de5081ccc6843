import Foundation
import LinkspanCore
import PushCampaigns
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Languages, variants, caps, quiet hours and starting times, over both stores.
@Suite("Campaign options", .timeLimit(.minutes(15)))
struct CampaignOptionsTests {
  static let now = SendingContractTests.now
  static let sending = SendingContractTests()

  static let zones: [String: TimeZoneRules] = {
    var zones: [String: TimeZoneRules] = [:]
    for name in [
      "Europe/Vienna", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe",
      "Pacific/Auckland",
    ] {
      if let bytes = FileManager.default.contents(atPath: "/usr/share/zoneinfo/" + name) {
        zones[name] = TimeZoneRules(Array(bytes))
      }
    }
    return zones
  }()

  static func campaign(_ set: (inout CampaignOptions) -> Void) -> CampaignRequest {
    SendingContractTests.campaign { set(&$0.options) }
  }

  func register(
    _ registry: Registry, _ count: Int, _ set: @escaping (Int, inout DeviceAttributes) -> Void
  ) async throws {
    try await Self.sending.register(registry, count) { number, registration in
      set(number, &registration.attributes)
      registration.given = .all
    }
  }

  func start(_ registry: Registry, _ request: CampaignRequest, at now: WallTime = now) async throws -> Int64 {
    try await registry.changed { store throws(RegistryError) in
      let plan = try store.plan(request, at: now) { Self.zones[$0] }
      return try store.addCampaign(request, plan, actor: "test", at: now)
    }
  }

  func startDue(_ registry: Registry, at now: WallTime) async throws -> [StartedCampaign] {
    try await registry.changed { store throws(RegistryError) in
      try store.startDue(at: now) { Self.zones[$0] }
    }
  }

  func claim(_ registry: Registry, limit: Int = 1_000, at now: WallTime = now) async throws
    -> [ClaimedDelivery]
  {
    try await registry.changed { store throws(RegistryError) in
      try store.renewLease(of: "one", for: .seconds(20), at: now)
      return try store.claim("one", .production, limit: limit, at: now) { Self.zones[$0] }
    }
  }

  /// Claims and sends everything that is due.
  func sent(_ registry: Registry, at now: WallTime = now) async throws -> [ClaimedDelivery] {
    var all: [ClaimedDelivery] = []
    while true {
      let claimed = try await claim(registry, limit: 16, at: now)
      if claimed.isEmpty { return all }
      all += claimed
      try await Self.sending.record(
        registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) }, at: now)
    }
  }

  func found(_ registry: Registry, _ identifier: Int64) async throws -> (Message, CampaignDetails) {
    let (message, progress) = try await Self.sending.message(registry, identifier)
    return (message, try #require(progress.details))
  }

  @Test(arguments: StoreKind.allCases)
  func eachDeviceGetsItsLanguage(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let locales = ["de_AT", "fr_FR", "pt_BR", nil]
      try await register(registry, 8) { number, attributes in attributes.locale = locales[number % 4] }
      let campaign = Self.campaign {
        $0.texts = .init(fallback: "en", languages: ["de": "de", "pt-br": "pt"])
      }
      let identifier = try await start(registry, campaign)
      let sent = try await sent(registry)
      let texts = Dictionary(uniqueKeysWithValues: sent.map { ($0.token, $0.payload) })
      for number in 0..<8 {
        #expect(texts[SendingContractTests.token(number)] == ["de", "en", "pt", "en"][number % 4])
      }
      #expect(try await found(registry, identifier).0.state == .completed)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aHoldoutGetsNothingAndVariantsShareTheRest(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      // Two devices of each person.
      try await register(registry, 200) { number, attributes in attributes.alias = "user\(number / 2)" }
      let campaign = Self.campaign {
        $0.holdout = 200_000
        $0.variants = [
          .init(name: "a", share: 500_000, texts: .init(fallback: "A")),
          .init(name: "b", share: 500_000, texts: .init(fallback: "B")),
        ]
      }
      let identifier = try await start(registry, campaign)
      let sent = try await sent(registry)
      let (message, details) = try await found(registry, identifier)
      #expect(message.state == .completed)
      #expect(details.count == 200)
      #expect(details.passedOver == 200 - Int64(sent.count))
      #expect((20...60).contains(details.passedOver))
      let payloads = Dictionary(grouping: sent, by: \.payload).mapValues(\.count)
      #expect(payloads.keys.compactMap { $0 }.sorted() == ["A", "B"])
      #expect(Int64(payloads["A"] ?? 0) == details.devices["variant-0"])
      #expect(Int64(payloads["B"] ?? 0) == details.devices["variant-1"])
      // Both devices of a person get the same.
      let tokens = Dictionary(uniqueKeysWithValues: sent.map { ($0.token, $0.payload) })
      for number in stride(from: 0, to: 200, by: 2) {
        let pair = [number, number + 1].map { tokens[SendingContractTests.token($0)] }
        #expect(pair[0] == pair[1])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aCapCountsPersons(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      // Two persons with two devices each, and two devices of nobody.
      try await register(registry, 6) { number, attributes in
        attributes.alias = number < 4 ? "user\(number / 2)" : nil
      }
      let capped = Self.campaign { $0.cap = FrequencyCap(count: 2, seconds: 86_400) }
      var counts: [Int] = []
      for hour in 0..<3 {
        let time = Self.now.advanced(by: .seconds(hour * 3_600))
        _ = try await start(registry, capped, at: time)
        counts.append(try await sent(registry, at: time).count)
      }
      #expect(counts == [6, 6, 0])
      // What has no cap is counted and never withheld.
      let later = Self.now.advanced(by: .seconds(86_400))
      _ = try await start(registry, SendingContractTests.campaign(), at: later)
      #expect(try await sent(registry, at: later).count == 6)
      // The first one is a day old, the second one and that without a cap are not.
      let last = try await start(registry, capped, at: later.advanced(by: .seconds(60)))
      #expect(try await sent(registry, at: later.advanced(by: .seconds(60))).isEmpty)
      #expect(try await found(registry, last).1.devices == ["cap": 6])
      let next = Self.now.advanced(by: .seconds(86_400 + 7_200))
      _ = try await start(registry, capped, at: next)
      #expect(try await sent(registry, at: next).count == 6)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anErasureForgetsWhatAPersonGot(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 1) { _, attributes in attributes.alias = "ann" }
      _ = try await start(registry, Self.campaign { $0.cap = FrequencyCap(count: 2, seconds: 86_400) })
      #expect(try await sent(registry).count == 1)
      func reach() async throws -> Int {
        try await registry.answer { store throws(RegistryError) in
          try store.database.run("SELECT person FROM campaign_reach").count
        }
      }
      #expect(try await reach() == 1)
      #expect(try await registry.erased(alias: "ann") == 1)
      #expect(try await reach() == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func nothingIsSentInQuietHours(_ kind: StoreKind) async throws {
    let zones = ["Europe/Vienna", "America/New_York", "Asia/Kolkata", nil]
    try await kind.test { registry in
      try await register(registry, 12) { number, attributes in attributes.timeZone = zones[number % 4] }
      let quiet = try #require(QuietHours(from: 22 * 60, to: 8 * 60))
      // 21:00 in Vienna, 15:00 in New York, 00:30 in Kolkata, 19:00 in UTC.
      let evening = try #require(WallTime("2026-09-14T19:00:00Z"))
      let identifier = try await start(registry, Self.campaign { $0.quietHours = quiet }, at: evening)
      #expect(try await sent(registry, at: evening).count == 9)
      #expect(try await sent(registry, at: evening.advanced(by: .seconds(7 * 3_600))).isEmpty)
      let morning = try #require(WallTime("2026-09-15T02:30:00Z"))
      #expect(try await sent(registry, at: morning).count == 3)
      #expect(try await found(registry, identifier).0.state == .completed)
    }
  }

  /// What a throttle delays into the night waits for the morning: whole time zones, retries, and a device that has moved.
  @Test(arguments: StoreKind.allCases)
  func whatIsLateWaitsForTheMorning(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 6) { number, attributes in
        attributes.timeZone = number < 3 ? "Europe/Vienna" : "America/New_York"
      }
      let quiet = try #require(QuietHours(from: 22 * 60, to: 8 * 60))
      let evening = try #require(WallTime("2026-09-14T19:58:00Z"))
      _ = try await start(registry, Self.campaign { $0.quietHours = quiet }, at: evening)
      let first = try await claim(registry, limit: 2, at: evening)
      #expect(first.count == 2)
      let retry = DeliveryOutcome(
        first[0].identifier, .later(evening.advanced(by: .seconds(600))), status: 503)
      try await Self.sending.record(
        registry, [retry, DeliveryOutcome(first[1].identifier, .accepted)], at: evening)
      _ = try await registry.registered(
        registration(SendingContractTests.token(5)) {
          $0.attributes.timeZone = "Europe/Vienna"
          $0.given = [.timeZone]
        })
      let night = evening.advanced(by: .seconds(900))
      #expect(try await sent(registry, at: night).count == 2)
      #expect(try await sent(registry, at: night.advanced(by: .seconds(8 * 3_600))).isEmpty)
      let morning = try await claim(registry, at: try #require(WallTime("2026-09-15T06:00:00Z")))
      #expect(morning.map(\.attempts).sorted() == [1, 1, 2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anExpirationInTheQuietHoursIsRefused(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 1) { _, attributes in attributes.timeZone = "Europe/Vienna" }
      func problem(_ expiration: String) async throws -> String? {
        var request = Self.campaign { $0.quietHours = QuietHours(from: 22 * 60, to: 8 * 60) }
        request.content.expiration = try #require(WallTime(expiration)).milliseconds / 1_000
        return try await registry.answer { [request] store throws(RegistryError) in
          try store.plan(request, at: Self.now) { Self.zones[$0] }.expirationProblem
        }
      }
      #expect(try await problem("2026-09-14T12:00:00Z") == nil)
      #expect(
        try await problem("2026-09-14T21:30:00Z")?.hasPrefix(
          "The push expires at 23:30 in Europe/Vienna, in the quiet hours from 22:00 to 08:00") == true)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aScheduledCampaignWaitsAndRepeats(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 3) { _, _ in }
      let first = Self.now.advanced(by: .seconds(3_600))
      let identifier = try await start(
        registry,
        Self.campaign {
          $0.startsAt = first
          $0.recurrence = try? Recurrence.reading("FREQ=DAILY;COUNT=2").get()
        })
      #expect(try await found(registry, identifier).0.state == .scheduled)
      #expect(try await sent(registry).isEmpty)
      #expect(try await startDue(registry, at: first.advanced(by: .milliseconds(-1))).isEmpty)
      #expect(try await startDue(registry, at: first).map(\.isPaused) == [false])
      #expect(try await sent(registry, at: first).count == 3)
      #expect(try await found(registry, identifier).0.state == .completed)
      let (second, details) = try await found(registry, identifier + 1)
      #expect(second.state == .scheduled)
      #expect(details.series == identifier)
      #expect(details.occurrence == 2)
      let day = first.advanced(by: .seconds(86_400))
      #expect(details.startsAt == day)
      #expect(try await startDue(registry, at: day).map(\.identifier) == [identifier + 1])
      #expect(try await sent(registry, at: day).count == 3)
      #expect(try await startDue(registry, at: day.advanced(by: .seconds(86_400))).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aCampaignThatHasGrownPausesAtItsStart(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 20) { _, _ in }
      let first = Self.now.advanced(by: .seconds(3_600))
      let request = Self.campaign { $0.startsAt = first }
      let (one, two) = (try await start(registry, request), try await start(registry, request))
      try await register(registry, 22) { _, _ in }
      #expect(try await startDue(registry, at: first).map(\.isPaused) == [false, false])
      #expect(try await sent(registry, at: first).count == 44)
      let third = try await start(registry, request)
      _ = (one, two)
      try await register(registry, 25) { _, _ in }
      #expect(
        try await startDue(registry, at: first) == [
          StartedCampaign(
            identifier: third, topic: "com.example.app", expected: 22, devices: 25, isPaused: true)
        ])
      #expect(try await sent(registry, at: first).isEmpty)
      let (message, details) = try await found(registry, third)
      #expect(message.state == .paused)
      #expect(details.grownTo == 25)
      _ = try await registry.changed { store throws(RegistryError) in
        try store.change(third, to: .running, topics: nil, at: first)
      }
      #expect(try await sent(registry, at: first).count == 25)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func cancellingEndsASeries(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 2) { _, _ in }
      let identifier = try await start(
        registry,
        Self.campaign {
          $0.startsAt = Self.now
          $0.recurrence = try? Recurrence.reading("FREQ=DAILY").get()
        })
      #expect(try await found(registry, identifier).0.state == .running)
      #expect(try await found(registry, identifier + 1).0.state == .scheduled)
      func change(_ identifier: Int64, _ state: Message.State) async throws {
        _ = try await registry.changed { store throws(RegistryError) in
          try store.change(identifier, to: state, topics: nil, at: Self.now)
        }
      }
      try await change(identifier + 1, .paused)
      let day = Self.now.advanced(by: .seconds(86_400))
      #expect(try await startDue(registry, at: day).isEmpty)
      try await change(identifier + 1, .running)
      #expect(try await found(registry, identifier + 1).0.state == .scheduled)
      try await change(identifier, .cancelled)
      #expect(try await found(registry, identifier + 1).0.state == .cancelled)
      #expect(try await startDue(registry, at: day).isEmpty)
    }
  }

  @Test func optionsReadBackAsTheyWereStored() throws {
    var options = CampaignOptions()
    #expect(CampaignOptions(stored: options.stored) == options)
    options.startsAt = Self.now
    options.offsetSeconds = -3_600
    options.recurrence = try Recurrence.reading("FREQ=MONTHLY;BYDAY=1FR;COUNT=3").get()
    options.quietHours = QuietHours(from: 1, to: 2)
    options.cap = FrequencyCap(count: 3, seconds: 60)
    options.texts = .init(fallback: "{\"a\" : 1}", languages: ["de": "ü\n"])
    options.holdout = 1
    options.variants = [
      .init(name: "a\"b", share: 999_999, texts: .init(fallback: nil, languages: ["fr": "x"]))
    ]
    #expect(CampaignOptions(stored: options.stored) == options)
  }
}
