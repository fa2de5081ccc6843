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
    for path in ["Package.swift", "Sources/Base/LinkspanCore/HTTP/HTTPRequest.swift", ".swift-format"] {
      #expect(Repository.here.contains(path))
    }
  }

  @Test func readsTheWholeHouse() {
    let house = House(.here)
    #expect(house.floors.map(\.name).first == "Program")
    #expect(house.rooms.count > 40)
    #expect(house.suites.count > 20)
    #expect(house.rooms.first { $0.name == "LinkspanCore" }?.needs == [])
  }
}
