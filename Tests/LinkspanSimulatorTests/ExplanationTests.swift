import AppSiteAssociation
import LinkExplanation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// The chain from finger to screen, and what turns its answer (section 1).
@Suite struct ExplanationTests {
  /// A world with one thing in the way.
  struct Obstacle: Sendable, CustomTestStringConvertible {
    var name: String
    var site = "\"e.test\": { file: \(Stories.file(["/a"])) }"
    var domains = "\"applinks:e.test\""
    var build = "app-store"
    var isBrowser = false
    var network = ""
    var device = "os: \"ios:17.4\""
    var script = "{ install: \"app\" }"
    var link = "https://e.test/a"
    var way = WayOfFollowing.messages
    /// The step that says no.
    var step: ExplanationStep.Name
    /// What one of the offered sets says, and who it is for.
    var change: String
    var who: String

    var testDescription: String { name }

    func situation() throws -> Situation {
      let story = try Stories.inline(
        """
        {
          start: "2026-09-14T08:00:00Z", sites: { \(site) }, network: { \(network) },
          apps: {
            app: {
              identifier: "\(Stories.app)", build: "\(build)", browser: \(isBrowser), domains: [\(domains)],
            },
          },
          devices: { device: { \(device) } }, script: [\(script)],
        }
        """)
      return Situation(story, device: 0, link: link, way: way)
    }
  }

  static func components(_ rules: String) -> String {
    "\"e.test\": { file: { applinks: { details: [{ appIDs: [\"\(Stories.app)\"], components: [\(rules)] }] } } }"
  }

