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
    let names = Self.importedColumns.map(\.name)
    let insertion = "INSERT INTO devices (\(names.joined(separator: ", ")), revision)"
    let updates = names.dropFirst(3).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let update =
      " ON CONFLICT (token, topic, environment) DO UPDATE SET \(updates), revision = devices.revision + 1"
      + " WHERE devices.last_seen_at < excluded.last_seen_at"
    guard database.dialect.hasArrays else {
      let places = names.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
      return try database.changeEach(
        "\(insertion) VALUES (\(places), 1)\(update)", devices.map(Self.values))
    }
    let arrays = Self.importedColumns.enumerated().map { "$\($0.offset + 1)::\($0.element.type)[]" }
    let statement = "\(insertion) SELECT *, 1 FROM unnest(\(arrays.joined(separator: ", ")))\(update)"
    var changed = 0
    var rest = devices[...]
    while !rest.isEmpty {
      // One statement may name a device once: of its lines the second goes into the next one.
      var (chosen, later): ([Device], [Device]) = ([], [])
      for device in rest {
        if let last = chosen.last, last.isSame(as: device) {
          later.append(device)
        } else {
          chosen.append(device)
        }
      }
      changed += try database.changeEach(statement, [Self.arrays(chosen.map(Self.values))])
      rest = later[...]
    }
    return changed
  }

  private static let importedColumns: [Given] = [
    .text("token"), .text("topic"), .text("environment"), .text("push_kind"), .text("alias"), .int("badge"),
    .text("locale"), .text("language"), .text("time_zone"), .text("app_version"), .text("version_key"),
    .text("ip_address"), .real("latitude"), .real("longitude"), .text("tags"), .int("created_at"),
    .int("last_seen_at"), .int("unregistered_at"), .text("unregistered_reason"),
  ]

  /// The devices that lines give another alias.
  private func departures(by devices: [Device]) throws(RegistryError) -> [Departure] {
    if database.dialect.hasArrays { return try departuresTogether(by: devices) }
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
      guard let alias = try rows.first?.text("alias"), !alias.isStored(as: device.attributes.alias) else {
        continue
      }
      departures.append(
        Departure(
          token: device.token, topic: device.topic, environment: device.environment.rawValue, alias: alias))
    }
    return departures
  }

  /// The same with one statement, which locks the devices in the order that all servers lock them in.
  private func departuresTogether(by devices: [Device]) throws(RegistryError) -> [Departure] {
    let columns: [Given] = [
      .text("token"), .text("topic"), .text("environment"), .text("alias"), .int("seen"),
    ]
    let rows = try run(
      given: columns,
      devices.map {
        [
          .text($0.token), .text($0.topic), .text($0.environment.rawValue), SQLValue($0.attributes.alias),
          .int($0.lastSeenAt.milliseconds),
        ]
      },
      "SELECT d.token AS token, d.topic AS topic, d.environment AS environment, d.alias AS alias"
        + " FROM given JOIN devices AS d ON d.token = given.token AND d.topic = given.topic"
        + " AND d.environment = given.environment WHERE d.last_seen_at < given.seen AND d.alias IS NOT NULL"
        + " AND d.alias IS DISTINCT FROM given.alias"
        + " ORDER BY d.token COLLATE \"C\", d.topic COLLATE \"C\", d.environment COLLATE \"C\" FOR UPDATE OF d"
    )
    return try rows.map { row throws(RegistryError) in
      Departure(
        token: try row.text("token"), topic: try row.text("topic"), environment: try row.text("environment"),
        alias: try row.text("alias"))
    }
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

extension Device {
  fileprivate func isSame(as other: Device) -> Bool {
    token == other.token && topic == other.topic && environment == other.environment
  }
}
