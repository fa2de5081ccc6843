import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import TestSupport
import Testing

@Suite struct JSONSyntaxRuleTests {
  static let examples = RuleExample.all(of: JSONSyntaxRules.all)

  /// Each is found by its own name in an association file.
  @Test(arguments: examples) func isFoundByItsName(_ example: RuleExample) throws {
    try example.isKept { text in
      let found = AssociationChecker.findings(in: AssociationSource(text)).filter {
        $0.rule == example.rule.identifier
      }
      #expect(found.isEmpty != example.isBad)
      return found
    }
  }
}