  static let obstacles: [Obstacle] = [
    Obstacle(
      name: "typed", way: .typed, step: .wayOfFollowing, change: "Follow the link from another app",
      who: "user"),
    Obstacle(
      name: "same host", way: .safari(pageHost: "e.test"), step: .wayOfFollowing,
      change: "Link from a page of another host", who: "link"),
    Obstacle(
      name: "tracker", way: .tracker(through: ["https://click.test/1"]), step: .wayOfFollowing,
      change: "Link to 'e.test' directly", who: "link"),
    // Section 10 row 8
    Obstacle(
      name: "tracker with an association of its own", way: .tracker(through: ["https://click.test/1"]),
      step: .wayOfFollowing,
      change: "Set up universal links for the tracker: 'applinks:click.test' in 'app'",
      who: "app and site"),
    Obstacle(
      name: "iOS 8", device: "os: \"ios:8.4\"", step: .release, change: "Update the device to iOS 9.3",
      who: "user"),
    // E22
    Obstacle(
      name: "browser", isBrowser: true, step: .entitlement,
      change: "Sign 'app' without 'com.apple.developer.web-browser'", who: "app"),
    Obstacle(
      name: "no entry", domains: "\"applinks:other.test\"", step: .entitlement,
      change: "Add 'applinks:e.test' to the associated domains of 'app'", who: "app"),
    Obstacle(
      name: "entry with a path", domains: "\"applinks:e.test/a\"", step: .entitlement,
      change: "Write 'applinks:e.test' instead of 'applinks:e.test/a'", who: "app"),
    Obstacle(
      name: "mode in a store build", domains: "\"applinks:e.test?mode=developer\"", step: .entitlement,
      change: "Add 'applinks:e.test'", who: "app"),
    Obstacle(
      name: "not installed", script: "", step: .entitlement, change: "Install 'app'", who: "user"),
    Obstacle(
      name: "filter drops the crawler", network: "\"e.test\": { drops: \"crawler\" }", step: .file,
      change: "Let Apple's crawler through the filter of 'e.test'", who: "network"),
    Obstacle(
      name: "filter forbids the crawler", network: "\"e.test\": { forbids: \"crawler\" }", step: .file,
      change: "Let Apple's crawler through the filter of 'e.test'", who: "network"),
    Obstacle(
      name: "filter against devices", network: "\"e.test\": { forbids: \"devices\" }",
      device: "os: \"ios:13.7\"", step: .file, change: "Let devices through the filter of 'e.test'",
      who: "network"),
    Obstacle(
      name: "only some regions are answered",
      network: "\"e.test\": { regions: [\"DE\", \"FR\"], elsewhere: \"drops\" }", step: .file,
      change: "Let 'e.test' answer in every region, not only in DE, FR", who: "network"),
    Obstacle(
      name: "private address", network: "\"e.test\": { private_address: \"10.0.0.5\" }", step: .file,
      change: "Give 'e.test' a public address", who: "network"),
    Obstacle(
      name: "certificate", network: "\"e.test\": { certificate: \"expired\" }", step: .file,
      change: "Use a valid certificate for 'e.test'", who: "site"),
    Obstacle(
      name: "slow", network: "\"e.test\": { latency_ms: 9000 }", step: .file,
      change: "Make 'e.test' answer within a second", who: "network"),
    Obstacle(
      name: "redirect of the file", site: "\"e.test\": { status: 301, location: \"https://www.e.test/\" }",
      step: .file, change: "Publish a file at https://e.test/.well-known/apple-app-site-association",
      who: "site"),
    Obstacle(
      name: "wrong status", site: "\"e.test\": { status: 404, file: \(Stories.file(["/a"])) }", step: .file,
      change: "Serve https://e.test/.well-known/apple-app-site-association itself with status 200",
      who: "site"),
    Obstacle(
      name: "page instead of file", site: "\"e.test\": { body: \"<html>\" }", step: .file,
      change: "Publish a file at", who: "site"),
    Obstacle(
      name: "trailing comma",
      site: "\"e.test\": { body: '{\"applinks\":{\"details\":[{\"appIDs\":[\"\(Stories.app)\"],"
        + "\"components\":[{\"/\":\"/a\"},]}]}}' }",
      step: .file, change: "Run 'linkspan check --fix' on the file", who: "site"),
    Obstacle(
      name: "root only behind a mode", site: "\"e.test\": { file: \(Stories.file(["/a"])), at: \"root\" }",
      domains: "\"applinks:e.test?mode=managed\"", device: "os: \"ios:17.4\", managed: true", step: .file,
      change: "Move the file of 'e.test' from the root", who: "site"),
    Obstacle(
      name: "user chose the browser",
      script: "{ install: \"app\" }, { choose: \"browser\", host: \"e.test\" }",
      step: .userChoice, change: "Long-press a link to the host in Notes and choose the app", who: "user"),
    Obstacle(
      name: "a Mac", device: "os: \"macos:14.4\"", step: .userChoice,
      change: "Take Safari's offer to open the app", who: "user"),
    Obstacle(
      name: "no rule", link: "https://e.test/b", step: .pattern,
      change: "Put \"/b\" before the other paths of 'app'", who: "site"),
    Obstacle(
      name: "excluded", site: components("{ \"/\": \"/a\", exclude: true }, { \"/\": \"*\" }"),
      step: .pattern,
      change: "Remove rule 0 of entry 0", who: "site"),
    Obstacle(
      name: "case", site: components("{ \"/\": \"/A\" }"), step: .pattern,
      change: "Add \"caseSensitive\": false to rule 0 of entry 0", who: "site"),
    Obstacle(
      name: "case of a rule that is not the closest",
      site: components("{ \"/\": \"/b\", \"#\": \"x\" }, { \"/\": \"/A\" }"), step: .pattern,
      change: "Add \"caseSensitive\": false to rule 1 of entry 0", who: "site"),
    Obstacle(
      name: "app not named",
      site:
        "\"e.test\": { file: { applinks: { details: [{ appIDs: [\"ABCDE12345.x\"], components: [] }] } } }",
      step: .pattern, change: "Name \(Stories.app) in the file", who: "site"),
    Obstacle(
      name: "old release and new file", site: components("{ \"/\": \"/a\" }"), device: "os: \"ios:12.4\"",
      step: .pattern, change: "Update the device to iOS 13.0", who: "user"),
    Obstacle(
      name: "port", link: "https://e.test:8443/a", step: .pattern, change: "Write the link without its port",
      who: "link"),
    Obstacle(
      name: "stale copy",
      script: "{ install: \"app\" }, { deploy: { \"e.test\": { file: \(Stories.file(["/b"])) } } }",
      link: "https://e.test/b", step: .pattern, change: "Wait for the device's next check", who: "user"),
    Obstacle(
      name: "Developer-ID app before its first launch", build: "developer-id",
      device: "os: \"macos:14.4\"", script: "{ install: \"app\" }, { choose: \"app\", host: \"e.test\" }",
      step: .file, change: "Launch 'app' once", who: "user"),
  ]

