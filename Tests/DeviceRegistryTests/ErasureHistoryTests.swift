import Foundation
import LinkspanCore
import PushProvider
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry

/// Random histories of register, move, queue, send, delete and erase: after each receipt neither the store's files nor a
/// fresh copy of it hold anything of the person, and APNs gets nothing more.
///
/// `LINKSPAN_ERASURE_HISTORIES=10000` runs that many over each store; `LINKSPAN_ERASURE_SEED` begins elsewhere. Every commit
/// waits for the disk, so with a slow one a `TMPDIR` in memory helps.
@Suite("Erasure histories", .timeLimit(.minutes(600)))
struct ErasureHistoryTests {
  static let environment = ProcessInfo.processInfo.environment
  static let count = environment["LINKSPAN_ERASURE_HISTORIES"].flatMap { Int($0) } ?? 40
  static let firstSeed = environment["LINKSPAN_ERASURE_SEED"].flatMap { UInt64($0) } ?? 1
  /// Histories that share a store, so that its pages get full and are divided.
  static let group = 50

  /// Each store has two tests, which run at once and take every other group.
  @Test(arguments: StoreKind.allCases, 0..<2)
  func nothingOfThePersonIsLeft(_ kind: StoreKind, _ part: Int) async throws {
    for done in stride(from: part * Self.group, to: Self.count, by: 2 * Self.group) {
      guard try await run(kind, min(Self.group, Self.count - done), seed: Self.firstSeed + UInt64(done))
      else { return }
    }
  }

  /// Runs histories over one store.
  ///
  /// - Returns: Whether there may be more.
  private func run(_ kind: StoreKind, _ histories: Int, seed: UInt64) async throws -> Bool {
    let folder = try ScratchFolder()
    guard let address = try kind.fresh(in: folder) else { return false }
    let registry = try Registry(address)
    var history = ErasureHistory(registry, seed: seed)
    let scan = try StoreScan(registry, folder)
    for number in 0..<histories {
      try await history.run()
      let traces = try await scan.traces(of: history.lastTraces, copy: "copy\(number).db")
      #expect(traces.isEmpty, "\(kind), seed \(seed), history \(number): \(traces)")
      #expect(history.mistakes.isEmpty, "\(kind), seed \(seed), history \(number): \(history.mistakes)")
      guard traces.isEmpty, history.mistakes.isEmpty else { break }
    }
    // Nothing that was erased comes back with what happened later. The registry's connections are closed before: VACUUM
    // keeps what a transaction that is under way may still see.
    registry.stop()
    let late = try scan.filesTraces(of: history.allTraces)
    #expect(late.isEmpty, "\(kind), seed \(seed), all: \(late)")
    try kind.remove(address)
    return true
  }

  /// A scan finds what it looks for in a database, in its log and in a copy, so that it can find an erasure wanting.
  @Test(arguments: StoreKind.allCases)
  func theScanFindsWhatIsThere(_ kind: StoreKind) async throws {
    let folder = try ScratchFolder()
    guard let address = try kind.fresh(in: folder) else { return }
    let registry = try Registry(address)
    let (there, gone) = (ErasureHistory.mark + tokenA.prefix(24), ErasureHistory.mark + tokenB.prefix(24))
    _ = try await registry.registered(registration(tokenA) { $0.attributes.alias = "person-\(there)" })
    let scan = try StoreScan(registry, folder)
    let texts = ["person-\(there)", "person-\(gone)"]
    let traces = try await scan.traces(of: texts, copy: "copy.db")
    let places = kind == .sqlite ? ["copy.db", "registry.db-wal"] : ["dump"]
    #expect(Set(traces) == Set(places.map { "\($0): person-\(there)" }))
    let late = try scan.filesTraces(of: texts)
    #expect(!late.isEmpty)
    #expect(late.allSatisfy { $0.hasSuffix(": person-\(there)") }, "\(late)")
    registry.stop()
    try kind.remove(address)
  }
}

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
    for statement in ["ANALYZE", "VACUUM FULL", "SELECT pg_switch_wal()", "CHECKPOINT"] {
      try database.runScript(statement)
    }
    return try Self.found(words, below: server)
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
