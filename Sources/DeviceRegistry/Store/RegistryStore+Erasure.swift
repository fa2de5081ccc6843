extension RegistryStore {
  /// Removes everything that is stored about a person: the devices with the alias.
  ///
  /// On SQLite the freed bytes are overwritten, and ``finishErasure()`` does the same to the write-ahead log.
  /// - Parameter topics: The topics whose devices are meant; nil for every topic.
  /// - Returns: How many devices there were.
  package func erase(alias: String, topics: [String]?) throws(RegistryError) -> Int {
    var filter = DeviceFilter()
    filter.alias = alias
    filter.visibleTopics = topics
    return try remove(filter)
  }

  /// Empties SQLite's write-ahead log, which still holds the erased bytes; to be called when the erasure is committed.
  func finishErasure() throws(RegistryError) {
    guard !database.dialect.isRemote else { return }
    try database.runScript("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
