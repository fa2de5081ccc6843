import Foundation
import LinkspanCore
import PushProvider
import PushTerms
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// How long the journal is kept, in which parts, and which lane goes first, over both stores.
@Suite("Journal", .timeLimit(.minutes(15)))
struct JournalTests {
  static let now = SendingContractTests.now
  private let sending = SendingContractTests()

  private func notify(
    _ registry: Registry, _ token: String, at now: WallTime = now
  ) async throws -> Int64 {
    try await registry.changed { store throws(RegistryError) in
      let message = try store.add(
        .init(.notification, SendingContractTests.content, lastDue: now), actor: "t", at: now)
      try store.addDeliveries(of: message, SendingContractTests.content, to: [token], at: now)
      return message
    }
  }

  private func campaign(_ registry: Registry, at now: WallTime) async throws -> Int64 {
    try await registry.changed { store throws(RegistryError) in
      let request = SendingContractTests.campaign()
      let plan = try store.plan(request, at: now) { _ in nil }
      return try store.addCampaign(request, plan, actor: "test", at: now)
    }
  }

  private func prune(
    _ registry: Registry, _ retention: RegistryStore.Retention, at now: WallTime
  ) async throws {
    while try await registry.changed({ store throws(RegistryError) in
      try store.prune(retention, limit: Self.devices == nil ? 100 : 1_000, at: now)
    }) {}
  }

  private func number(_ registry: Registry, _ sql: String) async throws -> Int64 {
    try await registry.answer { store throws(RegistryError) in
      guard let row = try store.database.run(sql).first else { throw RegistryStore.emptyAnswer }
      return try row.int("number")
    }
  }

  // MARK: - Retention

  /// Devices of the campaign of each day; `LINKSPAN_JOURNAL_DEVICES=20000` also prints what removing costs the database.
  static let devices = ProcessInfo.processInfo.environment["LINKSPAN_JOURNAL_DEVICES"].flatMap { Int($0) }

