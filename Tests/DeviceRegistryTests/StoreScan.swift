import Foundation
import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Looks for texts in everything that a store has written. A text counts as found where one of the words with
/// ``ErasureHistory/mark`` in it is, so one pass over the bytes looks for all of them.
struct StoreScan {
  private let registry: Registry
  private let folder: ScratchFolder
  /// nil for SQLite.
  private let database: PostgresDatabase?
  private let tables: [String]

  init(_ registry: Registry, _ folder: ScratchFolder) throws {
    self.registry = registry
    self.folder = folder
    guard case .postgres(let address) = registry.address else {
      (database, tables) = (nil, [])
      return
    }
    let database = try PostgresDatabase(address)
    tables = try database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").texts(
      "tablename")
    self.database = database
  }

  /// The texts that a store or a copy of it holds, with the place.
  func traces(of texts: [String], copy: String) async throws -> [String] {
    let words = Self.words(of: texts)
    guard let database else {
      let path = folder.path(copy)
      defer { try? FileManager.default.removeItem(atPath: path) }
      let place = try RegistryPlace(path)
      try await registry.answer { store throws(RegistryError) in try store.backUp(to: place) }
      return try Self.found(words, below: folder.url.path)
    }
    // What pg_dump would print.
    var traces: [String] = []
    for table in tables {
      let rows = try database.run("SELECT string_agg(CAST(t AS TEXT), ' ') AS lines FROM \(table) AS t")
      guard var lines = try rows.first?.optionalText("lines") else { continue }
      traces += lines.withUTF8 { Self.found(words, in: UnsafeRawBufferPointer($0)) }.map { "dump: \($0)" }
    }
    return traces
  }

  /// The texts that a store's files hold, on PostgreSQL after what the guide says.
  func filesTraces(of texts: [String]) throws -> [String] {
    let words = Self.words(of: texts)
    guard let database, let server = PostgresServer.folder else {
      return try Self.found(words, below: folder.url.path)
    }
    for statement in try Self.guidesStatements(with: "ALTER TABLE") { try database.runScript(statement) }
    try Self.waitForOlderTransactions(database)
    for statement in try Self.guidesStatements(with: "VACUUM FULL") { try database.runScript(statement) }
    return try Self.found(words, below: server).map { try named($0, database) }
  }

  /// Waits as the guide says until no transaction is open that may still see what was erased. Those of the other tests count,
  /// too: a row stays for one that writes in any database of the server.
  private static func waitForOlderTransactions(_ database: PostgresDatabase) throws {
    let now = try database.run("SELECT CAST(pg_current_xact_id() AS TEXT) AS now")[0].text("now")
    let older = """
      SELECT CAST(pid AS TEXT) AS pid FROM pg_stat_activity, pg_sleep(0.02)
      WHERE greatest(age(backend_xid), age(backend_xmin)) > age('\(now)'::xid)
      """
    while try !database.run(older).isEmpty {}
  }

  /// What a command of the guide runs on PostgreSQL after an erasure.
  ///
  /// - Parameter words: What tells the command from the others.
  private static func guidesStatements(with words: String) throws -> [String] {
    let guide = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/registry.md"), encoding: .utf8)
    let commands = guide.matches(of: /psql -d linkspan( -c [^`]*)```/)
    let command = try #require(commands.first { $0.1.contains(words) })
    return command.1.matches(of: /-c (?:'([^']*)'|(\w+))/).map { String($0.1 ?? $0.2 ?? "") }
  }

  /// Adds to a trace in a file of the database which relation the file belongs to, and whose sample it is.
  private func named(_ trace: String, _ database: PostgresDatabase) throws -> String {
    guard let match = trace.wholeMatch(of: /data\/base\/(\d+)\/(\d+)\D.*/) else { return trace }
    let relations = try database.run(
      """
      SELECT concat_ws(' of ', c.oid::regclass, coalesce(t.oid, i.indrelid)::regclass) AS name, c.relkind::text AS kind
      FROM pg_class AS c LEFT JOIN pg_class AS t ON t.reltoastrelid = c.oid LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
      WHERE c.oid = pg_filenode_relation(0, \(match.2))
        AND \(match.1) = (SELECT oid FROM pg_database WHERE datname = current_database())
      """)
    guard let relation = relations.first else { return "no known relation: \(trace)" }
    let name = try "\(relation.text("name")) (\(relation.text("kind")))"
    let samples = try Self.words(of: [trace]).keys.flatMap { word in
      try database.run(
        "SELECT tablename || '.' || attname AS name FROM pg_stats"
          + " WHERE concat(most_common_vals, histogram_bounds) LIKE '%\(word)%'"
      ).texts("name")
    }
    return "\(name)\(samples.isEmpty ? "" : ", samples of \(samples)"): \(trace)"
  }

  // MARK: - Words

  /// Texts by the words in them.
  private static func words(of texts: [String]) -> [String: String] {
    var words: [String: String] = [:]
    for var text in texts {
      let found = text.withUTF8 { Self.words(in: UnsafeRawBufferPointer($0)) }
      precondition(!found.isEmpty, "'\(text)' has no word that a scan could find")
      for word in found { words[word] = text }
    }
    return words
  }

  private static func words(in bytes: UnsafeRawBufferPointer) -> [String] {
    let mark = ErasureHistory.mark.utf8.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.littleEndian
    var words: [String] = []
    guard var place = bytes.baseAddress, bytes.count >= ErasureHistory.wordLength else { return words }
    let last = place + bytes.count - ErasureHistory.wordLength
    let first = CInt(ErasureHistory.mark.utf8.first!)
    while place <= last, let hit = memchr(place, first, last - place + 1).map(UnsafeRawPointer.init) {
      if hit.loadUnaligned(as: UInt64.self) == mark {
        let word = UnsafeRawBufferPointer(start: hit, count: ErasureHistory.wordLength)
        words.append(String(decoding: word, as: UTF8.self))
      }
      place = hit + 1
    }
    return words
  }

  /// Each text that some bytes hold.
  private static func found(_ words: [String: String], in bytes: UnsafeRawBufferPointer) -> Set<String> {
    Set(Self.words(in: bytes).compactMap { words[$0] })
  }

  /// Each text that the files in a folder hold, with the file.
  private static func found(_ words: [String: String], below folder: String) throws -> [String] {
    var traces: [String] = []
    for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
      let path = folder + "/" + name
      var status = stat()
      // A file of the server's may go while it is read.
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
        continue
      }
      let bytes: Data
      do {
        bytes = try Data(contentsOf: URL(filePath: path))
      } catch  where access(path, F_OK) != 0 {
        continue
      }
      traces += bytes.withUnsafeBytes { found(words, in: $0) }.map { "\(name): \($0)" }
    }
    return traces
  }
}
