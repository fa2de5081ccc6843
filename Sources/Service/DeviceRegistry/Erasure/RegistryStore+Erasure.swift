internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

extension RegistryStore {
  /// Removes everything that is stored about a person, in one transaction: the devices with the alias, their tokens and
  /// keyed hashes in the journal, also those of devices that have left the alias, and the content of messages that nobody
  /// else received. What was not sent yet is cancelled.
  ///
  /// On SQLite the freed bytes are overwritten, and ``finishErasure()`` does the same to the write-ahead log.
  /// - Parameters:
  ///   - topics: The topics whose devices are meant; nil for every topic.
  ///   - now: When deliveries are cancelled.
  func erase(alias: String, topics: [String]?, at now: WallTime) throws(RegistryError) -> Erasure {
    var filter = DeviceFilter()
    filter.alias = alias
    filter.visibleTopics = topics
    let devices = try departures(filter)
    // Before the lines are read: a push by token to a device that is gone waits for this, or this for it.
    try forgetFormer(hash.alias(alias), topics)
    try forgetReach(hash.alias(alias), topics)
    let left = try linesLeft(by: hash.alias(alias), topics)
    let all = Set(try lines(of: devices) + left).sorted()
    let held = try hold(all)
    try run(each: all) {
      "SELECT id FROM deliveries WHERE id \($0) ORDER BY id" + database.dialect.locksRow
    }
    var cancellation = try cancelOpen(devices, at: now)
    cancellation.add(try cancelOpen(left, at: now))
    var lines = try eraseLines(of: devices) + eraseLines(left: left)
    let underWay = Set(try hold(held.map(\.delivery)).filter { $0.state == .sending }.map(\.delivery))
    for index in lines.indices { lines[index].isUnderWay = underWay.contains(lines[index].delivery) }
    try delete(devices)
    try forgetSamples()
    var messages = Set(lines.map(\.message)).union(try takeUnreached(hash.alias(alias), topics))
    messages.formUnion(cancellation.messages)
    let (redacted, open) = try redact(messages)
    var erasure = Erasure(
      time: now,
      receipt: ErasureReceipt(
        erased: devices.count, cancelled: cancellation.count, redacted: redacted.count),
      underWay: lines.filter(\.isUnderWay).map(\.delivery))
    erasure.nameless = try nameless(at: now).filter { !underWay.contains($0) }
    erasure.receipt.remains = try remainders(after: open, topics, at: now)
    #if PLANTED_BUGS
      if ServiceBug.erasureBesideSend.isPlanted { (erasure.underWay, erasure.nameless) = ([], []) }
    #endif
    return erasure
  }

  /// Deliveries that servers are sending to devices that are gone.
  private func nameless(at now: WallTime) throws(RegistryError) -> [Int64] {
    try database.run(
      "SELECT delivery_id FROM queue WHERE state = 'sending' AND address IS NULL"
        + " AND owner IN (SELECT id FROM senders WHERE lease_until >= $1)",
      [.int(try leaseClock(now).milliseconds)]
    ).ints("delivery_id")
  }

  /// A line of the journal that was erased.
  private struct ErasedLine {
    var delivery: Int64
    var message: Int64
    /// Whether a server is sending it.
    var isUnderWay = false

    init(_ row: SQLRow) throws(RegistryError) {
      delivery = try row.int("id")
      message = try row.int("message_id")
    }
  }

  private static let erasesToken =
    "UPDATE deliveries SET token = '\(erasedPrefix)' || id"
  private static let returnsLine = " RETURNING id, message_id"
  private var isOfDevice: String {
    " WHERE \(onEachDay())token IN ($1, $2) AND topic = $3 AND environment = $4"
  }

  /// Values for ``isOfDevice``.
  private func values(_ device: Departure) -> [SQLValue] {
    [.text(hash.token(device.token)), .text(device.token), .text(device.topic), .text(device.environment)]
  }

  /// The identifiers of all deliveries to devices.
  private func lines(of devices: [Departure]) throws(RegistryError) -> [Int64] {
    let rows = try database.runEach(
      "SELECT id FROM deliveries" + isOfDevice, devices.map(values))
    return try Array(rows.joined()).ints("id")
  }

  /// The identifiers of deliveries to devices that have left the person's alias.
  private func linesLeft(by alias: String, _ topics: [String]?) throws(RegistryError) -> [Int64] {
    var filter = SQLFilter()
    filter.add("id IN (SELECT delivery_id FROM departures WHERE alias = ?)", [.text(alias)])
    if let topics { filter.add("topic", in: topics) }
    let rows = try database.run("SELECT id FROM deliveries" + filter.clause, filter.values)
    return try rows.ints("id")
  }

  /// Forgets which devices had the alias last.
  private func forgetFormer(_ alias: String, _ topics: [String]?) throws(RegistryError) {
    var filter = SQLFilter()
    filter.add("alias = ?", [.text(alias)])
    if let topics { filter.add("topic", in: topics) }
    try database.run("DELETE FROM former_aliases" + filter.clause, filter.values)
  }

