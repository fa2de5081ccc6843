import AppSiteAssociation
import Foundation
import LinkspanCore
import LinkspanSpecification
import Testing

@testable import LinkspanSimulator
@testable import SimulatedDevices

/// Whatever the simulator cites stands in the catalogue: events, verdicts, exchanges and invariants.
@Suite struct CitationTests {
  /// `LINKSPAN_CITATION_STORIES=1000` plays more stories; a sanitizer makes a run ten times as long.
  private static let tens: Range<UInt64> = {
    let environment = ProcessInfo.processInfo.environment
    let stories = environment["LINKSPAN_CITATION_STORIES"].flatMap { UInt64($0) } ?? 200
    return 0..<(environment["LINKSPAN_SANITIZER"] == nil ? stories / 10 : 10)
  }()

  /// Stories of the swarm, with every release, step and fault there is.
  @Test(arguments: tens) func theSwarmCitesTheCatalogue(_ ten: UInt64) throws {
    var printed = 0
    var unresolved: [String: Int] = [:]
    for seed in (ten * 10 + 1)...(ten * 10 + 10) {
      for rule in try Self.citations(of: Simulation.run(Swarm.story(seed: seed))) {
        printed += 1
        if SpecificationRule.named(rule) == nil { unresolved[rule, default: 0] += 1 }
      }
    }
    #expect(printed > 100)
    #expect(unresolved == [:])
  }

  @Test(arguments: ExampleStoryTests.names) func everyStoryCitesTheCatalogue(_ name: String) throws {
    let rules = Set(Self.citations(of: try Simulation.run(try Stories.example(name))))
    #expect(!rules.isEmpty)
    #expect(rules.filter { SpecificationRule.named($0) == nil } == [])
  }

  /// Rows of ways to follow a link are made from their numbers.
  @Test(arguments: WayOfFollowing.names) func everyWayCitesTheCatalogue(_ name: String) throws {
    let way = try WayOfFollowing(
      name: name,
      WayDetails(
        page: "https://e.test/", through: ["https://r.test/"], app: Stories.app, choice: "app"))
    for os in [OSVersion(.iOS, 9, 0), OSVersion(.iOS, 11, 0), OSVersion(.iOS, 17, 4)] {
      let urls = way.navigation.urls(to: LinkURL("https://e.test/"))
      for hop in urls.indices {
        let rule = way.navigation.rule(urls, at: hop, on: os)
        #expect(!rule.rules.isEmpty)
        for rule in rule.rules { #expect(SpecificationRule.named(rule) != nil, "\(rule)") }
      }
    }
  }

  @Test func everyInvariantCitesTheCatalogue() {
    for rule in Invariant.all.flatMap(\.rules) { #expect(SpecificationRule.named(rule) != nil, "\(rule)") }
  }

  private static func citations(of result: SimulationResult) -> [String] {
    let ofEvents: [String] = result.events.flatMap { $0.provenance?.rules ?? [] }
    let ofVerdicts: [String] = result.rows.flatMap(\.verdict.rules)
    return ofEvents + ofVerdicts + result.exchanges.flatMap { $0.cause.provenance.rules }
  }
}
