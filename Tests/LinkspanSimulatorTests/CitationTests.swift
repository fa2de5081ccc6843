import AppSiteAssociation
import Foundation
import LinkspanCore
import LinkspanSpecification
import PushDelivery
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

  /// Stories of the swarm, with every release, step and fault there is; none is surer than its rules.
  @Test(arguments: tens) func theSwarmCitesTheCatalogue(_ ten: UInt64) throws {
    var printed = 0
    var unresolved: [String: Int] = [:]
    for seed in (ten * 10 + 1)...(ten * 10 + 10) {
      let result = try Simulation.run(Swarm.story(seed: seed))
      #expect(Self.tooSure(result) == [], "seed \(seed)")
      for rule in Self.citations(of: result) {
        printed += 1
        if SpecificationRule.named(rule) == nil { unresolved[rule, default: 0] += 1 }
      }
    }
    #expect(printed > 100)
    #expect(unresolved == [:])
  }

  @Test(arguments: ExampleStoryTests.names) func everyStoryCitesTheCatalogue(_ name: String) throws {
    let result = try Simulation.run(try Stories.example(name))
    #expect(Self.tooSure(result) == [])
    let rules = Set(Self.citations(of: result))
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

  // The last word of a citation is the certainty of the weakest cited rule.

  @Test func noInvariantIsSurerThanItsRules() {
    #expect(Invariant.all.filter { Self.isTooSure($0.provenance) }.map(\.name) == [])
  }

  @Test(arguments: DeliveryReason.allCases) func noReasonIsSurerThanItsRules(_ reason: DeliveryReason) {
    #expect(!Self.isTooSure(reason.facts.provenance))
  }

  /// What is printed with more certainty than its weakest rule has, each once.
  private static func tooSure(_ result: SimulationResult) -> [String] {
    var found: Set<String> = []
    for event in result.events where event.provenance.map(isTooSure) ?? false {
      found.insert("\(event.kind) [\(event.provenance?.text ?? "")]")
    }
    for row in result.rows where isTooSure(row.verdict.provenance) {
      found.insert("link [\(row.verdict.provenance.text)]")
    }
    for exchange in result.exchanges where isTooSure(exchange.cause.provenance) {
      found.insert("exchange [\(exchange.cause.provenance.text)]")
    }
    for push in result.pushes {
      guard let provenance = push.record.reason?.facts.provenance, isTooSure(provenance) else { continue }
      found.insert("push [\(provenance.text)]")
    }
    return found.sorted()
  }

  private static func isTooSure(_ provenance: Provenance) -> Bool {
    let weakest = provenance.rules.compactMap { SpecificationRule.named($0)?.certainty }
      .reduce(Certainty.documented) { $0.and($1) }
    return provenance.certainty.and(weakest) != provenance.certainty
  }

  private static func citations(of result: SimulationResult) -> [String] {
    let ofEvents: [String] = result.events.flatMap { $0.provenance?.rules ?? [] }
    let ofVerdicts: [String] = result.rows.flatMap(\.verdict.rules)
    return ofEvents + ofVerdicts + result.exchanges.flatMap { $0.cause.provenance.rules }
  }
}
