internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// How much of a message an erasure has removed.
enum Redaction: Int {
  case none = 0
  /// A recipient was erased before the message had ended, and there may be others.
  case partial = 1
  /// It had no other recipient: name, payload, collapse identifier and audience are gone.
  case done = 2
}

extension RegistryStore {
  /// What stands in a delivery for the token of a device whose person was erased, before its identifier.
  static let erasedPrefix = "erased-"

  /// Whether every recipient of a message was erased, or it never had one.
  static let hasNoRecipient =
    "NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = messages.id AND token NOT LIKE '\(erasedPrefix)%')"

  /// Assignments that remove what a message says.
  static func contentRemoved(if condition: String) -> String {
    let empty = [
      ("name", "NULL"), ("collapse_id", "NULL"), ("payload", "''"), ("audience", "'{}'"),
      ("redaction", "\(Redaction.done.rawValue)"),
    ]
    #if PLANTED_BUGS
      if ServiceBug.redactionMissed.isPlanted {
        return empty.filter { $0.0 != "payload" }
          .map { "\($0) = CASE WHEN \(condition) THEN \($1) ELSE \($0) END" }.joined(separator: ", ")
      }
    #endif
    return empty.map { "\($0) = CASE WHEN \(condition) THEN \($1) ELSE \($0) END" }.joined(separator: ", ")
  }

  /// Removes the content of messages that have no recipient left. One that still goes out to others is looked at again
  /// when it ends.
  ///
  /// - Returns: Those whose content is gone, and campaigns that may yet reach others.
  func redact(_ messages: Set<Int64>) throws(RegistryError) -> (redacted: [Int64], open: [Int64]) {
    let isAll =
      "NOT EXISTS (SELECT 1 FROM ranges WHERE message_id = messages.id) AND \(Self.hasNoRecipient)"
    let sorted = messages.sorted()
    let rows = try database.runEach(
      "UPDATE messages SET \(Self.contentRemoved(if: isAll)) WHERE id = $1 AND redaction <> \(Redaction.done.rawValue)"
        + " RETURNING redaction, finished_at, kind, state", sorted.map { [.int($0)] })
    var (redacted, left): ([Int64], [Int64]) = ([], [])
    var open: [Int64] = []
    for (message, rows) in zip(sorted, rows) {
      guard let row = rows.first else { continue }
      if try row.int("redaction") == Int64(Redaction.done.rawValue) {
        redacted.append(message)
      } else if try row.optionalInt("finished_at") == nil {
        left.append(message)
        let isCampaign = try row.text("kind") == Message.Kind.campaign.rawValue
        // Of a cancelled one only what was under way has not ended.
        if isCampaign, try row.text("state") != Message.State.cancelled.rawValue { open.append(message) }
      }
    }
    _ = try database.runEach(
      "UPDATE messages SET redaction = \(Redaction.partial.rawValue) WHERE id = $1", left.map { [.int($0)] })
    _ = try database.runEach(
      "UPDATE activities SET name = NULL WHERE message_id = $1 AND name IS NOT NULL",
      redacted.map { [.int($0)] })
    try forgetAnswers(about: redacted)
    return (redacted, open)
  }
}