  @Test(arguments: obstacles) func namesTheStepAndWhatTurnsIt(_ obstacle: Obstacle) throws {
    let explanation = try Explanation(try obstacle.situation())
    let first = explanation.chain.steps.first { [.no, .unknown].contains($0.verdict) }
    #expect(first?.name == obstacle.step, "\(explanation.chain.steps.map { "\($0.name) \($0.verdict)" })")
    let offered = explanation.changes.flatMap { $0 }
    #expect(
      offered.contains { $0.what.hasPrefix(obstacle.change) && $0.whoWords == obstacle.who },
      "\(explanation.changes.map { $0.map { "\($0.whoWords): \($0.what)" } })")
  }

  /// Whatever is offered, doing it opens the app; nothing smaller was left out.
  @Test(arguments: obstacles) func whatIsOfferedOpensTheApp(_ obstacle: Obstacle) throws {
    let situation = try obstacle.situation()
    let explanation = try Explanation(situation)
    #expect(!explanation.changes.isEmpty)
    for set in explanation.changes {
      let verdict = try situation.applying(set).explained().verdict
      #expect(verdict.app == Stories.app, "\(set.map(\.what)): \(verdict.reason)")
      guard set.count > 1 else { continue }
      for change in set { #expect(try situation.applying([change]).explained().verdict.app == nil) }
    }
  }

  /// The chain is the device's own: its first "no" is the step of the verdict, and without one the app opens.
  @Test(arguments: obstacles) func theChainAgreesWithTheVerdict(_ obstacle: Obstacle) throws {
    let chain = try obstacle.situation().explained()
    #expect(chain.steps.map(\.name) == ExplanationStep.Name.allCases)
    #expect(chain.verdict.app == nil)
    #expect(chain.steps.last?.verdict == (chain.verdict.isUnknown ? .unknown : .no))
    for step in chain.steps where step.verdict != .notReached { #expect(!step.rules.isEmpty, "\(step.name)") }
  }

  /// E6: a top-level domain serves no file, so that nobody is told to publish one there.
  @Test func noFileOfATopLevelDomainIsProposed() throws {
    var obstacle = Self.obstacles[0]
    obstacle.domains = "\"applinks:*.test\""
    obstacle.way = .messages
    let explanation = try Explanation(obstacle.situation())
    #expect(explanation.changes.contains { $0.map(\.what).contains { $0.contains("applinks:e.test") } })
    #expect(!explanation.json.text.contains("https://test/"), "\(explanation.json.text)")
  }

  @Test func aLinkThatOpensSaysYesAtEveryStepAndWhatWouldStopIt() throws {
    var open = Self.obstacles[0]
    open.way = .messages
    let situation = try open.situation()
    #expect(try Explanation(situation).changes.isEmpty)
    let explanation = try Explanation(situation, goal: .browser)
    #expect(explanation.chain.steps.allSatisfy { $0.verdict == .yes })
    #expect(explanation.changes.count >= 4)
    for set in explanation.changes { #expect(try situation.applying(set).explained().verdict.app == nil) }
  }

  /// Section 10 row 6 says how a choice is undone; that a new installation undoes it no source says.
  @Test func thatANewInstallationForgetsTheChoiceIsInferred() throws {
    let obstacle = try #require(Self.obstacles.first { $0.step == .userChoice })
    let explanation = try Explanation(try obstacle.situation())
    let changes = explanation.changes.flatMap { $0 }
    let again = try #require(changes.first { $0.what.hasPrefix("Reinstall 'app'") })
    #expect(again.certainty == .inferred)
    #expect(changes.contains { $0.certainty == .documented })
  }

  /// The user's choice is a no, also where something before it decides (section 10 rows 6 and 15).
  @Test(arguments: [
    ("ios:17.4", "browser", ExplanationStep.Verdict.no), ("ios:17.4", "app", .yes),
    ("macos:14.4", "app", .yes),
    ("macos:14.4", "browser", .no),
  ])
  func theChoiceIsToldWhateverDecides(os: String, choice: String, verdict: ExplanationStep.Verdict) throws {
    var both = Self.obstacles[0]
    both.device = "os: \"\(os)\""
    both.script = "{ install: \"app\" }, { choose: \"\(choice)\", host: \"e.test\" }"
    both.link = "https://e.test/b"
    let explanation = try Explanation(try both.situation())
    #expect(explanation.chain.steps.first { $0.name == .userChoice }?.verdict == verdict)
    #expect(explanation.chain.steps.first { $0.name == .pattern }?.verdict == .no)
  }

  @Test func threeObstaclesTakeThreeChanges() throws {
    var three = Self.obstacles[0]
    three.script = "{ install: \"app\" }, { choose: \"browser\", host: \"e.test\" }"
    three.link = "https://e.test/b"
    let explanation = try Explanation(try three.situation())
    #expect(explanation.changes.first.map { $0.map(\.whoWords) } == ["user", "user", "site"])
    #expect(explanation.changes.allSatisfy { $0.count == 3 })
  }

  /// Two obstacles take two changes, and no single one is offered.
  @Test func twoObstaclesTakeTwoChanges() throws {
    var both = Self.obstacles[0]
    both.way = .safari(pageHost: "e.test")
    both.network = "\"e.test\": { forbids: \"crawler\" }"
    let explanation = try Explanation(try both.situation())
    #expect(explanation.changes.first.map { $0.map(\.whoWords) } == ["link", "network"])
    #expect(explanation.changes.allSatisfy { $0.count == 2 })
  }

  /// The story of a filter: it is named, and both ways out are offered (T5, E13).
  @Test func theFilterIsNamedWithBothWaysOut() throws {
    let story = try Stories.example("stories/qa-behind-a-filter.json5")
    let new = try #require(story.devices.firstIndex { $0.name == "new" })
    let situation = Situation(story, device: new, link: story.links[0], way: .messages, after: 4)
    let explanation = try Explanation(situation)
    let file = try #require(explanation.chain.steps.first { $0.name == .file })
    #expect(
      file.message == "Apple's CDN has no file of 'qa.example.com': 404: SWCERR00301 Timeout, "
        + "because a filter there drops Apple's crawler")
    #expect(
      explanation.changes.map { $0.map { "\($0.whoWords): \($0.what)" } } == [
        ["network: Let Apple's crawler through the filter of 'qa.example.com', which drops the packets"],
        [
          "user: Use '?mode=developer', which asks the host itself: "
            + "turn on Associated Domains Development on the device"
        ],
      ])
    #expect(explanation.changes.map { $0[0].rules } == [["T5", "T7"], ["E13", "E16"]])
  }

  /// What developer mode takes, as one sentence.
  @Test(arguments: [
    (false, "add 'applinks:qa.example.com?mode=developer' to '", "', sign it for development"),
    (true, "sign it for development", ""),
  ])
  func theStepsOfDeveloperModeAreListed(isClaimed: Bool, first: String, before: String) throws {
    var story = try Stories.example("stories/qa-behind-a-filter.json5")
    let new = try #require(story.devices.firstIndex { $0.name == "new" })
    let entry = "applinks:qa.example.com?mode=developer"
    for place in story.apps.indices {
      story.apps[place].build.kind = .appStore
      story.apps[place].build.entries.removeAll { $0 == entry }
      if isClaimed { story.apps[place].build.entries.append(entry) }
    }
    let situation = Situation(story, device: new, link: story.links[0], way: .messages, after: 4)
    let words = try Explanation(situation).changes.flatMap { $0.map(\.what) }
    let (head, tail) = (
      "Use '?mode=developer', which asks the host itself: " + first,
      before + " and turn on Associated Domains Development on the device"
    )
    #expect(words.contains { $0.hasPrefix(head) && $0.hasSuffix(tail) }, "\(words)")
  }

  /// iOS 13 asks the host from inside, iOS 14 has the CDN ask from outside; without the filter both open (C1, T5).
  @Test(arguments: [("ios:13.7", true, true), ("ios:14.0", true, false), ("ios:14.0", false, true)])
  func theReleaseAndTheFilterTurnTheStory(os: String, isFiltered: Bool, opens: Bool) throws {
    var story = try Stories.example("stories/qa-behind-a-filter.json5")
    let new = try #require(story.devices.firstIndex { $0.name == "new" })
    story.devices[new].os = try OSVersion(os)
    if !isFiltered { story.network = [:] }
    let situation = Situation(story, device: new, link: story.links[0], way: .messages, after: 2)
    #expect((try situation.explained().verdict.app != nil) == opens)
  }

  /// One world, one answer, whatever else was played before.
  @Test(arguments: obstacles) func isTheSameEveryTime(_ obstacle: Obstacle) throws {
    let situation = try obstacle.situation()
    #expect(try Explanation(situation).json.text == Explanation(situation).json.text)
  }
}
