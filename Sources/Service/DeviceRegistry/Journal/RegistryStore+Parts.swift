internal import LinkspanCore
internal import PushProvider
internal import RegistryDatabases
internal import RegistryRequests

/// PostgreSQL's partitions of messages and deliveries, and the days of SQLite's index of tokens.
extension RegistryStore {
  /// Begins a condition on the tokens of deliveries: SQLite's index has them day by day, PostgreSQL's partitions have one each.
  ///
  /// - Parameter table: The name of the deliveries in the statement.
  func onEachDay(of table: String = "deliveries") -> String {
    database.dialect.isRemote ? "" : "\(table).day IN (SELECT day FROM journal_days) AND "
  }

  /// A condition that only campaigns fulfil. It keeps to PostgreSQL's partitions of campaigns, and to SQLite's index of them: while
  /// APNs fails, millions of notifications are open.
  func areCampaigns() throws(RegistryError) -> String {
    guard database.dialect.isRemote else { return "kind = 'campaign'" }
    let stored = try database.run("SELECT part FROM journal_parts ORDER BY part").ints("part")
    let parts = try stored.map { number throws(RegistryError) in try JournalPart(stored: number) }
    let ranges = ([JournalPart.undated] + parts.filter { $0.lane == .campaign }.map(\.messages)).map {
      "id >= \($0.lowerBound) AND id < \($0.upperBound)"
    }
    return "kind = 'campaign' AND (\(ranges.joined(separator: " OR ")))"
  }

  /// Days whose parts are made before their time, today included. Ours: whoever stores a message next makes them.
  private static let daysAhead: Int64 = 3

  /// Identifiers for new messages; nil where the store counts them up by itself.
  func newIdentifiers(
    _ messages: [(lane: PushLane, time: WallTime)]
  ) throws(RegistryError) -> [Int64?] {
    guard database.dialect.isRemote else { return messages.map { _ in nil } }
    for time in Set(messages.map(\.time)).sorted() { try makeParts(at: time) }
    let rows = try database.run(
      "SELECT nextval('messages_number') AS number FROM generate_series(1, $1::bigint)",
      [.int(Int64(messages.count))])
    return zip(messages, try rows.ints("number")).map { message, number in
      let part = JournalPart(message.lane, at: message.time)
      return part.isDated ? part.messages.lowerBound + number % JournalPart.width : number
    }
  }

  /// Makes the parts of a day and of the next ones, unless they are there.
  func makeParts(at time: WallTime) throws(RegistryError) {
    let first = JournalPart(.transactional, at: time)
    guard database.dialect.isRemote, first.isDated, !daysWithParts.contains(first.day) else { return }
    // One server after the other.
    try database.run("SELECT pg_advisory_xact_lock(\(Self.partsLock))")
    let days = first.day..<first.day + Self.daysAhead
    let known = try database.run(
      "SELECT part FROM journal_parts WHERE part >= $1", [.int(first.number)])
    let existing = Set(try known.ints("part"))
    for part in days.flatMap(JournalPart.all) where !existing.contains(part.number) { try make(part) }
    daysWithParts.insert(first.day)
  }

  /// The number is an arbitrary name for the lock.
  private static let partsLock = 5_490_724

  /// Attached when it is made, which readers do not wait for.
  private func make(_ part: JournalPart) throws(RegistryError) {
    let (deliveries, messages) = (table("deliveries", part), table("messages", part))
    let range = "FOR VALUES FROM (\(part.messages.lowerBound)) TO (\(part.messages.upperBound))"
    // Half of each page is left for the second writing of its lines: of a delivery it changes no index then, and of a message
    // the log has only what is new. What a message says is not sampled, as in the table that the part is like.
    try database.runScript(
      """
      CREATE TABLE \(deliveries) (LIKE deliveries INCLUDING DEFAULTS) WITH (fillfactor = 50);
      CREATE INDEX \(deliveries)_id ON \(deliveries) (id);
      ALTER TABLE deliveries ATTACH PARTITION \(deliveries) \(range);
      CREATE TABLE \(messages) (LIKE messages INCLUDING DEFAULTS) WITH (fillfactor = 50);
      ALTER TABLE \(messages) ALTER name SET STATISTICS 0, ALTER collapse_id SET STATISTICS 0,
        ALTER payload SET STATISTICS 0, ALTER audience SET STATISTICS 0;
      ALTER TABLE messages ATTACH PARTITION \(messages) \(range);
      """)
    try database.run("INSERT INTO journal_parts (part) VALUES ($1)", [.int(part.number)])
  }
}
