import AppSiteAssociation
import LinkspanCore
import Testing

@Suite struct ReleaseRuleTests {
  /// The examples of the reference, with the release it names.
  @Test func theExamplesAreFound() throws {
    let scope = ReleaseScope([try OSVersion("ios:12")])
    for rule in ReleaseScope.rules {
      for (examples, expected) in [(rule.bad, [rule.identifier]), (rule.good, [])] {
        for text in examples {
          let findings = scope.findings(in: AssociationSource(SourceText(name: "file", text)))
          #expect(findings.map(\.rule) == expected)
        }
      }
    }
  }

  /// What no release of the question reads is not told; what fails on all of them is.
  @Test(arguments: [
    ("aasa.newer-than-paths", "6.2", "ios:13", true), ("aasa.newer-than-paths", "6.2", "ios:14", false),
    ("aasa.encoded-pattern", "K4", "ios:13", false), ("aasa.encoded-pattern", "K3", "ios:13", true),
    ("aasa.region-uk", "S5", "ios:13.4", false), ("aasa.region-uk", "S5", "ios:13.5", true),
  ])
  func countsOnlyWhereItIsRead(rule: String, source: String, os: String, isTold: Bool) throws {
    let finding = Finding(rule: rule, severity: .note, at: .init(file: "file"), message: "a", source: source)
    let scope = ReleaseScope([try OSVersion(os)])
    #expect((scope.applied(to: finding) != nil) == isTold)
  }
}
