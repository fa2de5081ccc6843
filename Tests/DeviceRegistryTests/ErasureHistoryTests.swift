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
