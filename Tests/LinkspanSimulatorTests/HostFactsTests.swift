import AppSiteAssociation
import LinkspanCore
import Testing

@testable import LinkspanStories
@testable import SimulatedDevices

/// What a story says of a host's network, in words, and of durations.
@Suite struct HostFactsTests {
  static let rows: [(words: String, change: @Sendable (inout HostFacts) -> Void)] = [
    ("healthy", { _ in }), ("unresolvable", { $0.isUnresolvable = true }),
    ("at 10.0.0.5", { $0.privateAddress = "10.0.0.5" }), ("drops crawler", { $0.drops = .crawler }),
    ("forbids devices", { $0.forbids = .devices }), ("down", { $0.isDown = true }),
    ("answers US JP, forbids others", { $0.regions = ["US", "JP"] }),
    ("latency 5-9 ms", { $0.latency_ms = 5...9 }), ("latency 20-121 ms", { $0.latency_ms = 20...121 }),
    (
      "drops everybody, forbids everybody, answers DE, drops others, down",
      {
        ($0.drops, $0.forbids, $0.isDown) = (.everybody, .everybody, true)
        ($0.regions, $0.elsewhere) = (["DE"], .drops)
      }
    ),
  ]

  @Test(arguments: rows.indices) func whatIsOutOfTheOrdinaryIsSaid(_ index: Int) {
    var facts = HostFacts()
    Self.rows[index].change(&facts)
    #expect(facts.words == Self.rows[index].words)
  }

  @Test(
    arguments: [
      ("0s", 0), ("90s", 90), ("15m", 900), ("3h", 10_800), ("5d", 432_000), ("1d 12h", 129_600),
      ("1d 2h 3m 4s", 93_784), ("10000s", 10_000), ("10001s", nil), ("10000d", 864_000_000), ("10001d", nil),
      ("09999h", 35_996_400), ("000001s", nil), ("s", nil), ("", nil), (" ", nil), ("5", nil), ("5w", nil),
      ("-5s", nil), ("1.5h", nil), ("1d12h", nil), ("1h  2m", 3_720),
    ] as [(String, Int64?)])
  func aDurationIsRead(text: String, seconds: Int64?) {
    #expect(StoryDuration.read(text) == seconds.map { .seconds($0) })
  }

  @Test(arguments: [
    (0, 4, "0s"), (59, 4, "59s"), (60, 4, "1m"), (61, 4, "1m 1s"), (61, 1, "1m"), (86_400, 4, "1d"),
    (93_784, 4, "1d 2h 3m 4s"), (93_784, 2, "1d 2h"), (86_399, 4, "23h 59m 59s"),
  ])
  func aDurationIsWritten(seconds: Int, unitCount: Int, text: String) {
    #expect(StoryDuration.text(.seconds(seconds), unitCount: unitCount) == text)
  }

  /// C6: a planted bug forgets what is not a file, and nothing else.
  @Test(
    arguments: [
      (nil, 200, 3_600_000), (nil, 404, 3_600_000), (.negativeCacheIgnored, 200, 3_600_000),
      (.negativeCacheIgnored, 404, 1), (.negativeCacheIgnored, 503, 1), (.storedFileDropped, 404, 3_600_000),
    ] as [(PlantedBug?, Int, Int64)])
  func anAnswerIsKeptForItsTime(plant: PlantedBug?, status: Int, life_ms: Int64) {
    let life = CopyLife(plant: plant).life(
      HTTPResponse(status: status), life_s: 3_600, host: "e.test", crawl: 1)
    #expect(life == .milliseconds(life_ms))
  }

  /// T5 and T7: whom a filter keeps out, and how one by country does.
  @Test(
    arguments: [
      (.nobody, false, false), (.crawler, true, false), (.devices, false, true), (.everybody, true, true),
    ] as [(HostFacts.Filter, Bool, Bool)])
  func aFilterKeepsOutWhomItNames(filter: HostFacts.Filter, crawler: Bool, device: Bool) {
    for client in [FetchClient.crawler, .device(name: "phone", os: OSVersion(.iOS, 17, 4))] {
      #expect(filter.keepsOut(client) == (client == .crawler ? crawler : device), "\(client)")
      var facts = HostFacts()
      facts.drops = filter
      #expect(
        facts.drops(client, from: "US") == filter.keepsOut(client) && !facts.forbids(client, from: "US"))
      (facts.drops, facts.forbids) = (.nobody, filter)
      #expect(
        facts.forbids(client, from: "US") == filter.keepsOut(client) && !facts.drops(client, from: "US"))
    }
  }

  @Test(arguments: [HostFacts.Fence.forbids, .drops], ["US", "DE", "JP"])
  func aFilterByCountryKeepsOthersOut(fence: HostFacts.Fence, region: String) {
    var facts = HostFacts()
    (facts.regions, facts.elsewhere) = (["US", "DE"], fence)
    #expect(facts.forbids(.crawler, from: region) == (fence == .forbids && region == "JP"))
    #expect(facts.drops(.crawler, from: region) == (fence == .drops && region == "JP"))
  }
}
