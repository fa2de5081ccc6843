package import LinkspanCore
package import PushProvider
package import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// Broadcast channels, as far as they were made here or found at APNs.
extension RegistryStore {
  private static let channelColumns =
    "id, channel, topic, environment, storage, name, created_at, ended_at, broadcasts, sent_at"

  private static func channel(_ row: SQLRow) throws(RegistryError) -> StoredChannel {
    StoredChannel(
      identifier: try row.int("id"), channel: try row.text("channel"), topic: try row.text("topic"),
      environment: try environment(row),
      storage: ChannelRequest.Storage(rawValue: try row.text("storage")) ?? .none,
      name: try row.optionalText("name"), createdAt: try row.time("created_at"),
      endedAt: try row.optionalTime("ended_at"), broadcasts: try row.int("broadcasts"),
      sentAt: try row.optionalTime("sent_at"))
  }

  private static func environment(_ row: SQLRow) throws(RegistryError) -> PushEnvironment {
    guard let environment = PushEnvironment(rawValue: try row.text("environment")) else {
      throw RegistryError(.damaged, "The registry has an environment that does not exist.")
    }
    return environment
  }

  /// Stores a channel of APNs'; one that is known stays as it is.
  package func addChannel(
    _ channel: String, of topic: String, _ environment: PushEnvironment, _ storage: ChannelRequest.Storage,
    name: String?, actor: String, at now: WallTime
  ) throws(RegistryError) -> StoredChannel {
    try database.run(
      "INSERT INTO channels (channel, topic, environment, storage, name, actor, created_at, broadcasts)"
        + " VALUES ($1, $2, $3, $4, $5, $6, $7, 0) ON CONFLICT (topic, environment, channel) DO NOTHING",
      [
        .text(channel), .text(topic), .text(environment.rawValue), .text(storage.rawValue),
        name.map(SQLValue.text) ?? .null, .text(actor), .int(now.milliseconds),
      ])
    let rows = try database.run(
      "SELECT \(Self.channelColumns) FROM channels WHERE topic = $1 AND environment = $2 AND channel = $3",
      [.text(topic), .text(environment.rawValue), .text(channel)])
    guard let row = rows.first else { throw Self.emptyAnswer }
    return try Self.channel(row)
  }

  package func channel(_ identifier: Int64) throws(RegistryError) -> StoredChannel? {
    let rows = try database.run(
      "SELECT \(Self.channelColumns) FROM channels WHERE id = $1", [.int(identifier)])
    return try rows.first.map { row throws(RegistryError) in try Self.channel(row) }
  }

  /// The newest first.
  ///
  /// - Parameters:
  ///   - topics: The topics that may be seen; nil for every topic.
  ///   - before: The last one of the page before; nil for the first page.
  package func channels(
    topics: [String]?, topic: String? = nil, environment: PushEnvironment? = nil, before: Int64? = nil,
    limit: Int
  ) throws(RegistryError) -> [StoredChannel] {
    var filter = SQLFilter()
    if let topics { filter.add("topic", in: topics) }
    if let topic { filter.add("topic = ?", [.text(topic)]) }
    if let environment { filter.add("environment = ?", [.text(environment.rawValue)]) }
    if let before { filter.add("id < ?", [.int(before)]) }
    let place = filter.place(.int(Int64(limit)))
    let rows = try database.run(
      "SELECT \(Self.channelColumns) FROM channels\(filter.clause) ORDER BY id DESC LIMIT \(place)",
      filter.values)
    return try rows.map { row throws(RegistryError) in try Self.channel(row) }
  }

  /// Takes that a channel was deleted, or is gone.
  package func endChannel(_ identifier: Int64, at now: WallTime) throws(RegistryError) {
    try database.run(
      "UPDATE channels SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL",
      [.int(now.milliseconds), .int(identifier)])
  }

  /// Takes that APNs took a broadcast.
  package func noteBroadcast(on channel: Int64, at now: WallTime) throws(RegistryError) {
    try database.run(
      "UPDATE channels SET broadcasts = broadcasts + 1, sent_at = $1 WHERE id = $2",
      [.int(now.milliseconds), .int(channel)])
  }

  // MARK: - Live Activities

  /// One whose channel was deleted has ended with it: nothing reaches its devices.
  private static let activityColumns =
    "id, topic, environment, name, channel_id, message_id, started_at, updated_at, updates,"
    + " COALESCE(ended_at, (SELECT c.ended_at FROM channels c WHERE c.id = channel_id)) AS ended_at"

