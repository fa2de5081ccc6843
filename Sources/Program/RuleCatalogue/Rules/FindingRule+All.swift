package import LinkspanCore

extension FindingRule {
  /// What reports say of the rules: by name, and those that have no entry of their own by what they look at.
  package static let all: [FindingRule] =
    RuleIndex.all.map {
      FindingRule(identifier: $0.identifier, summary: $0.summary, severity: $0.severity)
    } + [
      FindingRule(
        identifier: "json", summary: "The file is JSON as RFC 8259 has it: a device drops any other.",
        severity: .error),
      FindingRule(
        identifier: "entitlement",
        summary: "The entitlements claim domains in the form that devices read.", severity: .error),
      FindingRule(
        identifier: "info-plist", summary: "The Info.plist has values of the types that devices read.",
        severity: .error),
      FindingRule(
        identifier: "plist", summary: "A property list is one that every reader takes alike.",
        severity: .error),
      FindingRule(
        identifier: "joined", summary: "What the app claims and what its hosts grant fit together.",
        severity: .error),
      FindingRule(
        identifier: "site", summary: "The files lie where devices and Apple's CDN look for them.",
        severity: .error),
      FindingRule(
        identifier: "fetch", summary: "A host serves the file as devices and Apple's CDN take it.",
        severity: .error),
      FindingRule(
        identifier: "cdn", summary: "Apple's CDN has the file that the host serves.", severity: .error),
    ]
}
