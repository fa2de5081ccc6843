import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Days of the journal leave the registry for a file before they are removed, over both stores.
@Suite("Export of the journal", .timeLimit(.minutes(5)))
struct JournalExportTests {
  private static let now = SendingContractTests.now
  private static let nextDay = now.advanced(by: .seconds(86_400))
  private let sending = SendingContractTests()

  private func take(
    _ registry: Registry, by owner: String = "one", at now: WallTime
  ) async throws -> JournalExport? {
    try await registry.changed { store throws(RegistryError) in try store.takeExport(owner, at: now) }
  }

  /// All lines of an export, in pages of two.
  private func lines(_ registry: Registry, _ export: JournalExport) async throws -> [String] {
    var lines: [String] = []
    var place: JournalExport.Place?
    repeat {
      let page = try await registry.answer { [place] store throws(RegistryError) in
        try store.page(of: export, after: place, limit: 2)
      }
      let text = page.text.split(separator: "\n").map(String.init)
      #expect(text.count == page.lines)
      lines += text
      place = page.end
    } while place != nil
    return lines
  }

  private func end(_ registry: Registry, _ export: JournalExport, _ lines: Int) async throws {
    try await registry.changed { store throws(RegistryError) in
      try store.note(export, lines: lines, isWhole: true, at: Self.nextDay)
    }
  }

  private func prune(_ registry: Registry, at now: WallTime) async throws -> Int64 {
    var retention = RegistryStore.Retention(.seconds(86_400))
    retention.waitsForExport = true
    return try await registry.changed { [retention] store throws(RegistryError) in
      while try store.prune(retention, limit: 100, at: now) {}
      return try store.database.run("SELECT count(*) AS number FROM deliveries")[0].int("number")
    }
  }

  private func accepted(_ registry: Registry, devices: Int) async throws {
    try await sending.register(registry, devices)
    _ = try await sending.start(registry, SendingContractTests.campaign())
    let claimed = try await sending.claim(registry)
    #expect(claimed.count == devices)
    try await sending.record(
      registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
    // A claim that finds no more devices ends the campaign.
    #expect(try await sending.claim(registry).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func aClosedDayIsExportedOnceWithHashes(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await accepted(registry, devices: 5)
      #expect(try await take(registry, at: Self.now) == nil)
      let export = try #require(try await take(registry, at: Self.nextDay))
      #expect(export.file == "linkspan-journal-2026-09-14-campaign.csv.gz")
      // Another process, while the first one writes.
      #expect(try await take(registry, at: Self.nextDay) == nil)
      let lines = try await lines(registry, export)
      #expect(lines.count == 5)
      let columns = JournalExport.header.split(separator: ",").count
      for (number, line) in lines.enumerated() {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        #expect(fields.count == columns)
        #expect(fields[2] == "campaign" && fields[7] == "accepted" && fields[8] == "200")
        #expect(KeyedHash.isHash(fields[5]) && !line.contains(SendingContractTests.token(number)))
      }
      let hashes = lines.map { line -> Substring in line.split(separator: ",")[5] }
      #expect(Set(hashes).count == 5)
      try await end(registry, export, 5)
      #expect(try await take(registry, at: Self.nextDay.advanced(by: .seconds(600))) == nil)
    }
  }

