package import AssociatedDomains
package import LinkspanCore

extension BundleDocument {
  /// The bundles of which links are a matter: the app and its App Clips.
  package var claimants: [BundleInspection] { [main] + main.clips }

  /// What is wrong or odd in the domains that the app and its App Clips claim, as `check` says it of them.
  package var claimFindings: [Finding] {
    claimants.flatMap { bundle in
      let found = bundle.signedEntitlements.map(EntitlementChecker.check) ?? []
      return found.filter { !bundle.findings.contains($0) }.map { $0.withoutFix }
    }
  }
}

extension BundleInspection {
  /// What the bundle claims, as it is signed.
  ///
  /// - Parameters:
  ///   - source: The entitlements that it was meant to be signed with.
  ///   - stated: What a person says of its identity.
  package func claims(source: Entitlements?, stated: StatedIdentity) -> AppClaims? {
    guard signedEntitlements != nil || infoPlist != nil || profile != nil else { return nil }
    return AppClaims(
      entitlements: signedEntitlements, infoPlist: infoPlist, profile: profile, stated: stated,
      source: source,
      isSigned: signature != nil)
  }
}
