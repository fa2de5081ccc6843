import LinkspanCore
import Testing

@testable import AppSiteAssociation

/// Which rules are looked at for a URL that begins as a rule does.
@Suite struct RuleListTests {
  @Test func rulesMeetWhoseBeginningsAreShorterOrGoOn() {
    var generator = SeededGenerator(seed: 44)
    func path() -> String {
      "/" + (0..<generator.draw(0...5)).map { _ in generator.chance(1, in: 2) ? "a" : "b" }.joined()
    }
    for _ in 0..<200 {
      let rules = (0..<generator.draw(1...12)).map { _ in "{\"/\":\"\(path())*\"}" }
      let matcher = AssociationMatcher(AlgebraLawTests.file(rules))
      let list = RuleList(matcher.rules(of: AlgebraLawTests.app) ?? [], RuleLanguages())
      for beginning in list.prefixes + [[], Array(path().utf8), Array((path() + "c").utf8)] {
        let expected = list.prefixes.indices.filter {
          beginning.starts(with: list.prefixes[$0]) || list.prefixes[$0].starts(with: beginning)
        }
        #expect(list.meeting(beginning) == expected)
      }
    }
  }
}
