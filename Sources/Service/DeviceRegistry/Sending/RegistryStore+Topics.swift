internal import LinkspanCore
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

extension RegistryStore {
  /// The topics of pushes that wait. Each is one step in the index of topics, however many pushes wait.
  func queuedTopics(_ environment: PushEnvironment) throws(RegistryError) -> [String] {
    let next = "SELECT topic FROM queue WHERE state = 'queued' AND environment = $1"
    let rows = try database.run(
      "WITH RECURSIVE found (topic) AS (SELECT (\(next) ORDER BY topic LIMIT 1) UNION ALL"
        + " SELECT (\(next) AND topic > found.topic ORDER BY topic LIMIT 1) FROM found WHERE found.topic IS NOT NULL)"
        + " SELECT topic FROM found WHERE topic IS NOT NULL", [.text(environment.rawValue)])
    return try rows.texts("topic")
  }

  /// Ours: the topics that one claim looks at. SQLite joins at most 500 queries.
  private static let topicsOfClaim = 64

  /// What ``claimStatement()`` is for all topics, with its values. Each topic is looked for by the index, so that a million
  /// pushes of another key cost nothing. Of many topics others have their turn each second. The texts are few, since each
  /// stays prepared.
  ///
  /// - Parameter waiting: The topics of pushes that wait; at least one.
  func claimStatement(
    of waiting: [String], _ sender: String, _ environment: PushEnvironment, limit: Int, at now: WallTime
  ) -> (text: String, values: [SQLValue]) {
    let begin = Int(now.milliseconds / 1_000 % Int64(waiting.count)) * Self.topicsOfClaim
    var topics = (0..<min(waiting.count, Self.topicsOfClaim)).map { waiting[(begin + $0) % waiting.count] }
    // No topic is empty.
    while topics.count & (topics.count - 1) != 0 { topics.append("") }
    // SQLite numbers places as they come.
    let places = topics.indices.map { $0 == 0 ? 3 : $0 + 5 }
    let turns = Self.turnWeights.enumerated().map { turn, weight in
      let due = places.map { place in
        "SELECT delivery_id, due_at FROM (SELECT delivery_id, due_at FROM queue WHERE state = 'queued' AND environment = $2"
          + " AND topic = $\(place) AND turn = \(turn) AND due_at <= $4 AND address IS NOT NULL ORDER BY due_at LIMIT $5"
          + "\(database.dialect.skipsLocked)) AS topic_\(place)"
      }
      return "SELECT delivery_id, \(weight) * row_number() OVER (ORDER BY due_at) AS place FROM"
        + " (\(due.joined(separator: " UNION ALL "))) AS turn_\(turn)"
    }
    let due =
      "SELECT delivery_id FROM (\(turns.joined(separator: " UNION ALL "))) AS due ORDER BY place LIMIT $5"
    let values: [SQLValue] =
      [
        .text(sender), .text(environment.rawValue), .text(topics[0]), .int(now.milliseconds),
        .int(Int64(limit)),
      ]
    return (claimStatement(due: due), values + topics.dropFirst().map { .text($0) })
  }

  /// Makes the index that a sender of few topics finds its pushes by, past those of a key that APNs refuses. A registry whose
  /// servers have one key each goes without it.
  package func indexTopics() throws(RegistryError) {
    try database.runScript(
      "CREATE INDEX IF NOT EXISTS queue_topic ON queue (environment, topic, turn, due_at) WHERE state = 'queued'"
    )
  }
}
