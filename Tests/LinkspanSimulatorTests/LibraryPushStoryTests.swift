import LinkspanCore
import Testing

@testable import LinkspanSimulator
@testable import SimulatedDevices

/// Background pushes to apps whose code is the library: its handler runs, and calls the completion exactly once before the
/// system's 30 seconds are over (push 7.5).
struct LibraryPushStoryTests {
  private static let routes = "routes: { home: \"/\" },"

  private static func result(
    _ routes: String, handler: String, seed: UInt64 = 1, script: String? = nil
  ) throws -> SimulationResult {
    let wake = """
      { launch: "app" }, { app_state: "app", to: "suspended" },
      { push: { aps: { "content-available": 1 }, news: 7 } }, { wait: "2m" }
      """
    return try Simulation.run(
      try Stories.inline(
        """
        {
          start: "2026-09-14T08:00:00Z",
          apps: {
            app: {
              identifier: "\(Stories.app)", \(routes)
              push: {
                environment: "production", modes: ["remote-notification", "fetch"], handler: { \(handler) },
              },
            },
          },
          devices: { phone: { os: "ios:17.4" } },
          script: [{ install: "app" }, \(script ?? wake)],
        }
        """), seed: seed)
  }

  private static func lines(_ result: SimulationResult, _ kind: String) -> [String] {
    result.events.filter { $0.kind == kind }.map(\.line)
  }

  /// What the work does, and what the system hears after how many seconds.
  @Test(
    arguments: [
      ("takes: \"2s\"", "newData", 2), ("takes: \"2s\", result: \"noData\"", "noData", 2),
      ("takes: \"24s\"", "newData", 24), ("takes: \"26s\"", "failed", 25), ("takes: \"1h\"", "failed", 25),
      ("takes: \"forever\"", "failed", 25), ("takes: \"0s\", result: \"failed\"", "failed", 0),
    ]) func theSystemHearsOneAnswer(_ handler: String, answer: String, seconds: Int) throws
  {
    let result = try Self.result(Self.routes, handler: handler)
    let finished = result.events.filter { $0.kind == "handler-finished" }
    #expect(finished.count == 1)
    let line = try #require(finished.first).line
    #expect(line.contains("result=\(answer) "), "\(line)")
    #expect(line.contains("completion_calls=1"), "\(line)")
    let woke = try #require(result.events.first { $0.kind == "push-woke" })
    #expect(try #require(finished.first).time - woke.time == .seconds(seconds))
    #expect(Self.lines(result, "handler-killed").isEmpty)
  }

  /// The same app without the library is killed.
  @Test(arguments: ["takes: \"forever\"", "takes: \"1h\""])
  func withoutTheLibraryItIsKilled(_ handler: String) throws {
    let result = try Self.result("", handler: handler)
    #expect(Self.lines(result, "handler-killed").count == 1)
    #expect(Self.lines(result, "handler-finished").isEmpty)
  }

  /// Several pushes, each with a handler of its own, and a plan that changes between them.
  @Test func everyPushHasItsAnswer() throws {
    let result = try Self.result(
      Self.routes, handler: "takes: \"forever\"",
      script: """
        { launch: "app" },
        { push: { aps: { "content-available": 1 } } }, { push: { aps: { "content-available": 1 } } },
        { wait: "1m" },
        { app_state: "app", handler: { takes: "3s", result: "noData" } },
        { push: { aps: { "content-available": 1 } } }, { wait: "1m" }
        """)
    let finished = Self.lines(result, "handler-finished")
    #expect(finished.count == 3)
    #expect(finished.allSatisfy { $0.contains("completion_calls=1") })
    #expect(finished.last?.contains("noData") == true)
  }

  /// The same bytes, also where the executor of the story picks another order.
  @Test(arguments: ["takes: \"forever\"", "takes: \"2s\""])
  func aSeedGivesTheSameBytes(_ handler: String) throws {
    let lines = try Self.result(Self.routes, handler: handler, seed: 7).events.map(\.line)
    for _ in 1...10 {
      #expect(try Self.result(Self.routes, handler: handler, seed: 7).events.map(\.line) == lines)
    }
    for seed in 8...20 as ClosedRange<UInt64> {
      let other = try Self.result(Self.routes, handler: handler, seed: seed)
      #expect(
        Self.lines(other, "handler-finished")
          == lines.filter { $0.contains(" handler-finished ") }, "seed \(seed)")
    }
  }
}
