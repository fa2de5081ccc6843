import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import Testing

/// Rules that are never reached, against brute force over every short path.
@Suite struct ReachabilityLawTests {
  @Test func agreesWithBruteForce() {
    var generator = SeededGenerator(seed: 19)
    let setting = AlgebraLawTests.settings[0]
    let links = AlgebraLawTests.words(["a", "b", "/"], upTo: 5).map { LinkURL("https://example.com/\($0)") }
    var found = 0
    for round in 0..<300 {
      let rules = (0..<generator.draw(2...6)).map { _ in AlgebraLawTests.rule(setting, &generator) }
      let text = """
        {"applinks":{"details":[{"appIDs":["\(AlgebraLawTests.app)"],"components":[\(rules.joined(separator: ","))]}]}}
        """
      let source = AssociationSource(SourceText(name: "file", text))
      let findings = AssociationChecker.findings(in: source).filter { $0.rule == "aasa.unreachable" }
      let unreachable = findings.compactMap { finding in
        finding.location.pointer?.split(separator: "/").last.flatMap { Int($0) }
      }
      found += unreachable.count
      let matcher = AssociationMatcher(source.content.file!)
      let reached = Set(
        links.compactMap {
          matcher.decide($0, app: AlgebraLawTests.app, host: .exactly("example.com")).rule
        })
      #expect(reached.isDisjoint(with: unreachable), "seed 19, round \(round): \(rules)")
    }
    print("unreachable: 300 files, \(found) rules")
    #expect(found > 50)
  }

  /// What several rules cover together, exactly.
  @Test(arguments: [
    ([#"{"/":"/$(digit)"}"#, #"{"/":"/x"}"#, #"{"/":"/$(v)"}"#], 2),
    ([#"{"/":"/a*"}"#, #"{"/":"/b*"}"#, #"{"/":"/$(w)/x"}"#], 2),
    ([#"{"/":"/a","?":"?*"}"#, #"{"/":"/a","?":""}"#, #"{"/":"/a"}"#], 2),
  ])
  func namesWhatCoversTogether(rules: [String], count: Int) {
    let text = """
      {"applinks":{"details":[{"appIDs":["ABCDE12345.com.x"],"components":[\(rules.joined(separator: ","))]}],
      "substitutionVariables":{"v":["1","x"],"w":["a","b"]}}}
      """
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    let messages = findings.filter { $0.rule == "aasa.unreachable" }.map(\.message)
    #expect(messages.count == 1)
    #expect(messages.first?.contains("together, \(count) earlier rules match every URL") == true)
  }
}
