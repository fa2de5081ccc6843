internal import RegistryDatabases
internal import RegistryRequests

/// What earlier versions left in the unused parts of an SQLite file.
extension RegistryStore {
  /// A larger file is rewritten by its operator. Ours: it takes that much memory, and a second or two.
  static let rewriteLimitBytes: Int64 = 128 * 1_024 * 1_024

  /// Remembers that the file has to be rewritten, unless nothing was ever put into it. Belongs to the step to version 5.
  func noteOldPages() throws(RegistryError) {
    guard !database.dialect.isRemote,
      // Has a row for each table with identifiers that ever had a row.
      try !database.run("SELECT 1 FROM sqlite_sequence LIMIT 1").isEmpty
    else { return }
    try database.run("INSERT INTO unclean_pages (version) VALUES ($1)", [.int(Int64(Self.currentVersion))])
  }

  /// Rewrites an SQLite file once that may hold copies of rows outside of rows, or that has pointer maps (`auto_vacuum`),
  /// with which ``SQLiteCleanPages`` overwrites nothing. Where it cannot, an erasure's receipt says so.
  ///
  /// - Throws: For a file with pointer maps that cannot be rewritten now.
  func rewriteOldPages(limitBytes: Int64 = rewriteLimitBytes) throws(RegistryError) {
    guard !database.dialect.isRemote else { return }
    let hasMaps = try pragma("auto_vacuum") != 0
    let isOld = try !database.run("SELECT 1 FROM unclean_pages").isEmpty
    guard hasMaps || isOld else { return }
    let bytes = try pragma("page_count") * pragma("page_size")
    if bytes <= limitBytes, try rewrite() { return }
    guard !hasMaps else {
      throw RegistryError(
        .cannotOpen,
        "The registry's file has 'auto_vacuum' on, with which erased data would stay in unused parts of its pages.",
        help: "With the servers stopped, run: sqlite3 FILE 'PRAGMA auto_vacuum = NONE; VACUUM'")
    }
  }

  private func pragma(_ name: String) throws(RegistryError) -> Int64 {
    try database.run("PRAGMA \(name)").first?.int(name) ?? 0
  }

  /// - Returns: Whether nothing of before is left; false where others use the file, or its disk has no room.
  private func rewrite() throws(RegistryError) -> Bool {
    do throws(RegistryError) {
      try database.runScript("PRAGMA auto_vacuum = NONE; VACUUM")
      try database.emptyLog()
    } catch {
      guard [.unavailable, .unfinishedErasure].contains(error.kind) else { throw error }
      return false
    }
    try database.run("DELETE FROM unclean_pages")
    return true
  }
}