  /// The same every day for forty days: the table grows for as long as the journal is kept, and not longer.
  @Test(arguments: StoreKind.allCases)
  func theJournalIsBoundedByItsRetention(_ kind: StoreKind) async throws {
    let (devices, days, kept) = (Self.devices ?? 20, 40, 10)
    let retention = RegistryStore.Retention(.seconds(Int64(kept) * 86_400))
    try await kind.test { registry in
      try await fill(registry, devices)
      var (removing, all) = (0.0, 0.0)
      for day in 0..<days {
        let time = Self.now.advanced(by: .seconds(Int64(day) * 86_400))
        let begin = try await databaseSeconds(registry, kind)
        _ = try await campaign(registry, at: time)
        _ = try await notify(registry, SendingContractTests.token(day), at: time)
        while case let claimed = try await sending.claim(registry, limit: 1_000, at: time), !claimed.isEmpty {
          try await sending.record(
            registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) }, at: time)
        }
        let sent = try await databaseSeconds(registry, kind)
        try await prune(registry, retention, at: time)
        let end = try await databaseSeconds(registry, kind)
        // The days before nothing is old enough say nothing.
        if day > kept + 1 { (removing, all) = (removing + end - sent, all + end - begin) }
        let lines = try await number(registry, "SELECT count(*) AS number FROM deliveries")
        let most = min(day + 1, kept + 2) * (devices + 1)
        #expect(lines <= most && lines >= (min(day + 1, kept)) * (devices + 1), "day \(day): \(lines)")
      }
      if Self.devices != nil {
        print(
          "\(kind), \(days) days of \(devices) deliveries: removing took \(removing) of \(all) s of processor,",
          "\(removing / all * 100) %")
      }
      let counted = try await number(
        registry,
        "SELECT CAST(sum(number) AS BIGINT) AS number FROM journal_counts WHERE outcome = 'accepted'")
      let lines = try await number(registry, "SELECT count(*) AS number FROM deliveries")
      #expect(counted + lines == Int64(days * (devices + 1)))
      #expect(try await number(registry, "SELECT count(*) AS number FROM queue") == 0)
      let messages = try await number(registry, "SELECT count(*) AS number FROM messages")
      #expect(messages <= Int64(2 * (kept + 2)))
    }
  }

  private func fill(_ registry: Registry, _ count: Int) async throws {
    let devices = (0..<count).map { number in
      Device(
        identifier: 0, token: SendingContractTests.token(number), topic: "com.example.app",
        environment: .production, createdAt: Self.now, lastSeenAt: Self.now, pushKind: "alert", revision: 1)
    }
    for page in stride(from: 0, to: count, by: 1_000) {
      _ = try await registry.changed { store throws(RegistryError) in
        try store.importDevices(Array(devices[page..<min(count, page + 1_000)]), at: Self.now)
      }
    }
  }

  /// Processor time: of PostgreSQL's process that changes the registry, for SQLite of this one.
  private func databaseSeconds(_ registry: Registry, _ kind: StoreKind) async throws -> Double {
    guard Self.devices != nil else { return 0 }
    guard kind == .postgres else {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let process = try await registry.changed { store throws(RegistryError) in
      try store.database.run("SELECT pg_backend_pid() AS number").first?.int("number") ?? 0
    }
    let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: " ")
    return (Double(fields[13]) ?? 0) / 100 + (Double(fields[14]) ?? 0) / 100
  }

  @Test(arguments: StoreKind.allCases)
  func eachLaneHasItsRetention(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 3)
      let campaign = try await campaign(registry, at: Self.now)
      let code = try await notify(registry, SendingContractTests.token(9))
      let claimed = try await sending.claim(registry)
      try await sending.record(
        registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
      let retention = RegistryStore.Retention(
        transactional: .seconds(30 * 86_400), campaign: .seconds(86_400))
      try await prune(registry, retention, at: Self.now.advanced(by: .seconds(3 * 86_400)))
      let left = try await registry.answer { store throws(RegistryError) in
        try [store.message(campaign), store.message(code)].compactMap { $0?.identifier }
      }
      #expect(left == [code])
    }
  }

  /// The counts of a minute are those of the journal, by campaign and for all, and are forgotten after a week.
  @Test(arguments: StoreKind.allCases)
  func theMinutesCountEveryEnd(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 3)
      let campaign = try await campaign(registry, at: Self.now)
      _ = try await notify(registry, SendingContractTests.token(9))
      let claimed = try await sending.claim(registry)
      let later = Self.now.advanced(by: .seconds(120))
      for (index, delivery) in claimed.enumerated() {
        let outcome =
          delivery.message == campaign && index % 2 == 0
          ? DeliveryOutcome(delivery.identifier, .rejected, status: 400, reason: "BadTopic")
          : DeliveryOutcome(delivery.identifier, .accepted, status: 200)
        try await sending.record(registry, [outcome], at: index < 2 ? Self.now : later)
      }
      let minute = Self.now.milliseconds / 60_000
      func counts(_ minutes: Range<Int64>, _ campaign: Int64? = nil) async throws -> [MinuteCount] {
        try await registry.answer { store throws(RegistryError) in
          try store.counts(ofMinutes: minutes, campaign: campaign)
        }
      }
      let all = try await counts(minute..<minute + 3)
      #expect(all.reduce(0) { $0 + $1.number } == 4)
      #expect(Set(all.map(\.minute)) == [minute, minute + 2])
      let own = try await counts(minute..<minute + 3, campaign)
      #expect(own.reduce(0) { $0 + $1.number } == 3)
      #expect(own.filter { $0.state == .rejected }.allSatisfy { $0.reason == "BadTopic" })
      #expect(try await counts(minute..<minute + 1).reduce(0) { $0 + $1.number } == 2)
      try await prune(registry, .usual, at: Self.now.advanced(by: .seconds(8 * 86_400)))
      #expect(try await counts(minute..<minute + 3).isEmpty)
    }
  }

  /// By outcome and reason, and how many may have been sent twice: the same from the counts of campaigns, from the lines of
  /// notifications and from either store.
  @Test(arguments: StoreKind.allCases)
  func aRemovedDayIsCountedByOutcome(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 3)
      _ = try await campaign(registry, at: Self.now)
      for number in 10..<13 { _ = try await notify(registry, SendingContractTests.token(number)) }
      let claimed = try await sending.claim(registry)
      #expect(claimed.count == 6)
      var outcomes: [DeliveryOutcome] = []
      for lane in PushLane.allCases {
        let own = claimed.filter { $0.lane == lane }
        try #require(own.count == 3)
        outcomes.append(DeliveryOutcome(own[0].identifier, .rejected, status: 400, reason: "BadTopic"))
        var twice = DeliveryOutcome(own[1].identifier, .accepted, status: 200)
        twice.isMaybeTwice = true
        outcomes += [twice, DeliveryOutcome(own[2].identifier, .cancelled, reason: "of no account")]
      }
      try await sending.record(registry, outcomes)
      try await prune(registry, .usual, at: Self.now.advanced(by: .seconds(40 * 86_400)))
      #expect(try await number(registry, "SELECT count(*) AS number FROM deliveries") == 0)
      let rows = try await registry.answer { store throws(RegistryError) in
        try store.database.run(
          "SELECT lane, outcome, reason, number FROM journal_counts ORDER BY lane, outcome, reason")
      }
      let expected = PushLane.allCases.map(\.number).sorted().flatMap { lane -> [[SQLValue]] in
        [
          [.int(lane), .text("accepted"), .text(""), .int(1)],
          [.int(lane), .text("cancelled"), .text(""), .int(1)],
          [.int(lane), .text("maybe_twice"), .text(""), .int(1)],
          [.int(lane), .text("rejected"), .text("BadTopic"), .int(1)],
        ]
      }
      #expect(rows.map(\.values) == expected)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatIsOpenIsKept(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let code = try await notify(registry, SendingContractTests.token(1))
      let later = Self.now.advanced(by: .seconds(90 * 86_400))
      try await prune(registry, .usual, at: later)
      #expect(try await sending.claim(registry, at: later).map(\.message) == [code])
    }
  }

  /// A campaign that goes on after midnight stays in its part, so a device gets it once.
  @Test(arguments: StoreKind.allCases)
  func aCampaignOverMidnightReachesADeviceOnce(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 30)
      let before = WallTime("2026-09-14T23:59:59Z")!
      let campaign = try await campaign(registry, at: before)
      let first = try await sending.claim(registry, limit: 16, at: before)
      let after = before.advanced(by: .seconds(2))
      let again = try await registry.changed { store throws(RegistryError) in
        try store.database.run("UPDATE ranges SET cursor_id = 0")
        return try store.claim("one", .production, limit: 100, at: after)
      }
      #expect(first.count + again.count == 30)
      #expect(Set((first + again).map(\.token)).count == 30)
      #expect(Set((first + again).map(\.message)) == [campaign])
    }
  }

  @Test func aPartOfPostgreSQLIsDroppedAsAWhole() async throws {
    try await StoreKind.postgres.test { registry in
      func parts() async throws -> [String] {
        try await registry.answer { store throws(RegistryError) in
          try store.database.run(
            "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'deliveries'::regclass"
              + " ORDER BY 1"
          ).texts("name")
        }
      }
      let code = try await notify(registry, SendingContractTests.token(1))
      #expect(code / JournalPart.width == 2 * 20_710)
      #expect(
        try await parts().prefix(2) == ["deliveries_20260914_campaign", "deliveries_20260914_transactional"])
      let claimed = try await sending.claim(registry)
      try await sending.record(
        registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
      let kept = RegistryStore.Retention(.seconds(86_400))
      try await prune(registry, kept, at: Self.now.advanced(by: .seconds(86_400)))
      #expect(try await parts().contains("deliveries_20260914_transactional"))
      try await prune(registry, kept, at: Self.now.advanced(by: .seconds(2 * 86_400)))
      #expect(try await !parts().contains { $0.contains("20260914") })
    }
  }

  // MARK: - Lanes

  /// A code is claimed at once, however many pushes of campaigns have been due for longer.
  @Test(arguments: StoreKind.allCases)
  func aCodeGoesBeforeTheRetriesOfACampaign(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 60)
      _ = try await campaign(registry, at: Self.now)
      let claimed = try await sending.claim(registry)
      try await sending.record(registry, claimed.map { DeliveryOutcome($0.identifier, .later(Self.now)) })
      let later = Self.now.advanced(by: .seconds(60))
      let code = try await notify(registry, SendingContractTests.token(99), at: later)
      let next = try await sending.claim(registry, limit: 8, at: later)
      #expect(next.count == 8)
      #expect(next.contains { $0.message == code })
    }
  }

  /// Within a lane first attempts and others go side by side: neither waits for all of the others.
  @Test(arguments: StoreKind.allCases)
  func retriesAndFirstAttemptsShareALane(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for number in 0..<40 { _ = try await notify(registry, SendingContractTests.token(number)) }
      let claimed = try await sending.claim(registry)
      #expect(claimed.count == 40)
      try await sending.record(registry, claimed.map { DeliveryOutcome($0.identifier, .later(Self.now)) })
      let later = Self.now.advanced(by: .seconds(1))
      for number in 40..<80 { _ = try await notify(registry, SendingContractTests.token(number), at: later) }
      let next = try await sending.claim(registry, limit: 16, at: later)
      let retries = next.filter { $0.attempts > 1 }.count
      #expect(next.count == 16)
      #expect((2...8).contains(retries), "\(retries)")
    }
  }

  // MARK: - Many at once

  private func order(
    _ tokens: [String], aliases: [String] = [], key: String? = nil, request: String = "request"
  ) throws -> NotificationOrder {
    NotificationOrder(
      NotificationRequest(
        content: SendingContractTests.content, tokens: try tokens.map { try DeviceToken($0) },
        aliases: aliases,
        confirmed: nil),
      actor: "test", at: Self.now, key.map { .init(key: $0, request: request) }, isRefused: { $0 > 3 },
      kept: { result in
        guard case .stored(let message, _) = result else { return nil }
        return .init(status: 202, body: "\(message.identifier)")
      })
  }

  private func words(_ results: [NotificationOrder.Result]) -> [String] {
    results.map { result in
      switch result {
      case .stored(let message, let progress): "\(message.state.rawValue) \(progress.open)"
      case .refused(let devices): "refused \(devices.map(String.init) ?? "many")"
      case .replayed: "replayed"
      case .otherRequest: "other"
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func notificationsOfOneTransactionAreEachDoneOnce(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 2) { number, registration in
        registration.attributes.alias = "user\(number)"
        registration.given = [.alias]
      }
      let token = SendingContractTests.token
      let orders = [
        try order([token(7)], key: "a"), try order([token(7)], key: "a"),
        try order([token(7)], key: "a", request: "another"), try order([], aliases: ["user0", "none"]),
        try order([token(1)], aliases: ["user1"]), try order([], aliases: ["none"]),
        try order((10..<14).map(token)),
      ]
      let results = try await registry.changed { store throws(RegistryError) in try store.notify(orders) }
      #expect(
        words(results) == [
          "running 1", "replayed", "other", "running 1", "running 1", "completed 0", "refused 4",
        ])
      let claimed = try await sending.claim(registry)
      #expect(claimed.map(\.token).sorted() == [token(0), token(1), token(7)])
      let later = try await registry.changed { store throws(RegistryError) in try store.notify([orders[0]]) }
      #expect(words(later) == ["replayed"])
    }
  }

  /// Through the queue of changes, where many of them share a transaction.
  @Test(arguments: StoreKind.allCases)
  func notificationsBesideEachOtherAreStored(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let orders = try (0..<50).map { try order([SendingContractTests.token($0)]) }
      let stored = try await withThrowingTaskGroup(of: Int64.self) { group in
        for order in orders {
          group.addTask {
            try await withCheckedThrowingContinuation { continuation in
              registry.notify(order) { result in
                continuation.resume(
                  with: result.map { if case .stored(let message, _) = $0 { message.identifier } else { 0 } })
              }
            }
          }
        }
        return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
      }
      #expect(stored.count == 50 && !stored.contains(0))
      #expect(Set(try await sending.claim(registry).map(\.message)) == stored)
    }
  }

  // MARK: - Migration

  /// What an earlier version had queued, held or sent without an answer goes on where it was.
  @Test(arguments: StoreKind.allCases)
  func openDeliveriesOfVersion6GoOn(_ kind: StoreKind) async throws {
    let folder = try ScratchFolder()
    guard let address = try kind.fresh(in: folder) else { return }
    let store = RegistryStore(try address.open())
    let database = store.database
    try database.runScript("CREATE TABLE linkspan_registry (version BIGINT NOT NULL)")
    for step in 1...6 {
      try database.runScript(RegistryStore.schema(step, database.dialect))
      if step == 4 { try store.makeHashKey() }
    }
    try database.run("INSERT INTO linkspan_registry (version) VALUES (6)")
    let give = Self.now.advanced(by: .seconds(86_400)).milliseconds
    try database.runScript(
      """
      INSERT INTO messages (kind, actor, topic, environment, push_type, priority, payload, audience, throttle_at, state,
        estimate, created_at, give_up_at) VALUES ('campaign', 'test', 'com.example.app', 'production', 'alert', 10,
        '{"aps":{"alert":"Hi"}}', '{}', 0, 'running', 3, 0, \(give));
      INSERT INTO senders (id, lease_until) VALUES ('old', 0);
      """)
    for (index, (state, owner)) in [("accepted", nil), ("queued", nil), ("sending", "old")].enumerated() {
      let isOpen = state != "accepted"
      let token = SendingContractTests.token(index)
      try database.run(
        "INSERT INTO deliveries (message_id, token, address, topic, environment, apns_id, state, owner, due_at,"
          + " attempts, maybe_twice, created_at, finished_at) VALUES (1, $1, $2, 'com.example.app', 'production', $3,"
          + " $4, $5, 0, 1, 0, 0, $6)",
        [
          .text(store.hash.token(token)), isOpen ? .text(token) : .null, .text("id-\(index)"), .text(state),
          SQLValue(owner), isOpen ? .null : .int(5),
        ])
    }
    try database.run(
      "INSERT INTO outcome_counts (message_id, outcome, reason, number) VALUES (1, 'accepted', '', 1)")
    let registry = try Registry(address)
    defer { registry.stop() }
    let freed = try await registry.changed { store throws(RegistryError) in
      try store.takeOver(limit: 10, at: Self.now)
    }
    #expect(freed == 1)
    let claimed = try await sending.claim(registry)
    #expect(Set(claimed.map(\.messageIdentifier)) == ["id-1", "id-2"])
    try await sending.record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
    let (message, progress) = try await sending.message(registry, 1)
    #expect(message.state == .completed)
    #expect(progress.count(.accepted) == 3)
    #expect(progress.maybeTwice == 1)
    let states = try await sending.deliveries(registry).map(\.state)
    #expect(states == [.accepted, .accepted, .accepted])
  }
}
