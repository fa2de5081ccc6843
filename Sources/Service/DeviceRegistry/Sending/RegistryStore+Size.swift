internal import PushProvider
package import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// How much waits, and how much room it takes.
package struct RegistrySize: Hashable, Sendable {
  /// Pushes of running messages that have not ended, by kind; those of a campaign count before they have a delivery.
  package var backlog: [Message.Kind: Int64] = [:]
  /// Lines of the journal, about: lines that were removed in between count as well.
  package var journalLines: Int64 = 0
  /// What the store takes on its disk.
  package var bytes: Int64 = 0
}

extension RegistryStore {
  /// Changes nothing, and is written all the same: it fails where the store takes no changes.
  package func touch() throws(RegistryError) {
    // In PostgreSQL a number for the transaction is enough to have its end written. A row would be locked until then, against
    // the order in which others lock theirs.
    try database.run(
      database.dialect.isRemote ? "SELECT txid_current() AS number" : "UPDATE hash_key SET key = key")
  }

  /// Cheap enough to be asked every few seconds, whatever the size.
  package func size(_ environment: PushEnvironment) throws(RegistryError) -> RegistrySize {
    var size = RegistrySize()
    // Of notifications what waits is counted, of campaigns what their outcomes leave of their estimates.
    let waiting = try database.run(
      "SELECT count(*) AS number FROM queue WHERE environment = $1 AND turn < $2",
      [.text(environment.rawValue), .int(PushLane.campaign.turn(attempts: 0))])
    size.backlog[.notification] = try waiting.first?.int("number") ?? 0
    let running = "finished_at IS NULL AND state = 'running' AND environment = $1 AND \(try areCampaigns())"
    let all = try database.run(
      "SELECT CAST(COALESCE(sum(estimate), 0) AS BIGINT) AS number FROM messages WHERE \(running)",
      [.text(environment.rawValue)])
    let ended = try database.run(
      "SELECT CAST(COALESCE(sum(number), 0) AS BIGINT) AS number FROM messages JOIN outcome_counts ON message_id = id"
        + " WHERE \(running) AND outcome <> 'maybe_twice'", [.text(environment.rawValue)])
    // A device that registered after the estimate gets a push too.
    size.backlog[.campaign] = max(
      0, (try all.first?.int("number") ?? 0) - (try ended.first?.int("number") ?? 0))
    let lines = try database.run("SELECT COALESCE(max(id) - min(id) + 1, 0) AS number FROM deliveries")
    size.journalLines = try lines.first?.int("number") ?? 0
    let bytes = try database.run(
      database.dialect.isRemote
        ? "SELECT pg_database_size(current_database()) AS number"
        : "SELECT page_count * page_size AS number FROM pragma_page_count(), pragma_page_size()")
    size.bytes = try bytes.first?.int("number") ?? 0
    return size
  }
}
