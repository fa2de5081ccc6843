package import LinkspanCore
internal import PushProvider
internal import RegistryDatabases
package import RegistryRequests

/// A day of a lane whose messages have all ended, to be written to a file.
package struct JournalExport: Hashable, Sendable {
  package let part: JournalPart
  /// A random name of the process that writes it.
  package let owner: String
  /// The identifiers of its messages, and in SQLite of others' between them.
  let messages: ClosedRange<Int64>

  /// `2026-11-25`.
  package var day: String { part.dateText }
  /// The file's name.
  package var file: String { "linkspan-journal-\(day)-\(part.lane.rawValue).csv.gz" }

  /// The first line of the file.
  package static let header =
    "delivery,message,lane,topic,environment,token,apns_id,state,status,reason,attempts,maybe_twice,created_at,"
    + "finished_at\n"

  /// A part of the file's lines.
  package struct Page: Sendable {
    package var text: String
    package var lines: Int
    /// The last message and delivery in it; nil where nothing follows.
    package var end: Place?
  }

  package struct Place: Hashable, Sendable {
    var message: Int64
    var delivery: Int64
  }
}

/// Days of the journal that leave the registry for a file.
extension RegistryStore {
  /// Messages of a day may still be stored for a moment when it is over. Ours.
  private static let exportGrace = Duration.seconds(300)
  /// Another process takes over the writing of one that says nothing for so long. Ours.
  private static let exportPatience = Duration.seconds(120)

  /// Takes the oldest day and lane whose messages have all ended and which no other process has written or writes. What an
  /// earlier version stored on PostgreSQL has no day.
  ///
  /// From now on the receipt of an erasure names its file.
  ///
  /// - Parameter owner: A random name of this process.
  /// - Throws: Also where the dates of messages are damaged.
  package func takeExport(_ owner: String, at now: WallTime) throws(RegistryError) -> JournalExport? {
    // Until then the journal has tokens.
    guard try !hasOldTokens() else { return nil }
    for part in try partsToExport(at: now) {
      guard try isClosed(part), let export = try export(of: part, by: owner, at: now) else { continue }
      let taken = try database.run(
        "INSERT INTO journal_exports (part, file, lines, seen_at, owner) VALUES ($1, $2, 0, $3, $4)"
          + " ON CONFLICT (part) DO UPDATE SET lines = 0, seen_at = excluded.seen_at, owner = excluded.owner"
          + " WHERE journal_exports.finished_at IS NULL AND journal_exports.seen_at < $5 RETURNING part",
        [
          .int(part.number), .text(export.file), .int(now.milliseconds), .text(owner),
          .int(now.advanced(by: .zero - Self.exportPatience).milliseconds),
        ])
      if !taken.isEmpty { return export }
    }
    return nil
  }

  /// How far back a day is exported. Ours: no journal is kept for longer, and a damaged date would make days without end.
  private static let exportDays: Int64 = 3_660

  private func partsToExport(at now: WallTime) throws(RegistryError) -> [JournalPart] {
    let end = now.advanced(by: .zero - Self.exportGrace)
    let done = Set(
      try database.run("SELECT part FROM journal_exports WHERE finished_at IS NOT NULL").ints("part"))
    var parts: [JournalPart] = []
    if database.dialect.isRemote {
      for number in try database.run("SELECT part FROM journal_parts ORDER BY part").ints("part") {
        parts.append(try JournalPart(stored: number))
      }
    } else if let oldest = try oldestJournal() {
      let (first, last) = (JournalPart(.transactional, at: oldest).day, JournalPart(.campaign, at: now).day)
      guard first >= last - Self.exportDays, first <= last + 1 else {
        throw RegistryError(
          .damaged,
          "The oldest message of the journal was stored at \(oldest.milliseconds) ms since 1970, as the registry has it, and"
            + " no day of its own can be exported.",
          help: "Check the machine's clock, and 'created_at' of the first row of the table 'messages'.")
      }
      parts = (first...max(first, last)).flatMap(JournalPart.all)
    }
    return parts.filter { $0.end <= end && !done.contains($0.number) }
  }

  private func isClosed(_ part: JournalPart) throws(RegistryError) -> Bool {
    if database.dialect.isRemote {
      return try database.run(
        "SELECT 1 FROM \(table("messages", part)) WHERE finished_at IS NULL LIMIT 1"
      ).isEmpty
    }
    return try database.run(
      "SELECT 1 FROM messages WHERE finished_at IS NULL AND lane = $1 AND created_at >= $2 AND created_at < $3 LIMIT 1",
      bounds(part)
    ).isEmpty
  }

  private func bounds(_ part: JournalPart) -> [SQLValue] {
    [.int(part.lane.number), .int(part.begin.milliseconds), .int(part.end.milliseconds)]
  }

