import AppSiteAssociation

/// How an app was signed, as far as modes care (E13).
package enum BuildKind: String, Hashable, Sendable, CaseIterable {
  case appStore = "app-store"
  case testFlight = "test-flight"
  case adHoc = "ad-hoc"
  /// Signed with a development profile: the only kind for which `?mode=developer` counts.
  case development
}

/// What a device gets when an app is installed.
package struct AppBuild: Hashable, Sendable {
  package var identifier: String
  /// The entries of the entitlement as they are written; those that can't be read are skipped on the device.
  package var entries: [String]
  package var kind: BuildKind

  package init(identifier: String, entries: [String], kind: BuildKind = .appStore) {
    self.identifier = identifier
    self.entries = entries
    self.kind = kind
  }
}

/// An app on a device, with what the device made of its entries.
struct InstalledApp: Sendable {
  var build: AppBuild
  var skipped: [SkippedEntry] = []
}

/// An entry that has no effect on one device.
package struct SkippedEntry: Sendable {
  package var text: String
  package var obstacle: EntryObstacle
}
