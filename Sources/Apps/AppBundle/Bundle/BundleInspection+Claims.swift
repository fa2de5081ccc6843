package import AssociatedDomains

extension BundleDocument {
  /// The bundles of which links are a matter: the app and its App Clips.
  package var claimants: [BundleInspection] { [main] + main.clips }
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
