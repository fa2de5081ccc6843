import Foundation
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Who copies the write-ahead log into the file, and when.
@Suite("SQLite checkpoints", .timeLimit(.minutes(15)))
struct SQLiteCheckpointsTests {
  /// Never in the life of a test.
  static let never = 1_000_000

  /// A file with a table of numbers and texts of 1,000 bytes.
  static func database(_ folder: ScratchFolder, _ sizes: SQLiteCheckpoints.Sizes) throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(folder.path("registry.db"), sizes: sizes)
    // Nothing here is about what survives a power cut.
    try database.runScript("PRAGMA synchronous = OFF")
    try database.runScript("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)")
    return database
  }

  static func write(_ number: Int, to database: SQLiteDatabase) throws {
    try database.run(
      "INSERT INTO rows (text) VALUES ($1)", [.text("\(number) " + String(repeating: "x", count: 1_000))])
  }

  static func size(_ folder: ScratchFolder, _ name: String) throws -> Int {
    try #require(
      try FileManager.default.attributesOfItem(atPath: folder.path(name))[.size] as? Int)
  }

  @Test func aThreadOfItsOwnCopiesWhatIsNew() throws {
    let folder = try ScratchFolder()
    let sizes = SQLiteCheckpoints.Sizes(copiedByThread: 20, copiedByWriter: Self.never)
    let database = try Self.database(folder, sizes)
    // It comes to that when the thread gets its turn.
    var written = 0
    while try Self.size(folder, "registry.db") < 20 * 4_096 {
      try Self.write(written, to: database)
      written += 1
    }
    #expect(try database.run("SELECT count(*) FROM rows")[0].values == [.int(Int64(written))])
  }

  @Test func aCommitCopiesNothingBelowTheSizes() throws {
    let folder = try ScratchFolder()
    let sizes = SQLiteCheckpoints.Sizes(copiedByThread: Self.never, copiedByWriter: Self.never)
    let database = try Self.database(folder, sizes)
    // Beyond what SQLite copies by itself.
    for number in 0..<2_000 { try Self.write(number, to: database) }
    #expect(try Self.size(folder, "registry.db") < 100 * 4_096)
    #expect(try Self.size(folder, "registry.db-wal") > 2_000 * 4_096)
  }

  @Test(arguments: [SQLiteCheckpointsTests.never, 10])
  func theLogStaysBounded(_ copiedByThread: Int) throws {
    let folder = try ScratchFolder()
    let sizes = SQLiteCheckpoints.Sizes(copiedByThread: copiedByThread, copiedByWriter: 100)
    let database = try Self.database(folder, sizes)
    for number in 0..<3_000 {
      try Self.write(number, to: database)
      // While the thread copies the writer goes on, however long that takes on a busy machine.
      if copiedByThread != Self.never, try Self.size(folder, "registry.db-wal") > 500 * 4_120 {
        database.checkpoints?.begin()
        database.checkpoints?.end(copied: nil)
      }
    }
    // A commit here has few pages.
    let limit = copiedByThread == Self.never ? 120 : 520
    #expect(try Self.size(folder, "registry.db-wal") < limit * 4_120)
    #expect(try database.run("SELECT count(*) FROM rows")[0].values == [.int(3_000)])
    #expect(try database.run("PRAGMA quick_check")[0].values == [.text("ok")])
  }

  @Test func anErasureLeavesNothingInTheLogWhileTheThreadCopies() throws {
    let folder = try ScratchFolder()
    let sizes = SQLiteCheckpoints.Sizes(copiedByThread: 1, copiedByWriter: Self.never)
    let database = try Self.database(folder, sizes)
    for number in 0..<200 {
      try Self.write(number, to: database)
      try database.emptyLog()
      #expect(try Self.size(folder, "registry.db-wal") == 0, "\(number)")
    }
  }

  @Test func anErasureSaysThatTheLogStillHoldsSomething() throws {
    let folder = try ScratchFolder()
    let database = try Self.database(folder, SQLiteCheckpoints.Sizes())
    // It would wait for 10 seconds.
    try database.runScript("PRAGMA busy_timeout = 0")
    try Self.write(1, to: database)
    let reader = try SQLiteDatabase(folder.path("registry.db"), isReader: true)
    try reader.runScript("BEGIN")
    try reader.run("SELECT count(*) FROM rows")
    try Self.write(2, to: database)
    let error = #expect(throws: RegistryError.self) { try database.emptyLog() }
    #expect(error?.kind == .unfinishedErasure)
    #expect(
      error?.description == """
        The devices are erased, but the write-ahead log of the registry '\(folder.path("registry.db"))' still holds their \
        bytes, because a program reads the registry.
          End a backup or export that runs, and erase again.
        """)
    try reader.runScript("COMMIT")
    try database.emptyLog()
  }

  @Test func whoCopiesAtWhichSize() {
    let checkpoints = SQLiteCheckpoints(.init(copiedByThread: 10, copiedByWriter: 100))
    #expect(checkpoints.committed(9, isShort: { true }) == .nothing)
    #expect(checkpoints.committed(10, isShort: { true }) == .writer)
    checkpoints.end(copied: 0)
    #expect(checkpoints.committed(9) == .nothing)
    #expect(checkpoints.committed(10) == .thread)
    checkpoints.begin()
    #expect(checkpoints.committed(100) == .nothing)
    checkpoints.end(copied: 95)
    #expect(checkpoints.committed(99) == .nothing)
    #expect(checkpoints.committed(100) == .writer)
    checkpoints.end(copied: 100)
    // The log began anew.
    #expect(checkpoints.committed(9) == .nothing)
    #expect(checkpoints.committed(10) == .thread)
  }

  /// The log of a file that was replaced would be read into the file that has its name now.
  @Test func aFileThatWasReplacedLeavesNoLog() throws {
    let folder = try ScratchFolder()
    let sizes = SQLiteCheckpoints.Sizes(copiedByThread: Self.never, copiedByWriter: Self.never)
    do {
      let database = try Self.database(folder, sizes)
      for number in 0..<10 { try Self.write(number, to: database) }
      let files = FileManager.default
      try files.moveItem(atPath: folder.path("registry.db"), toPath: folder.path("old.db"))
      try Data().write(to: URL(fileURLWithPath: folder.path("registry.db")))
      try Self.write(10, to: database)
      #expect(try Self.size(folder, "registry.db-wal") > 0)
    }
    #expect(try Self.size(folder, "registry.db-wal") == 0)
    let old = try SQLiteDatabase(folder.path("old.db"), sizes: sizes)
    #expect(try old.run("SELECT count(*) FROM rows")[0].values == [.int(11)])
  }
}
