import Testing

/// The rules of the house, kept by the repository this was compiled from.
@Suite struct TidyTests {
  @Test(arguments: HouseRule.all)
  func isKept(_ rule: HouseRule) {
    for violation in rule.violations(.here) { Issue.record("\(violation)") }
  }

  @Test(arguments: HouseRule.all)
  func findsTheBadSample(_ rule: HouseRule) {
    let found = rule.violations(Repository(rule.bad.mapValues { .some($0) }))
    #expect(found.count == 1, "\(found)")
  }

  @Test(arguments: HouseRule.all)
  func acceptsTheGoodSample(_ rule: HouseRule) {
    #expect(rule.violations(Repository(rule.good.mapValues { .some($0) })) == [])
  }

  @Test func seesTheWholeRepository() {
    for path in ["Package.swift", "Sources/LinkspanCore/HTTP/HTTPRequest.swift", ".swift-format"] {
      #expect(Repository.here.contains(path))
    }
  }

  @Test func everyLayerStandsOnTheOnesAbove() {
    var above: Set<String> = []
    for row in layers {
      #expect(row.imports.isSubset(of: above), "\(row.target)")
      above.insert(row.target)
    }
  }
}