  /// Erases the lines of devices that the person has now. Lines of before the device was the person's are others'.
  private func eraseLines(of devices: [Departure]) throws(RegistryError) -> [ErasedLine] {
    let rows = try database.runEach(
      Self.erasesToken + isOfDevice
        + " AND NOT EXISTS (SELECT 1 FROM departures WHERE delivery_id = deliveries.id)" + Self.returnsLine,
      devices.map(values))
    return try rows.joined().map { row throws(RegistryError) in try ErasedLine(row) }
  }

  /// Erases the lines of devices that have left the person's alias.
  private func eraseLines(left: [Int64]) throws(RegistryError) -> [ErasedLine] {
    let rows = try run(each: left) { Self.erasesToken + " WHERE id \($0)" + Self.returnsLine }
    try run(each: left) { "DELETE FROM departures WHERE delivery_id \($0)" }
    return try rows.map { row throws(RegistryError) in try ErasedLine(row) }
  }

  /// Forgets which notifications named the alias without reaching a device.
  private func takeUnreached(_ alias: String, _ topics: [String]?) throws(RegistryError) -> [Int64] {
    var filter = SQLFilter()
    filter.add("alias = ?", [.text(alias)])
    if let topics {
      filter.add(
        "message_id IN (SELECT id FROM messages WHERE topic IN (\(topics.map { _ in "?" }.joined(separator: ", "))))",
        topics.map(SQLValue.text))
    }
    let rows = try database.run(
      "DELETE FROM unreached_aliases\(filter.clause) RETURNING message_id", filter.values)
    return try rows.ints("message_id")
  }

  /// Forgets the rows that SQLite has sampled where somebody ran its `ANALYZE`; not every SQLite keeps any. The samples of
  /// PostgreSQL are the guide's.
  private func forgetSamples() throws(RegistryError) {
    guard !database.dialect.isRemote, try database.has("sqlite_stat4") else { return }
    try database.run("DELETE FROM sqlite_stat4")
  }

  // MARK: - What remains

  /// How long an answer of APNs' is waited for; then it counts as lost. Ours.
  package static let answerPatience = Duration.seconds(60)

  /// What this program knows to hold something of a person who was erased now.
  ///
  /// - Parameters:
  ///   - campaigns: Those that may yet reach others with what they said to the person.
  ///   - topics: The only ones that were looked at; nil for every topic.
  private func remainders(
    after campaigns: [Int64], _ topics: [String]?, at now: WallTime
  ) throws(RegistryError) -> [ErasureReceipt.Remainder] {
    var remainders: [ErasureReceipt.Remainder] = []
    // Whether there is anything, a client of these topics may not learn.
    if let topics = topics.map(AccessToken.text) {
      remainders.append(.init("topics other than \(topics), if they have devices with the alias"))
    }
    for campaign in campaigns {
      let rows = try database.run("SELECT give_up_at FROM messages WHERE id = $1", [.int(campaign)])
      let end = try rows.first.map { row throws(RegistryError) in try row.time("give_up_at") }
      remainders.append(.init("campaign \(campaign), which still goes out", until: end))
    }
    if try hasOldTokens() {
      remainders.append(
        .init("journal of an earlier version, until every token in it is replaced by its keyed hash"))
    }
    if try !database.run("SELECT 1 FROM unclean_pages").isEmpty {
      remainders.append(
        .init(
          "unused parts of the file that an earlier version wrote, until"
            + " 'VACUUM; DELETE FROM unclean_pages' with the servers stopped"))
    }
    if let exports = try exportRemainder() { remainders.append(exports) }
    if database.dialect.isRemote {
      remainders.append(.init("PostgreSQL's files, until the commands that the guide has for them"))
    }
    remainders.append(.init("backups made before \(now)"))
    return remainders
  }

  /// The files that may name an erased person's devices.
  private func exportRemainder() throws(RegistryError) -> ErasureReceipt.Remainder? {
    let rows = try database.run(
      "SELECT min(part) AS first, max(part) AS last, count(*) AS number FROM journal_exports WHERE file <> ''"
    )
    guard let row = rows.first, let first = try row.optionalInt("first"),
      let last = try row.optionalInt("last")
    else { return nil }
    let count = try row.int("number")
    let days = (try JournalPart(stored: first).dateText, try JournalPart(stored: last).dateText)
    let span = days.0 == days.1 ? days.0 : "\(days.0) to \(days.1)"
    return .init(
      "exports of the journal of \(span) (\(count == 1 ? "1 file" : "\(count) files") linkspan-journal-….csv.gz), which"
        + " name devices by keyed hashes")
  }

  /// Those of the deliveries that servers are still sending, and how many of the others were cancelled.
  func underWay(_ deliveries: [Int64]) throws(RegistryError) -> (left: [Int64], cancelled: Int) {
    let open = try run(each: deliveries) {
      "SELECT delivery_id FROM queue WHERE state = 'sending' AND delivery_id \($0)"
    }
    let left = Set(try open.ints("delivery_id"))
    // One that was removed from the journal counts as neither.
    let cancelled = try run(each: deliveries.filter { !left.contains($0) }) {
      "SELECT id FROM deliveries WHERE state = 'cancelled' AND id \($0)"
    }
    return (deliveries.filter(left.contains), cancelled.count)
  }

  /// Empties SQLite's write-ahead log, which still holds the erased bytes; to be called when the erasure is committed.
  func finishErasure() throws(RegistryError) {
    try database.emptyLog()
  }
}
