package import AssociatedDomains
package import LinkspanCore

extension BundleDocument {
  /// The bundles of which links are a matter: the app and its App Clips.
  package var claimants: [BundleInspection] { [main] + main.clips }

  /// The watch apps and extensions inside them, at any depth, that claim domains.
  package var embeddedClaimants: [BundleInspection] { claimants.flatMap { $0.embeddedClaimants } }

  /// What is wrong or odd in the domains that they claim, as `check` says it of them.
  package var claimFindings: [Finding] {
    (claimants + embeddedClaimants).flatMap { bundle in
      let found = bundle.signedEntitlements.map(EntitlementChecker.check) ?? []
      let own = found.filter { !bundle.findings.contains($0) }.map { $0.withoutFix }
      return bundle.isOfExtension ? own.ofExtension : own
    }
  }
}

extension BundleInspection {
  fileprivate var embeddedClaimants: [BundleInspection] {
    (extensions + watchApps).flatMap { bundle in
      let claims = bundle.signedEntitlements?.hasAssociatedDomainsKey ?? false
      return (claims ? [bundle] : []) + bundle.embeddedClaimants
    }
  }

  /// Whether it is a part of a watch app, on which the capability is documented (E18).
  package var isOfWatchApp: Bool { kind == .watchApp || path.split(separator: "/").contains("Watch") }

  /// Whether it is an extension of another app than a watch app, for which the capability is not documented.
  fileprivate var isOfExtension: Bool { kind == .appExtension && !isOfWatchApp }

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
      stated: stated, source: isUnsigned ? nil : source, isSigned: signature != nil, isUnsigned: isUnsigned,
      installFindings: findings.filter {
        profile?.name == $0.location.file || Self.keepingFromInstalling.contains($0.rule)
      })
  }

  /// What of a bundle itself makes every device refuse it, its clips and extensions aside.
  private static let keepingFromInstalling: Set<String> = [
    "bundle.no-info-plist", "bundle.no-program", "bundle.broken-signature",
  ]
}
