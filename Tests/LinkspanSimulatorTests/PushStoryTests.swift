import AssociatedDomains
import LinkspanCore
import LinkspanSpecification
import PushDelivery
import PushTerms
import Testing

@testable import LinkspanSimulator
@testable import LinkspanStories
@testable import SimulatedDevices

/// Pushes in stories: what a step does, and what a person is told.
@Suite struct PushStoryTests {
  /// Plays a story of one app that gets pushes, on one phone.
  static func run(_ script: String, push: String = good, switches: String = "") throws -> SimulationResult {
    try Simulation.run(try story(script, push: push, switches: switches))
  }

  static let good = "environment: \"production\", modes: [\"remote-notification\"]"
  static let silent = "{ push: { aps: { \"content-available\": 1 }, n: 1 } }"

  static func story(_ script: String, push: String = good, switches: String = "") throws -> Story {
    try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z", switches: { \(switches) },
        apps: {
          app: { identifier: "\(Stories.app)", domains: [], push: { \(push) } },
          other: { identifier: "ABCDE12345.com.example.other" },
        },
        devices: { iphone: { os: ["ios:17.4", "ios:26.0"] } },
        script: [{ install: "app" }, { launch: "app" }, { app_state: "app", to: "suspended" }, \(script)],
      }
      """)
  }

  static func fates(_ result: SimulationResult) -> [String] {
    result.pushes.filter { $0.device == "iphone-17.4" }.map {
      $0.fate + ($0.record.reason.map { " " + $0.rawValue } ?? "")
    }
  }

  @Test func aPushHasARowForEachDevice() throws {
    let result = try Self.run(Self.silent)
    #expect(
      result.pushes.map { "\($0.name) \($0.app) \($0.device) \($0.fate)" } == [
        "push 1 app iphone-17.4 woke", "push 1 app iphone-26.0 woke",
      ])
    let json = try #require(result.pushes.first).json.text
    #expect(json.contains(#""type":"push","push":1"#) && json.contains(#""fate":"woke""#))
  }

  /// What falls due during a wait happens at its time.
  @Test func handlersEndDuringAWait() throws {
    let result = try Self.run("\(Self.silent), { wait: \"1h\" }")
    let woke = try #require(result.events.first { $0.kind == "push-woke" })
    let finished = try #require(result.events.first { $0.kind == "handler-finished" })
    #expect(finished.time - woke.time == .seconds(2))
  }

  @Test func deletedAndReinstalledAppsBeginAnew() throws {
    let result = try Self.run(
      "{ delete: \"app\" }, \(Self.silent), \(Self.silent), { install: \"app\" }, \(Self.silent), "
        + "{ launch: \"app\" }, \(Self.silent)")
    #expect(
      Self.fates(result) == [
        "discarded uninstalled", "refused token-unregistered", "refused never-launched", "woke",
      ])
  }

  @Test func theSwitchChoosesTheProfile() throws {
    let push = "{ push: { aps: { \"content-available\": 1 } }, priority: 10 }"
    #expect(Self.fates(try Self.run(push)) == ["refused background-priority-10"])
    #expect(Self.fates(try Self.run(push, switches: "push_as_observed: true")) == ["woke"])
  }

  @Test func aPushExpires() throws {
    let result = try Self.run(
      "{ device_state: { online: false } }, { push: { aps: { alert: \"x\" } }, expires: \"1m\" }, { wait: \"2m\" }, "
        + "{ push: { aps: { alert: \"x\" } }, expires: 0 }")
    #expect(Self.fates(result) == ["discarded expired", "discarded expired"])
  }

  @Test func theServerIsTheRightOneUnlessTheStorySaysAnother() throws {
    let development = "environment: \"development\", modes: [\"remote-notification\"]"
    #expect(Self.fates(try Self.run(Self.silent, push: development)) == ["woke"])
    #expect(
      Self.fates(
        try Self.run(
          "{ push: { aps: { \"content-available\": 1 } }, server: \"production\" }", push: development))
        == ["refused wrong-environment"])
  }

  @Test func aFailedExpectationSaysWhatHappenedAndWhatToChange() throws {
    let result = try Self.run(
      "{ app_state: \"app\", to: \"force-quit\" }, { push: { aps: { \"content-available\": 1 } }, "
        + "devices: \"iphone-17.4\", expect: { fate: \"woke\", badge: 1 } }")
    let finding = try #require(result.findings.first)
    #expect(
      finding.message
        == "'push 1 to app' on iphone-17.4: expected woke, badge 1; it was dropped (force-quit: the user force-quit "
        + "the app, and nothing wakes it until the user opens it or restarts the device), badge 0.")
    #expect(finding.help == "open the app, and do not swipe it away")
    #expect(result.checks.first?.json.text.contains(#""push":"push 1 to app""#) == true)
  }

  /// A story about links is what it was, to the byte.
  @Test func aStoryWithoutPushesHasNoRunner() throws {
    let story = try Stories.example("story.json5")
    #expect(!story.hasPushes)
    #expect(try Simulation.run(story).pushes.isEmpty)
  }

  /// What an app says of pushes may stand in its files.
  @Test func entitlementsAndInfoPlistAreRead() throws {
    let reader = StoryReader(
      file: { _ throws(StoryReaderError) in Array(#"{"aps":{"content-available":1}}"#.utf8) },
      claims: { _, _ throws(StoryReaderError) in
        StoryReader.Claims(
          identifier: PartialIdentifier(prefix: "ABCDE12345", bundle: "com.example.app"), domains: [],
          apsEnvironment: "development", backgroundModes: ["remote-notification"])
      })
    let text = """
      {
        start: "2026-09-14T08:00:00Z", apps: { app: { entitlements: "App.entitlements" } },
        devices: { iphone: { os: "ios:17.4" } },
        script: [{ install: "app" }, { launch: "app" }, { push: "silent.apns" }],
      }
      """
    guard case .story(let story) = StoryParser.parse(SourceText(name: "a", text), reader: reader) else {
      Issue.record("the story cannot be read")
      return
    }
    #expect(story.apps[0].push?.environment == .sandbox)
    let result = try Simulation.run(story)
    #expect(result.pushes.map(\.name) == ["push 1 (silent.apns)"])
    #expect(result.pushes.map(\.fate) == ["woke"])
  }

  // MARK: - Mistakes

  struct Mistake: Sendable, CustomTestStringConvertible {
    var script: String
    var message: String

    var testDescription: String { script }
  }

  static let mistakes = [
    Mistake(script: "{ push: 7 }", message: "'push' is a number; expected a payload or the path of a file."),
    Mistake(script: "{ push: { aps: 1 } }", message: "The payload has no dictionary 'aps'."),
    Mistake(script: "{ push: \"no.apns\" }", message: "'no.apns' does not exist."),
    Mistake(script: "{ push: { aps: {} }, priority: 7 }", message: "'priority' is not 10, 5 or 1."),
    Mistake(script: "{ push: { aps: {} }, type: \"voop\" }", message: "'voop' is not a value of 'type'."),
    Mistake(script: "{ push: { aps: {} }, app: \"ap\" }", message: "The story has no app 'ap'."),
    Mistake(script: "{ app_state: \"app\" }", message: "The step changes nothing about the app."),
    Mistake(
      script: "{ app_state: \"app\", to: \"asleep\" }", message: "'asleep' is not a value of 'to'."),
    Mistake(
      script: "{ app_state: \"app\", handler: { takes: \"soon\" } }", message: "'soon' is not a duration."),
    Mistake(
      script: "{ device_state: { onlin: true } }", message: "'onlin' is not a key of the state of a device."),
    Mistake(
      script: "{ expect_push: \"woke\" }", message: "No push has been sent yet, so nothing can be expected."),
    Mistake(
      script: "{ push: { aps: {} }, expect: { reason: \"tired\" } }",
      message: "'tired' is not a value of 'reason'."),
  ]

  @Test(arguments: mistakes) func isReported(_ mistake: Mistake) {
    let text = """
      {
        start: "2026-09-14T08:00:00Z", apps: { app: { identifier: "\(Stories.app)", push: {} } },
        devices: { iphone: { os: "ios:17.4" } }, script: [\(mistake.script)],
      }
      """
    guard case .findings(let findings) = StoryParser.parse(SourceText(name: "a", text), reader: .none) else {
      Issue.record("it was taken")
      return
    }
    #expect(findings.first?.message == mistake.message)
    #expect(findings.first?.help?.isEmpty == false)
  }

  // MARK: - Rules

  /// Every number that a push cites can be looked up.
  @Test func everyCitedRuleIsListed() {
    var rules = Set(DeliveryReason.allCases.flatMap(\.facts.provenance.rules))
    for profile in DeliveryProfile.allCases {
      for life in PushApp.Life.allCases {
        for column in DeliveryMatrix(profile: profile).columns {
          var situation = PushSituation(
            column.push,
            to: PushAppTraits(bundleIdentifier: "a.b", environment: .production, backgroundModes: []),
            life: life, at: WallTime(milliseconds: 0))
          situation.profile = profile
          let explanation = situation.explained
          rules.formUnion(explanation.steps.flatMap(\.answer.rules) + explanation.checks.flatMap(\.rules))
        }
      }
    }
    #expect(rules.count > 20)
    for rule in rules.sorted() { #expect(SpecificationRule.named(rule) != nil, "\(rule)") }
  }

  @Test func anEventNamesItsPush() throws {
    let result = try Self.run("\(Self.silent), { wait: \"1h\" }")
    let woke = try #require(result.events.first { $0.kind == "push-woke" })
    #expect(woke.fields.first { $0.0 == "push" }?.1.text == "1")
  }
}
