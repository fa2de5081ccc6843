package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// One line of the audit log: who changed what, and when. It holds neither aliases nor device tokens.
package struct AuditEntry: Hashable, Sendable {
  package var time: WallTime
  /// The identifier of a credential, `legacy` for a client of 2013 without one, `operator` for the command line.
  package var actor: String
  /// Such as `device.register`.
  package var action: String
  /// The identifier of what was changed; empty where that would name a person.
  package var subject: String
  /// How many rows the change was about.
  package var affected: Int

  package init(time: WallTime, actor: String, action: String, subject: String = "", affected: Int = 1) {
    self.time = time
    self.actor = actor
    self.action = action
    self.subject = subject
    self.affected = affected
  }
}

extension RegistryStore {
  /// Lines that go in with one statement where there are that many. Ours.
  private static let auditLength = 16
  private static let auditStatement = auditStatement(1)
  private static let longAuditStatement = auditStatement(auditLength)

  private static func auditStatement(_ count: Int) -> String {
    let rows = (0..<count).map { row in "(\((1...5).map { "$\(row * 5 + $0)" }.joined(separator: ", ")))" }
    return
      "INSERT INTO audit_log (at, actor, action, subject, affected) VALUES \(rows.joined(separator: ", "))"
  }

  package func audit(_ entries: [AuditEntry]) throws(RegistryError) {
    guard !entries.isEmpty else { return }
    let rows = entries.map { entry -> [SQLValue] in
      [
        .int(entry.time.milliseconds), .text(entry.actor), .text(entry.action), .text(entry.subject),
        .int(Int64(entry.affected)),
      ]
    }
    if database.dialect.hasArrays { return try auditTogether(rows) }
    var start = 0
    while start < rows.count {
      // A statement of one length for most of them, so that there are few to prepare.
      let count = rows.count - start >= Self.auditLength ? Self.auditLength : 1
      try database.run(
        count == 1 ? Self.auditStatement : Self.longAuditStatement,
        Array(rows[start..<(start + count)].joined()))
      start += count
    }
  }

  /// Writes those lines that are not among the last ones: of a change whose end nobody has heard, they may be.
  package func auditOnce(_ entries: [AuditEntry]) throws(RegistryError) {
    for entry in entries {
      let stored = try database.run(
        "SELECT id FROM audit_log WHERE id > (SELECT coalesce(max(id), 0) FROM audit_log) - $1"
          + " AND at = $2 AND actor = $3 AND action = $4 AND subject = $5 LIMIT 1",
        [
          .int(Self.searchedLines), .int(entry.time.milliseconds), .text(entry.actor), .text(entry.action),
          .text(entry.subject),
        ])
      if stored.isEmpty { try audit([entry]) }
    }
  }

  /// What a dead token leaves: a campaign has thousands of them, which would bury everything else.
  private static let rejection = "device.reject"
  /// Lines that are looked through for what somebody searches. Ours: some ten milliseconds.
  private static let searchedLines: Int64 = 200_000

  /// The last entries, the newest first.
  ///
  /// - Parameters:
  ///   - search: A part of who, what or about what, in any case; nil for every entry.
  ///   - hasRejections: Whether devices that a push found dead are among them.
  package func auditLog(
    limit: Int, search: String? = nil, hasRejections: Bool = true
  ) throws(RegistryError) -> [AuditEntry] {
    var filter = SQLFilter()
    if search != nil || !hasRejections {
      filter.add("id > (SELECT coalesce(max(id), 0) FROM audit_log) - ?", [.int(Self.searchedLines)])
    }
    if !hasRejections { filter.add("action <> ?", [.text(Self.rejection)]) }
    if let search {
      let pattern = SQLValue.text("%" + search.filter { !"%_!".contains($0) } + "%")
      let lower = database.dialect.lower
      let isLike = "LIKE \(lower)(CAST(? AS TEXT))"
      // Pages show credentials by their names.
      let places =
        ["actor", "action", "subject"].map { "\(lower)(\($0)) \(isLike)" }
        + ["actor IN (SELECT id FROM access_tokens WHERE \(lower)(name) \(isLike))"]
      filter.add("(\(places.joined(separator: " OR ")))", places.map { _ in pattern })
    }
    let place = filter.place(.int(Int64(limit)))
    let rows = try database.run(
      "SELECT at, actor, action, subject, affected FROM audit_log\(filter.clause) ORDER BY id DESC LIMIT \(place)",
      filter.values)
    return try rows.decoded { columns throws(RegistryError) in
      let (time, actor, action) = try (columns["at"], columns["actor"], columns["action"])
      let (subject, affected) = try (columns["subject"], columns["affected"])
      return { row throws(RegistryError) in
        AuditEntry(
          time: try row.time(time), actor: try row.text(actor), action: try row.text(action),
          subject: try row.text(subject), affected: Int(try row.int(affected)))
      }
    }
  }

  /// Who made a message, as audit logs name people and credentials; nil where there is no such message.
  package func author(of message: Int64) throws(RegistryError) -> String? {
    let rows = try database.run("SELECT actor FROM messages WHERE id = $1", [.int(message)])
    return try rows.first.flatMap { row throws(RegistryError) in try row.text("actor") }
  }
}
