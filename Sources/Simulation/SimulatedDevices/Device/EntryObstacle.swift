internal import AppSiteAssociation
package import AssociatedDomains
package import LinkspanCore
internal import LinkspanSpecification

/// Why an entry of an app's entitlement has no effect on a device.
package struct EntryObstacle: Error, Hashable, Sendable, HasProvenance {
  /// A clause that goes on after "the entry '…' ".
  package var reason: String
  /// What to do about it, as a sentence.
  package var change: String
  package var rules: [String]
  package var certainty: Certainty
  /// The entry, when it can be read.
  package var domain: AssociatedDomain?

  package init(_ reason: String, change: String, rules: [String], _ certainty: Certainty) {
    self.reason = reason
    self.change = change
    self.rules = rules
    self.certainty = Provenance(citing: rules, atMost: certainty).certainty
  }

  /// The entry as the device takes it.
  ///
  /// - Throws: What keeps it from counting there: E2, E5, E12–E16, E22, V9.
  static func read(
    _ text: String, of build: AppBuild, on traits: DeviceTraits
  ) throws(EntryObstacle) -> AssociatedDomain {
    let domain: AssociatedDomain
    do { domain = try AssociatedDomain(asDevicesRead: text) } catch {
      throw EntryObstacle(
        "can't be read: \(error.message)", change: error.help, rules: [error.source], error.certainty)
    }
    if var obstacle = obstacle(for: domain, of: build, on: traits) {
      obstacle.domain = domain
      throw obstacle
    }
    return domain
  }

  static func obstacle(
    for domain: AssociatedDomain, of build: AppBuild, on traits: DeviceTraits
  ) -> EntryObstacle? {
    let os = traits.os
    let kind = build.kind
    if build.isBrowser, domain.service == .applinks {
      return EntryObstacle(
        "has no effect, for the app is a browser: it holds 'com.apple.developer.web-browser'",
        change: "Remove the entry or the entitlement: a browser cannot register 'applinks'.",
        rules: ["E22"], .documented)
    }
    if build.isOnRemoteVolume, os.platform == .macOS {
      return EntryObstacle(
        "has no effect for an app on a volume of the network", change: "Move the app to /Applications.",
        rules: ["V9"], .documented)
    }
    if domain.isWildcard, !os.readsWellKnownAndWildcards {
      return EntryObstacle(
        "is a wildcard, which \(os.name) does not support",
        change: "List every host for releases before iOS 9.3.", rules: ["E5"], .observed)
    }
    guard let mode = domain.mode else { return nil }
    let plain = AssociatedDomain.plainText(of: domain)
    if !os.readsModes {
      return EntryObstacle(
        "has a mode, which \(os.name) does not support", change: "Add '\(plain)' beside it (E16).",
        rules: ["E12", "E16"], .inferred)
    }
    let wantsDeveloper = mode != .managed
    let wantsManaged = mode != .developer
    if wantsDeveloper, kind != .development {
      return EntryObstacle(
        "counts only in a development build, and this is \(kind.words)",
        change: "Add '\(plain)' for the builds you distribute.", rules: ["E13", "E16"], .documented)
    }
    if wantsDeveloper, !traits.isDeveloper {
      return EntryObstacle(
        "counts only while developer mode for associated domains is on, and it is off",
        change: "Switch on Settings › Developer › Associated Domains Development, or add '\(plain)'.",
        rules: ["E13"], .documented)
    }
    if wantsManaged, !traits.isManaged {
      return EntryObstacle(
        "counts only on managed devices that may download directly, and this one is not",
        change: "Set \(os.platform == .macOS ? "" : "AssociatedDomains")EnableDirectDownloads by device "
          + "management, or add '\(plain)'.",
        rules: ["E14"], .documented)
    }
    return nil
  }
}

extension AssociatedDomain {
  /// The entry without its mode.
  static func plainText(of domain: AssociatedDomain) -> String {
    String(domain.canonicalText.prefix { $0 != "?" })
  }
}

extension BuildKind {
  var words: String {
    switch self {
    case .appStore: "an App Store build"
    case .testFlight: "a TestFlight build"
    case .adHoc: "an ad-hoc build"
    case .development: "a development build"
    case .developerID: "a Developer-ID build"
    }
  }
}