  /// Not before its file is whole, however long ago everything ended.
  @Test(arguments: StoreKind.allCases)
  func whatIsNotExportedStays(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await accepted(registry, devices: 3)
      let late = Self.now.advanced(by: .seconds(40 * 86_400))
      #expect(try await prune(registry, at: late) == 3)
      let export = try #require(try await take(registry, at: late))
      #expect(try await prune(registry, at: late) == 3)
      try await end(registry, export, 3)
      #expect(try await prune(registry, at: late) == 0)
    }
  }

  /// A process that died is replaced, and one that failed at once.
  @Test(arguments: StoreKind.allCases)
  func anInterruptedExportIsTakenOver(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await accepted(registry, devices: 1)
      let first = try #require(try await take(registry, at: Self.nextDay))
      #expect(try await take(registry, at: Self.nextDay.advanced(by: .seconds(119))) == nil)
      let late = Self.nextDay.advanced(by: .seconds(121))
      let second = try #require(try await take(registry, by: "two", at: late))
      #expect(second.file == first.file)
      // The first one is not dead: what it says counts no more, and it is told so before its file has a name.
      try await registry.changed { store throws(RegistryError) in try store.release(first) }
      #expect(try await take(registry, by: "three", at: late) == nil)
      for isWhole in [false, true] {
        let error = await #expect(throws: RegistryError.self) {
          try await registry.changed { store throws(RegistryError) in
            try store.note(first, lines: 1, isWhole: isWhole, at: late)
          }
        }
        #expect(error?.message == "Another server has taken over the export of '\(first.file)'.")
      }
      try await registry.changed { store throws(RegistryError) in try store.release(second) }
      let third = try #require(
        try await take(registry, by: "three", at: Self.nextDay.advanced(by: .seconds(122))))
      try await end(registry, third, 1)
    }
  }

  /// Else the plan has a part for each day between, and a date without four digits of a year stops the process.
  @Test(
    arguments: StoreKind.allCases, [-9_000_000_000_000_000_000, 9_000_000_000_000_000_000, 1_000] as [Int64])
  func aDamagedDateIsAnError(_ kind: StoreKind, _ milliseconds: Int64) async throws {
    try await kind.test { registry in
      try await accepted(registry, devices: 1)
      _ = try await registry.changed { store throws(RegistryError) in
        if store.database.dialect.isRemote {
          try store.database.run(
            "INSERT INTO journal_parts (part) VALUES ($1)", [.int(milliseconds + 10_000_000)])
        } else {
          try store.database.run("UPDATE messages SET created_at = $1", [.int(milliseconds)])
        }
      }
      let error = await #expect(throws: RegistryError.self) { _ = try await take(registry, at: Self.nextDay) }
      #expect(error?.kind == .damaged)
      #expect(error?.help?.contains("table") == true)
    }
  }

  /// A page costs its own lines, wherever the day's first ones are.
  @Test func aPageBeginsWhereTheLastOneEnded() async throws {
    try await StoreKind.postgres.test { registry in
      try await accepted(registry, devices: 1)
      let plan = try await registry.changed { store throws(RegistryError) -> String in
        let part = JournalPart(.campaign, at: Self.now)
        let table = store.table("deliveries", part)
        let first = part.messages.lowerBound
        try store.database.run(
          "INSERT INTO \(table) (id, message_id, token, topic, environment, apns_id, state, due_at, attempts, maybe_twice,"
            + " created_at, finished_at) SELECT 1000000 + n, \(first) + n / 10, 'hmac-' || n, 'com.example.app',"
            + " 'production', '', 'accepted', 0, 1, 0, 0, 0 FROM generate_series(1, 30000) AS n")
        return try store.database.run(
          "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) " + store.pageStatement(part),
          [.int(first + 2_900), .int(1_029_000), .int(part.messages.upperBound - 1), .int(100)]
        ).texts("QUERY PLAN").joined(separator: "\n")
      }
      #expect(plan.contains("ROW(message_id, id) > ROW("), "\(plan)")
      let buffers = try #require(plan.firstMatch(of: /Buffers: shared hit=(\d+)/).flatMap { Int($0.1) })
      #expect(buffers < 60, "\(plan)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDayWithAnOpenMessageWaits(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 1)
      _ = try await sending.start(registry, SendingContractTests.campaign())
      #expect(try await take(registry, at: Self.nextDay) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anErasureNamesTheFiles(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(
        registration(SendingContractTests.token(0)) { $0.attributes.alias = "ann" })
      func remains() async throws -> [String] {
        try await registry.changed { store throws(RegistryError) in
          try store.erase(alias: "ann", topics: nil, at: Self.nextDay).receipt.remains.map(\.place)
        }
      }
      #expect(try await remains().filter { $0.hasPrefix("exports") }.isEmpty)
      try await accepted(registry, devices: 1)
      // From the moment when it is begun.
      _ = try await take(registry, at: Self.nextDay)
      #expect(
        try await remains().contains(
          "exports of the journal of 2026-09-14 (1 file linkspan-journal-….csv.gz), which name devices by keyed hashes"
        ))
    }
  }
}
