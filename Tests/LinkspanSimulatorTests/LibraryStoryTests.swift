import AppSiteAssociation
import LinkspanCore
import Testing

@testable import LinkspanSimulator
@testable import SimulatedDevices

/// Stories whose apps have the library as their code: `routes` (HO8, LC1).
struct LibraryStoryTests {
  private static func result(_ script: String, code: String = "") throws -> SimulationResult {
    try Simulation.run(
      try Stories.inline(
        """
        {
          start: "2026-09-14T08:00:00Z",
          apps: {
            app: {
              identifier: "\(Stories.app)", domains: ["applinks:recipes.example"],
              routes: { recipe: { path: "/recipes/{id:int}", activity: "com.example.reading" } },
              schemes: ["recipes"], activity_types: ["com.example.reading"], code: { \(code) },
            },
          },
          devices: { phone: { os: "ios:17.4" } },
          script: [{ install: "app" }, \(script)],
        }
        """))
  }

  /// Every life cycle and readiness, cold and warm, by link and by scheme: one place.
  @Test(
    arguments: ["app-delegate", "scene", "swiftui"], ["at-launch", "at-activation", "after-session"])
  func everyArrivalLeadsToOnePlace(lifeCycle: String, readiness: String) throws {
    let links = [
      ("universal-link", "https://recipes.example/recipes/5"), ("scheme", "recipes://recipes/5"),
      ("clip", "https://recipes.example/recipes/5"),
    ]
    let steps = links.flatMap { entrance, link in
      ["cold", "warm"].map { start in
        "{ arrive: \"\(entrance)\", app: \"app\", start: \"\(start)\", link: \"\(link)\", "
          + "expect: { handled: 1, shows: \"recipe id=5\", problem: \"none\" } }"
      }
    }
    let result = try Self.result(
      steps.joined(separator: ", "),
      code: "life_cycle: \"\(lifeCycle)\", readiness: \"\(readiness)\", continues_activities: true")
    #expect(result.failures.map { "\($0.link): \($0.actual)" } == [])
    #expect(result.checks.count == 6, "\(result.events.map(\.line).joined(separator: "\n"))")
  }

  /// Foreign links, schemes and ports: nothing happens, however often the system brings them.
  @Test(
    arguments: [
      ("universal-link", "https://evil.example/recipes/5"), ("scheme", "other://recipes/5"),
      ("universal-link", "https://recipes.example:8443/recipes/5"),
      ("clip", "https://appclip.apple.com/id?p=com.example.app.Clip"),
    ], ["cold", "warm"])
  func whatIsForeignIsLeftAlone(_ arrival: (entrance: String, link: String), start: String) throws {
    for lifeCycle in ["app-delegate", "scene"] {
      let result = try Self.result(
        "{ arrive: \"\(arrival.entrance)\", app: \"app\", start: \"\(start)\", link: \"\(arrival.link)\", "
          + "expect: { handled: 0, shows: \"nothing\" } }", code: "life_cycle: \"\(lifeCycle)\"")
      #expect(result.failures.map(\.actual) == [])
      #expect(result.violations.map(\.detail) == [])
      #expect(result.events.count { $0.line.hasSuffix("app=app what=foreign") } == 1)
    }
  }

  @Test func theTraceSaysWhatTheLibraryDid() throws {
    let result = try Self.result(
      "{ arrive: \"universal-link\", app: \"app\", start: \"warm\", link: \"https://recipes.example/recipes/x\" }"
    )
    let texts = result.events.map(\.line)
    #expect(texts.contains { $0.contains("open-in-browser") && $0.contains("closest is 'recipe'") })
  }

  @Test func aFailedExpectationSaysWhereItWent() throws {
    let result = try Self.result(
      "{ arrive: \"scheme\", app: \"app\", start: \"cold\", link: \"recipes://recipes/5\", expect: { shows: \"home\" } }"
    )
    #expect(result.failures.count == 1)
    #expect(result.failures[0].actual.contains("shows recipe id=5"))
  }
}
