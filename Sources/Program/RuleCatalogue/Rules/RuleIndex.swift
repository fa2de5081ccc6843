internal import AppBundle
internal import AppClips
internal import AppSiteAssociation
internal import AssetLinks
import AssociationCheck
internal import AssociationDelivery
package import LinkspanCore
internal import PushProvider
internal import SiteInput
internal import SourceReview

/// Every rule that `linkspan check`, `linkspan push lint` and `linkspan review` can report, by what it is about.
package enum RuleIndex {
  package struct Chapter {
    package var title: String
    /// What its examples are.
    package var examples: String
    /// The language of the examples, for a page that colours them.
    package var language: String
    package var rules: [CheckRule]
  }

  package static let chapters = [
    Chapter(
      title: "Association files", examples: "Examples are whole files.", language: "json",
      rules: AssociationRule.all.map { $0.record }.filter { $0.identifier != "json" }),
    Chapter(
      title: "Association files on the releases that '--os' names",
      examples: "Examples are whole files, checked with `--os ios:12`.", language: "json",
      rules: ReleaseScope.rules),
    Chapter(
      title: "Statement lists for Android", examples: "Examples are whole files.", language: "json",
      rules: StatementRule.all.map { $0.record }.filter { $0.identifier != "json" }),
    Chapter(
      title: "JSON",
      examples:
        "Association files and statement lists share these rules: a device drops a file that breaks any of them. "
        + "Examples are whole files, or enough of one to show the mistake.", language: "text",
      rules: JSONSyntaxRules.all),
    Chapter(
      title: "Where the files of a site lie", examples: "Examples are paths.", language: "text",
      rules: SiteChecker.rules),
    Chapter(
      title: "How a file is served", examples: "Examples are what a host does.", language: "text",
      rules: OriginCheck.rules),
    Chapter(
      title: "What Apple's CDN has", examples: "Examples are what the CDN answers, or what both do.",
      language: "text", rules: CDNCheck.rules),
    Chapter(
      title: "Entitlements",
      examples:
        "A line of an example is an entry of `com.apple.developer.associated-domains`, or, with its tags, "
        + "another key of the file.", language: "text", rules: EntitlementChecker.rules),
    Chapter(
      title: "An app and its hosts", examples: "Examples are what both sides say.", language: "text",
      rules: JoinedChecker.rules),
    Chapter(
      title: "App Clips in a bundle",
      examples: "`linkspan inspect` reports these. Examples are what the bundle has.", language: "text",
      rules: ClipChecker.rules),
    Chapter(
      title: "Experiences, cards and pages of an App Clip",
      examples:
        "`linkspan clip card` and `clip url` report these. Examples are what the file or the page says.",
      language: "text", rules: ClipCardRules.all),
    Chapter(
      title: "Property lists", examples: "Examples are the content of `<plist>`, or a whole file.",
      language: "text", rules: PropertyListError.rules),
    Chapter(
      title: "Bundles and programs", examples: "Examples are what is in an archive or a bundle.",
      language: "text", rules: BundleError.rules),
    Chapter(
      title: "Signatures of apps", examples: "Examples are what the parts of a bundle say.", language: "text",
      rules: BundleInspection.rules),
    Chapter(
      title: "Sizes of App Clips", examples: "Examples are what a report, a bundle or a budget says.",
      language: "text", rules: ClipSizeAnswer.rules),
    Chapter(
      title: "Push payloads",
      examples:
        "Reported by `linkspan push lint`. Examples are payloads, or recorded requests with their headers.",
      language: "json", rules: PayloadRule.all.map { $0.record }.filter { $0.identifier != "json" }),
    Chapter(
      title: "The entrances of an app, in its source",
      examples:
        "Reported by `linkspan review`. Examples are Swift, or Objective-C where they begin with `@`.",
      language: "swift", rules: SourceReview.rules.map { $0.record }),
  ]

  package static var all: [CheckRule] { chapters.flatMap { $0.rules } }
}
