internal import LinkspanCore

extension RegistryStore {
  /// Puts devices in as an export has them. A device that is there already keeps what is newer by its last registration.
  ///
  /// - Returns: How many were new or newer.
  package func importDevices(_ devices: [Device]) throws(RegistryError) -> Int {
    let columns = [
      "push_kind", "alias", "badge", "locale", "language", "time_zone", "app_version", "version_key",
      "ip_address", "latitude", "longitude", "tags", "created_at", "last_seen_at", "unregistered_at",
      "unregistered_reason",
    ]
    let places = (1...columns.count + 3).map { "$\($0)" }.joined(separator: ", ")
    let updates = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return try database.changeEach(
      "INSERT INTO devices (token, topic, environment, \(columns.joined(separator: ", ")), revision)"
        + " VALUES (\(places), 1) ON CONFLICT (token, topic, environment) DO UPDATE SET \(updates)"
        + " WHERE devices.last_seen_at < excluded.last_seen_at",
      devices.map(Self.values))
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
