package import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

extension RegistryStore {
  static let columns =
    "id, token, topic, environment, push_kind, alias, badge, locale, language, time_zone, app_version,"
    + " ip_address, latitude, longitude, tags, created_at, last_seen_at, unregistered_at, unregistered_reason,"
    + " revision"

  private static let row =
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 1)"
  private static let rowStatement =
    registrationStatement(from: row) + " RETURNING " + columns
  private static let newRowStatement =
    "INSERT INTO devices (\(insertedColumns)) \(row) ON CONFLICT (token, topic, environment) DO NOTHING"

  private static let insertedColumns =
    "token, topic, environment, push_kind, alias, badge, locale, language, time_zone, app_version, version_key,"
    + " ip_address, latitude, longitude, tags, created_at, last_seen_at, revision"

  /// `$1` to `$17` are a device's values, `$18` the bits of the attributes that are given.
  ///
  /// - Parameter source: Where the values come from, and 1 behind them.
  static func registrationStatement(from source: String) -> String {
    let attributes: [(DeviceAttribute, [String])] = [
      (.alias, ["alias"]), (.badge, ["badge"]), (.locale, ["locale"]), (.language, ["language"]),
      (.timeZone, ["time_zone"]), (.appVersion, ["app_version", "version_key"]),
      (.ipAddress, ["ip_address"]), (.latitude, ["latitude"]), (.longitude, ["longitude"]), (.tags, ["tags"]),
    ]
    let updates = attributes.flatMap { attribute, columns in
      columns.map { column in
        "\(column) = CASE WHEN (CAST($18 AS BIGINT) & \(attribute.bit)) = 0"
          + " THEN devices.\(column) ELSE excluded.\(column) END"
      }
    }
    return
      "INSERT INTO devices (\(insertedColumns)) \(source)"
      + " ON CONFLICT (token, topic, environment) DO UPDATE SET " + updates.joined(separator: ", ")
      + ", last_seen_at = excluded.last_seen_at, unregistered_at = NULL, unregistered_reason = NULL,"
      + " suspected_at = NULL, revision = devices.revision + 1"
  }

  /// Registers devices: makes those that are new, and makes dead ones live again. Does not write the audit log.
  func register(_ registrations: [DeviceRegistration]) throws(RegistryError) -> [RegisteredDevice] {
    if database.dialect.hasArrays, registrations.count > 1 { return try registerTogether(registrations) }
    var devices: [RegisteredDevice] = []
    devices.reserveCapacity(registrations.count)
    for registration in registrations {
      let values = Self.values(registration)
      if let identifier = try insert(values) {
        devices.append(RegisteredDevice(device: Device(new: registration, identifier)))
      } else {
        devices.append(RegisteredDevice(device: try update(registration, values)))
      }
    }
    return devices
  }

  /// Registers a device that may be known.
  private func update(
    _ registration: DeviceRegistration, _ values: [SQLValue]
  ) throws(RegistryError) -> Device {
    let returned = database.dialect.returnsPrevious
    var previous = returned == nil ? try aliasBefore(registration) : nil
    let rows = try database.run(
      Self.rowStatement + (returned ?? ""), values + [.int(registration.given.bits)])
    guard let row = rows.first, let device = try rows.decoded(Self.device).first else {
      throw Self.emptyAnswer
    }
    if returned != nil { previous = try Self.previousAlias(row, revision: device.revision, registration) }
    #if PLANTED_BUGS
      if ServiceBug.aliasMovedQueueKept.isPlanted { return device }
    #endif
    if let departure = registration.departure(from: previous) {
      try depart([departure], at: registration.time)
    }
    return device
  }

  /// The alias of a device that is about to be registered again; nil where it has none or keeps it.
  private func aliasBefore(_ registration: DeviceRegistration) throws(RegistryError) -> String? {
    guard registration.given.contains(.alias) else { return nil }
    let key = registration.key
    let rows = try database.run(
      "SELECT alias FROM devices WHERE token = $1 AND topic = $2 AND environment = $3",
      [.text(key.token.text), .text(key.topic.text), .text(key.environment.rawValue)])
    return try rows.first.flatMap { row throws(RegistryError) in try row.optionalText("alias") }
  }

  /// Reads what ``SQLDialect/returnsPrevious`` asks for, at the end of a row.
  ///
  /// - Throws: That another server has changed the device since the statement began; the transaction is made again then.
  static func previousAlias(
    _ row: SQLRow, revision: Int64, _ registration: DeviceRegistration
  ) throws(RegistryError) -> String? {
    guard revision > 1, registration.given.contains(.alias) else { return nil }
    guard try row.optionalInt("previous_revision") == revision - 1 else {
      throw RegistryError(
        .unavailable, "Two servers have changed a device at the same time.", help: "Send the request again.",
        isConflict: true)
    }
    return try row.optionalText("previous_alias")
  }

  /// Puts a device in that may be new. A row that a statement returns costs SQLite a table of its own.
  ///
  /// - Returns: nil where it is there already, or where the database has no use for asking separately.
  private func insert(_ values: [SQLValue]) throws(RegistryError) -> Int64? {
    guard let lastIdentifier = database.dialect.lastIdentifier,
      try database.changeEach(Self.newRowStatement, [values]) > 0
    else { return nil }
    return try database.run(lastIdentifier).first?.int("id")
  }

  static let emptyAnswer = RegistryError(
    .damaged, "The registry's store did not answer a change with its row.")

  /// `$1` to `$17` of a registration.
  static func values(_ registration: DeviceRegistration) -> [SQLValue] {
    let (key, attributes) = (registration.key, registration.attributes)
    return [
      .text(key.token.text), .text(key.topic.text), .text(key.environment.rawValue),
      .text(key.pushKind), SQLValue(attributes.alias), .int(attributes.badge),
      SQLValue(attributes.locale), SQLValue(attributes.language), SQLValue(attributes.timeZone),
      SQLValue(attributes.appVersion), SQLValue(attributes.appVersion.map(VersionKey.key)),
      SQLValue(attributes.ipAddress), SQLValue(attributes.latitude), SQLValue(attributes.longitude),
      .text(stored(attributes.tags)), .int(registration.time.milliseconds),
      .int(registration.time.milliseconds),
    ]
  }

  private static let separator = "\u{1F}"

  static func stored(_ tags: [String]) -> String {
    tags.isEmpty ? "" : separator + tags.joined(separator: separator) + separator
  }

  /// Reads devices by the names in ``columns``.
  static func device(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> Device {
    let (id, token, topic) = try (columns["id"], columns["token"], columns["topic"])
    let (environment, pushKind) = try (columns["environment"], columns["push_kind"])
    let (created, seen) = try (columns["created_at"], columns["last_seen_at"])
    let (unregistered, reason) = try (columns["unregistered_at"], columns["unregistered_reason"])
    let revision = try columns["revision"]
    let attributes = try attributes(columns)
    return { row throws(RegistryError) in
      guard let environment = PushEnvironment(rawValue: try row.text(environment)) else {
        throw RegistryError(.damaged, "A device in the registry has an unknown environment.")
      }
      return Device(
        identifier: try row.int(id), token: try row.text(token), topic: try row.text(topic),
        environment: environment, attributes: try attributes(row), createdAt: try row.time(created),
        lastSeenAt: try row.time(seen), unregisteredAt: try row.optionalTime(unregistered),
        unregisteredReason: try row.optionalText(reason), pushKind: try row.text(pushKind),
        revision: try row.int(revision))
    }
  }

  private static func attributes(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> DeviceAttributes {
    let (alias, badge, tags) = try (columns["alias"], columns["badge"], columns["tags"])
    let (locale, language) = try (columns["locale"], columns["language"])
    let (timeZone, appVersion) = try (columns["time_zone"], columns["app_version"])
    let (address, latitude) = try (columns["ip_address"], columns["latitude"])
    let longitude = try columns["longitude"]
    return { row throws(RegistryError) in
      var attributes = DeviceAttributes()
      attributes.alias = try row.optionalText(alias)
      attributes.badge = try row.int(badge)
      attributes.locale = try row.optionalText(locale)
      attributes.language = try row.optionalText(language)
      attributes.timeZone = try row.optionalText(timeZone)
      attributes.appVersion = try row.optionalText(appVersion)
      attributes.ipAddress = try row.optionalText(address)
      attributes.latitude = try row.optionalReal(latitude)
      attributes.longitude = try row.optionalReal(longitude)
      attributes.tags = try row.text(tags).split(separator: separator).map(String.init)
      return attributes
    }
  }

  // MARK: - Finding

  /// Devices in the order of their identifiers.
  ///
  /// - Parameters:
  ///   - after: The identifier of the last device of the page before; 0 for the first page.
  ///   - skipping: Devices to pass over, for clients that count pages.
  package func devices(
    _ filter: DeviceFilter, after: Int64 = 0, limit: Int, skipping: Int = 0
  ) throws(RegistryError) -> [Device] {
    var conditions = self.conditions(filter)
    if after > 0 { conditions.add("id > ?", [.int(after)]) }
    let limit = conditions.place(.int(Int64(limit)))
    let offset = skipping > 0 ? " OFFSET " + conditions.place(.int(Int64(skipping))) : ""
    let rows = try database.run(
      "SELECT \(Self.columns) FROM devices\(conditions.clause) ORDER BY id LIMIT \(limit)\(offset)",
      conditions.values)
    return try rows.decoded(Self.device)
  }

  /// Devices of which no index knows: a page of a bounded number of identifiers, however few of them fit.
  ///
  /// - Parameter span: Identifiers that are looked at.
  /// - Returns: The devices, and the identifier after which the next page begins; nil at the end.
  package func devices(
    _ filter: DeviceFilter, after: Int64, limit: Int, within span: Int64
  ) throws(RegistryError) -> (devices: [Device], next: Int64?) {
    let ends = try database.run(
      "SELECT (SELECT coalesce(min(id), 0) FROM devices WHERE id > $1) AS first,"
        + " (SELECT coalesce(max(id), 0) FROM devices) AS last", [.int(after)])
    guard let ends = ends.first else { throw Self.emptyAnswer }
    let (first, last) = try (ends.int("first"), ends.int("last"))
    let end = max(after, first - 1) + span
    var filter = filter
    filter.lastIdentifier = end
    let devices = try devices(filter, after: after, limit: limit + 1)
    let page = Array(devices.prefix(limit))
    return (page, devices.count > limit ? page.last?.identifier : end < last ? end : nil)
  }

  /// Devices whose tokens APNs has called dead since a moment, the earliest first.
  package func unregistered(
    _ filter: DeviceFilter, since time: WallTime, limit: Int
  ) throws(RegistryError) -> [Device] {
    var conditions = self.conditions(filter)
    conditions.add("unregistered_at >= ?", [.int(time.milliseconds)])
    let limit = conditions.place(.int(Int64(limit)))
    let rows = try database.run(
      "SELECT \(Self.columns) FROM devices\(conditions.clause) ORDER BY unregistered_at, id LIMIT \(limit)",
      conditions.values)
    return try rows.decoded(Self.device)
  }

  package func count(_ filter: DeviceFilter) throws(RegistryError) -> Int64 {
    let conditions = self.conditions(filter)
    let rows = try database.run(
      "SELECT count(*) AS number FROM devices\(conditions.clause)", conditions.values)
    guard let row = rows.first else { throw Self.emptyAnswer }
    return try row.int("number")
  }

  /// - Parameter offset: How many values of the statement stand before these.
  func conditions(_ filter: DeviceFilter, after offset: Int = 0) -> SQLFilter {
    var conditions = SQLFilter(after: offset)
    if let topics = filter.visibleTopics { conditions.add("topic", in: topics) }
    if let token = filter.token { conditions.add("token = ?", [.text(token)]) }
    if let topic = filter.topic { conditions.add("topic = ?", [.text(topic)]) }
    if let environment = filter.environment {
      conditions.add("environment = ?", [.text(environment.rawValue)])
    }
    if let alias = filter.alias { conditions.add("alias = ?", [.text(alias)]) }
    add(filter.audience, to: &conditions)
    if let time = filter.seenFrom { conditions.add("last_seen_at >= ?", [.int(time.milliseconds)]) }
    if let time = filter.seenBefore { conditions.add("last_seen_at < ?", [.int(time.milliseconds)]) }
    if let last = filter.lastIdentifier { conditions.add("id <= ?", [.int(last)]) }
    if let isActive = filter.isActive { conditions.add("unregistered_at IS \(isActive ? "" : "NOT ")NULL") }
    for word in (filter.search ?? "").split(whereSeparator: \.isWhitespace).prefix(8) {
      let start = SQLValue.text(Self.escaped(String(word)) + "%")
      let lower = database.dialect.lower
      let places = ["token", "alias", "locale", "time_zone"].map {
        "\(lower)(\($0)) LIKE \(lower)(CAST(? AS TEXT)) ESCAPE '\\'"
      }
      conditions.add("(\(places.joined(separator: " OR ")))", places.map { _ in start })
    }
    return conditions
  }

  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      if "%_\\".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
  }

  // MARK: - Removing

  /// Removes devices, and cancels what waits for them.
  ///
  /// - Returns: How many there were.
  package func remove(_ filter: DeviceFilter, at now: WallTime) throws(RegistryError) -> Int {
    let devices = try departures(filter)
    #if PLANTED_BUGS
      if ServiceBug.deletionKeepsQueue.isPlanted {
        try delete(devices)
        return devices.count
      }
    #endif
    try depart(devices, at: now)
    try delete(devices)
    if devices.isEmpty, let token = filter.token { try cancelOpen(to: token, filter, at: now) }
    return devices.count
  }

  /// Cancels what waits for a token that no device has: somebody sent to the token itself.
  private func cancelOpen(
    to token: String, _ filter: DeviceFilter, at now: WallTime
  ) throws(RegistryError) {
    var open = SQLFilter()
    open.add(onEachDay() + "token = ?", [.text(hash.token(token))])
    open.add("finished_at IS NULL")
    if let topics = filter.visibleTopics { open.add("topic", in: topics) }
    if let topic = filter.topic { open.add("topic = ?", [.text(topic)]) }
    if let environment = filter.environment { open.add("environment = ?", [.text(environment.rawValue)]) }
    let rows = try database.run(
      "SELECT DISTINCT topic, environment FROM deliveries\(open.clause)", open.values)
    let departures = try rows.map { row throws(RegistryError) in
      Departure(
        token: token, topic: try row.text("topic"), environment: try row.text("environment"), alias: nil)
    }
    try cancelOpen(departures, at: now)
  }

  /// Removes devices whose deliveries are taken care of.
  func delete(_ devices: [Departure]) throws(RegistryError) {
    guard !devices.isEmpty else { return }
    _ = try database.runEach(
      "DELETE FROM devices WHERE token = $1 AND topic = $2 AND environment = $3",
      devices.map { [.text($0.token), .text($0.topic), .text($0.environment)] })
  }

  /// Takes note of what APNs says about a token: that it is dead since a moment.
  ///
  /// A device that was registered after that moment stays live: the app has been installed again.
  /// - Returns: Whether the device is dead now and was live before.
  package func invalidate(
    _ key: DeviceKey, since time: WallTime, reason: String
  ) throws(RegistryError) -> Bool {
    try !database.run(
      "UPDATE devices SET unregistered_at = $1, unregistered_reason = $2 WHERE token = $3 AND topic = $4"
        + " AND environment = $5 AND last_seen_at <= $6 AND unregistered_at IS NULL RETURNING id",
      [
        .int(time.milliseconds), .text(reason), .text(key.token.text), .text(key.topic.text),
        .text(key.environment.rawValue), .int(time.milliseconds),
      ]
    ).isEmpty
  }

  /// Takes note of `BadDeviceToken`: the first one marks a device, because the environment may be the wrong one; a second
  /// one without a registration in between makes it dead.
  ///
  /// - Returns: Whether the device is dead now.
  package func suspect(_ key: DeviceKey, at time: WallTime) throws(RegistryError) -> Bool {
    let values: [SQLValue] = [
      .int(time.milliseconds), .text(key.token.text), .text(key.topic.text), .text(key.environment.rawValue),
    ]
    let place = "WHERE token = $2 AND topic = $3 AND environment = $4 AND unregistered_at IS NULL"
    let dead = try database.run(
      "UPDATE devices SET unregistered_at = $1, unregistered_reason = 'BadDeviceToken' \(place)"
        + " AND suspected_at IS NOT NULL RETURNING id", values)
    if !dead.isEmpty { return true }
    try database.run("UPDATE devices SET suspected_at = $1 \(place)", values)
    return false
  }
}

extension DeviceRegistration {
  /// What a registration takes a device away from.
  ///
  /// - Parameter alias: The alias that the device had.
  func departure(from alias: String?) -> Departure? {
    guard let alias, given.contains(.alias), !alias.isStored(as: attributes.alias) else { return nil }
    return Departure(
      token: key.token.text, topic: key.topic.text, environment: key.environment.rawValue, alias: alias)
  }
}
