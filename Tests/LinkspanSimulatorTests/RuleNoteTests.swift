import AppSiteAssociation
import Foundation
import TestSupport
import Testing

@testable import LinkspanSimulator

/// Every rule that anything in the simulator rests on is said in a sentence.
@Suite struct RuleNoteTests {
  /// The rules that the sources write out, wherever they write them.
  @Test func everyRuleOfTheSourcesIsSaid() throws {
    var rules: Set<String> = []
    let shape =
      /"((?:[A-Z][0-9]{1,2})|(?:section [0-9]+(?: row [0-9]+)?)|(?:app-clips [0-9.]+)|handoff-and-app [A-Z])"/
    for folder in ["Simulation/LinkspanSimulator", "Links/AssociatedDomains"] {
      for (name, text) in try Fixtures.sources(folder) where !name.hasSuffix("RuleNote.swift") {
        rules.formUnion(text.matches(of: shape).map { String($0.1) })
      }
    }
    #expect(rules.count > 60)
    for rule in rules.sorted() { #expect(RuleNote.text(rule) != nil, "\(rule)") }
  }

  /// Rows of ways to follow a link are made from their numbers.
  @Test(arguments: WayOfFollowing.names) func everyWayIsSaid(_ name: String) throws {
    let way = try WayOfFollowing(
      name: name,
      WayDetails(
        page: "https://e.test/", through: ["https://r.test/"], app: Stories.app, choice: "app"))
    for os in [OSVersion(.iOS, 9, 0), OSVersion(.iOS, 11, 0), OSVersion(.iOS, 17, 4)] {
      let rule = way.rule(for: LinkURL("https://e.test/"), on: os)
      #expect(!rule.rules.isEmpty)
      for rule in rule.rules { #expect(RuleNote.text(rule) != nil, "\(rule)") }
    }
  }

  @Test func everyInvariantIsSaid() {
    for rule in Invariant.all.flatMap(\.rules) { #expect(RuleNote.text(rule) != nil, "\(rule)") }
  }
}
