package import AssociatedDomains
package import LinkspanCore

/// What one app says in all: by its entitlements, its `Info.plist`, its provisioning profile, its Expo configuration,
/// and by what a person says of it.
package struct AppClaims: Sendable {
  /// Those of an entitlements file, else those of the Expo configuration.
  package let entitlements: Entitlements?
  package let infoPlist: InfoPlist?
  package let profile: ProvisioningProfile?
  package let expo: ExpoConfiguration?
  package let stated: StatedIdentity
  /// The entitlements that a signed app was meant to have, as its project has them.
  let source: Entitlements?
  /// Whether the entitlements are those of a signature, and so what a device reads.
  package let isSigned: Bool
  /// Whether this is a built app that nobody signed, which has no entitlements at all.
  package let isUnsigned: Bool
  /// What is wrong with the provisioning profile of a bundle, where somebody had it verified, and what else keeps a device from
  /// installing the bundle.
  package let installFindings: [Finding]
  /// The entries that can be read, in the order of the file; what is wrong with the others is for
  /// ``EntitlementChecker`` to say.
  package var associatedDomains: [AssociatedDomain] { readableEntries.map { $0.domain } }
  /// The entries as devices read them, in their order: `your-domain.com` is a host to them, and a placeholder here.
  package var domainsOnDevices: [AssociatedDomain] {
    (entitlements?.associatedDomains ?? []).compactMap { try? AssociatedDomain(asDevicesRead: $0.text) }
  }
  /// The same with their places.
  let readableEntries: [(entry: Entitlements.DomainText, domain: AssociatedDomain)]

  /// - Precondition: A file is given, or both halves of the identifier are stated.
  package init(
    entitlements: Entitlements? = nil, infoPlist: InfoPlist? = nil, profile: ProvisioningProfile? = nil,
    expo: ExpoConfiguration? = nil, stated: StatedIdentity = StatedIdentity(), source: Entitlements? = nil,
    isSigned: Bool = false, isUnsigned: Bool = false, installFindings: [Finding] = []
  ) {
    let hasFile = entitlements != nil || infoPlist != nil || profile != nil || expo != nil
    precondition(
      hasFile || (stated.prefix != nil && stated.bundleIdentifier != nil), "claims come from somewhere")
    self.entitlements = entitlements ?? expo?.entitlements
    self.infoPlist = infoPlist
    self.profile = profile
    self.expo = expo
    self.stated = stated
    self.source = source
    self.isSigned = isSigned
    self.isUnsigned = isUnsigned
    self.installFindings = installFindings
    readableEntries = (self.entitlements?.associatedDomains ?? []).compactMap { entry in
      do throws(AssociatedDomainProblem) {
        return (entry, try AssociatedDomain(entry.text))
      } catch {
        return nil
      }
    }
  }

  /// The files, or the identifier where there are none: `App.entitlements and Info.plist`.
  package var name: String {
    if isSigned, let entitlements { return entitlements.name }
    let names = [entitlements?.name, infoPlist?.document.name, profile?.name].compactMap { $0 }
    if names.isEmpty { return partialIdentifier.complete?.description ?? "the app" }
    return names.joined(separator: " and ")
  }

  /// Whether a file says that it is an App Clip, which 'appclips' is for and not 'applinks' (J4).
  package var isAppClip: Bool { infoPlist?.isAppClip == true || entitlements?.isAppClip == true }

  /// The bundle identifier when something says it outright; nil when it is a build setting or is not said.
  package var bundleIdentifier: String? {
    partialIdentifier.literalBundle
  }

  /// The team when a file says it outright.
  package var teamIdentifier: String? {
    let team = entitlements?.teamIdentifier.flatMap { PartialIdentifier.isLiteral($0.value) ? $0.value : nil }
    return team ?? expo?.teamIdentifier ?? profile?.teamIdentifier
  }

  /// What is known of the identifier by which an association file has to name the app.
  ///
  /// Each half is the first of: what the entitlements are signed with, what the person states, what the profile or
  /// the `Info.plist` and the Expo configuration say, and for the prefix the team. The last is a good guess and no
  /// more: a prefix is usually, not always, the Team ID (J5).
  package var partialIdentifier: PartialIdentifier {
    let signed = signedIdentifier
    var identifier = PartialIdentifier()
    identifier.prefix = signed.prefix ?? stated.prefix ?? profile?.prefix ?? teamIdentifier
    let plist = infoPlist?.bundleIdentifier?.value
    let candidates = [
      signed.bundle, stated.bundleIdentifier, plist, expo?.bundleIdentifier, profile?.bundleIdentifier,
    ].compactMap { $0 }
    identifier.bundle = candidates.first(where: PartialIdentifier.isLiteral) ?? candidates.first
    return identifier
  }

  /// The identifier by which an association file has to name the app, when it is known.
  package var applicationIdentifier: ApplicationIdentifier? { partialIdentifier.complete }

  /// Why the identifier isn't known, in one sentence; empty when it is.
  package var identityGap: String {
    let known = partialIdentifier
    if known.complete != nil { return "" }
    var reasons: [String] = []
    if let bundle = known.bundle, !PartialIdentifier.isLiteral(bundle) {
      reasons.append("the bundle identifier is '\(bundle)', which Xcode replaces during the build")
    } else if known.bundle == nil {
      reasons.append("no file contains the bundle identifier")
    }
    if known.prefix == nil {
      reasons.append("the prefix (the Team ID) is added when the app is signed")
    }
    if reasons.isEmpty { reasons.append("prefix and bundle identifier do not form a valid identifier") }
    return reasons.joined(separator: ", and ")
  }

  /// What was stated to no effect, because the app is signed otherwise.
  package var remarks: [String] {
    let signed = signedIdentifier
    return [
      ("prefix", stated.prefix, signed.prefix), ("bundle identifier", stated.bundleIdentifier, signed.bundle),
    ].compactMap { half, said, written in
      guard let said, let written, PartialIdentifier.isLiteral(written), said != written else { return nil }
      return "'\(said)' as the \(half): \(entitlements!.name) is signed with '\(written)', which takes "
        + "precedence"
    }
  }

  /// What the two files say against one another.
  package var findings: [Finding] { bundleIdentifierMismatch + watchTarget + lostDomains }

  /// A capability in the target of a watchOS app that has an extension for it.
  package var watchTarget: [Finding] {
    guard infoPlist?.isWatchKitApp == true, let entitlements, entitlements.associatedDomains != nil else {
      return []
    }
    return [
      Finding(
        rule: "app.watch-target", severity: .warning,
        at: entitlements.location(ofKey: Entitlements.associatedDomainsKey),
        message: "the WatchKit app claims the domains instead of its extension",
        help:
          "On watchOS the capability belongs in the target of the WatchKit extension. Move it there; only a single-target "
          + "app has the capability itself.", source: "E18")
    ]
  }

  private var bundleIdentifierMismatch: [Finding] {
    guard let infoPlist, let plist = infoPlist.bundleIdentifier, PartialIdentifier.isLiteral(plist.value),
      let bundle = signedIdentifier.bundle, PartialIdentifier.isLiteral(bundle), bundle != plist.value
    else { return [] }
    return [
      Finding(
        rule: "app.bundle-identifier-mismatch", severity: .warning,
        at: infoPlist.document.location(of: plist),
        message: "The bundle identifier '\(plist.value)' is '\(bundle)' in the entitlements.",
        help: "The association file must list the identifier that the app is signed with. "
          + "Check that both files belong to the same app.", source: "J5")
    ]
  }

  private var signedIdentifier: PartialIdentifier {
    entitlements?.applicationIdentifier.map { PartialIdentifier(signed: $0.value) } ?? PartialIdentifier()
  }
}