  private static func activity(_ row: SQLRow) throws(RegistryError) -> StoredActivity {
    StoredActivity(
      identifier: try row.int("id"), topic: try row.text("topic"), environment: try environment(row),
      name: try row.optionalText("name"), channel: try row.optionalInt("channel_id"),
      message: try row.optionalInt("message_id"), startedAt: try row.time("started_at"),
      updatedAt: try row.time("updated_at"), updates: try row.int("updates"),
      endedAt: try row.optionalTime("ended_at"))
  }

  /// Stores an activity; one that the same message started stays as it is.
  package func addActivity(
    of topic: String, _ environment: PushEnvironment, name: String?, channel: Int64?,
    startedBy message: Int64?,
    actor: String, at now: WallTime
  ) throws(RegistryError) -> StoredActivity {
    if let message, let known = try activity(startedBy: message) { return known }
    let rows = try database.run(
      "INSERT INTO activities (topic, environment, name, actor, channel_id, message_id, started_at, updated_at, updates)"
        + " VALUES ($1, $2, $3, $4, $5, $6, $7, $7, 0) RETURNING \(Self.activityColumns)",
      [
        .text(topic), .text(environment.rawValue), name.map(SQLValue.text) ?? .null, .text(actor),
        channel.map(SQLValue.int) ?? .null, message.map(SQLValue.int) ?? .null, .int(now.milliseconds),
      ])
    guard let row = rows.first else { throw Self.emptyAnswer }
    return try Self.activity(row)
  }

  package func activity(startedBy message: Int64) throws(RegistryError) -> StoredActivity? {
    let rows = try database.run(
      "SELECT \(Self.activityColumns) FROM activities WHERE message_id = $1", [.int(message)])
    return try rows.first.map { row throws(RegistryError) in try Self.activity(row) }
  }

  package func activity(_ identifier: Int64) throws(RegistryError) -> StoredActivity? {
    let rows = try database.run(
      "SELECT \(Self.activityColumns) FROM activities WHERE id = $1", [.int(identifier)])
    return try rows.first.map { row throws(RegistryError) in try Self.activity(row) }
  }

  /// The newest first.
  package func activities(
    topics: [String]?, before: Int64? = nil, limit: Int
  ) throws(RegistryError) -> [StoredActivity] {
    var filter = SQLFilter()
    if let topics { filter.add("topic", in: topics) }
    if let before { filter.add("id < ?", [.int(before)]) }
    let place = filter.place(.int(Int64(limit)))
    let rows = try database.run(
      "SELECT \(Self.activityColumns) FROM activities\(filter.clause) ORDER BY id DESC LIMIT \(place)",
      filter.values)
    return try rows.map { row throws(RegistryError) in try Self.activity(row) }
  }

  /// Reserves the timestamp of an activity's next state, in seconds: later than every one before, since devices drop a
  /// state that is not newer than the one they show. Of two updates at one moment each gets its own.
  ///
  /// - Returns: nil when there is no such activity, or it has ended.
  package func reserveTimestamp(of identifier: Int64, at now: WallTime) throws(RegistryError) -> Int64? {
    let rows = try database.run(
      "UPDATE activities SET updated_at = CASE WHEN updated_at < $1 THEN $1 ELSE updated_at + 1000 END"
        + " WHERE id = $2 AND ended_at IS NULL RETURNING updated_at",
      [.int(now.milliseconds / 1_000 * 1_000), .int(identifier)])
    return try rows.first.map { row throws(RegistryError) in try row.time("updated_at").milliseconds / 1_000 }
  }

  /// Takes that an activity's devices were sent another state, or its end.
  ///
  /// - Returns: The activity as it is now; nil when there is none.
  package func noteUpdate(
    of identifier: Int64, isEnd: Bool, at now: WallTime
  ) throws(RegistryError) -> StoredActivity? {
    #if PLANTED_BUGS
      let isEnd = isEnd && !ServiceBug.activityNeverEnds.isPlanted
    #endif
    try database.run(
      "UPDATE activities SET updates = updates + 1,"
        + " updated_at = CASE WHEN updated_at < $1 THEN $1 ELSE updated_at END\(isEnd ? ", ended_at = COALESCE(ended_at, $1)" : "")"
        + " WHERE id = $2", [.int(now.milliseconds), .int(identifier)])
    return try activity(identifier)
  }
}
