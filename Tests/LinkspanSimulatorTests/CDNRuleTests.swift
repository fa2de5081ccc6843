import AppSiteAssociation
import AssociationDelivery
import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// Rules C1 to C11, one by one; what an origin's answer becomes is in ``OriginTableTests``.
@Suite struct CDNRuleTests {
  typealias Origin = ContentDeliveryNetworkTests.Origin

  static let good = OriginTableTests.answer(200, OriginTableTests.json)
  static let forbidden = OriginTableTests.answer(403)

  /// Answers one after the other, each after a wait, from an origin that changes after the first.
  static func answers(
    _ switches: CDNSwitches = CDNSwitches(), first: FetchResult, then: FetchResult, after waits_s: [Int],
    target: String = "/a/v1/example.com"
  ) throws -> (responses: [HTTPResponse], asked: Int) {
    let executor = SeededExecutor(seed: 1)
    let clock = VirtualClock(executor)
    let origin = Origin()
    origin.answers(first)
    let cdn = ContentDeliveryNetwork(clock: clock, transport: origin.transport, switches: switches)
    let responses = try #require(
      executor.run {
        var responses: [HTTPResponse] = []
        for wait_s in [0] + waits_s {
          try? await clock.sleep(for: .seconds(wait_s))
          responses.append(
            await cdn.answer(HTTPRequest(authority: ContentDeliveryNetwork.host, target: target)))
          origin.answers(then)
        }
        return responses
      })
    return (responses, origin.asked)
  }

  static func switches(_ change: (inout CDNSwitches) -> Void) -> CDNSwitches {
    var switches = CDNSwitches()
    change(&switches)
    return switches
  }

  @Test func theLifeOfAFileIsASwitchC5() throws {
    let of2023 = Self.switches { $0.positiveLife_s = 3_600 }
    let (responses, asked) = try Self.answers(of2023, first: Self.good, then: Self.good, after: [3_599, 1])
    #expect(responses.map { $0.fields["Age"] } == ["0", "3599", "0"])
    #expect(responses[0].fields["Cache-Control"] == "max-age=3600,public")
    #expect(asked == 2)
  }

  @Test func theLifeOfAFailureIsASwitchC6() throws {
    let of2023 = Self.switches { $0.negativeLife_s = 1_800 }
    let (responses, asked) = try Self.answers(
      of2023, first: Self.forbidden, then: Self.good, after: [1_799, 1])
    #expect(responses.map(\.status) == [404, 404, 200])
    #expect(responses[0].fields["Cache-Control"] == "max-age=1800,public")
    #expect(asked == 2)
  }

  @Test(arguments: [(false, 1), (true, 2)])
  func aJunkQueryForcesACrawlOnlyWhenSwitchedOnC7(isOn: Bool, crawls: Int) throws {
    let switches = Self.switches { $0.crawlsAnewForQuery = isOn }
    let (_, asked) = try Self.answers(
      switches, first: Self.good, then: Self.good, after: [1], target: "/a/v1/example.com?x=1")
    #expect(asked == crawls)
  }

  @Test(arguments: [(false, [200, 404, 404]), (true, [200, 200, 200])])
  func anOldCopyOutlivesItsOriginOnlyWhenSwitchedOnC11(isOn: Bool, statuses: [Int]) throws {
    let switches = Self.switches { $0.keepsOldCopy = isOn }
    let (responses, asked) = try Self.answers(
      switches, first: Self.good, then: Self.forbidden, after: [21_600, 3_599])
    #expect(responses.map(\.status) == statuses)
    #expect(responses.last?.fields["Age"] == (isOn ? "25199" : "3599"))
    #expect(asked == 2)
  }

  @Test func afterAnOldCopyTheOriginIsAskedAgainAsAfterAFailureC6C11() throws {
    let switches = Self.switches { $0.keepsOldCopy = true }
    let (_, asked) = try Self.answers(
      switches, first: Self.good, then: Self.forbidden, after: [21_600, 3_600])
    #expect(asked == 3)
  }

  @Test(arguments: [(nil, 5), (9, 9)] as [(Int?, Int)])
  func theCrawlerWaitsSoLongT8(setting: Int?, seconds: Int) throws {
    let switches = Self.switches { if let setting { $0.crawlTimeout_s = setting } }
    _ = try CDN.ask("example.com", switches: switches) { _, _, options in
      #expect(options.timeout == .seconds(seconds))
      return Self.good
    }
  }

  @Test func headHasTheFieldsOfGetAndNoBody() throws {
    let executor = SeededExecutor(seed: 1)
    let cdn = ContentDeliveryNetwork(clock: VirtualClock(executor)) { _, _, _ in Self.good }
    let response = try #require(
      executor.run {
        await cdn.answer(
          HTTPRequest(method: "HEAD", authority: ContentDeliveryNetwork.host, target: "/a/v1/example.com"))
      })
    #expect(response.status == 200)
    #expect(response.body.isEmpty)
    #expect(response.fields["Content-Length"] == "\(OriginTableTests.json.utf8.count)")
  }

  @Test func aPurgeForgetsOneHostOrAll() throws {
    let executor = SeededExecutor(seed: 1)
    let cdn = ContentDeliveryNetwork(clock: VirtualClock(executor)) { _, _, _ in Self.good }
    let counts = try #require(
      executor.run {
        for host in ["a.example", "b.example", "c.example"] { _ = await cdn.answer(CDN.request(host)) }
        let one = await cdn.purge("b.example")
        let left = await cdn.kept.map(\.host)
        let rest = await cdn.purge(nil)
        return ([one, rest, await cdn.kept.count], left)
      })
    #expect(counts.0 == [1, 2, 0])
    #expect(counts.1 == ["a.example", "c.example"])
  }

  @Test(arguments: CDNSwitches.Key.allCases)
  func everySwitchTakesAValueAndRefusesNonsense(_ key: CDNSwitches.Key) {
    var switches = CDNSwitches()
    let values: (good: String, bad: String) =
      switch CDNSwitches.place(of: key) {
      case .flag(let path): (switches[keyPath: path] ? "false" : "true", "yes")
      case .number, .size: ("7", "-1")
      case .word: ("JP", "")
      }
    #expect(switches.set(key, to: values.bad) != nil)
    #expect(switches == CDNSwitches())
    #expect(switches.set(key, to: values.good) == nil)
    #expect(switches != CDNSwitches())
  }

  // MARK: - Stories

  static func play(network: String, device: String = "os: \"ios:17.4\"", switches: String = "") throws
    -> SimulationResult
  {
    try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(["/a"])) }", domains: "\"applinks:e.test\"",
      network: "\"e.test\": { \(network) }", devices: "iphone: { \(device) }", switches: switches,
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
  }

  @Test(
    arguments: [
      ("regions: [\"JP\"]", "", "browser fetch", "403"),
      ("regions: [\"JP\"], elsewhere: \"drops\"", "", "browser fetch", "did not answer in time"),
      ("regions: [\"JP\"]", "cdn_crawler_region: \"JP\"", "app through applinks:e.test", "200"),
      ("regions: [\"JP\", \"US\"]", "", "app through applinks:e.test", "200"),
      ("forbids: \"crawler\"", "", "browser fetch", "403"),
      ("forbids: \"devices\"", "", "app through applinks:e.test", "200"),
    ])
  func aFilterByCountryOrAgentKeepsTheCrawlerOutT5T7(
    network: String, switches: String, verdict: String, origin: String
  ) throws {
    let result = try Self.play(network: network, switches: switches)
    #expect(Stories.words(result.rows[0].verdict) == verdict)
    let crawl = try #require(result.events.first { $0.kind == "crawl" })
    #expect(crawl.line.contains("origin=\(origin.contains(" ") ? "\"\(origin)\"" : origin)"))
  }

  /// Before iOS 14 the device itself has to be where the host answers.
  @Test(arguments: [("JP", "app through applinks:e.test"), ("US", "browser fetch")])
  func aDeviceThatAsksDirectlyIsFencedByItsOwnRegion(region: String, verdict: String) throws {
    let result = try Self.play(
      network: "regions: [\"JP\"]", device: "os: \"ios:13.7\", region: \"\(region)\"")
    #expect(Stories.words(result.rows[0].verdict) == verdict)
  }

  @Test func allHostsOfADeviceTravelOverOneConnectionC3() throws {
    let file = Stories.file(["/a"])
    let result = try Stories.run(
      sites: "\"a.test\": { file: \(file) }, \"b.test\": { file: \(file) }, \"c.test\": { file: \(file) }",
      domains: "\"applinks:a.test\", \"applinks:b.test\", \"applinks:c.test\"",
      devices: "iphone: { os: \"ios:17.4\" }", script: "{ install: \"app\" }, { wait: \"6d\" }")
    let asked = result.exchanges.filter { $0.party == "iphone" }
    #expect(Set(asked.prefix(3).map(\.connection)) == ["iphone to \(ContentDeliveryNetwork.host) 1"])
    // Days later that connection is gone.
    #expect(asked.count == 6)
    #expect(!asked.suffix(3).contains { $0.connection.hasSuffix(" 1") })
    let crawled = result.exchanges.filter { $0.party == "cdn" }.prefix(3)
    #expect(Set(crawled.map(\.connection)) == ["cdn to a.test 1", "cdn to b.test 1", "cdn to c.test 1"])
  }
}
