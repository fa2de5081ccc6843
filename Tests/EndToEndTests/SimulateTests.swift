import Foundation
import TestSupport
import Testing

@Suite struct SimulateTests {
  static let story = Fixtures.root.appending(path: "Examples/story.json5").path

  /// A story against nobody would only tell of silence.
  @Test func aLiveServerThatIsNotThereIsNoAnswer() throws {
    let outcome = try Tool().run("simulate", Self.story, "--live", "127.0.0.1:1")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        linkspan simulate: error: the live server cannot be reached: connecting to 127.0.0.1:1: Connection refused.
          Start it first, with 'linkspan serve' for example, or name the address where it listens.

        """)
  }

  /// Every certificate would seem bad, and every link would open the browser.
  @Test func authoritiesThatCannotBeReadAreNoAnswer() throws {
    let outcome = try Tool().run("simulate", Self.story, "--live", "127.0.0.1:1", "--ca", "/dev/null")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix("linkspan simulate: error: '/dev/null' contains no readable certificate"))
  }

  /// A story with devices and no sites leaves the files to the real server. Its clock stands still while it waits for one, so
  /// it says how far it is; here each answer takes a little more than the second after which it does.
  @Test func aLiveStorySaysHowFarItIs() throws {
    let tool = try Tool()
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.shop"],"components":[{"/":"/a"}]}]}}"#,
      to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write(
      """
      {
        start: "2026-09-14T08:00:00Z",
        apps: { shop: { identifier: "ABCDE12345.com.example.shop", domains: ["applinks:example.com"] } },
        devices: { phone: { os: "ios:13.7" } },
        script: [{ install: "shop" }, { wait: "6d" }, { tap: "https://example.com/a", expect: "shop" }],
      }
      """, to: "story.json5")
    let standIn = try StandIn(
      tool, ["site", "site", "--write-certificate", "ca.pem", "--fault", "delay_ms=1100"], hasAdmin: false)
    let outcome = try tool.run("simulate", "story.json5", "--live", standIn.place, "--ca", "ca.pem")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let line = /(linkspan simulate: 2026-09-1\dT[\d:.]+Z in the story, request \d: example\.com\n)+/
    #expect(outcome.errors.wholeMatch(of: line) != nil, "\(outcome.errors)")
  }

  /// What is there does exist: the message says what it is instead of a file.
  @Test func whatIsNoFileIsCalledWhatItIs() throws {
    let tool = try Tool()
    try tool.write("", to: "folder/links.txt")
    for (path, what) in [("folder", "a folder"), ("/dev/null", "a device or a pipe")] {
      try tool.write("{ start: \"2026-09-14T08:00:00Z\", links: \"\(path)\" }", to: "story.json5")
      let outcome = try tool.run("simulate", "story.json5")
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains("'\(path)' cannot be read: it is \(what); expected a file."),
        "\(outcome.errors)")
    }
  }

  /// The name stands once, and the sentence ends once, whatever the reader of a file says of it.
  @Test func whyAFileCannotBeReadIsOneSentence() throws {
    let tool = try Tool()
    try tool.write("<plist><dict><key>a</key>", to: "bad.entitlements")
    try Data(count: (64 << 20) + 1).write(to: tool.folder.appending(path: "large"))
    for (path, reason) in [
      ("bad.entitlements", "bad.entitlements:1:8: The file ends before this '<dict>' is closed."),
      ("large", "it has more than 64 MB, the limit for input files."),
    ] {
      let app = "apps: { a: { entitlements: \"\(path)\" } }, links: \"large\""
      try tool.write("{ start: \"2026-09-14T08:00:00Z\", \(app) }", to: "story.json5")
      let outcome = try tool.run("simulate", "story.json5")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("'\(path)' cannot be read: \(reason)\n"), "\(outcome.errors)")
      #expect(!outcome.errors.contains(".."), "\(outcome.errors)")
    }
  }

  /// A misspelled host changes nothing; that is told, and the story is played.
  @Test(arguments: [[], ["--format", "github"]]) func aHostThatNothingHasIsWarnedOf(format: [String]) throws {
    let tool = try Tool()
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z", sites: { "example.com": {} },
        network: { "exampel.com": { down: true } } }
      """, to: "story.json5")
    let outcome = try tool.run(["simulate", "story.json5"] + format)
    #expect(outcome.status == 0)
    let text = outcome.errors + outcome.output
    #expect(
      text.contains(
        "No site, app or link of the story has the host 'exampel.com', so 'network' changes nothing."))
    let mark = format.isEmpty ? "warning[story.unknown-host]" : "::warning file=story.json5,line=2"
    #expect(text.contains(mark), "\(text)")
  }

  /// Not in the line of a mistake, and not in that of an expectation that failed.
  @Test(arguments: [#"expect: [{ opens: "app" }]"#, "bogus: 1"])
  func noLineOfAStoryShowsAPassword(rest: String) throws {
    let tool = try Tool()
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z", sites: {}, apps: {}, devices: { phone: { os: "ios:17.4" } },
        script: [{ tap: "https://ann:hunter2@example.com/shop", from: "messages", \(rest) }] }
      """, to: "story.json5")
    for words in [["simulate", "story.json5"], ["simulate", "story.json5", "--json"]] {
      let outcome = try tool.run(words)
      #expect(outcome.status != 0)
      #expect(outcome.errors.contains(".com/shop"), "\(outcome.errors)")
      #expect(!(outcome.output + outcome.errors).contains("hunter2"), "\(outcome.errors)")
    }
  }

  /// Where a terminal has no room for the whole picture, words are short, links lose their middle, and what names of
  /// devices share goes; at last the devices stand in blocks below each other.
  @Test(arguments: [
    (
      66,
      """
                                             iOS 12.4 iOS 14.0 iOS 26.0
      https://example.com/shop/12345678      browser  app      app
      https://example.com/shop/123456789     browser  app      app
      https://example.com/help (from typed)  browser  browser  browser

      """
    ),
    (
      65,
      """
                                         12.4 14.0 26.0
      https://example.com/shop/12345678  no   app  app
      https://ex…ple.com/shop/123456789  no   app  app
      https://ex….com/help (from typed)  no   no   no
      app: opens the app; no: opens the browser

      """
    ),
    (
      49,
      """
                                         12.4 14.0
      https://example.com/shop/12345678  no   app
      https://ex…ple.com/shop/123456789  no   app
      https://ex….com/help (from typed)  no   no

                                         26.0
      https://example.com/shop/12345678  app
      https://ex…ple.com/shop/123456789  app
      https://ex….com/help (from typed)  no
      app: opens the app; no: opens the browser

      """
    ),
  ])
  func aNarrowTerminalHasAShorterPicture(columns: Int, picture: String) throws {
    let tool = try Tool()
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z",
        sites: { "example.com": { file: { applinks: { details: [
          { appIDs: ["ABCDE12345.com.example.app"], components: [{ "/": "/shop/*" }] }] } } } },
        apps: { shop: { identifier: "ABCDE12345.com.example.app", domains: ["applinks:example.com"] } },
        devices: { old: { os: "ios:12.4" }, mid: { os: "ios:14.0" }, new: { os: "ios:26.0" } },
        script: [{ install: "shop" }, { tap: "https://example.com/shop/12345678" },
          { tap: "https://example.com/shop/123456789" }, { tap: "https://example.com/help", from: "typed" }] }
      """, to: "s.json5")
    let outcome = try tool.run(["simulate", "s.json5"], environment: ["COLUMNS": "\(columns)"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("s.json5, seed 1\n\n" + picture), "\(outcome.output)")
  }

  /// A cell says where the link goes, as the verdict below does.
  @Test(arguments: [
    (
      200,
      """
                                                                    iOS 17.4
      https://example.com/shop/1 (from redirect through t.example)  unknown
      https://example.com/shop/1 (from in-app-browser)              web-view
      https://example.com/shop/1                                    app
      https://example.com/help (from universal-links-only)          nothing
      https://example.com/help                                      browser


      """
    ),
    (
      60,
      """
                                         17.4
      https://ex…ect through t.example)  ?
      https://ex… (from in-app-browser)  view
      https://example.com/shop/1         app
      https://ex… universal-links-only)  none
      https://example.com/help           no
      app: opens the app; no: opens the browser
      view: opens no app and stays in the web view
      none: opens nothing
      ?: opens the app or not: no source settles it


      """
    ),
  ])
  func aCellSaysWhereTheLinkGoes(columns: Int, picture: String) throws {
    let tool = try Tool()
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z",
        sites: { "example.com": { file: { applinks: { details: [
          { appIDs: ["ABCDE12345.com.example.app"], components: [{ "/": "/shop/*" }] }] } } } },
        apps: { shop: { identifier: "ABCDE12345.com.example.app", domains: ["applinks:example.com"] } },
        devices: { phone: { os: "ios:17.4" } },
        script: [{ install: "shop" },
          { tap: "https://example.com/shop/1", from: "redirect", through: "https://t.example/" },
          { tap: "https://example.com/shop/1", from: "in-app-browser" },
          { tap: "https://example.com/help", from: "universal-links-only" },
          { tap: "https://example.com/help" }, { tap: "https://example.com/shop/1" }] }
      """, to: "s.json5")
    let outcome = try tool.run(["simulate", "s.json5"], environment: ["COLUMNS": "\(columns)"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("s.json5, seed 1\n\n" + picture), "\(outcome.output)")
  }

  /// A tap on a page of the link's host and one on a page of another host are two ways: neither changes the other's outcome.
  @Test func tapsOnPagesOfTwoHostsAreTwoWays() throws {
    let story = Fixtures.root.appending(path: "Examples/stories/same-host-tap.json5").path
    let outcome = try Tool().run("simulate", story)
    let cells = outcome.lines.filter { $0.hasPrefix("https://example.com/shop/1 (from safari on ") }
      .map { $0.split(separator: " ").dropFirst(4).joined(separator: " ") }
    #expect(
      Set(cells) == [
        "example.com)", "www.example.com)", "example.com) browser browser browser browser",
        "www.example.com) app app app app",
      ])
    #expect(!outcome.output.contains("who sees what"))
    let stream = try Tool().run("simulate", story, "--json")
    let ways = try stream.lines.indices.compactMap { line in try stream.json(line: line)["way"] as? String }
    #expect(Set(ways).isSuperset(of: ["safari on example.com", "safari on www.example.com"]))
  }

  @Test func objectsOfSeveralStoriesNameTheirs() throws {
    let other = Fixtures.root.appending(path: "Examples/stories/stale-copy-after-a-fix.json5").path
    let outcome = try Tool().run("simulate", Self.story, other, "--json")
    let stories = try outcome.lines.indices.dropLast().map { try outcome.json(line: $0)["story"] as? String }
    #expect(Set(stories) == [Self.story, other])
    let one = try Tool().run("simulate", Self.story, "--json")
    #expect(!one.output.contains("\"story\":"))
  }

  static let folder = Fixtures.root.appending(path: "Examples/stories").path

  @Test func aFolderHasALineEachAndATotal() throws {
    let outcome = try Tool().run("simulate", Self.folder)
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 18)
    #expect(outcome.lines.dropLast().allSatisfy { $0.hasPrefix("held  \(Self.folder)/") })
    #expect(outcome.lines.last?.hasPrefix("17 stories, all held: ") == true)
  }

  @Test func theStreamOfAFolderEndsWithASummaryEachAndATotal() throws {
    let tool = try Tool()
    try Self.failing(in: tool)
    let outcome = try tool.run("simulate", "stories", "--json")
    let objects = try outcome.lines.indices.map { try outcome.json(line: $0) }
    #expect(objects.last?["type"] as? String == "total")
    #expect(objects.last?["stories"] as? Int == 2)
    let summaries = objects.filter { $0["type"] as? String == "summary" }
    #expect(Set(summaries.compactMap { $0["story"] as? String }).count == 2)
    for object in objects.dropLast() { #expect(object["story"] != nil) }
  }

  /// A story of which one expectation fails, and the same one held.
  static func failing(in tool: Tool) throws {
    let story = try String(
      contentsOf: Fixtures.root.appending(path: "Examples/stories/qa-behind-a-filter.json5"), encoding: .utf8)
    try tool.write(story, to: "stories/a.json5")
    try tool.write(story.replacing("os: \"ios:13.7\"", with: "os: \"ios:14.0\""), to: "stories/b.json5")
  }

  @Test func oneFailureOfSeveralStoriesIsANo() throws {
    let tool = try Tool()
    try Self.failing(in: tool)
    let outcome = try tool.run("simulate", "stories")
    #expect(outcome.status == 1)
    #expect(
      outcome.lines.first?.hasPrefix("held  stories/a.json5, seed 1: 10 of 10 expectations held") == true)
    #expect(outcome.output.contains("failed  stories/b.json5, seed 1: 8 of 10 expectations held"))
    #expect(outcome.output.contains("repeat it with: linkspan simulate stories/b.json5 --seed 1\n"))
    #expect(outcome.lines.last?.hasPrefix("2 stories, 1 failed: 18 of 20 expectations held") == true)
  }

  @Test func aStoryThatCannotBePlayedDoesNotSilenceTheOthers() throws {
    let tool = try Tool()
    try Self.failing(in: tool)
    try tool.write("{ stat: 1 }", to: "stories/c.json5")
    let outcome = try tool.run("simulate", "stories")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'stories/c.json5' is not a valid story"))
    #expect(outcome.lines.last?.hasPrefix("2 stories, 1 failed, 1 could not be run: ") == true)
  }

  /// Another program finds a suite for each story and a case for each expectation.
  @Test func anotherToolReadsJUnit() throws {
    let tool = try Tool()
    try Self.failing(in: tool)
    try tool.write("{ stat: 1 }", to: "stories/c.json5")
    let outcome = try tool.run("simulate", "stories", "--format", "junit")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("repeat it with: linkspan simulate stories/b.json5 --seed 1\n"))
    try tool.write(outcome.output, to: "junit.xml")
    let script = """
      root = xml.etree.ElementTree.parse('junit.xml').getroot()
      for suite in root:
          names = [case.get('name') for case in suite]
          assert len(names) == len(set(names)) == int(suite.get('tests')), names
          print(suite.get('name'), *[suite.get(name) for name in ('tests', 'failures', 'errors')])
      print(*[root.get(name) for name in ('tests', 'failures', 'errors')])
      """
    guard let read = try ReportFormatTests.python(tool, script, [], needs: "xml.etree.ElementTree") else {
      return
    }
    #expect(
      read == "stories/a.json5 10 0 0\nstories/b.json5 10 2 0\nstories/c.json5 1 0 1\n21 2 1\n")
  }

  @Test func anAnnotationStandsAtEachFailedExpectation() throws {
    let tool = try Tool()
    try Self.failing(in: tool)
    let outcome = try tool.run("simulate", "stories", "--format", "github")
    #expect(outcome.status == 1)
    let annotations = outcome.lines.filter {
      $0.hasPrefix("::error file=stories/b.json5,line=") && $0.contains("title=story.expectation::")
    }
    #expect(annotations.count == 2)
    #expect(outcome.lines.last?.hasPrefix("2 stories, 1 failed: ") == true)
    #expect(try tool.run("simulate", "stories", "--format", "junit", "--events").status == 2)
  }

  /// As in a folder of several: the annotations stand on standard output.
  @Test func oneStoryThatCannotBePlayedIsAnnotated() throws {
    let tool = try Tool()
    try tool.write("{ stat: 1 }", to: "c.json5")
    let outcome = try tool.run("simulate", "c.json5", "--format", "github")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("::error file=c.json5,line=1,col=3,"), "\(outcome.output)")
    #expect(outcome.errors.contains("'c.json5' is not a valid story; see the errors above."))
  }

  @Test func aSeedThatIsTooLargeIsCalledSo() throws {
    let outcome = try Tool().run("simulate", Self.story, "--seed", "18446744073709551616")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        "'--seed': expected an integer from 0 to 18446744073709551615, got '18446744073709551616'."),
      "\(outcome.errors)")
  }

  @Test func anArchiveIsAFile() throws {
    let tool = try Tool()
    let outcome = try tool.run("simulate", Self.story, "--har", "-")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'--har': expected a file, got '-'"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "-").path))
  }

  @Test func aFolderWithoutAStoryIsNoAnswer() throws {
    let tool = try Tool()
    try tool.write("", to: "empty/readme.txt")
    let outcome = try tool.run("simulate", "empty")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        linkspan simulate: error: the folder 'empty' has no story.
          Stories in a folder end in .json5 or .json, and folders inside it are not looked into.

        """)
  }

  @Test func thePagesOfTwoRunsAreTheSameBytes() throws {
    let tool = try Tool()
    #expect(try tool.run("simulate", Self.folder, "--html", "a.html").status == 0)
    #expect(try tool.run("simulate", Self.folder, "--html", "b.html").status == 0)
    let first = try Data(contentsOf: tool.folder.appending(path: "a.html"))
    #expect(first.count > 50_000)
    #expect(try Data(contentsOf: tool.folder.appending(path: "b.html")) == first)
  }

  /// As `match --urls` and `coverage` read it.
  @Test func aListOfLinksMayBeOfAnyEditor() throws {
    let tool = try Tool()
    try tool.write(
      "\u{FEFF}https://example.com/ \r\n\t# links\r\n\thttps://example.com/a\t\r\n", to: "links.txt")
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z", devices: { iphone: { os: "ios:17.4" } }, links: "links.txt",
        script: [{ tap: "all", expect: "browser" }] }
      """, to: "story.json5")
    let outcome = try tool.run("simulate", "story.json5")
    #expect(outcome.status == 0 && outcome.output.contains("https://example.com/a"), "\(outcome.errors)")
  }

  /// One error says that a file is no list of links, by its first line.
  @Test(arguments: [
    (
      "# links\nroot:x:0\nhttps://example.com/\nbin:x:1\n",
      "'links.txt', line 2: 'root:x:0' is not an http or https URL. Nor is 1 other line."
    ),
    ("# links\n\n", "'links.txt' has no link."),
  ])
  func aFileWithoutLinksIsToldOnce(list: String, message: String) throws {
    let tool = try Tool()
    try tool.write(list, to: "links.txt")
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z", devices: { iphone: { os: "ios:17.4" } }, links: "links.txt",
        script: [{ wait: "1h" }] }
      """, to: "story.json5")
    let outcome = try tool.run("simulate", "story.json5")
    let errors = outcome.errors.split(separator: "\n").filter { $0.contains(": error[") }
    #expect(outcome.status == 2 && errors.count == 1, "\(outcome.errors)")
    #expect(errors.first?.hasSuffix(": " + message) == true, "\(outcome.errors)")
  }

  /// Up to four devices are named, more are counted.
  @Test func devicesOfAPushAreNamedOrCounted() throws {
    let tool = try Tool()
    try tool.write(
      """
      { start: "2026-09-14T08:00:00Z",
        apps: { app: { identifier: "ABCDE12345.com.example.app", push: { environment: "production" } } },
        devices: { iphone: { os: "ios:17.4", count: 4 }, ipad: { os: "ios:16.0" } },
        script: [{ install: "app" }, { launch: "app" }, { app_state: "app", to: "suspended" },
          { push: { aps: { alert: "x" } }, app: "app", devices: "iphone" }, { push: { aps: { alert: "x" } }, app: "app" }] }
      """, to: "story.json5")
    let outcome = try tool.run("simulate", "story.json5")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.lines.filter { $0.hasPrefix("  ") }.map { String($0.prefix { $0 != "[" }) }
    #expect(
      lines == [
        "  delivered on iphone-1, iphone-2, iphone-3, iphone-4, shown  ", "  delivered on 5 devices, shown  ",
      ])
  }
}
