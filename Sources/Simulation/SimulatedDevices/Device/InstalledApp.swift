import AppSiteAssociation
import AssociatedDomains

/// How an app was signed, as far as modes care (E13).
package enum BuildKind: String, Hashable, Sendable, CaseIterable {
  case appStore = "app-store"
  case testFlight = "test-flight"
  case adHoc = "ad-hoc"
  /// Signed with a development profile: the only kind for which `?mode=developer` counts.
  case development
  /// Signed for a Mac outside the App Store: its files are fetched after the first launch only (V9).
  case developerID = "developer-id"
}

/// What a device gets when an app is installed.
package struct AppBuild: Hashable, Sendable {
  /// The application identifier: prefix, dot, bundle identifier.
  package var identifier: String
  /// The entries of the entitlement as they are written; those that can't be read are skipped on the device.
  package var entries: [String]
  package var kind: BuildKind
  /// On a Mac: it lies on a volume of the network, and so has no universal links (V9).
  package var isOnRemoteVolume = false
  /// It holds `com.apple.developer.web-browser`, and so may not register `applinks` (E22).
  package var isBrowser = false
  /// Its App Groups, through which a clip leaves data to it.
  package var groups: [String] = []

  /// What stands behind the prefix.
  package var bundleIdentifier: String {
    identifier.firstIndex(of: ".").map { String(identifier[identifier.index(after: $0)...]) } ?? identifier
  }

  package init(identifier: String, entries: [String], kind: BuildKind = .appStore) {
    self.identifier = identifier
    self.entries = entries
    self.kind = kind
  }
}

/// An app on a device, with what the device made of its entries.
package struct InstalledApp: Sendable {
  package var build: AppBuild
  package var skipped: [SkippedEntry] = []
  /// False until a Developer-ID app is launched for the first time (V9).
  package var isReady = true
}

/// An entry that has no effect on one device.
package struct SkippedEntry: Sendable {
  package var app: String
  package var text: String
  /// Why it has no effect there.
  package var obstacle: EntryObstacle

  /// Whether it would let links open the app; the other services open none. Of an entry that cannot be read its first word
  /// tells.
  var isForLinks: Bool {
    let service = obstacle.domain?.service.rawValue ?? text.prefix { $0 != ":" }.lowercased()
    return Service(rawValue: service).map { $0 == .applinks } ?? true
  }
}
