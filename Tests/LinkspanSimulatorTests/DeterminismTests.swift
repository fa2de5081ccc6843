import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

@Suite struct DeterminismTests {
  static func digest(_ name: String, _ seed: UInt64) throws -> String {
    try Simulation.run(try Stories.example(name), seed: seed).digest.text
  }

  @Test(arguments: ExampleStoryTests.names) func oneSeedOneDigest(_ name: String) throws {
    let story = try Stories.example(name)
    let first = try Simulation.run(story, seed: 42)
    let second = try Simulation.run(story, seed: 42)
    #expect(first.events.map(\.line) == second.events.map(\.line))
    #expect(first.events.map(\.json.text) == second.events.map(\.json.text))
    #expect(first.summary.text == second.summary.text)
    #expect(first.rows.map(\.json.text) == second.rows.map(\.json.text))
  }

  @Test(arguments: ExampleStoryTests.names) func twentySeedsTwentyDigests(_ name: String) throws {
    // Without a site there is no network that could be slow, and chance has no part in it.
    let count = try Stories.example(name).sites.isEmpty ? 1 : 20
    #expect(Set(try (1...20 as ClosedRange<UInt64>).map { try Self.digest(name, $0) }).count == count)
  }

  /// What is done first of several things of one moment never shows, so that a debug build repeats what a
  /// release build did although its compiler cuts the code into other jobs.
  @Test(arguments: ExampleStoryTests.names) func theInterleavingIsNeverSeen(_ name: String) throws {
    let story = try Stories.example(name)
    let lines = try Simulation.run(story, seed: 7).events.map(\.line)
    for interleaving in 1...30 as ClosedRange<UInt64> {
      let other = try Simulation.run(story, seed: 7, interleaving: interleaving).events.map(\.line)
      #expect(other == lines, "interleaving \(interleaving)")
    }
  }

  /// Held across processes: the order of a Set or Dictionary, which changes from one to the next, is never seen.
  /// A change of the simulator that changes its traces changes this number on purpose.
  @Test func theDigestIsTheSameInEveryProcess() throws {
    let result = try Stories.run(
      sites: ["e.test", "www.e.test", "shop.test", "users.e.test"]
        .map { "\"\($0)\": { file: \(Stories.file(["*"])) }" }.joined(separator: ", "),
      domains: "\"applinks:e.test\", \"applinks:*.e.test\", \"applinks:www.e.test\", \"applinks:shop.test\"",
      devices: "iphone: { os: [\"ios:9.0\", \"ios:9.3\", \"ios:13.7\", \"ios:14.0\", \"ios:26.0\"] }",
      script: "{ install: \"app\" }, { wait: \"21d\" }, { reboot: \"all\" }")
    #expect(result.digest.text == "b5787cfa42e662c0")
    #expect(result.events.count > 100)
  }

  /// Neither the order of hosts in the story nor that of entries in the entitlement means anything (E10).
  @Test func theOrderOfEntriesIsNeverSeenInAVerdict() throws {
    func table(_ domains: String) throws -> [String] {
      try Stories.run(
        sites:
          "\"e.test\": { file: \(Stories.file(["/a"])) }, \"www.e.test\": { file: \(Stories.file(["/b"])) }",
        domains: domains, devices: "iphone: { os: [\"ios:9.0\", \"ios:13.7\", \"ios:17.4\"] }",
        script: """
          { install: "app" },
          { tap: ["https://e.test/a", "https://www.e.test/a", "https://www.e.test/b", "https://x.e.test/a"] }
          """
      ).rows.map { "\($0.link) \($0.device.name) \($0.verdict)" }
    }
    #expect(
      try table("\"applinks:e.test\", \"applinks:*.e.test\", \"applinks:www.e.test\"")
        == table("\"applinks:www.e.test\", \"applinks:*.e.test\", \"applinks:e.test\""))
  }

  /// One device more changes nothing for the others but what they share: the CDN's copies.
  @Test func aDeviceOfItsOwnDrawsItsOwnChance() throws {
    func times(_ devices: String) throws -> [String] {
      try Stories.run(
        sites: DeviceTests.site, domains: DeviceTests.domain, devices: devices,
        script: "{ install: \"app\" }, { wait: \"21d\" }"
      ).events.filter { $0.party == "one" }.map(\.line)
    }
    let alone = try times("one: { os: \"ios:13.7\" }")
    #expect(alone.count == 11)
    #expect(try times("one: { os: \"ios:13.7\" }, two: { os: \"ios:13.7\" }") == alone)
  }

  /// 200 devices for a week.
  @Test func manyDevicesForAWeek() throws {
    var story = Story(name: "fleet", start: WallTime(milliseconds: 1_789_372_800_000))
    let file = "{\"applinks\":{\"apps\":[],\"details\":[{\"appID\":\"\(Stories.app)\",\"paths\":[\"*\"]}]}}"
    for host in ["e.test", "www.e.test", "shop.test"] {
      story.sites[host] = Site([.init(body: Array(file.utf8))])
    }
    story.apps = [
      .init(
        name: "app",
        build: AppBuild(
          identifier: Stories.app,
          entries: ["applinks:e.test", "applinks:*.e.test", "applinks:www.e.test", "applinks:shop.test"]))
    ]
    story.devices = (0..<200).map {
      DeviceTraits(
        name: "iphone-\($0)", os: $0.isMultiple(of: 2) ? OSVersion(.iOS, 13, 7) : OSVersion(.iOS, 17, 4))
    }
    story.links = ["https://www.e.test/a"]
    let everyone = Array(story.devices.indices)
    let place = Finding.Location(file: "fleet")
    story.script = [
      .init(.install(apps: [0], devices: everyone), at: place), .init(.wait(.seconds(7 * 86_400)), at: place),
      .init(.tap(links: [0], way: .messages, devices: everyone, expectations: []), at: place),
    ]
    let result = try Simulation.run(story)
    #expect(result.rows.count == 200)
    #expect(result.rows.allSatisfy { $0.verdict.app == Stories.app })
    #expect(result.elapsed >= .seconds(7 * 86_400))
  }
}
