import Foundation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import TestSupport
import Testing

@Suite struct TimelineTests {
  static func page(_ text: String, name: String = "story.json5") throws -> String {
    let result = try Simulation.run(try Stories.inline(text))
    let story = TimelineStory(name: name, result: result, command: "linkspan simulate \(name) --seed 1")
    return String(decoding: try TimelinePage.html([story]), as: UTF8.self)
  }

  /// The block of data as a browser reads it: what a story says never ends it early.
  static func data(_ page: String) throws -> [String: Any] {
    let block = try #require(
      page.components(separatedBy: "<script type=\"application/json\" id=\"data\">").last?
        .components(separatedBy: "</script>").first)
    return try #require(try JSONSerialization.jsonObject(with: Data(block.utf8)) as? [String: Any])
  }

  static let hostile = "</script><img src=x onerror=alert(1)>&<!--"
  static let hostileStory = """
    {
      start: "2026-09-14T08:00:00Z",
      sites: { "e.test": { file: { applinks: { details: [
        { appIDs: ["\(Stories.app)"], components: [{ "/": "/x\(hostile)*" }] },
      ] } } } },
      apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test", "\(hostile)"] } },
      devices: { phone: { os: "ios:17.4" } },
      script: [{ install: "app" }, { tap: "https://e.test/x\(hostile)", expect: "app" }],
    }
    """

  @Test func whatAStorySaysIsDataAndNoMarkup() throws {
    let page = try Self.page(Self.hostileStory, name: Self.hostile)
    #expect(!page.contains("<img"))
    let stories = try #require(try Self.data(page)["stories"] as? [[String: Any]])
    #expect(stories.first?["name"] as? String == Self.hostile)
    let links = try #require(stories.first?["links"] as? [[String: Any]])
    #expect(links.first?["url"] as? String == "https://e.test/x\(Self.hostile)")
  }

  @Test func thePolicyLetsInNothingButThePageItself() throws {
    let page = try Self.page(Self.hostileStory)
    func hash(_ element: String) throws -> String {
      let text = try #require(
        page.components(separatedBy: "<\(element)>").dropFirst().first?.components(
          separatedBy: "</\(element)>"
        )
        .first)
      return "'sha256-\(ReportPage.hash(text))'"
    }
    let policy =
      "default-src 'none'; script-src \(try hash("script")); style-src \(try hash("style")); "
      + "base-uri 'none'; form-action 'none'"
    #expect(page.contains("content=\"\(policy)\""))
    #expect(!page.contains("http://") && !page.contains(" src=\""))
  }

  /// FIPS 180-4's own examples, and the length at which a second block begins.
  @Test(arguments: [
    ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
    ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE="
    ),
  ]) func hashes(text: String, base64: String) { #expect(ReportPage.hash(text) == base64) }

  @Test(arguments: ExampleStoryTests.names) func oneSeedOnePage(_ name: String) throws {
    func page() throws -> [UInt8] {
      let result = try Simulation.run(try Stories.example(name))
      return try TimelinePage.html([TimelineStory(name: name, result: result, command: "again")])
    }
    #expect(try page() == page())
  }

  /// What the page says without a script.
  @Test(arguments: [
    ("app", "browser", "All 2 expectations held."), ("app", "app", "1 of 2 expectations failed."),
    ("browser", "app", "2 of 2 expectations failed."),
  ])
  func thePageSaysWhatCameOfTheExpectations(first: String, second: String, verdict: String) throws {
    let page = try Self.page(
      """
      {
        start: "2026-01-01T00:00:00Z",
        sites: { "e.test": { file: { applinks: { details: [
          { appIDs: ["\(Stories.app)"], components: [{ "/": "/a" }] },
        ] } } } },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test"] } },
        devices: { phone: { os: "ios:17.4" } },
        script: [
          { install: "app" },
          { tap: "https://e.test/a", expect: "\(first)" }, { tap: "https://e.test/b", expect: "\(second)" },
        ],
      }
      """)
    #expect(page.contains(verdict))
  }

  @Test func everyEventHasALaneAndEveryRuleIsSaid() throws {
    for name in ExampleStoryTests.names {
      let result = try Simulation.run(try Stories.example(name))
      let page = try TimelinePage.html([TimelineStory(name: name, result: result, command: "again")])
      let data = try Self.data(String(decoding: page, as: UTF8.self))
      let story = try #require((data["stories"] as? [[String: Any]])?.first)
      let parties = try #require(story["parties"] as? [[String: String]])
      let events = try #require(story["events"] as? [[String: Any]])
      #expect(events.count == result.events.count)
      for (drawn, event) in zip(events, result.events) {
        let party = try #require(drawn["p"] as? Int)
        // What the story does to a host is drawn at the host.
        #expect(
          parties[party]["name"] == event.text("host").map { event.party == "cdn" ? "cdn" : $0 }
            ?? event.party
            || event.kind == "choose")
        #expect(
          (event.kind == "ask") == (drawn["to"] != nil && event.party != "story"))
      }
      let rules = try #require(data["rules"] as? [String: String])
      for rule in result.events.flatMap({ $0.provenance?.rules ?? [] }) {
        #expect(rules[rule] != nil, "\(rule)")
      }
    }
  }

  /// The title of the page is what the story says of itself, and each deploy says what it changed.
  @Test func theStorySaysWhatItIsAboutAndWhatChanges() throws {
    let name = "stories/stale-copy-after-a-fix.json5"
    let result = try Simulation.run(try Stories.example(name))
    let page = try TimelinePage.html([TimelineStory(name: name, result: result, command: "again")])
    let data = try Self.data(String(decoding: page, as: UTF8.self))
    let story = try #require((data["stories"] as? [[String: Any]])?.first)
    let comment = try #require(story["comment"] as? String)
    #expect(comment.hasPrefix("A file that is too narrow is mended an hour after the app came out. "))
    let events = try #require(story["events"] as? [[String: Any]])
    #expect(events.compactMap { $0["n"] as? String } == ["adds /frames/*"])
  }

  @Test(arguments: [
    ("{}", nil), ("// One.\n//Two?\n\n// Three\n{}", "One. Two?"),
    ("\n  /* One\n   * two. */ {}", "One two."),
    ("{} // late", nil), ("//\n{}", nil), ("/* never closed", nil),
  ]) func theCommentAtTheTopIsRead(text: String, comment: String?) throws {
    #expect(StoryComment.read(Array(text.utf8)) == comment)
  }

  @Test(arguments: [
    (["/a"], #""e.test": { file: FILE(/a /b) }"#, "adds /b"),
    (["/a", "/b"], #""e.test": { file: FILE(/b) }"#, "removes /a"),
    (["/a", "/b"], #""e.test": { file: FILE(/b /a) }"#, "reorders its rules"),
    (["/a"], #""e.test": { file: FILE(/a) }"#, "publishes the same rules"),
    (["/a"], #""e.test": { file: FILE(/b /c /d /e) }"#, "adds /b, adds /c, adds /d and 2 more changes"),
    (
      ["/a"], #""e.test": { status: 301, location: "https://f.test/" }"#, "redirects (301) to https://f.test/"
    ),
    (["/a"], #""e.test": { status: 404 }"#, "answers 404"),
    (["/a"], #""e.test": { body: "<html>" }"#, "serves 6 bytes that are not an association file"),
    (["/a"], #""e.test": []"#, "removes its files"),
    (["/a"], #""f.test": { file: FILE(/a) }"#, "publishes a file with 1 rule"),
  ]) func aDeploySaysWhatItChanges(before: [String], after: String, words: String) throws {
    var after = after
    if let call = after.firstMatch(of: /FILE\((.*?)\)/) {
      after.replaceSubrange(call.range, with: Stories.file(call.1.split(separator: " ").map(String.init)))
    }
    let result = try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(before)) }", domains: "\"applinks:e.test\"",
      devices: "phone: { os: \"ios:17.4\" }", script: "{ deploy: { \(after) } }")
    let changes = result.events.compactMap { event in
      if case .deployed(let change)? = event.what as? StoryHappening { change.words } else { nil }
    }
    #expect(changes == [words])
  }

  /// Only what a story does to its world rests on the story alone.
  @Test func everythingThatHappensSaysWhatItRestsOn() throws {
    for name in ExampleStoryTests.names {
      for event in try Simulation.run(try Stories.example(name)).events where event.party != "story" {
        #expect(event.provenance?.rules.isEmpty == false, "\(event.line)")
      }
    }
  }

  @Test func moreThanTheLimitIsRefused() throws {
    let result = try Simulation.run(try Stories.inline(Self.hostileStory))
    let story = TimelineStory(name: "a", result: result, command: "again")
    let count = TimelinePage.eventLimit / result.events.count + 1
    #expect(throws: TimelinePage.TooManyEvents.self) {
      try TimelinePage.html(Array(repeating: story, count: count))
    }
  }
}

@Suite struct OpeningHistoryTests {
  /// Who sees the new rule, and when: the device that asks the host at once, the rest with the weekly re-check
  /// (V2, V6), the late one when the CDN's copy has gone (C5).
  @Test func tellsWhoSeesTheNewRuleWhen() throws {
    let result = try Simulation.run(try Stories.example("stories/stale-copy-after-a-fix.json5"))
    let history = try #require(OpeningHistory.all(in: result).first)
    #expect(
      history.lines.map { "\($0.device.name) " + $0.cells.map(\.word).joined(separator: " ") } == [
        "early-12.4 browser browser app", "early-17.4 browser browser app", "next-12.4 app app app",
        "next-17.4 browser browser app", "late-17.4 - app app",
      ])
    let hour: Int64 = 3_600_000
    for line in history.lines {
      let since = try #require(line.fileSince).wholeMilliseconds
      let check = try #require(
        result.events.first { event in
          event.party == line.device.name && event.kind == "check" && event.time.wholeMilliseconds == since
        })
      #expect(check.text("file") != nil)
      switch line.device.name {
      case "next-12.4": #expect((hour..<hour * 2).contains(since))
      case "late-17.4": #expect((hour * 7..<hour * 8).contains(since))
      default: #expect((hour * 24 * 9 / 2..<hour * 24 * 6).contains(since))
      }
    }
  }

  @Test func aLinkThatAlwaysDoesTheSameHasNothingToTell() throws {
    let result = try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(["/a"])) }", domains: "\"applinks:e.test\"",
      devices: "phone: { os: \"ios:17.4\" }",
      script:
        "{ install: \"app\" }, { tap: \"https://e.test/a\" }, { wait: \"1d\" }, { tap: \"https://e.test/a\" }"
    )
    #expect(OpeningHistory.all(in: result).isEmpty)
  }

  @Test(arguments: [
    (0, "+0s"), (340, "+340ms"), (12_400, "+12s"), (3_840_000, "+1h 4m"), (457_200_000, "+5d 7h"),
    (1, "+1ms"), (999, "+999ms"), (1_000, "+1s"), (59_999, "+59s"), (60_000, "+1m"), (61_000, "+1m 1s"),
    (3_600_000, "+1h"), (3_659_999, "+1h"), (86_400_000, "+1d"), (86_399_999, "+23h 59m"),
  ]) func timesReadShort(milliseconds: Int, text: String) {
    #expect(Duration.milliseconds(milliseconds).sinceStart == text)
  }
}
