internal import AppBundle
internal import AppClips
internal import AssetLinks
import AssociationCheck
internal import AssociationDelivery
package import LinkspanCore
internal import PushProvider
internal import SiteInput

/// Every rule that the module can report.
package enum RuleIndex {
  package static var all: [CheckRule] {
    AssociationRule.all.map { $0.record }.filter { $0.identifier != "json" } + ReleaseScope.rules
      + StatementRule.all.map { $0.record }.filter { $0.identifier != "json" } + JSONSyntaxRules.all
      + SiteChecker.rules + OriginCheck.rules + CDNCheck.rules + EntitlementChecker.rules
      + JoinedChecker.rules
      + ClipCardRules.all + PropertyListError.rules
      + PayloadRule.all.map { $0.record }.filter { $0.identifier != "json" }
  }
}
