import AppSiteAssociation
import AssociationDelivery
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// What comes out of a simulation, and how a live transport takes part.
@Suite struct SimulationTests {
  static let story = """
    {
      start: "2026-09-14T08:00:00Z",
      sites: { "e.test": { file: \(Stories.file(["/a"])) } },
      apps: { shop: { identifier: "\(Stories.app)", domains: ["applinks:e.test"] } },
      devices: { iphone: { os: "ios:17.4" } },
      script: [
        { install: "shop" },
        { tap: ["https://e.test/a", "https://e.test/b"], expect: { opens: "shop", rule: "0/0" } },
        { wait: "1h" },
      ],
    }
    """

  @Test func aFailedExpectationNamesItsPlaceAndWhatHappened() throws {
    let result = try Simulation.run(try Stories.inline(Self.story), seed: 9)
    #expect(result.checks.map(\.isHeld) == [true, false])
    #expect(
      result.findings.map { $0.text() } == [
        """
        story.json5:8:62: error[story.expectation]: 'https://e.test/b' on iphone: expected shop by rule 0/0; it \
        opens the browser through applinks:e.test (pattern): closest is entry 0, rule 0: the path is '/b', which \
        '/a' does not cover.
          8 |     { tap: ["https://e.test/a", "https://e.test/b"], expect: { opens: "shop", rule: "0/0" } },
            |                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          Add a component that covers this link.

        """
      ])
    let summary = try #require(JSONParser.parse(result.summary.bytes).root)
    #expect(summary["type"]?.string == "summary")
    #expect(summary["seed"]?.int == 9)
    #expect(summary["digest"]?.string == result.digest.text)
    #expect(summary["expectations"]?["held"]?.int == 1)
    #expect(summary["expectations"]?["failed"]?.int == 1)
    #expect(summary["virtual_s"]?.int == Int(result.elapsed.components.seconds))
    #expect(result.elapsed >= .seconds(3600))
  }

  @Test func everyEventIsOneLineAndOneObject() throws {
    let result = try Simulation.run(try Stories.inline(Self.story))
    #expect(
      result.events.map(\.kind) == [
        "install", "ask", "crawl", "ask", "check", "tap", "tap", "held", "failed",
      ])
    for event in result.events {
      #expect(!event.line.contains("\n"))
      #expect(event.line.hasPrefix("2026-09-14T08:00:0"))
      let json = try #require(JSONParser.parse(event.json.bytes).root)
      #expect(json["type"]?.string == "event")
      #expect(json["t_ms"]?.int == Int(event.time.wholeMilliseconds))
      #expect(json["time"]?.string == event.wallTime.description)
      #expect(json["party"]?.string == event.party)
      #expect(json["kind"]?.string == event.kind)
    }
    #expect(zip(result.events, result.events.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func rowsSayWhatTheTableShows() throws {
    let result = try Simulation.run(try Stories.inline(Self.story))
    #expect(
      result.rows.map(\.json.text) == [
        #"{"type":"link","url":"https://e.test/a","device":"iphone","os":"ios:17.4","from":"messages","#
          + #""way":"messages","opens":"app","app":"ABCDE12345.com.example.app","step":"pattern","rule":"0/0","#
          + #""domain":"applinks:e.test","reason":"entry 0, rule 0 covers it: {\"/\":\"/a\"}","#
          + #""rules":["section 7","E9","section 10 row 1"],"certainty":"documented","change":null}"#,
        #"{"type":"link","url":"https://e.test/b","device":"iphone","os":"ios:17.4","from":"messages","#
          + #""way":"messages","opens":"browser","app":null,"step":"pattern","rule":null,"domain":"applinks:e.test","#
          + #""reason":"closest is entry 0, rule 0: the path is '/b', which '/a' does not cover","#
          + #""rules":["section 7"],"certainty":"documented","#
          + #""change":"Add a component that covers this link."}"#,
      ])
  }

  @Test func aSeedOf64BitsIsShown() throws {
    let result = try Simulation.run(try Stories.inline(Self.story), seed: .max)
    #expect(result.summary.text.contains("\"seed\":\"18446744073709551615\""))
  }

  @Test func whatWasNotTappedIsNotHeld() throws {
    let story = """
      { start: "2026-09-14T08:00:00Z", devices: { a: { os: "ios:17.4" }, b: { os: "ios:17.4" } },
        script: [{ tap: "https://e.test/a", devices: "a" }, { tap: "https://e.test/b", devices: "b" },
          { expect: { opens: "browser", links: "https://e.test/a", devices: "b" } }] }
      """
    let result = try Simulation.run(try Stories.inline(story))
    #expect(result.checks.map(\.actual) == ["was not tapped"])
    #expect(result.failures.count == 1)
  }

  // MARK: - Live

  final class Wire: Sendable {
    let asked = LockedState<[String]>([])
    let answer: @Sendable (HTTPRequest) -> FetchResult

    init(_ answer: @escaping @Sendable (HTTPRequest) -> FetchResult) { self.answer = answer }

    var transport: Transport {
      { request, client, _ in
        self.asked.withLock {
          $0.append("\(client.name) \(request.fields["User-Agent"] ?? "") \(request.host)\(request.target)")
        }
        return self.answer(request)
      }
    }
  }

  static let live = """
    {
      start: "2026-09-14T08:00:00Z",
      sites: { "e.test": { status: 500 }, "behind.e.test": { status: 500 } },
      network: { "behind.e.test": { drops: "crawler" } },
      apps: { shop: { identifier: "\(Stories.app)",
        domains: ["applinks:e.test", "applinks:behind.e.test", "applinks:unknown.test"] } },
      devices: { old: { os: "ios:9.3" }, new: { os: "ios:26.0" } },
      script: [
        { install: "shop" },
        { tap: ["https://e.test/a", "https://behind.e.test/a", "https://unknown.test/a"], expect: [
          { opens: "shop", links: ["https://e.test/a"] },
          { opens: "shop", links: ["https://behind.e.test/a"], devices: "old" },
          { opens: "browser", links: ["https://behind.e.test/a"], devices: "new" },
          { opens: "browser", links: ["https://unknown.test/a"] },
        ] },
      ],
    }
    """

  /// The story's network holds all the same, and a host that it does not publish is never asked.
  @Test func aLiveTransportAnswersForTheHostsOfTheStory() throws {
    let body = Array(
      "{\"applinks\":{\"apps\":[],\"details\":[{\"appID\":\"\(Stories.app)\",\"paths\":[\"*\"]}]}}".utf8)
    let wire = Wire { _ in .answered(HTTPResponse(status: 200, body: body)) }
    let story = try Stories.inline(Self.live)
    let result = try Simulation.run(story, transport: wire.transport)
    #expect(result.failures.map(\.actual) == [])
    let wellKnown = "/.well-known/apple-app-site-association"
    #expect(
      wire.asked.withLock { $0 }.sorted() == [
        "cdn AASA-Bot/1.0.0 e.test\(wellKnown)",
        "old com.apple.swcd (unknown version) CFNetwork/0 Darwin/15.3.0 behind.e.test\(wellKnown)",
        "old com.apple.swcd (unknown version) CFNetwork/0 Darwin/15.3.0 e.test\(wellKnown)",
      ])
    #expect(try Simulation.run(story, transport: wire.transport).digest == result.digest)
  }

  /// A story that names no site leaves the hosts to the server; what it says of a host's network holds all the same.
  @Test func aLiveTransportAnswersForEveryHostOfAStoryWithoutSites() throws {
    let body = Array(
      "{\"applinks\":{\"apps\":[],\"details\":[{\"appID\":\"\(Stories.app)\",\"paths\":[\"*\"]}]}}".utf8)
    let times = LockedState<[Duration]>([])
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z", network: { "gone.test": { unresolvable: true } },
        apps: { shop: { identifier: "\(Stories.app)", domains: ["applinks:e.test", "applinks:gone.test"] } },
        devices: { old: { os: "ios:13.7" }, new: { os: "ios:26.0" } },
        script: [
          { wait: "1d" }, { install: "shop" },
          { tap: "https://e.test/a", expect: "shop" }, { tap: "https://gone.test/a", expect: "browser" },
        ],
      }
      """)
    let result = try Simulation.run(
      story,
      transport: { _, _, options in
        times.withLock { $0.append(options.time) }
        return .answered(HTTPResponse(status: 200, body: body))
      })
    #expect(result.failures.map(\.actual) == [])
    // When it is asked is what progress is told by.
    let asked = times.withLock { $0 }
    #expect(asked.count == 2 && asked.allSatisfy { (.seconds(86_400)...(.seconds(86_410))).contains($0) })
  }

  @Test func aLiveFailureEntersTheTraceByItsContent() throws {
    let wire = Wire { _ in .failed(.unreachable("Connection refused")) }
    let result = try Simulation.run(try Stories.inline(Self.live), transport: wire.transport)
    let old = try #require(result.rows.first { $0.device.name == "old" })
    #expect(old.verdict.reason == "'e.test' does not take connections: Connection refused")
    let new = try #require(result.rows.first { $0.device.name == "new" })
    #expect(
      new.verdict.reason
        == "Apple's CDN has no file of 'e.test': 404: SWCERR00291 Connection failed (simulated)")
  }

  @Test func aTransportThatLeavesTheSimulationIsTold() throws {
    final class Waiting: Sendable {
      let continuations = LockedState<[CheckedContinuation<Void, Never>]>([])
    }
    let waiting = Waiting()
    let story = try Stories.inline(Self.live)
    let stalled = SimulationError(kind: .stalled)
    #expect(throws: stalled) {
      try Simulation.run(
        story,
        transport: { _, _, _ in
          await withCheckedContinuation { continuation in
            waiting.continuations.withLock { $0.append(continuation) }
          }
          return .failed(.timedOut)
        })
    }
    for continuation in waiting.continuations.withLock({ $0 }) { continuation.resume() }
  }

  /// A fleet's devices are numbered, behind the release where there are several.
  @Test func aFleetIsSomeDevicesOfAKind() throws {
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        devices: { one: { os: "ios:17.4", count: 2 }, many: { os: ["ios:13.7", "ios:26.0"], count: 2 } },
        script: [{ reboot: "many-13.7" }, { reboot: ["one", "many-26.0-2"] }],
      }
      """)
    #expect(
      story.devices.map(\.name) == [
        "one-1", "one-2", "many-13.7-1", "many-13.7-2", "many-26.0-1", "many-26.0-2",
      ])
    let rebooted = try Simulation.run(story).events.filter { $0.kind == "reboot" }.map(\.party)
    #expect(rebooted == ["many-13.7-1", "many-13.7-2", "one-1", "one-2", "many-26.0-2"])
  }
}
