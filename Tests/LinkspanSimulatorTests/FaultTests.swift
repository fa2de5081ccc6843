import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// Each fault strikes where its knob says, and nothing else changes.
@Suite struct FaultTests {
  static let script = "{ install: \"app\" }, { wait: \"30d\" }, { tap: \"https://e.test/a\" }"

  static func run(
    _ faults: String, os: String = "ios:13.7", script: String = script, seed: UInt64 = 1
  ) throws -> SimulationResult {
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z", sites: { "e.test": { file: \(Stories.file(["*"])) } },
        faults: { \(faults) },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test"] } },
        devices: { iphone: { os: "\(os)" } }, script: [\(script)],
      }
      """)
    let result = try Simulation.run(story, seed: seed)
    #expect(result.violations.isEmpty)
    return result
  }

  static func kinds(_ result: SimulationResult) -> [String] { result.events.map(\.kind) }

  /// An empty object is no fault at all, and a fault that strikes at random changes no time before it does.
  @Test func withoutFaultsNothingChanges() throws {
    let plain = try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(["*"])) }", domains: "\"applinks:e.test\"",
      devices: "iphone: { os: \"ios:13.7\" }", script: Self.script)
    #expect(try Self.run("").digest == plain.digest)
    #expect(try Self.run("loss: [0, 5]").digest == plain.digest)
  }

  @Test(arguments: ["ios:13.7", "ios:17.4"]) func whatIsLostTimesOut(_ os: String) throws {
    let result = try Self.run("loss: [1, 1]", os: os)
    #expect(result.rows[0].verdict.step == .fetch)
    #expect(result.rows[0].verdict.reason.contains("did not answer in time"))
  }

  @Test func aNameWithoutAddressIsNotFound() throws {
    #expect(try Self.run("lookup_failure: [1, 1]").rows[0].verdict.reason.contains("has no address"))
  }

  /// R1: 5xx passes, 3xx and 4xx are refusals, and a page is unreadable; with this chance all of them come.
  @Test func anOriginFlaps() throws {
    let problems = Set(
      try Self.run("origin_flap: [1, 1]").events.filter { $0.kind == "fault" }.map(\.line).map {
        $0.suffix(4).dropLast()
      })
    #expect(problems.count > 3)
  }

  /// 20 to 120 ms without it.
  @Test func aLongTailMakesAFewAnswersLate() throws {
    let late = try Self.run("latency_tail: [1, 2]").events.filter { $0.kind == "fault" }
    #expect(late.contains { $0.line.contains("late ×2\"") })
    #expect(late.contains { !$0.line.contains("late ×2\"") })
  }

  /// Two hosts asked at the same moment, of which the one that was asked first answers last.
  @Test func anAnswerThatIsHeldBackIsOvertaken() throws {
    func order(_ faults: String) throws -> [[Substring]] {
      try (1...30 as ClosedRange<UInt64>).map { seed in
        let story = try Stories.inline(
          """
          {
            start: "2026-09-14T08:00:00Z", faults: { \(faults) },
            sites: { "a.test": { file: {} }, "b.test": { file: {} } },
            apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:a.test", "applinks:b.test"] } },
            devices: { iphone: { os: "ios:13.7" } }, script: [{ install: "app" }],
          }
          """)
        let checks = try Simulation.run(story, seed: seed).events.filter { $0.kind == "check" }
        return checks.compactMap { event in event.line.split(separator: " ").first { $0.hasPrefix("entry=") }
        }
      }
    }
    #expect(try order("reorder: [1, 2]") != order(""))
  }

  /// A body that was cut is no JSON, or is known to be unfinished.
  @Test func ofAPartialAnswerNothingIsStored() throws {
    let reasons = Set(
      try (1...20 as ClosedRange<UInt64>).map {
        try Self.run(
          "partial_answer: [1, 1]", script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }", seed: $0
        )
        .rows[0].verdict.reason
      })
    #expect(reasons.count == 2)
    #expect(reasons.contains { $0.contains("is not a JSON object") })
    #expect(reasons.contains { $0.contains("bytes of an answer when time was up") })
  }

  /// What was fetched is gone, and is fetched again when the daemon is back.
  @Test func aCrashBeforeTheStoreIsMadeGoodAtTheRestart() throws {
    let result = try Self.run("crash_before_store: [1, 1]", script: "{ install: \"app\" }")
    let expected = ["install", "ask", "crash", "ask", "crash", "ask", "crash", "ask", "check"]
    #expect(Self.kinds(result) == expected)
    #expect(result.states[0].records.map(\.siteApproval) == [.approved])
  }

  /// What was stored survives, and nothing is asked again.
  @Test func aCrashAfterTheStoreLosesNothing() throws {
    let result = try Self.run("crash_after_store: [1, 1]", script: "{ install: \"app\" }")
    #expect(Self.kinds(result) == ["install", "ask", "check", "crash"])
    #expect(result.states[0].records.map(\.siteApproval) == [.approved])
  }

  /// C6, C8: an answer that is kept too long; the crawl comes later than six hours.
  @Test func aStaleCopyOutlivesItsTime() throws {
    let script = "{ install: \"app\" }, { wait: \"6h 1m\" }, { reboot: \"all\" }"
    let fresh = try Self.run("", os: "ios:17.4", script: script)
    let stale = try Self.run("stale_copy: [1, 1]", os: "ios:17.4", script: script)
    #expect(Self.kinds(fresh).count { $0 == "crawl" } == 2)
    #expect(Self.kinds(stale).count { $0 == "crawl" } == 1)
  }

  @Test func anEdgeThatStartsAnewCrawlsAgain() throws {
    let script = "{ install: \"app\" }, { wait: \"1h\" }, { reboot: \"all\" }"
    let result = try Self.run("edge_restart: [1, 1]", os: "ios:17.4", script: script)
    let check = ["ask", "crawl", "ask", "check"]
    #expect(Self.kinds(result) == ["install"] + check + ["restart", "reboot"] + check)
  }

  /// A clock that is set forward makes the re-check come sooner by as much, and one set back later.
  @Test func aClockThatIsSetMovesTheNextCheck() throws {
    let script = "{ install: \"app\" }, { wait: \"1s\" }"
    for seed in 1...10 as ClosedRange<UInt64> {
      let plain = try Self.run("", script: script, seed: seed)
      let moved = try Self.run("clock_step: [1, 1]", script: script, seed: seed)
      let step = try #require(moved.events.first { $0.kind == "clock-step" })
      guard case .int(let forward_s) = step.fields[0].1 else { preconditionFailure("it is a number") }
      let before = try #require(plain.states[0].records[0].nextCheck)
      #expect(moved.states[0].records[0].nextCheck == before - .seconds(forward_s))
    }
  }

  /// V2 gives 4.9 to 5.0 days; a clock that runs 5 % fast or slow makes it less or more.
  @Test func aClockThatDriftsStretchesTheWeek() throws {
    let weeks = try (1...20 as ClosedRange<UInt64>).map { seed in
      let record = try Self.run("clock_drift_ppm: 50000", script: "{ install: \"app\" }", seed: seed)
        .states[0].records[0]
      return try #require(record.nextCheck) - (try #require(record.lastChecked))
    }
    #expect(weeks.contains { $0 < .seconds(423_360) })
    #expect(weeks.contains { $0 > .seconds(432_000) })
  }

  @Test(arguments: ["loss: [2, 1]", "loss: 5", "loss: [1, 0]", "clock_drift_ppm: -1", "los: [1, 2]"])
  func aFaultThatMakesNoSenseIsTold(_ faults: String) {
    let result = StoryParser.parse(
      SourceText(name: "a", "{ start: \"2026-09-14T08:00:00Z\", faults: { \(faults) } }"), reader: .none)
    guard case .findings(let findings) = result else {
      Issue.record("it was taken")
      return
    }
    #expect(findings.count == 1)
  }
}