  /// - Returns: nil for a day without messages, which counts as exported.
  private func export(
    of part: JournalPart, by owner: String, at now: WallTime
  ) throws(RegistryError) -> JournalExport? {
    if database.dialect.isRemote {
      let range = part.messages
      if try !database.run("SELECT 1 FROM \(table("deliveries", part)) LIMIT 1").isEmpty {
        return JournalExport(part: part, owner: owner, messages: range.lowerBound...range.upperBound - 1)
      }
    } else {
      let rows = try database.run(
        "SELECT min(id) AS first, max(id) AS last FROM messages WHERE lane = $1 AND created_at >= $2 AND created_at < $3",
        bounds(part))
      if let row = rows.first, let first = try row.optionalInt("first"),
        let last = try row.optionalInt("last")
      {
        return JournalExport(part: part, owner: owner, messages: first...last)
      }
    }
    try database.run(
      "INSERT INTO journal_exports (part, file, lines, seen_at, finished_at) VALUES ($1, '', 0, $2, $2)"
        + " ON CONFLICT (part) DO NOTHING",
      [.int(part.number), .int(now.milliseconds)])
    return nil
  }

  /// The next lines of an export, each with the keyed hash of its device.
  ///
  /// - Parameter place: The last one of the page before; nil for the first page.
  package func page(
    of export: JournalExport, after place: JournalExport.Place?, limit: Int
  ) throws(RegistryError) -> JournalExport.Page {
    var values: [SQLValue] = [
      .int(place?.message ?? export.messages.lowerBound), .int(place?.delivery ?? 0),
      .int(export.messages.upperBound),
    ]
    if !database.dialect.isRemote { values += bounds(export.part) }
    // SQLite numbers places as they come.
    values.append(.int(Int64(limit)))
    let found = try database.run(pageStatement(export.part), values)
    #if PLANTED_BUGS
      let rows = ServiceBug.exportLineMissing.isPlanted ? found.dropLast() : found
    #else
      let rows = found
    #endif
    var page = JournalExport.Page(text: "", lines: rows.count)
    for row in rows {
      page.text += try line(row, export.part.lane.rawValue)
      page.end = .init(message: try row.int("message_id"), delivery: try row.int("id"))
    }
    if rows.count < limit { page.end = nil }
    return page
  }

  /// The pair is the only lower bound: beside `message_id >= …` PostgreSQL would begin each page where the day begins.
  func pageStatement(_ part: JournalPart) -> String {
    let columns =
      "d.id, d.message_id, d.token, d.topic, d.environment, d.apns_id, d.state, d.status, d.reason, d.attempts,"
      + " d.maybe_twice, d.created_at, d.finished_at"
    let isNext = "(d.message_id, d.id) > ($1, $2) AND d.message_id <= $3"
    if database.dialect.isRemote {
      return
        "SELECT \(columns) FROM \(table("deliveries", part)) AS d WHERE \(isNext) ORDER BY d.message_id, d.id LIMIT $4"
    }
    return
      "SELECT \(columns) FROM deliveries AS d JOIN messages AS m ON m.id = d.message_id WHERE \(isNext)"
      + " AND m.lane = $4 AND m.created_at >= $5 AND m.created_at < $6 ORDER BY d.message_id, d.id LIMIT $7"
  }

  private func line(_ row: SQLRow, _ lane: String) throws(RegistryError) -> String {
    let token = try row.text("token")
    let isSafe = KeyedHash.isHash(token) || token.hasPrefix(Self.erasedPrefix)
    let fields = [
      "\(try row.int("id"))", "\(try row.int("message_id"))", lane, try row.text("topic"),
      try row.text("environment"), isSafe ? token : hash.token(token), try row.text("apns_id"),
      try row.text("state"), try row.optionalInt("status").map { "\($0)" } ?? "",
      try row.optionalText("reason") ?? "", "\(try row.int("attempts"))", "\(try row.int("maybe_twice"))",
      "\(try row.time("created_at"))", try row.optionalTime("finished_at").map { "\($0)" } ?? "",
    ]
    return fields.map(CSVField.written).joined(separator: ",") + "\n"
  }

  /// Takes how far an export has come, which keeps others from taking it over until this transaction ends, and for a while
  /// after it.
  ///
  /// - Throws: That another process has taken it over.
  package func note(_ export: JournalExport, lines: Int, isWhole: Bool, at now: WallTime)
    throws(RegistryError)
  {
    let own = try database.run(
      "UPDATE journal_exports SET lines = $1, seen_at = $2, finished_at = $3 WHERE part = $4 AND owner = $5"
        + " AND finished_at IS NULL RETURNING part",
      [
        .int(Int64(lines)), .int(now.milliseconds), isWhole ? .int(now.milliseconds) : .null,
        .int(export.part.number), .text(export.owner),
      ])
    guard own.isEmpty else { return }
    throw RegistryError(
      .refused, "Another server has taken over the export of '\(export.file)'.",
      help: "It writes the file; this one was silent for \(Self.exportPatience.components.seconds) s.")
  }

  /// Lets others take an export at once that could not be written.
  package func release(_ export: JournalExport) throws(RegistryError) {
    try database.run(
      "UPDATE journal_exports SET seen_at = 0 WHERE part = $1 AND owner = $2 AND finished_at IS NULL",
      [.int(export.part.number), .text(export.owner)])
  }

  /// Whether a part may be removed where days are exported.
  func isExported(_ part: JournalPart) throws(RegistryError) -> Bool {
    try !database.run(
      "SELECT 1 FROM journal_exports WHERE part = $1 AND finished_at IS NOT NULL", [.int(part.number)]
    ).isEmpty
  }
}
