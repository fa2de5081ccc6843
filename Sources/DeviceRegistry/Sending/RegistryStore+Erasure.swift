package import LinkspanCore

extension RegistryStore {
  /// Removes everything that is stored about a person: the devices with the alias, and their tokens in the journal of
  /// pushes. What was not sent yet is cancelled.
  ///
  /// On SQLite the freed bytes are overwritten, and ``finishErasure()`` does the same to the write-ahead log.
  /// - Parameters:
  ///   - topics: The topics whose devices are meant; nil for every topic.
  ///   - now: When deliveries are cancelled.
  /// - Returns: How many devices there were.
  package func erase(alias: String, topics: [String]?, at now: WallTime) throws(RegistryError) -> Int {
    var filter = DeviceFilter()
    filter.alias = alias
    filter.visibleTopics = topics
    let conditions = conditions(filter, after: 1)
    let waiting = "finished_at IS NULL AND state <> 'sending'"
    let place = " WHERE (token, topic, environment) IN (SELECT token, topic, environment FROM devices"
    let cancelled = try database.run(
      "UPDATE deliveries SET state = 'cancelled', finished_at = $1\(place)\(conditions.clause)) AND \(waiting)"
        + " RETURNING message_id", [.int(now.milliseconds)] + conditions.values)
    var counts: [Counted: Int64] = [:]
    for row in cancelled { counts[Counted(try row.int(0), "cancelled", ""), default: 0] += 1 }
    try count(counts)
    let all = self.conditions(filter)
    try database.run("UPDATE deliveries SET token = 'erased-' || id\(place)\(all.clause))", all.values)
    return try remove(filter)
  }

  /// Empties SQLite's write-ahead log, which still holds the erased bytes; to be called when the erasure is committed.
  func finishErasure() throws(RegistryError) {
    try database.emptyLog()
  }
}
