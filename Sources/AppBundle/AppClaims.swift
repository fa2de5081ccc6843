package import AppSiteAssociation
package import LinkspanCore

/// What one app says in all, from its entitlements, its `Info.plist`, or both.
package struct AppClaims: Sendable {
  package let entitlements: Entitlements?
  package let infoPlist: InfoPlist?
  /// The entries that can be read, in the order of the file; what is wrong with the others is for
  /// ``EntitlementChecker`` to say.
  package let associatedDomains: [AssociatedDomain]

  /// - Precondition: At least one of the two is given.
  package init(entitlements: Entitlements?, infoPlist: InfoPlist?) {
    precondition(entitlements != nil || infoPlist != nil, "claims come from a file")
    self.entitlements = entitlements
    self.infoPlist = infoPlist
    associatedDomains = (entitlements?.associatedDomains ?? []).compactMap { entry in
      do throws(AssociatedDomainProblem) {
        return try AssociatedDomain(entry.text)
      } catch {
        return nil
      }
    }
  }

  /// The bundle identifier when a file says it outright; nil when it is a build setting or is not said.
  package var bundleIdentifier: String? {
    if let text = infoPlist?.bundleIdentifier?.value, Self.isOutright(text) { return text }
    guard let identifier = writtenIdentifier else { return nil }
    return identifier.bundle == "*" ? nil : identifier.bundle
  }

  /// The prefix of the application identifier when a file says it outright.
  package var prefix: String? { writtenIdentifier?.prefix }

  /// The team when a file says it outright.
  package var teamIdentifier: String? {
    entitlements?.teamIdentifier.flatMap { Self.isOutright($0.value) ? $0.value : nil }
  }

  /// The identifier by which an association file has to name the app, when it is known.
  ///
  /// The prefix is, in this order: the one the entitlements name, the parameter, the team of the
  /// entitlements. The last is a good guess and no more: a prefix is usually, not always, the Team ID (J5).
  ///
  /// - Parameter prefix: What the person says, for files from before signing, which carry none.
  /// - Returns: nil when prefix or bundle identifier are unknown, or are not what Apple allows.
  package func applicationIdentifier(prefix: String? = nil) -> ApplicationIdentifier? {
    guard let bundleIdentifier, let prefix = self.prefix ?? prefix ?? teamIdentifier else { return nil }
    do throws(ApplicationIdentifierProblem) {
      return try ApplicationIdentifier(prefix: prefix, bundleIdentifier: bundleIdentifier)
    } catch {
      return nil
    }
  }

  /// What the two files say against one another.
  package var findings: [Finding] { bundleIdentifierMismatch + watchTarget }

  /// A capability in the target of a watchOS app that has an extension for it.
  private var watchTarget: [Finding] {
    guard infoPlist?.isWatchKitApp == true, let entitlements, entitlements.associatedDomains != nil else {
      return []
    }
    return [
      Finding(
        rule: "app.watch-target", severity: .warning,
        at: entitlements.location(ofKey: Entitlements.associatedDomainsKey),
        message: "the domains are claimed by the WatchKit app, and not by its extension",
        help:
          "On watchOS the capability counts in the target of the WatchKit extension. Move it there; only an app "
          + "of one target has it itself.", source: "E18")
    ]
  }

  private var bundleIdentifierMismatch: [Finding] {
    guard let infoPlist, let plist = infoPlist.bundleIdentifier, Self.isOutright(plist.value),
      let bundle = writtenIdentifier?.bundle, bundle != "*", bundle != plist.value
    else { return [] }
    return [
      Finding(
        rule: "app.bundle-identifier-mismatch", severity: .warning,
        at: infoPlist.document.location(of: plist),
        message: "The bundle identifier '\(plist.value)' is '\(bundle)' in the entitlements.",
        help: "The association file has to name the identifier the app is signed with. "
          + "Look whether both files are of the same app.", source: "J5")
    ]
  }

  /// The two halves of the entitlement, which may end in `*` when they come from a profile.
  private var writtenIdentifier: (prefix: String, bundle: String)? {
    guard let text = entitlements?.applicationIdentifier?.value, Self.isOutright(text),
      let dot = text.firstIndex(of: ".")
    else { return nil }
    return (String(text[..<dot]), String(text[text.index(after: dot)...]))
  }

  /// Whether nothing is left for Xcode to fill in.
  private static func isOutright(_ text: String) -> Bool {
    !text.isEmpty && !text.contains("$(") && !text.contains("${")
  }
}
