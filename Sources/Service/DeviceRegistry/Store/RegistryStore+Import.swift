package import LinkspanCore
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

extension RegistryStore {
  /// Puts devices in as an export has them. A device that is there already keeps what is newer by its last registration.
  /// Where a line gives it another alias, what waits for the old one is cancelled.
  ///
  /// - Returns: How many were new or newer.
  package func importDevices(_ devices: [Device], at now: WallTime) throws(RegistryError) -> Int {
    let devices = devices.sorted { left, right in
      (left.token, left.topic, left.environment.rawValue) < (
        right.token, right.topic, right.environment.rawValue
      )
    }
    try depart(try departures(by: devices), at: now)
    let columns = [
      "push_kind", "alias", "badge", "locale", "language", "time_zone", "app_version", "version_key",
      "ip_address", "latitude", "longitude", "tags", "created_at", "last_seen_at", "unregistered_at",
      "unregistered_reason",
    ]
    let places = (1...columns.count + 3).map { "$\($0)" }.joined(separator: ", ")
    let updates = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return try database.changeEach(
      "INSERT INTO devices (token, topic, environment, \(columns.joined(separator: ", ")), revision)"
        + " VALUES (\(places), 1) ON CONFLICT (token, topic, environment) DO UPDATE SET \(updates),"
        + " revision = devices.revision + 1"
        + " WHERE devices.last_seen_at < excluded.last_seen_at",
      devices.map(Self.values))
  }

  /// The devices that lines give another alias.
  private func departures(by devices: [Device]) throws(RegistryError) -> [Departure] {
    let rows = try database.runEach(
      "SELECT alias FROM devices WHERE token = $1 AND topic = $2 AND environment = $3 AND last_seen_at < $4"
        + " AND alias IS NOT NULL\(database.dialect.locksRow)",
      devices.map {
        [
          .text($0.token), .text($0.topic), .text($0.environment.rawValue), .int($0.lastSeenAt.milliseconds),
        ]
      })
    var departures: [Departure] = []
    for (device, rows) in zip(devices, rows) {
      guard let alias = try rows.first?.text("alias"), alias != device.attributes.alias else { continue }
      departures.append(
        Departure(
          token: device.token, topic: device.topic, environment: device.environment.rawValue, alias: alias))
    }
    return departures
  }

  private static func values(_ device: Device) -> [SQLValue] {
    let attributes = device.attributes
    return [
      .text(device.token), .text(device.topic), .text(device.environment.rawValue), .text(device.pushKind),
      SQLValue(attributes.alias), .int(attributes.badge), SQLValue(attributes.locale),
      SQLValue(attributes.language), SQLValue(attributes.timeZone), SQLValue(attributes.appVersion),
      SQLValue(attributes.appVersion.map(VersionKey.key)), SQLValue(attributes.ipAddress),
      SQLValue(attributes.latitude), SQLValue(attributes.longitude), .text(stored(attributes.tags)),
      .int(device.createdAt.milliseconds), .int(device.lastSeenAt.milliseconds),
      SQLValue(device.unregisteredAt?.milliseconds), SQLValue(device.unregisteredReason),
    ]
  }
}
