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
    let isUnsigned =
      program.map { $0.mainSlice.signature == nil && $0.mainSlice.signatureProblem == nil } ?? false
    // Nothing was lost where nothing was signed: the source is what the app will have.
    return AppClaims(
      entitlements: isUnsigned ? source : signedEntitlements, infoPlist: infoPlist, profile: profile,
      stated: stated, source: isUnsigned ? nil : source, isSigned: signature != nil, isUnsigned: isUnsigned)
  }
}
