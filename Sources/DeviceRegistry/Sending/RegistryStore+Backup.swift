extension RegistryStore {
  /// Writes a consistent copy of an SQLite store to a file that must not exist, while others read and write.
  ///
  /// - Throws: That the store is on PostgreSQL, or why the file cannot be written.
  package func backUp(to path: String) throws(RegistryError) {
    guard !database.dialect.isRemote else {
      throw RegistryError(
        .refused, "A registry on PostgreSQL is copied by PostgreSQL's own tools.",
        help: "Run pg_dump -Fc, or set up continuous archiving; the guide has both.")
    }
    // A reader's connection refuses everything that writes, and this writes elsewhere only.
    try database.runScript("PRAGMA query_only = OFF")
    do throws(RegistryError) {
      try database.run("VACUUM INTO $1", [.text(path)])
    } catch {
      try database.runScript("PRAGMA query_only = ON")
      // The message begins with the registry, which is not what cannot be written.
      let reason = error.message.split(separator: ": ", maxSplits: 1).last ?? "no reason given"
      throw RegistryError(
        .refused, "The copy '\(path)' cannot be written: \(reason)",
        help:
          "The file must not exist, this user must be able to write in its folder, and its disk needs room for"
          + " the whole registry.")
    }
    try database.runScript("PRAGMA query_only = ON")
  }
}
