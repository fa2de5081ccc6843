import Foundation
import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What a registry promises, over both stores (push notes, 10.5 and the registry cases of 11).
@Suite("Registry", .timeLimit(.minutes(15)))
struct RegistryContractTests {
  @Test("G1: forms of one token are one device", arguments: StoreKind.allCases)
  func formsOfOneToken(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let spaced = "<" + stride(from: 0, to: 64, by: 8).map { _ in "A1A1A1A1" }.joined(separator: " ") + ">"
      let isFirst = try await registry.registered(registration(spaced)).isNew
      #expect(isFirst)
      let is2 = try await registry.registered(registration(tokenA.uppercased())).isNew
      #expect(!is2)
      let last = try await registry.registered(registration(tokenA))
      #expect(last.device.revision == 3)
      #expect(last.device.token == tokenA)
      #expect(
        try await registry.count(DeviceFilter()) == 1)
    }
  }

  @Test("G8: two environments of one token are two devices", arguments: StoreKind.allCases)
  func environments(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let is3 = try await registry.registered(registration(tokenA)).isNew
      #expect(is3)
      let is4 = try await registry.registered(registration(tokenA, environment: .sandbox)).isNew
      #expect(is4)
      let is5 = try await registry.registered(registration(tokenA, topic: "com.example.app.voip")).isNew
      #expect(is5)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func keepsEveryAttribute(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      var attributes = DeviceAttributes()
      attributes.alias = "ann@example.com"
      attributes.badge = 3
      attributes.locale = "de_AT"
      attributes.language = "de"
      attributes.timeZone = "Europe/Vienna"
      attributes.appVersion = "1.10.2"
      attributes.ipAddress = "192.0.2.1"
      attributes.latitude = 48.25
      attributes.longitude = -16.5
      attributes.tags = ["ios 18", "ünïcode ✓", ""].filter { !$0.isEmpty }
      let given = DeviceAttribute.Names.all
      let device = try await registry.registered(
        registration(tokenA) { ($0.attributes, $0.given) = (attributes, given) }
      ).device
      #expect(device.attributes == attributes)
      let found = try await registry.answer { store throws(RegistryError) in
        try store.devices(DeviceFilter(), limit: 2)
      }
      #expect(found == [device])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatIsNotGivenStays(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(
        registration(tokenA) {
          $0.attributes.alias = "ann"
          $0.attributes.tags = ["one"]
          $0.given = [.alias, .tags]
        })
      let kept = try await registry.registered(registration(tokenA, at: 2_000)).device
      #expect(kept.attributes.alias == "ann")
      #expect(kept.lastSeenAt.milliseconds == 2_000)
      #expect(kept.createdAt.milliseconds == 1_000)
      let cleared = try await registry.registered(registration(tokenA, at: 3_000) { $0.given = [.alias] })
      #expect(cleared.device.attributes.alias == nil)
      #expect(cleared.device.attributes.tags == ["one"])
    }
  }

  @Test("G7: a dead token that registers again lives", arguments: StoreKind.allCases)
  func invalidation(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let first = try registration(tokenA, at: 5_000)
      _ = try await registry.registered(first)
      func invalidate(_ time: Int64) async throws -> Bool {
        try await registry.changed { store throws(RegistryError) in
          try store.invalidate(first.key, since: WallTime(milliseconds: time), reason: "Unregistered")
        }
      }
      // Push notes, 4: only if it was registered no later than APNs's timestamp.
      #expect(try await !invalidate(4_999))
      #expect(try await invalidate(5_000))
      #expect(try await !invalidate(6_000))
      var live = DeviceFilter()
      live.isActive = true
      #expect(try await registry.count(live) == 0)
      let again = try await registry.registered(registration(tokenA, at: 7_000))
      #expect(!again.isNew)
      #expect(again.device.unregisteredAt == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aSecondBadDeviceTokenKills(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let first = try registration(tokenA, at: 5_000)
      _ = try await registry.registered(first)
      func suspect() async throws -> Bool {
        try await registry.changed { store throws(RegistryError) in
          try store.suspect(first.key, at: WallTime(milliseconds: 6_000))
        }
      }
      #expect(try await !suspect())
      _ = try await registry.registered(first)
      #expect(try await !suspect())
      #expect(try await suspect())
    }
  }

  // MARK: - Choosing

  static let choices: [(String, @Sendable (inout DeviceFilter) -> Void, [String])] = [
    ("all", { _ in }, ["0", "1", "2", "3"]),
    ("topic", { $0.topic = "com.example.app" }, ["0", "1", "2"]),
    ("visible topics", { $0.visibleTopics = ["com.example.other"] }, ["3"]),
    ("no visible topic", { $0.visibleTopics = [] }, []),
    ("environment", { $0.environment = .sandbox }, ["2"]),
    ("alias", { $0.alias = "user1" }, ["1"]),
    ("tag", { $0.audience.tags = ["even"] }, ["0", "2"]),
    ("both tags", { $0.audience.tags = ["even", "t2"] }, ["2"]),
    ("part of a tag", { $0.audience.tags = ["eve"] }, []),
    ("any tag", { $0.audience.anyTags = ["t1", "t3"] }, ["1", "3"]),
    ("language", { $0.audience.locales = ["de"] }, ["0", "1", "2"]),
    ("region", { $0.audience.locales = ["de-AT", "en"] }, ["1", "3"]),
    ("language in capitals", { $0.audience.locales = ["DE"] }, ["0", "1", "2"]),
    ("region as Apple writes it", { $0.audience.locales = ["de_at"] }, ["1"]),
    ("part of a language", { $0.audience.locales = ["d"] }, []),
    ("time zone", { $0.audience.timeZones = ["Europe/Vienna"] }, ["0"]),
    ("from version", { $0.audience.minimumVersion = "1.9" }, ["1", "2", "3"]),
    ("below version", { $0.audience.belowVersion = "1.10.0" }, ["0", "1"]),
    ("search", { $0.search = "USER eur" }, ["0"]),
    ("search without wildcards", { $0.search = "use_" }, []),
  ]

  @Test(arguments: StoreKind.allCases)
  func chooses(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let locales = ["de", "de-AT", "de_CH", "en"]
      let versions = ["1.2", "1.9.5", "1.10", "2.0"]
      for index in 0..<4 {
        let topic = index == 3 ? "com.example.other" : "com.example.app"
        let token = String(repeating: "0\(index)", count: 32)
        let environment: PushEnvironment = index == 2 ? .sandbox : .production
        _ = try await registry.registered(
          registration(token, topic: topic, environment: environment) {
            $0.attributes.alias = "user\(index)"
            $0.attributes.tags = index % 2 == 0 ? ["even", "t\(index)"] : ["t\(index)"]
            $0.attributes.locale = locales[index]
            $0.attributes.appVersion = versions[index]
            $0.attributes.timeZone = index == 0 ? "Europe/Vienna" : "UTC"
            $0.given = .all
          })
      }
      for (name, set, expected) in Self.choices {
        var filter = DeviceFilter()
        set(&filter)
        let found = try await registry.answer { [filter] store throws(RegistryError) in
          (try store.devices(filter, limit: 10), try store.count(filter))
        }
        #expect(found.0.compactMap(\.attributes.alias) == expected.map { "user\($0)" }, "\(name)")
        #expect(found.1 == Int64(expected.count), "\(name)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func findsALanguageBeforeKeywordsAndOtherLettersThanASCII(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(
        registration(String(repeating: "01", count: 32)) {
          $0.attributes.alias = "Ümit"
          $0.attributes.locale = "de_AT@calendar=buddhist"
          $0.given = .all
        })
      for (search, locale, count) in [
        ("Ümit", "de-AT", 1), ("Ü", "DE", 1), ("üMIT", "de", 1), ("mit", "de", 0), ("Ümit", "at", 0),
      ] {
        // PostgreSQL makes letters small by the database's collation, and that of the tests knows ASCII only.
        if search == "üMIT", kind != .sqlite { continue }
        var filter = DeviceFilter()
        filter.search = search
        filter.audience.locales = [locale]
        let found = try await registry.answer { [filter] store throws(RegistryError) in
          try store.count(filter)
        }
        #expect(found == Int64(count), "\(search), \(locale)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func pages(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for index in 10..<15 {
        _ = try await registry.registered(registration(String(repeating: "\(index)", count: 32)))
      }
      let all = try await registry.answer { store throws(RegistryError) in
        try store.devices(DeviceFilter(), limit: 10)
      }
      let last = all[1].identifier
      let page = try await registry.answer { store throws(RegistryError) in
        try store.devices(DeviceFilter(), after: last, limit: 2)
      }
      #expect(page == Array(all[2...3]))
      let skipped = try await registry.answer { store throws(RegistryError) in
        try store.devices(DeviceFilter(), limit: 2, skipping: 3)
      }
      #expect(skipped == Array(all[3...4]))
    }
  }

  /// Each page looks at two identifiers, however few of them fit, and the pages are all of them.
  @Test(arguments: StoreKind.allCases)
  func aSearchIsBounded(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for index in 10..<17 {
        var one = try registration(String(repeating: "\(index)", count: 32))
        if index == 15 { one.attributes.tags = ["rare"] }
        _ = try await registry.registered(one)
      }
      var filter = DeviceFilter()
      filter.audience.tags = ["rare"]
      var found: [Int] = []
      var next: Int64? = 0
      while let after = next {
        let wanted = filter
        let page = try await registry.answer { store throws(RegistryError) in
          try store.devices(wanted, after: after, limit: 2, within: 2)
        }
        found.append(page.devices.count)
        next = page.next
      }
      #expect(found == [0, 0, 1, 0])
    }
  }

  // MARK: - Removing

  @Test(arguments: StoreKind.allCases)
  func removesByKey(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(registration(tokenA))
      _ = try await registry.registered(registration(tokenB))
      func remove() async throws -> Int {
        var filter = DeviceFilter()
        filter.token = tokenA
        return try await registry.changed { [filter] store throws(RegistryError) in
          try store.remove(filter, at: WallTime(milliseconds: 9_000))
        }
      }
      #expect(try await remove() == 1)
      #expect(try await remove() == 0)
      let is6 = try await registry.registered(registration(tokenA)).isNew
      #expect(is6)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func erasesByAlias(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for (token, topic) in [(tokenA, "com.example.app"), (tokenB, "com.example.other")] {
        _ = try await registry.registered(
          registration(token, topic: topic) {
            $0.attributes.alias = "ann"
            $0.given = [.alias]
          })
      }
      #expect(try await registry.erased(alias: "bob") == 0)
      #expect(try await registry.erased(alias: "ann", topics: ["com.example.other"]) == 1)
      #expect(try await registry.erased(alias: "ann") == 1)
      let log = try await registry.answer { store throws(RegistryError) in try store.auditLog(limit: 10) }
      #expect(
        log.map(\.action) == [
          "alias.erase", "alias.erase", "alias.erase", "device.register", "device.register",
        ])
      #expect(log.map(\.affected) == [1, 1, 0, 1, 1])
      #expect(log.map(\.actor) == Array(repeating: "test", count: 5))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theAuditLogIsSearchedInAnyLetters(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let entry = AuditEntry(time: WallTime(milliseconds: 1), actor: "Ünal", action: "Device.erase")
      try await registry.changed { store throws(RegistryError) in try store.audit([entry]) }
      for (search, count) in [("Ünal", 1), ("device", 1), ("Üna%", 1), ("nil", 0)] {
        let log = try await registry.answer { store throws(RegistryError) in
          try store.auditLog(limit: 5, search: search)
        }
        #expect(log.count == count, "\(search)")
      }
    }
  }

  /// Who searches, or wants no rejections, is shown what stands among the newest 200,000 lines.
  @Test(arguments: StoreKind.allCases)
  func theEndOfTheAuditLogIsSearched(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      func log(_ search: String?, _ hasRejections: Bool) async throws -> [String] {
        try await registry.answer { store throws(RegistryError) in
          try store.auditLog(limit: 9, search: search, hasRejections: hasRejections).map(\.subject)
        }
      }
      try await registry.changed { store throws(RegistryError) in
        try store.audit(
          [("a", "site.publish"), ("b", "site.publish"), ("c", "device.reject")].map {
            AuditEntry(time: WallTime(milliseconds: 1), actor: "ci", action: $0.1, subject: $0.0)
          })
        let first = try store.database.run("SELECT id FROM audit_log WHERE subject = 'a'")[0].int("id")
        try store.database.run(
          "INSERT INTO audit_log (id, at, actor, action, subject, affected)"
            + (kind == .postgres ? " OVERRIDING SYSTEM VALUE" : "")
            + " VALUES ($1, 1, 'ci', 'site.publish', 'd', 1)", [.int(first + 200_000)])
      }
      #expect(try await log(nil, true) == ["d", "c", "b", "a"])
      #expect(try await log("ci", true) == ["d", "c", "b"])
      #expect(try await log(nil, false) == ["d", "b"])
      #expect(try await log("publish", false) == ["d", "b"])
    }
  }

  /// Of a change whose end nobody heard, the line may be there.
  @Test(arguments: StoreKind.allCases)
  func aLineOfTheAuditLogIsWrittenOnce(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      func entry(_ subject: String, at milliseconds: Int64 = 1) -> AuditEntry {
        AuditEntry(
          time: WallTime(milliseconds: milliseconds), actor: "ci", action: "site.publish", subject: subject)
      }
      let (first, second, later) = (entry("a"), entry("b"), entry("a", at: 2))
      try await registry.changed { store throws(RegistryError) in try store.audit([first]) }
      for _ in 0..<2 {
        try await registry.changed { store throws(RegistryError) in
          try store.auditOnce([first, second, later])
        }
      }
      let log = try await registry.answer { store throws(RegistryError) in try store.auditLog(limit: 9) }
      #expect(log == [later, second, first])
    }
  }

  // MARK: - Many at once

  @Test(arguments: StoreKind.allCases)
  func manyAtOnceAreOneGroupEach(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let answers = try await withThrowingTaskGroup(of: RegisteredDevice.self) { group in
        for index in 0..<2_000 {
          // Every device twice, so that a group holds the same device more than once.
          let token = String(repeating: "0", count: 60) + String(10_000 + index / 2).suffix(4)
          group.addTask { try await registry.registered(registration(token)) }
        }
        var answers: [RegisteredDevice] = []
        for try await answer in group { answers.append(answer) }
        return answers
      }
      #expect(answers.count { $0.isNew } == 1_000)
      #expect(Set(answers.map(\.device.identifier)).count == 1_000)
    }
  }

  /// Registrations of one device in one group happen in the order in which they came, whatever they say.
  @Test(arguments: StoreKind.allCases)
  func aGroupKeepsItsOrder(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let registrations = try (0..<60).map { index -> DeviceRegistration in
        let token = index % 3 == 0 ? tokenA : tokenB
        return try registration(token, at: Int64(index)) {
          $0.attributes.alias = "alias \"\(index)\\"
          $0.attributes.tags = ["tag\(index)"]
          $0.given = index % 4 == 0 ? [.alias] : [.tags]
        }
      }
      let devices = try await registry.changed { store throws(RegistryError) in
        try store.register(registrations)
      }
      #expect(devices.map(\.device.lastSeenAt.milliseconds) == Array(0..<60))
      for (token, aliasOf, tagOf) in [(tokenA, 48, 57), (tokenB, 56, 59)] {
        let last = try #require(devices.last { $0.device.token == token }).device
        #expect(last.attributes.alias == "alias \"\(aliasOf)\\")
        #expect(last.attributes.tags == ["tag\(tagOf)"])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aRefusedChangeSpoilsNoOther(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let token = AccessToken(
        identifier: "one", secretHash: "00", scopes: [], topics: [], createdAt: WallTime(milliseconds: 1))
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for index in 0..<40 {
          group.addTask {
            do {
              if index % 2 == 0 {
                try await registry.changed { store throws(RegistryError) in try store.add(token) }
              } else {
                _ = try await registry.registered(registration(String(repeating: "\(index + 10)", count: 32)))
              }
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      // Every registration, and the credential once.
      #expect(outcomes == 21)
    }
  }

  // MARK: - Credentials

  @Test(arguments: StoreKind.allCases)
  func keepsCredentialsWithoutTheirSecret(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let text = AccessTokenText(random: (0..<40).map { UInt8($0) })
      let token = AccessToken(
        identifier: text.identifier, secretHash: text.secretHash, name: "app server",
        scopes: [.writeDevices, .readDevices], topics: ["com.example.app"], hosts: [],
        createdAt: WallTime(milliseconds: 5), expiresAt: WallTime(milliseconds: 10))
      try await registry.changed { store throws(RegistryError) in try store.add(token) }
      let found = try await registry.answer { store throws(RegistryError) in
        try store.accessToken(text.identifier)
      }
      #expect(found == token)
      #expect(text.proves(found))
      #expect(found?.isValid(at: WallTime(milliseconds: 9)) == true)
      #expect(found?.isValid(at: WallTime(milliseconds: 10)) == false)
      let isRevoked = try await registry.changed { store throws(RegistryError) in
        try store.revoke(text.identifier, at: WallTime(milliseconds: 7))
      }
      #expect(isRevoked)
      let all = try await registry.answer { store throws(RegistryError) in try store.accessTokens() }
      #expect(all.map { $0.isValid(at: WallTime(milliseconds: 8)) } == [false])
    }
  }

  // MARK: - Opening

  @Test(arguments: StoreKind.allCases)
  func survivesARestart(_ kind: StoreKind) async throws {
    let folder = try ScratchFolder()
    guard let address = try kind.fresh(in: folder) else { return }
    let first = try Registry(address)
    let device = try await first.registered(registration(tokenA)).device
    first.stop()
    let second = try Registry(address)
    defer { second.stop() }
    let found = try await second.answer { store throws(RegistryError) in
      try store.devices(DeviceFilter(), limit: 2)
    }
    #expect(found == [device])
  }

  @Test(arguments: StoreKind.allCases)
  func refusesANewerStore(_ kind: StoreKind) async throws {
    let folder = try ScratchFolder()
    guard let address = try kind.fresh(in: folder) else { return }
    try Registry(address).stop()
    let newer = RegistryStore.currentVersion + 1
    try address.open().runScript("UPDATE linkspan_registry SET version = \(newer)")
    let error = #expect(throws: RegistryError.self) { try Registry(address) }
    #expect(error?.kind == .newerStore)
    #expect(
      error?.description == """
        The registry has version \(newer), and this program knows versions up to \(newer - 1).
          Start the newer program again; a store is never changed back.
        """)
  }

  @Test(arguments: StoreKind.allCases)
  func twoProcessesMayMakeTheTables(_ kind: StoreKind) async throws {
    let folder = try ScratchFolder()
    guard let address = try kind.fresh(in: folder) else { return }
    let versions = try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try Registry(address).stop() } }
      try await group.waitForAll()
      return try address.open().run("SELECT version FROM linkspan_registry")
    }
    #expect(try versions.ints("version") == [Int64(RegistryStore.currentVersion)])
  }

  // MARK: - Export and import

  @Test(arguments: StoreKind.allCases)
  func whatIsExportedImportsTheSame(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for (index, token) in [tokenA, tokenB].enumerated() {
        _ = try await registry.registered(
          registration(token, at: 1_000 + Int64(index)) {
            $0.attributes.alias = "a \"quoted\" alias"
            $0.attributes.tags = ["x", "y"]
            $0.attributes.latitude = 0.1
            $0.attributes.ipAddress = "192.0.2.1"
            $0.given = .all
          })
      }
      let key = try registration(tokenB).key
      _ = try await registry.changed { store throws(RegistryError) in
        try store.invalidate(key, since: WallTime(milliseconds: 4_000), reason: "Unregistered")
      }
      func export() async throws -> [[UInt8]] {
        try await registry.answer { store throws(RegistryError) in
          try store.devices(DeviceFilter(), limit: 10).map(RegistryTransfer.line)
        }
      }
      let lines = try await export()
      let devices = try lines.map { try RegistryTransfer.device($0) }
      let unchanged = try await registry.changed { store throws(RegistryError) in
        try store.importDevices(devices, at: WallTime(milliseconds: 9_000))
      }
      #expect(unchanged == 0)
      var everything = DeviceFilter()
      everything.alias = "a \"quoted\" alias"
      _ = try await registry.changed { [everything] store throws(RegistryError) in
        try store.remove(everything, at: WallTime(milliseconds: 9_000))
      }
      let new = try await registry.changed { store throws(RegistryError) in
        try store.importDevices(devices, at: WallTime(milliseconds: 9_000))
      }
      #expect(new == 2)
      #expect(try await export() == lines)
    }
  }
}
