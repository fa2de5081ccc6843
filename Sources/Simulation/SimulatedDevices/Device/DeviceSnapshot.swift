import AppSiteAssociation
package import AssociatedDomains
import LinkspanCore

/// What a device has and knows between two steps.
package struct DeviceSnapshot: Sendable {
  package var traits: DeviceTraits
  /// What is installed, by identifier.
  package var apps: [AppBuild]
  /// In the order of app and entry.
  package var records: [AssociationRecord]
  package var isOnline: Bool

  package init(
    traits: DeviceTraits, apps: [AppBuild], records: [AssociationRecord], isOnline: Bool = true
  ) {
    self.traits = traits
    self.apps = apps
    self.records = records
    self.isOnline = isOnline
  }

  package func record(_ key: AssociationRecord.Key) -> AssociationRecord? { records.first { $0.key == key } }

  /// The entries of the installed apps that can be read, each with its build.
  package var claims: [(build: AppBuild, domain: AssociatedDomain)] {
    apps.flatMap { Self.claims($0, on: traits) }
  }

  /// The entries of an app, and those that management adds (E17).
  package static func claims(
    _ build: AppBuild, on traits: DeviceTraits
  ) -> [(build: AppBuild, domain: AssociatedDomain)] {
    (build.entries + (traits.managedEntries[build.identifier] ?? [])).compactMap { text in
      // What can't be read claims nothing.
      guard let domain = try? AssociatedDomain(asDevicesRead: text),
        domain.service == .applinks
          || domain.service == .activitycontinuation && traits.os.readsContinuationFiles
      else { return nil }
      return (build, domain)
    }
  }
}
