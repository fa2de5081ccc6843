import Foundation
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// The model of PostgreSQL against the real one: the same histories, the same answers, and the same rows at the end.
///
/// `LINKSPAN_POSTGRES_HISTORIES=1000` plays that many; `LINKSPAN_POSTGRES_SEED` begins elsewhere.
@Suite("The model of PostgreSQL", .timeLimit(.minutes(60)))
struct PostgresModelTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["LINKSPAN_POSTGRES_HISTORIES"].flatMap { UInt64($0) } ?? 20
  private static let first = environment["LINKSPAN_POSTGRES_SEED"].flatMap { UInt64($0) } ?? 1
  /// Differences that are told of; the others are mostly more of the same. Ours.
  private static let patience = 5

  @Test func answersWhatTheRealOneAnswers() throws {
    var differences = 0
    for seed in Self.first..<(Self.first + Self.count) where differences < Self.patience {
      let name = "history\(seed)"
      guard let real = try HistoryDatabase.real(name) else { return }
      let model = try RegistryHistory(try HistoryDatabase.modelled(), seed: seed).play()
      let lines = try RegistryHistory(real, seed: seed).play()
      try HistoryDatabase.remove(name)
      guard lines != model else { continue }
      differences += 1
      let place = zip(model, lines).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      let index = place ?? min(model.count, lines.count)
      Issue.record(
        "seed \(seed), line \(index):\nmodel: \(Self.line(index, model))\nreal:  \(Self.line(index, lines))")
    }
  }

  private static func line(_ index: Int, _ lines: [String]) -> String {
    index < lines.count ? lines[index] : "nothing"
  }
}
