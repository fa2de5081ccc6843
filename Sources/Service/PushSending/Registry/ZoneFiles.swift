internal import LinkspanCore
internal import LinkspanFiles
package import PushCampaigns

/// Rules of the system's time zones, each file read once.
package final class ZoneFiles: Sendable {
  private let zones = LockedState<[String: TimeZoneRules?]>([:])

  package init() {}

  package func rules(_ name: String) -> TimeZoneRules? {
    zones.withLock { zones in
      if let known = zones[name] { return known }
      var rules: TimeZoneRules?
      if let path = TimeZoneRules.path(of: name) {
        do throws(LinkspanError) {
          rules = TimeZoneRules(try FileReader.bytes(path))
        } catch {
          // There is no such zone.
          rules = nil
        }
      }
      if zones.count >= Self.limit { zones = [:] }
      zones[name] = .some(rules)
      return rules
    }
  }

  /// Ours; the database has about 600 names, and devices may send any.
  private static let limit = 2_000
}
