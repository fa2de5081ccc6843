import Foundation
import LinkspanCore
import PushProvider
import TestSupport
import Testing

@testable import DeviceRegistry

/// Random histories of register, move, queue, send, delete and erase: after each receipt neither the store's files nor a
/// fresh copy of it hold anything of the person, and APNs gets nothing more.
///
/// `LINKSPAN_ERASURE_HISTORIES=10000` runs that many over each store; `LINKSPAN_ERASURE_SEED` begins elsewhere.
@Suite("Erasure histories", .timeLimit(.minutes(600)))
struct ErasureHistoryTests {
  static let environment = ProcessInfo.processInfo.environment
  static let count = environment["LINKSPAN_ERASURE_HISTORIES"].flatMap { Int($0) } ?? 40
  static let firstSeed = environment["LINKSPAN_ERASURE_SEED"].flatMap { UInt64($0) } ?? 1
  /// Histories that share a store, so that its pages get full and are divided.
  static let group = 50

  @Test(arguments: StoreKind.allCases)
  func nothingOfThePersonIsLeft(_ kind: StoreKind) async throws {
    var done = 0
    while done < Self.count {
      let histories = min(Self.group, Self.count - done)
      let seed = Self.firstSeed + UInt64(done)
      let folder = try ScratchFolder()
      guard let address = try kind.fresh(in: folder) else { return }
      let registry = try Registry(address)
      var history = ErasureHistory(registry, seed: seed)
      let scan = StoreScan(registry, folder)
      for number in 0..<histories {
        try await history.run()
        let traces = try await scan.traces(of: history.lastTraces, copy: "copy\(number).db")
        #expect(traces.isEmpty, "\(kind), seed \(seed), history \(number): \(traces)")
        #expect(history.mistakes.isEmpty, "\(kind), seed \(seed), history \(number): \(history.mistakes)")
        guard traces.isEmpty, history.mistakes.isEmpty else { break }
      }
      // Nothing that was erased comes back with what happened later.
      let late = try await scan.filesTraces(of: history.allTraces)
      #expect(late.isEmpty, "\(kind), seed \(seed), all: \(late)")
      registry.stop()
      done += histories
    }
  }
}

/// Looks for texts in everything that a store has written.
struct StoreScan {
  let registry: Registry
  let folder: ScratchFolder

  init(_ registry: Registry, _ folder: ScratchFolder) {
    self.registry = registry
    self.folder = folder
  }

  /// The texts that a store or a copy of it holds, with the place.
  func traces(of texts: [String], copy: String) async throws -> [String] {
    let path = folder.path(copy)
    defer { try? FileManager.default.removeItem(atPath: path) }
    switch registry.address {
    case .sqlite:
      let place = try RegistryPlace(path)
      try await registry.answer { store throws(RegistryError) in try store.backUp(to: place) }
    case .postgres(let address):
      // What pg_dump would print.
      let database = try PostgresDatabase(address)
      var dump = ""
      for table in try database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'") {
        for row in try database.run("SELECT CAST(t AS TEXT) AS line FROM \(try table.text("tablename")) AS t")
        {
          dump += try row.text("line") + "\n"
        }
      }
      try dump.write(toFile: path, atomically: false, encoding: .utf8)
    }
    return try found(texts, in: folder.url.path)
  }

  /// The texts that a store's files hold, on PostgreSQL after what the guide says.
  func filesTraces(of texts: [String]) async throws -> [String] {
    guard case .postgres(let address) = registry.address, let server = PostgresServer.folder else {
      return try found(texts, in: folder.url.path)
    }
    let database = try PostgresDatabase(address)
    for statement in ["ANALYZE", "VACUUM FULL", "SELECT pg_switch_wal()", "CHECKPOINT"] {
      try database.runScript(statement)
    }
    return try found(texts, in: server + "/data")
  }

  /// Each text with the file that holds it.
  private func found(_ texts: [String], in directory: String) throws -> [String] {
    guard !texts.isEmpty else { return [] }
    let list = try ScratchFolder()
    try list.write(texts.joined(separator: "\n"), to: "texts")
    let grep = Process()
    grep.executableURL = URL(filePath: "/usr/bin/env")
    grep.arguments = ["grep", "-raoFf", list.path("texts"), directory]
    grep.environment = ["LC_ALL": "C", "PATH": "/usr/bin:/bin"]
    let output = Pipe()
    grep.standardOutput = output
    // A file of the server's may go while it is read.
    grep.standardError = FileHandle.nullDevice
    try grep.run()
    let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    grep.waitUntilExit()
    return answer.split(separator: "\n").map(String.init)
  }
}
