import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry

/// Whom a campaign leaves out: devices with a tag, and those that registered lately or long ago.
@Suite("Audience", .timeLimit(.minutes(5)))
struct AudienceTests {
  private let sending = SendingContractTests()
  private static let now = SendingContractTests.now
  private static let day: Int64 = 86_400

  private static func audience(_ set: (inout Audience) -> Void) -> Audience {
    var audience = Audience()
    set(&audience)
    return audience
  }

  /// Device 0 registered now, device 1 a day ago, and so on; even ones have a tag, and each has its own.
  static let choices: [(String, Audience, [Int])] = [
    ("without a tag", audience { $0.withoutTags = ["even"] }, [1, 3]),
    ("without two tags", audience { $0.withoutTags = ["even", "t1"] }, [3]),
    ("without part of a tag", audience { $0.withoutTags = ["eve"] }, [0, 1, 2, 3]),
    ("with one tag and without another", audience { ($0.tags, $0.withoutTags) = (["even"], ["t2"]) }, [0]),
    ("seen within two days", audience { $0.seenWithin = 2 * day }, [0, 1, 2]),
    ("not seen for two days", audience { $0.notSeenFor = 2 * day }, [3]),
    ("seen before that", audience { ($0.seenWithin, $0.notSeenFor) = (2 * day, day) }, [2]),
  ]

  @Test(arguments: StoreKind.allCases)
  func isWhatACampaignReaches(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 4) { number, registration in
        registration.attributes.tags = number % 2 == 0 ? ["even", "t\(number)"] : ["t\(number)"]
        registration.given = .all
        registration.time = Self.now.advanced(by: .seconds(-Self.day * Int64(number)))
      }
      for (name, audience, expected) in Self.choices {
        // As the store keeps it.
        let audience = Audience(stored: audience.json.text)
        let campaign = try await sending.start(
          registry, SendingContractTests.campaign { $0.audience = audience })
        let claimed = try await sending.claim(registry)
        #expect(claimed.map(\.token) == expected.map(SendingContractTests.token), "\(name)")
        try await sending.record(registry, claimed.map { .init($0.identifier, .accepted, status: 200) })
        let (message, _) = try await sending.message(registry, campaign)
        #expect(message.estimate == Int64(expected.count), "\(name)")
        #expect(message.state == .completed, "\(name)")
      }
    }
  }

  /// The time counts from when a push is made: who comes back before is left out.
  @Test(arguments: StoreKind.allCases)
  func countsFromWhenAPushIsMade(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 2) { _, registration in
        registration.time = Self.now.advanced(by: .seconds(-9 * Self.day))
      }
      _ = try await sending.start(
        registry, SendingContractTests.campaign { $0.audience.notSeenFor = 7 * Self.day })
      _ = try await registry.registered(registration(SendingContractTests.token(0)) { $0.time = Self.now })
      #expect(try await sending.claim(registry).map(\.token) == [SendingContractTests.token(1)])
    }
  }

  /// Who registered six hours ago fits half an hour later: at nine by the clock there, and not by that of UTC, where it is five
  /// in the morning.
  @Test(arguments: StoreKind.allCases, [1, 2])
  func whoFitsLaterGetsItAtTheirLocalTime(_ kind: StoreKind, _ count: Int) async throws {
    let options = CampaignOptionsTests()
    try await kind.test { registry in
      try await sending.register(registry, count) { number, registration in
        registration.attributes.timeZone = number == 0 ? "America/New_York" : "Europe/Vienna"
        registration.given = .all
        registration.time = Self.now.advanced(by: .seconds(number == 0 ? -6 * 3_600 : -9 * Self.day))
      }
      var request = SendingContractTests.campaign { $0.audience.notSeenFor = 23_400 }
      request.localTime = 9 * 60
      let campaign = try await options.start(registry, request)
      #expect(try await sending.message(registry, campaign).0.estimate == Int64(count - 1))
      var sent: [String] = []
      for hour in 0..<24 {
        let now = Self.now.advanced(by: .seconds(hour * 3_600))
        for delivery in try await options.sent(registry, at: now) {
          sent.append("\(delivery.token.suffix(1)) \(now)")
        }
      }
      let times = ["0 2026-09-14T13:00:00.000Z", "1 2026-09-15T07:00:00.000Z"]
      #expect(sent == Array(times.prefix(count)))
      #expect(try await sending.message(registry, campaign).0.state == .completed)
    }
  }
}
