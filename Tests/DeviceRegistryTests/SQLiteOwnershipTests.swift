import CSQLite
import Foundation
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// An SQLite file is a registry's, or it is refused before anything is written to it or beside it.
@Suite("SQLite ownership", .timeLimit(.minutes(15)))
struct SQLiteOwnershipTests {
  /// Names and bytes of everything in a folder.
  static func bytes(_ folder: ScratchFolder) throws -> [String: Data] {
    var bytes: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      bytes[name] = try Data(contentsOf: folder.url.appending(path: name))
    }
    return bytes
  }

  /// A file that another program has made, and may still have open.
  final class Program {
    private var handle: OpaquePointer?

    init(_ path: String, _ script: String) {
      #expect(sqlite3_open(path, &handle) == SQLITE_OK)
      run(script)
    }

    deinit { sqlite3_close(handle) }

    func run(_ script: String) {
      #expect(
        sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))"
      )
    }
  }

  /// As it lies there after its program was killed: nothing of the log is in the file.
  static func killed(_ script: String, in folder: ScratchFolder) throws {
    let elsewhere = try ScratchFolder()
    let program = Program(elsewhere.path("registry.db"), "PRAGMA journal_mode = WAL;" + script)
    for name in ["registry.db", "registry.db-wal"] {
      try FileManager.default.copyItem(atPath: elsewhere.path(name), toPath: folder.path(name))
    }
    withExtendedLifetime(program) {}
  }

  static let notes =
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes VALUES (1, 'mine');"

  struct Foreign: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var script: String
    var isKilled = false
    var reason: String
  }

  static let tables = "it has a table, but no table 'linkspan_registry'"

  static let rows = [
    Foreign(
      testDescription: "rollback journal", script: notes, reason: tables),
    Foreign(testDescription: "write-ahead log", script: "PRAGMA journal_mode = WAL;" + notes, reason: tables),
    Foreign(testDescription: "killed with a write-ahead log", script: notes, isKilled: true, reason: tables),
    Foreign(
      testDescription: "marked and empty", script: "PRAGMA application_id = 252006674;",
      reason: "another program has marked it (application_id 252006674)"),
    Foreign(
      testDescription: "marked in the log", script: notes + "PRAGMA application_id = 7;", isKilled: true,
      reason: "another program has marked it (application_id 7)"),
    Foreign(
      testDescription: "marked, with tables of a registry's names",
      script: "CREATE TABLE linkspan_registry (version BIGINT); PRAGMA application_id = 7;",
      reason: "another program has marked it (application_id 7)"),
    Foreign(
      testDescription: "tables of the same names",
      script: "CREATE TABLE devices (id TEXT); CREATE TABLE messages (id TEXT);",
      reason: "it has 2 tables, but no table 'linkspan_registry'"),
    Foreign(
      testDescription: "a view alone", script: "CREATE VIEW linkspan_registry AS SELECT 1 AS version;",
      reason: tables),
    Foreign(
      testDescription: "other columns", script: "CREATE TABLE linkspan_registry (number BIGINT);",
      reason: "its table 'linkspan_registry' is not a registry's"),
    Foreign(
      testDescription: "other values",
      script: "CREATE TABLE linkspan_registry (version TEXT); INSERT INTO linkspan_registry VALUES ('1.0');",
      reason: "its table 'linkspan_registry' is not a registry's"),
    Foreign(
      testDescription: "a version below 0",
      script: "CREATE TABLE linkspan_registry (version BIGINT); INSERT INTO linkspan_registry VALUES (-1);"
        + notes,
      reason: "its table 'linkspan_registry' has no version, and there are tables of others"),
  ]

  @Test(arguments: rows) func anotherProgramsDatabaseIsRefusedUntouched(_ row: Foreign) throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    if row.isKilled {
      try Self.killed(row.script, in: folder)
    } else {
      _ = Program(path, row.script)
    }
    let before = try Self.bytes(folder)
    #expect(before.count == (row.isKilled ? 2 : 1))
    for (makesFile, onlyReads) in [(true, false), (false, false), (false, true)] {
      let error = #expect(throws: RegistryError.self) {
        try Registry(.sqlite(path: path), makesFile: makesFile, for: onlyReads ? .questions : .changes)
      }
      #expect(
        error?.description == """
          '\(path)' is another program's database, not a registry: \(row.reason).
            Name another file with --registry sqlite:PATH. 'linkspan serve', 'token create' and 'registry import' make a new registry.
          """)
      #expect(try Self.bytes(folder) == before)
    }
  }

  /// Its owner was told that the file is another program's.
  @Test(arguments: [true, false]) func aRegistryThatLostATableIsRestored(isMarked: Bool) throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    let mark = isMarked ? "PRAGMA application_id = \(SQLiteOwnership.applicationID);" : ""
    _ = Program(
      path,
      mark + "CREATE TABLE linkspan_registry (version BIGINT); INSERT INTO linkspan_registry VALUES (3);"
        + Self.notes)
    for (makesFile, onlyReads) in [(true, false), (false, false), (false, true)] {
      let error = #expect(throws: RegistryError.self) {
        try Registry(.sqlite(path: path), makesFile: makesFile, for: onlyReads ? .questions : .changes)
      }
      #expect(
        error?.description == """
          The registry is not whole: it has version 3, but no table 'devices'.
            Stop the servers and restore a backup, as Documentation/registry.md shows. Nothing was changed.
          """)
    }
  }

  /// While its program uses it, too.
  @Test func aDatabaseInUseIsRefusedUntouched() throws {
    let folder = try ScratchFolder()
    let program = Program(
      folder.path("registry.db"),
      "PRAGMA journal_mode = WAL;" + Self.notes + "BEGIN IMMEDIATE; INSERT INTO notes VALUES (2, 'later')")
    let before = try Self.bytes(folder)
    let path = folder.path("registry.db")
    #expect(throws: RegistryError.self) { try Registry(.sqlite(path: path)) }
    #expect(try Self.bytes(folder) == before)
    program.run("COMMIT; INSERT INTO notes VALUES (3, 'later still')")
  }

  @Test func aNewRegistryIsMarkedInItsFile() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    // While most of it is still in the log: `file` and a later start find it in the header.
    let header = try Data(contentsOf: folder.url.appending(path: "registry.db"))
    #expect(header[68..<72].elementsEqual("LNKS".utf8))
  }

  /// Registries of before have no identifier.
  @Test(arguments: 0..<RegistryStore.currentVersion, [true, false])
  func aRegistryOfBeforeIsKnownByItsTables(_ version: Int, isKilled: Bool) throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    var script = "CREATE TABLE linkspan_registry (version BIGINT NOT NULL);"
    for step in 0..<version { script += RegistryStore.schema(step + 1, .sqlite) }
    if version > 0 { script += "INSERT INTO linkspan_registry VALUES (\(version));" }
    if version > 3 { script += "INSERT INTO hash_key VALUES ('00', '00', '00');" }
    if isKilled { try Self.killed(script, in: folder) } else { _ = Program(path, script) }
    try Registry(.sqlite(path: path)).stop()
    let header = try Data(contentsOf: URL(filePath: path))
    #expect(header[68..<72].elementsEqual("LNKS".utf8))
    let database = try SQLiteDatabase(path)
    #expect(try database.identity() == .registry(version: RegistryStore.currentVersion))
  }

  /// Two connections that are closed at once each take the other for the last one, and leave the log.
  @Test func theLogIsGoneAfterwards() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    for _ in 0..<60 {
      try Registry(.sqlite(path: path), readerCount: 6).stop()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["registry.db"])
    }
  }

  /// Replication tools keep tables of their own in the file.
  @Test func tablesBesideARegistrysOwnAreLetPass() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    try Registry(.sqlite(path: path)).stop()
    _ = Program(path, "PRAGMA application_id = 0; CREATE TABLE _litestream_seq (id INTEGER)")
    try Registry(.sqlite(path: path), makesFile: false).stop()
    #expect(try SQLiteDatabase(path).applicationID() == SQLiteOwnership.applicationID)
  }

  @Test func aNewerRegistryIsRefusedUntouched() throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    try Registry(.sqlite(path: path)).stop()
    let newer = RegistryStore.currentVersion + 1
    // It may have given up the write-ahead log.
    _ = Program(path, "PRAGMA journal_mode = DELETE; UPDATE linkspan_registry SET version = \(newer)")
    let before = try Self.bytes(folder)
    let error = #expect(throws: RegistryError.self) { try Registry(.sqlite(path: path)) }
    #expect(error?.kind == .newerStore)
    #expect(try Self.bytes(folder) == before)
  }
}
