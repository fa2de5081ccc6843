import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Campaigns that a newer build stored: a condition that is passed over would let them go to devices that it leaves out.
@Suite("Campaigns of a newer build", .timeLimit(.minutes(5)))
struct MisunderstoodCampaignTests {
  private let sending = SendingContractTests()
  private static let now = SendingContractTests.now

  private func set(
    _ registry: Registry, _ table: String, _ column: String, _ text: String, of campaign: Int64
  ) async throws {
    _ = try await registry.changed { store throws(RegistryError) in
      _ = try store.database.run(
        "UPDATE \(table) SET \(column) = $1 WHERE \(table == "messages" ? "id" : "message_id") = $2",
        [.text(text), .int(campaign)])
    }
  }

  private func resume(_ registry: Registry, _ campaign: Int64) async throws {
    _ = try await registry.changed { store throws(RegistryError) in
      try store.change(campaign, to: .running, topics: nil, at: Self.now)
    }
  }

  private func misunderstood(_ registry: Registry) async throws -> [MisunderstoodCampaign] {
    try await registry.changed { store throws(RegistryError) in store.takeMisunderstood() }
  }

  @Test(arguments: StoreKind.allCases)
  func oneWithAnUnknownConditionPauses(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 3)
      let campaign = try await sending.start(registry, SendingContractTests.campaign())
      let known = Audience().json.text
      try await set(registry, "messages", "audience", #"{"tags":[],"near":"Vienna"}"#, of: campaign)
      for _ in 0..<2 {
        #expect(try await sending.claim(registry).isEmpty)
        let (message, progress) = try await sending.message(registry, campaign)
        #expect(message.state == .paused && message.unread(progress.details) == ["/query/near"])
        #expect(
          try await misunderstood(registry) == [
            MisunderstoodCampaign(identifier: campaign, topic: "com.example.app", unread: ["/query/near"])
          ])
        try await resume(registry, campaign)
      }
      // A build that understands it sends it.
      try await set(registry, "messages", "audience", known, of: campaign)
      _ = try await registry.changed { store throws(RegistryError) in store.knownUnread = [:] }
      #expect(try await sending.claim(registry).count == 3)
    }
  }

  /// Its deliveries were made by a build that knows the option, and say nothing of it.
  @Test(arguments: StoreKind.allCases)
  func oneWithAnUnknownOptionPausesWhenItsDeliveriesAreMade(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 3)
      let campaign = try await sending.start(
        registry, SendingContractTests.campaign { $0.options.startsAt = Self.now })
      let claimed = try await sending.claim(registry)
      #expect(claimed.count == 3)
      try await set(
        registry, "campaign_options", "options",
        #"{"quiet_hours":{"from":"22:00","to":"08:00","days":"weekend"}}"#, of: campaign)
      _ = try await registry.changed { store throws(RegistryError) in
        (store.knownUnread, store.knownOptions) = ([:], [:])
      }
      try await sending.record(registry, claimed.map { .init($0.identifier, .unsent) })
      #expect(try await sending.claim(registry).isEmpty)
      #expect(try await misunderstood(registry).map(\.unread) == [["/quiet_hours/days"]])
      #expect(try await sending.deliveries(registry).map(\.state) == [.held, .held, .held])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func oneThatWaitsForItsTimeKeepsIt(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 3)
      let time = Self.now.advanced(by: .seconds(60))
      let campaign = try await sending.start(
        registry, SendingContractTests.campaign { $0.options.startsAt = time })
      try await set(registry, "messages", "audience", #"{"near":"Vienna"}"#, of: campaign)
      let started = try await registry.changed { store throws(RegistryError) in
        try store.startDue(at: time) { _ in nil }
      }
      #expect(started.isEmpty)
      let (message, progress) = try await sending.message(registry, campaign)
      #expect(message.state == .paused && progress.details?.startsAt == time)
    }
  }

  @Test(
    arguments: [
      (#"{"tags":["a"],"from_version":"2"}"#, []), ("{}", []), (#"{"tags":"a"}"#, ["/query/tags"]),
      (#"{"tags":["a",7]}"#, ["/query/tags"]), (#"{"from_version":2}"#, ["/query/from_version"]),
      (#"{"a~/b":null}"#, ["/query/a~0~1b"]), (#"{"tags":["a"]"#, ["/query"]), ("", ["/query"]),
    ] as [(String, [String])])
  func everyConditionIsReadOrNamed(_ stored: String, _ unread: [String]) {
    #expect(Audience(stored: stored).unread == unread)
  }

  @Test(
    arguments: [
      (#"{"cap":{"count":2,"per_s":60,"of":"topic"}}"#, ["/cap/of"]),
      (#"{"repeat":"FREQ=MOON"}"#, ["/repeat"]),
      (
        #"{"variants":[{"name":"b","share":500000,"payloads":{"default":"{}"},"after":"a"}]}"#,
        ["/variants/0/after"]
      ), (#"{"holdout":"most","ranked":true}"#, ["/holdout", "/ranked"]), ("{}", []),
    ] as [(String, [String])])
  func everyOptionIsReadOrNamed(_ stored: String, _ unread: [String]) {
    #expect(CampaignOptions(stored: stored).unread == unread)
  }
}
