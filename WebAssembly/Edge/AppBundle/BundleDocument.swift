package import AssociatedDomains
package import LinkspanCore

/// An app in an archive or as a program, which the module does not read: there is none.
package enum BundleDocument {
  package enum Claimant {
    package var isAppClip: Bool { false }
    package var isOfWatchApp: Bool { false }

    package func claims(source: Entitlements?, stated: StatedIdentity) -> AppClaims? { nil }
  }

  package var claimants: [Claimant] { [] }
  package var embeddedClaimants: [Claimant] { [] }
  package var findings: [Finding] { [] }
}
