import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// What a person is told about a mistake in a story: the whole text.
@Suite struct StoryErrorTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    /// The mistake stands at `▸`, which is taken out.
    var text: String
    /// Without file, place and excerpt.
    var message: String
    var help: String
    var rule: String

    var testDescription: String { name }
  }

  static func story(_ rest: String) -> String {
    """
    {
      start: "2026-09-14T08:00:00Z",
      apps: { shop: { identifier: "ABCDE12345.com.example.shop", domains: ["applinks:e.test"] } },
      devices: { iphone: { os: ["ios:13.7", "ios:17.4"] } },
      links: ["https://e.test/a"],
      \(rest)
    }
    """
  }

  static let rows: [Row] = [
    Row(
      name: "unknown key", text: story("▸scritp: []"), message: "'scritp' is not a key of a story.",
      help: "Did you mean 'script'?", rule: "unknown-key"),
    Row(
      name: "far unknown key", text: story("network: { \"e.test\": { ▸weather: 1 } }"),
      message: "'weather' is not a key of a host of the network.",
      help: "Known keys: 'unresolvable', 'private_address', 'drops', 'forbids', 'down', 'certificate', "
        + "'latency_ms', 'regions' and 'elsewhere'.", rule: "unknown-key"),
    Row(
      name: "schema of another type", text: story("$schema: ▸7"),
      message: "'$schema' is a number; expected a string.",
      help: "For example: $schema: \"story.schema.json\".", rule: "type"),
    Row(
      name: "no version of a device", text: story("").replacing("[\"ios:13.7\", \"ios:17.4\"]", with: "▸[]"),
      message: "'os' is an empty list.", help: "Name at least one, or remove 'os'.", rule: "empty-list"),
    Row(
      name: "public address", text: story("network: { \"e.test\": { private_address: ▸\"8.8.8.8\" } }"),
      message: "'8.8.8.8' is a public address, which Apple's crawler connects to.",
      help: "Write a private one, as in private_address: \"10.0.0.5\", or remove 'private_address'.",
      rule: "address"),
    Row(
      name: "no address", text: story("network: { \"e.test\": { private_address: ▸\"inside\" } }"),
      message: "'inside' is not an address.", help: "For example: private_address: \"10.0.0.5\".",
      rule: "address"),
    Row(
      name: "wrong type", text: story("script: ▸{}"),
      message: "'script' is an object; expected an array of steps.",
      help: "For example: script: [{ install: \"shop\", devices: \"iphone\" }].", rule: "type"),
    Row(
      name: "a file in place of the association file",
      text: story("sites: { \"e.test\": { file: ▸\"a.json\" } }"),
      message: "'file' is a string; expected the association file itself, an object.",
      help: "For a file on disk write folder: \"site/example.com\", and for any other text body: \"…\".",
      rule: "type"),
    Row(
      name: "unknown key of management",
      text: story("").replacing("ios:17.4\"]", with: "ios:17.4\"], managed: { ▸direct: true }"),
      message: "'direct' is not a key of management.",
      help: "Known keys: 'direct_downloads' and 'domains'.", rule: "unknown-key"),
    Row(
      name: "user info",
      text: story(
        "script: [{ handoff: { type: \"a.b\", user_info: ▸5 }, app: \"shop\", from: \"iphone-13.7\", to: \"iphone-17.4\" }]"
      ), message: "'user_info' is a number; expected an object.",
      help: "For example: user_info: { cursor: 120 }.", rule: "type"),
    Row(
      name: "unknown device", text: story("script: [{ install: \"shop\", devices: ▸\"iphone-17.5\" }]"),
      message: "The story has no device 'iphone-17.5'.", help: "Did you mean 'iphone-17.4'?",
      rule: "unknown-device"),
    Row(
      name: "unknown app", text: story("script: [{ install: ▸\"shp\" }]"),
      message: "The story has no app 'shp'.",
      help: "Did you mean 'shop'?", rule: "unknown-app"),
    Row(
      name: "unknown outcome", text: story("script: [{ tap: \"all\", expect: ▸\"bowser\" }]"),
      message: "The story has no app 'bowser'.", help: "Did you mean 'browser'?", rule: "unknown-app"),
    Row(
      name: "verb", text: story("script: [{ ▸instal: \"shop\" }]"), message: "'instal' is not an action.",
      help: "Did you mean 'install'?", rule: "verb"),
    Row(
      name: "another word for a verb", text: story("script: [{ ▸uninstall: \"shop\" }]"),
      message: "'uninstall' is not an action.", help: "Did you mean 'delete'?", rule: "verb"),
    Row(
      name: "yet another word for a verb", text: story("script: [{ ▸remove: \"shop\" }]"),
      message: "'remove' is not an action.", help: "Did you mean 'delete'?", rule: "verb"),
    Row(
      name: "no verb", text: story("script: [▸{ devices: \"all\" }]"),
      message: "The step has no action.",
      help:
        "Add one of " + StoryStep.verbs.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        + " and '\(StoryStep.verbs.last ?? "")'.", rule: "verb"),
    Row(
      name: "two verbs", text: story("script: [{ wait: \"1h\", ▸tap: \"all\" }]"),
      message: "The step has 'wait' and 'tap'; a step takes one action.", help: "Split it into 2 steps.",
      rule: "verb"),
    Row(
      name: "duration", text: story("script: [{ wait: ▸\"3 hours\" }]"),
      message: "'3 hours' is not a duration.",
      help: "Use numbers with s, m, h or d, as in wait: \"3h\" or \"1d 12h\"; at most 10000 of each unit.",
      rule: "duration"),
    Row(
      name: "too long a wait", text: story("script: [{ wait: \"366d\" }, { wait: ▸\"1s\" }]"),
      message: "The story waits for more than 366 days in total.", help: "Shorten the waits.",
      rule: "too-long"),
    Row(
      name: "way", text: story("script: [{ tap: \"all\", from: ▸\"mesages\" }]"),
      message: "'mesages' is not a way to follow a link.", help: "Did you mean 'messages'?",
      rule: "unknown-word"
    ),
    Row(
      name: "page missing", text: story("script: [▸{ tap: \"all\", from: \"safari\" }]"),
      message: "A tap in Safari needs its 'page'.", help: "Add page: \"https://example.com/start\".",
      rule: "missing-key"),
    Row(
      name: "page without Safari", text: story("script: [{ tap: \"all\", page: ▸\"https://e.test\" }]"),
      message: "'page' is only allowed with from: \"safari\".", help: "Remove it, or change 'from'.",
      rule: "contradiction"),
    Row(
      name: "link", text: story("script: [{ tap: ▸\"e.test/a\" }]"),
      message: "'e.test/a' is not an http or https URL.",
      help: "Write the full URL, such as https://example.com/path.", rule: "link"),
    Row(
      name: "link with a password", text: story("script: [{ tap: ▸\"ftp://ann:geheim@e.test/a\" }]"),
      message: "'ftp://…@e.test/a' is not an http or https URL.",
      help: "Write the full URL, such as https://example.com/path.", rule: "link"),
    Row(
      name: "host", text: story("network: { ▸\"https://e.test\": {} }"),
      message: "'https://e.test' is not a host name.",
      help: "Write the host name alone, such as example.com.", rule: "host"),
    Row(
      name: "two spellings of a host", text: story("sites: { \"e.test\": {}, ▸\"E.test\": {} }"),
      message: "'e.test' and 'E.test' are the same host in sites.", help: "Keep one of the two.",
      rule: "repeated-key"),
    Row(
      name: "two spellings of a host in a step",
      text: story("script: [{ network: { \"E.TEST\": {}, ▸\"e.test\": { down: true } } }]"),
      message: "'E.TEST' and 'e.test' are the same host in network.", help: "Keep one of the two.",
      rule: "repeated-key"),
    Row(
      name: "expectation elsewhere",
      text: story(
        "script: [{ tap: \"all\", devices: \"iphone-13.7\", expect: { opens: \"shop\", devices: ▸\"iphone\" } }]"
      ),
      message: "The expectation names devices that were not tapped in this step or an earlier one.",
      help: "Tap them first, or remove them from the expectation.", rule: "contradiction"),
    Row(
      name: "rule", text: story("script: [{ tap: \"all\", expect: { opens: \"shop\", rule: ▸\"0.1\" } }]"),
      message: "'0.1' is not a rule.", help: "Write ENTRY/RULE, both counted from 0, as in \"0/1\".",
      rule: "rule"),
    Row(
      name: "word", text: story("network: { \"e.test\": { drops: ▸\"crawlers\" } }"),
      message: "'crawlers' is not a value of 'drops'.", help: "Did you mean 'crawler'?", rule: "unknown-word"),
    Row(
      name: "latency", text: story("network: { \"e.test\": { latency_ms: ▸[50, 20] } }"),
      message: "'latency_ms' is neither a number of milliseconds nor a range [smallest, largest].",
      help: "Write latency_ms: 50 or latency_ms: [20, 120]; at most 600000.", rule: "number"),
    Row(
      name: "file that is not there", text: story("sites: { \"e.test\": { folder: ▸\"site/e.test\" } }"),
      message: "'site/e.test' has no association file.",
      help:
        "Put one at site/e.test/.well-known/apple-app-site-association; paths are relative to the story's folder.",
      rule: "no-file"),
    // One mistake: that the links of the script are not known follows from it.
    Row(
      name: "list of links that is not there",
      text: story(
        """
        script: [
          { tap: "all", expect: { opens: "shop", links: "https://e.test/a" } },
          { expect: { opens: "shop", links: ["https://e.test/b"] } },
        ]
        """
      ).replacing("links: [\"https://e.test/a\"],", with: "links: ▸\"links.txt\","),
      message: "'links.txt' does not exist.", help: "Paths are relative to the story's folder.",
      rule: "no-file"),
    Row(
      name: "file and body", text: story("sites: { \"e.test\": ▸{ file: {}, body: \"\" } }"),
      message: "The site has 'file' and 'body'; only one of them is allowed.",
      help: "To publish several documents, write an array of them.", rule: "contradiction"),
    Row(
      name: "status", text: story("sites: { \"e.test\": { status: ▸700 } }"),
      message: "'status' is not an integer from 200 to 599.", help: "Write an integer in that range.",
      rule: "number"),
    Row(
      name: "twice", text: story("sites: { \"e.test\": {}, ▸\"e.test\": {} }"),
      message: "'e.test' occurs twice in sites.", help: "Keep one of the two.", rule: "repeated-key"),
    Row(
      name: "JSON5", text: story("script: [{ tap: \"all\" } ▸{ wait: \"1h\" }]"),
      message: "There is no ',' before this.", help: "Put ',' after the value that ends before it.",
      rule: "missing-comma"),
    Row(
      name: "start", text: "{ start: ▸\"tomorrow\" }", message: "'tomorrow' is not an RFC 3339 time in UTC.",
      help: "Write it as in start: \"2026-09-14T08:00:00Z\".", rule: "time"),
    Row(
      name: "no start", text: "▸{ seed: 1 }", message: "The story has no 'start'.",
      help: "Add the time at which the story begins: start: \"2026-09-14T08:00:00Z\".", rule: "missing-key"),
    Row(
      name: "identifier", text: "{ start: \"2026-09-14T08:00:00Z\", apps: { a: { identifier: ▸\"shop\" } } }",
      message: "'shop' is not an application identifier.",
      help: "'shop' is not '<prefix>.<bundle identifier>'. It identifies no app. Write both parts, such as "
        + "'ABCDE12345.com.example.app'.", rule: "identifier"),
    Row(
      name: "OS", text: "{ start: \"2026-09-14T08:00:00Z\", devices: { a: { os: ▸\"ios:x\" } } }",
      message: "'ios:x' is not an OS version: 'x' is not a version number.",
      help: "Write a version such as ios:17.4.", rule: "os"),
    Row(
      name: "tvOS", text: "{ start: \"2026-09-14T08:00:00Z\", devices: { a: { os: ▸\"tvos:17\" } } }",
      message: "'tvos:17' cannot be simulated; iOS, macOS and watchOS can.",
      help: "Write ios:17.4, macos:14.4 or watchos:10.0.", rule: "os"),
    Row(
      name: "expectation about no device",
      text: story("script: [{ tap: \"all\", expect: { opens: \"shop\", devices: ▸[] } }]"),
      message: "'devices' is an empty list.", help: "Name at least one, or remove 'devices'.",
      rule: "empty-list"),
    Row(
      name: "expectation about no link",
      text: story("script: [{ tap: \"all\", expect: { opens: \"shop\", links: ▸[] } }]"),
      message: "'links' is an empty list.", help: "Name at least one, or remove 'links'.", rule: "empty-list"),
    Row(
      name: "no expectation", text: story("script: [{ tap: \"all\", expect: ▸[] }]"),
      message: "'expect' is an empty list.", help: "Name at least one, or remove 'expect'.",
      rule: "empty-list"),
    Row(
      name: "tap on no device", text: story("script: [{ tap: \"all\", devices: ▸[], expect: \"shop\" }]"),
      message: "'devices' is an empty list.", help: "Name at least one, or remove 'devices'.",
      rule: "empty-list"),
    Row(
      name: "no app", text: story("script: [{ install: ▸[] }]"), message: "'install' is an empty list.",
      help: "Name at least one, or remove 'install'.", rule: "empty-list"),
    Row(
      name: "push to no device",
      text: story(
        "script: [{ push: { aps: { alert: \"x\" } }, app: \"shop\", devices: ▸[], expect: \"woke\" }]"),
      message: "'devices' is an empty list.", help: "Name at least one, or remove 'devices'.",
      rule: "empty-list"),
    Row(
      name: "arrival without an expectation",
      text: story("script: [{ arrive: \"universal-link\", app: \"shop\", expect: ▸[] }]"),
      message: "'expect' is an empty list.", help: "Name at least one, or remove 'expect'.",
      rule: "empty-list"),
    Row(
      name: "region of a host", text: story("network: { \"e.test\": { regions: [\"US\", ▸\"jp\"] } }"),
      message: "'jp' is not a region.",
      help: "Write the two capital letters of a country, such as \"US\".", rule: "region"),
    Row(
      name: "region of the crawler", text: story("switches: { cdn_crawler_region: ▸\"USA\" }"),
      message: "'USA' is not a region.",
      help: "Write the two capital letters of a country, such as \"US\".", rule: "region"),
    Row(
      name: "region of a device",
      text: story("").replacing("ios:17.4\"]", with: "ios:17.4\"], region: ▸\"us\""),
      message: "'us' is not a region.",
      help: "Write the two capital letters of a country, such as \"US\".", rule: "region"),
    Row(
      name: "no device that starts again", text: story("script: [{ reboot: ▸[] }]"),
      message: "'reboot' is an empty list.", help: "Name at least one, or remove 'reboot'.",
      rule: "empty-list"),
    Row(
      name: "handoff to no device",
      text: story("script: [{ handoff: \"https://e.test/a\", from: \"iphone-17.4\", to: ▸[] }]"),
      message: "'to' is an empty list.", help: "Name at least one, or remove 'to'.", rule: "empty-list"),
    Row(
      name: "no event of the screen", text: story("script: [{ screen: ▸[], app: \"shop\" }]"),
      message: "'screen' is an empty list.", help: "Name at least one, or remove 'screen'.",
      rule: "empty-list"),
    Row(
      name: "seed", text: story("seed: ▸18446744073709551616"),
      message: "'seed' is not an integer from 0 to 18446744073709551615.",
      help: "Write, for example, seed: 0.",
      rule: "number"),
    // One mistake: the link of the arrival has a reader.
    Row(
      name: "route",
      text: story("script: [{ arrive: \"universal-link\", app: \"shop\", link: \"https://e.test/a\" }]")
        .replacing("domains:", with: "routes: ▸{ r: \"/{id:number}\" }, domains:"),
      message: "Route 'r': the template '/{id:number}' cannot be used: '{id:number}': unknown kind 'number'; "
        + "expected hex, int, string, uuid or ~REGEX.",
      help: "The templates are those of the library for apps.", rule: "routes"),
    Row(
      name: "no device",
      text: "{ start: \"2026-09-14T08:00:00Z\", devices: { a: { os: \"ios:17.4\", count: ▸0 } } }",
      message: "'count' is not an integer from 1 to 2000.", help: "Write an integer in that range.",
      rule: "number"),
    Row(
      name: "too many devices",
      text:
        "{ start: \"2026-09-14T08:00:00Z\", devices: ▸{ a: { os: [\"ios:17.4\", \"ios:18.0\"], count: 1001 } } }",
      message: "The story has more than 2000 devices.", help: "Split the story into several.",
      rule: "too-many"),
  ]

  static func findings(_ text: String, limits: StoryLimits = StoryLimits()) -> [Finding] {
    switch StoryParser.parse(SourceText(name: "s.json5", text), reader: .none, limits: limits) {
    case .story: []
    case .findings(let findings): findings
    }
  }

  @Test(arguments: ["all", "cdn", "story", "my phone", ""]) func namesAreChecked(name: String) {
    let found = Self.findings(
      "{ start: \"2026-09-14T08:00:00Z\", devices: { \"\(name)\": { os: \"ios:17.4\" } } }")
    #expect(found.count == 1)
  }

  /// A swarm's seeds have 64 bits.
  @Test(arguments: ["18446744073709551600", "\"18446744073709551600\""])
  func everySeedOfASwarmIsRead(_ seed: String) throws {
    #expect(try Stories.inline(Self.story("seed: \(seed)")).seed == 18_446_744_073_709_551_600)
  }

  /// An expectation about nothing would hold in every world.
  @Test func expectationsAreNeverAboutNothing() {
    let before = Self.findings(Self.story("script: [{ expect: \"shop\" }, { tap: \"all\" }]"))
    #expect(before.map(\.message) == ["No link has been tapped yet, so nothing can be expected."])
    let nobody = Self.findings(
      "{ start: \"2026-09-14T08:00:00Z\", links: [\"https://e.test/a\"], script: [{ tap: \"all\", expect: \"browser\" }] }"
    )
    #expect(nobody.map(\.message) == ["The story has no device, so nothing can be expected."])
  }

  @Test func allLinksAreThoseOfTheList() throws {
    let story = try Stories.inline(
      Self.story("script: [{ tap: \"https://e.test/b\" }, { tap: \"all\", devices: \"iphone-17.4\" }]"))
    let result = try Simulation.run(story)
    #expect(
      result.rows.map { "\($0.link) \($0.device.name)" } == [
        "https://e.test/a iphone-17.4", "https://e.test/b iphone-13.7", "https://e.test/b iphone-17.4",
      ])
  }

  @Test(arguments: rows) func isToldWithItsPlace(_ row: Row) throws {
    let before = row.text.prefix { $0 != "▸" }
    let line = before.count { $0 == "\n" } + 1
    let column = before.split(separator: "\n", omittingEmptySubsequences: false).last!.count + 1
    let found = Self.findings(row.text.replacing("▸", with: ""))
    let finding = try #require(found.first)
    #expect(found.count == 1)
    #expect(finding.message == row.message)
    #expect(finding.help == row.help)
    #expect(finding.rule == "story." + row.rule)
    #expect(finding.severity == .error)
    #expect(finding.location.file == "s.json5")
    #expect(finding.location.start == SourcePosition(line: line, column: column))
  }

  @Test func readsAsACompilersMessage() {
    let found = Self.findings(Self.story("script: [\n    { install: \"shop\", devises: \"iphone\" },\n  ]"))
    #expect(
      found.map { $0.text() } == [
        """
        s.json5:7:24: error[story.unknown-key]: 'devises' is not a key of the step 'install'.
          7 |     { install: "shop", devises: "iphone" },
            |                        ^^^^^^^
          Did you mean 'devices'?

        """
      ])
  }

  @Test func allMistakesAreToldAtOnce() {
    let found = Self.findings(
      "{ start: 1, sed: 1, devices: { a: {} }, script: [{}, { wait: 3 }, { tap: \"x\" }] }")
    #expect(
      found.map(\.rule) == [
        "story.type", "story.unknown-key", "story.missing-key", "story.verb", "story.type", "story.link",
      ])
  }

  /// What cannot be read has a name all the same.
  @Test func stepsAboutABrokenAppOrDeviceAreNotWrongAsWell() {
    let found = Self.findings(
      """
      { start: "2026-09-14T08:00:00Z", apps: { app: { identifier: "x" } }, devices: { a: {}, b: { os: "x" } },
        script: [{ install: "app", devices: ["a", "b"] }] }
      """)
    #expect(found.map(\.rule) == ["story.identifier", "story.missing-key", "story.os"])
  }

  @Test(arguments: [
    ("sizeBytes", "story.too-large"), ("devices", "story.too-many"), ("steps", "story.too-many"),
    ("links", "story.too-many"), ("apps", "story.too-many"), ("hosts", "story.too-many"),
    ("taps", "story.too-many"),
  ])
  func limitsHold(name: String, rule: String) {
    let text = Self.story(
      "sites: { \"e.test\": {}, \"f.test\": {} }, script: [{ tap: [\"https://e.test/a\", \"https://e.test/b\"] }]"
    )
    var limits = StoryLimits()
    /// Exactly what the story needs, then one less.
    for (slack, isFine) in [(0, true), (-1, false)] {
      switch name {
      case "sizeBytes": limits.sizeBytes = text.utf8.count + slack
      case "devices": limits.devices = 2 + slack
      case "steps": limits.steps = 1 + slack
      case "links": limits.links = 2 + slack
      case "apps": limits.apps = 1 + slack
      case "hosts": limits.hosts = 2 + slack
      default: limits.taps = 4 + slack
      }
      let found = Self.findings(text, limits: limits)
      #expect(found.map(\.rule) == (isFine ? [] : [rule]), "\(name)")
    }
  }

  /// A clip that cannot be read is known by its name all the same.
  @Test func aMistakeInAClipIsNoneInItsSteps() {
    let found = Self.findings(
      Self.story(
        "clips: { order: { app: \"shop\", experiences: { oops: 1 } } }, "
          + "script: [{ invoke: \"order\", url: \"https://e.test/a\" }, "
          + "{ save: \"a\", by: \"order\", in: \"container\" }, { remove_clip: \"ordr\" }]"))
    #expect(
      found.filter { $0.rule != "story.experiences" }.map(\.message) == ["The story has no clip 'ordr'."])
  }

  @Test func eventsAreBounded() throws {
    var story = try Stories.inline(Self.story("script: [{ install: \"shop\" }]"))
    let needed = try Simulation.run(story).events.count
    story.eventLimit = needed
    #expect(try Simulation.run(story).events.count == needed)
    story.eventLimit = needed - 1
    let limit = SimulationError(kind: .tooManyEvents(limit: needed - 1))
    #expect(throws: limit) { try Simulation.run(story) }
    #expect(limit.description.hasPrefix("the story has more than \(needed - 1) events."))
  }

  /// Bytes of a story cut off or changed at every place never crash the parser.
  @Test func brokenStoriesAreTold() throws {
    let bytes = Array(
      Self.story("sites: { \"e.test\": { file: {} } }, script: [{ tap: \"all\", expect: \"shop\" }]").utf8)
    var generator = SeededGenerator(seed: 1)
    for index in bytes.indices {
      _ = StoryParser.parse(SourceText(name: "s", bytes: Array(bytes[..<index])), reader: .none)
      var changed = bytes
      changed[index] = UInt8(generator.draw(0...255))
      _ = StoryParser.parse(SourceText(name: "s", bytes: changed), reader: .none)
    }
  }
}
