package import LinkspanCore

extension AppClaims {
  /// What signing has dropped: the signature lacks domains that the source claims or the profile allows.
  ///
  /// Tools that sign again often take the profile's entitlements, where `*` stands for the domains, or none at all;
  /// the app then runs, and no link opens it.
  ///
  /// - Returns: At most one finding; none for claims that are not those of a signature.
  package var lostDomains: [Finding] {
    guard isSigned, let entitlements else { return [] }
    let signed = (entitlements.associatedDomains ?? []).map { $0.text }.filter { $0 != "*" }
    let written = (source?.associatedDomains ?? []).map({ $0.text }).filter {
      !$0.utf8.contains(UInt8(ascii: "$"))
    }
    let missing = written.filter { !signed.contains($0) }
    let reason: String
    if signed.isEmpty, entitlements.claimsStar {
      reason = "The signature claims '*' where the app's domains should be"
    } else if signed.isEmpty, !missing.isEmpty {
      reason = "The signature claims no domain"
    } else if signed.isEmpty, profile?.entitlements?[Entitlements.associatedDomainsKey] != nil {
      reason = "The signature claims no domain, although its provisioning profile allows Associated Domains"
    } else if !missing.isEmpty {
      reason = "The signature lacks domains of the source"
    } else {
      return []
    }
    let shown = missing.prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (missing.count > 3 ? ", …" : "")
    let detail = missing.isEmpty ? "" : ": '\(source!.name)' has \(shown)"
    return [
      Finding(
        rule: "signature.domains-lost", severity: .error,
        at: entitlements.location(ofKey: Entitlements.associatedDomainsKey), message: reason + detail + ".",
        help:
          "Links to \(missing.isEmpty ? "the app's" : "these") domains open the browser. Sign the app with its own "
          + "entitlements file, not with the entitlements of the profile (E19).", source: "E19")
    ]
  }
}

extension Entitlements {
  /// Whether the value, or an entry, is the profile's placeholder.
  fileprivate var claimsStar: Bool {
    associatedDomains?.contains { $0.text == "*" } ?? (node(Self.associatedDomainsKey)?.string == "*")
  }

  /// Whether they are those of an App Clip.
  package var isAppClip: Bool {
    node(Self.onDemandKey)?.bool == true || node(Self.parentsKey) != nil
  }

  /// The App Groups, through which a clip leaves data to its app.
  package var applicationGroups: [String] {
    node("com.apple.security.application-groups")?.array?.compactMap { $0.string } ?? []
  }

  private func node(_ key: String) -> PropertyListNode? {
    if case .propertyList(let document) = origin { document.root[key] } else { nil }
  }
}
