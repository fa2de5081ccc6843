import Foundation
import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What versions before 5 left in SQLite's files.
@Suite("Old pages", .timeLimit(.minutes(15)))
struct OldPagesTests {
  private static let note =
    "unused parts of the file that an earlier version wrote, until"
    + " 'VACUUM; DELETE FROM unclean_pages' with the servers stopped"

  /// Devices of version 3, of which every other one was deleted without overwriting it.
  private static func script(_ count: Int, _ first: String = "") -> String {
    var script =
      first + "PRAGMA secure_delete = OFF; CREATE TABLE linkspan_registry (version BIGINT NOT NULL);"
    for version in 1...3 { script += RegistryStore.schema(version, .sqlite) }
    return script + """
      INSERT INTO linkspan_registry VALUES (3);
      INSERT INTO devices (token, topic, environment, push_kind, alias, badge, tags, created_at, last_seen_at, revision)
        WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < \(count))
        SELECT printf('%s%060d', CASE n % 2 WHEN 0 THEN 'dead' ELSE 'beef' END, n), 'com.example.app', 'production',
          'alert', printf('user-%d', n), 0, '', 0, 0, 1 FROM counter;
      DELETE FROM devices WHERE token LIKE 'dead%';
      """
  }

  private static func old(_ path: String, _ script: String) {
    _ = SQLiteOwnershipTests.Program(path, script)
  }

  private static func holds(_ text: String, _ path: String) throws -> Bool {
    try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
  }

  private static func remains(_ path: String) throws -> [String] {
    let store = RegistryStore(try SQLiteDatabase(path))
    try store.loadHash()
    return try store.erase(alias: "eve", topics: nil, at: ErasureTests.now).receipt.remains.map(\.place)
  }

  @Test func theFirstStartRewritesTheFile() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    Self.old(path, Self.script(2_000))
    #expect(try Self.holds("dead0000", path))
    try Registry(.sqlite(path: path)).stop()
    #expect(try !Self.holds("dead0000", path))
    #expect(try Self.holds("beef0000", path))
    #expect(try !Self.remains(path).contains(Self.note))
  }

  @Test func whatIsNotRewrittenIsInTheReceipt() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    Self.old(path, Self.script(100))
    do {
      let store = RegistryStore(try SQLiteDatabase(path))
      try store.migrate()
      try store.rewriteOldPages(limitBytes: 0)
    }
    #expect(try Self.remains(path).contains(Self.note))
    // As the note says.
    Self.old(path, "VACUUM; DELETE FROM unclean_pages")
    #expect(try !Self.remains(path).contains(Self.note))
    #expect(try !Self.holds("dead0000", path))
  }

  /// A reader keeps the log from being emptied, so the next start tries again.
  @Test func aFileInUseIsRewrittenLater() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    Self.old(path, Self.script(100))
    try RegistryStore(try SQLiteDatabase(path)).migrate()
    let writer = SQLiteOwnershipTests.Program(path, "BEGIN IMMEDIATE")
    let store = RegistryStore(try SQLiteDatabase(path))
    try store.database.runScript("PRAGMA busy_timeout = 0")
    try store.rewriteOldPages()
    #expect(try !store.database.run("SELECT 1 FROM unclean_pages").isEmpty)
    writer.run("ROLLBACK")
    try Registry(.sqlite(path: path)).stop()
    #expect(try !Self.remains(path).contains(Self.note))
  }

  @Test func aNewFileHasNothingToRewrite() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    try Registry(.sqlite(path: path)).stop()
    #expect(try !Self.remains(path).contains(Self.note))
  }

  // MARK: - Pointer maps

  private static func number(_ path: String, _ pragma: String) throws -> SQLValue? {
    try SQLiteDatabase(path).run("PRAGMA \(pragma)").first?.values.first
  }

  @Test(arguments: ["FULL", "INCREMENTAL"]) func aFileWithPointerMapsIsRewrittenWithoutThem(
    _ mode: String
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    Self.old(path, Self.script(20_000, "PRAGMA auto_vacuum = \(mode);"))
    try Registry(.sqlite(path: path)).stop()
    #expect(try Self.number(path, "auto_vacuum") == .int(0))
    #expect(try Self.number(path, "integrity_check") == .text("ok"))
    #expect(try Self.number(path, "page_count") != .int(0))
    #expect(try !Self.holds("dead0000", path))
  }

  /// Also where the tables are this program's own already.
  @Test func aFileThatIsTooLargeToBeRewrittenIsRefusedWhole() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    Self.old(path, Self.script(20_000, "PRAGMA auto_vacuum = FULL;"))
    do {
      let database = try SQLiteDatabase(path)
      let store = RegistryStore(database)
      try store.migrate()
      let error = #expect(throws: RegistryError.self) { try store.rewriteOldPages(limitBytes: 0) }
      #expect(
        error?.description == """
          The registry's file has 'auto_vacuum' on, with which erased data would stay in unused parts of its pages.
            With the servers stopped, run: sqlite3 FILE 'PRAGMA auto_vacuum = NONE; VACUUM'
          """)
      // Every page is written once more, also those of pointer maps.
      try database.runScript("UPDATE devices SET revision = 2; PRAGMA incremental_vacuum")
      try database.run("DELETE FROM devices WHERE id % 3 = 1")
      try database.emptyLog()
    }
    #expect(try Self.number(path, "auto_vacuum") == .int(1))
    #expect(try Self.number(path, "integrity_check") == .text("ok"))
    Self.old(path, "PRAGMA auto_vacuum = NONE; VACUUM; DELETE FROM unclean_pages")
    try Registry(.sqlite(path: path)).stop()
  }
}
