internal import LinkspanCore
internal import LinkspanFiles
package import PushCampaigns

/// The rules of every time zone of a machine, read at once: a file that cannot be opened later, when every descriptor is taken,
/// would make its devices those of UTC, at night.
package final class ZoneFiles: Sendable {
  private let zones: [String: TimeZoneRules]

  /// The system's, as they were when somebody first asked.
  package static let system = ZoneFiles(in: TimeZoneRules.folder)

  package init(in folder: String) {
    var zones: [String: TimeZoneRules] = [:]
    Self.read(folder, "", into: &zones)
    self.zones = zones
  }

  package func rules(_ name: String) -> TimeZoneRules? { zones[name] }

  /// What an operator has to know of a machine without zones.
  package var problem: String? {
    guard zones.isEmpty else { return nil }
    return
      "\(TimeZoneRules.folder) has no time zones, so local times and quiet hours of every device go by UTC;"
      + " install the package tzdata, and restart"
  }

  /// Copies of the database, without and with leap seconds.
  private static let copies: Set = ["posix", "right"]

  /// - Parameter prefix: Of the names in the folder, such as `America/`.
  private static func read(_ folder: String, _ prefix: String, into zones: inout [String: TimeZoneRules]) {
    for name in (try? FileReader.names(in: folder)) ?? [] where !copies.contains(name) {
      let (zone, path) = (prefix + name, folder + "/" + name)
      guard TimeZoneRules.isName(zone), let kind = try? FileReader.kind(of: path) else { continue }
      if kind == .folder {
        read(path, zone + "/", into: &zones)
      } else if kind == .file, let bytes = try? FileReader.bytes(path) {
        zones[zone] = TimeZoneRules(bytes)
      }
    }
  }
}
