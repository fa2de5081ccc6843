import Foundation
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// The swarm finds what is wrong with the service: each planted bug breaks a promise in a story that holds without it.
@Suite struct PlantedBugTests {
  /// Seeds that find a bug.
  private static let known: [String: UInt64] = [
    "alias-moved-queue-kept": 2, "answer-before-sync": 2, "audit-line-missing": 4, "clock-set-back": 23,
    "credential-in-answer": 3, "deletion-keeps-queue": 33, "erasure-beside-send": 177,
    "activity-never-ends": 1, "export-line-missing": 81, "old-file-served": 6,
    "journal-dropped-while-read": 5, "journal-row-lost": 1, "lost-answer-counted": 10,
    "retry-after-forgotten": 62, "key-across-credentials": 1, "live-message-pruned": 3,
    "form-counts-twice": 4, "guesses-not-counted": 30, "publication-not-kept": 1, "quota-off-by-one": 1,
    "redaction-missed": 1, "refused-files-served": 2,
    "rollback-beside-deploy": 25, "session-outlives-password": 43, "rollback-forgotten": 7,
    "take-over-unmarked": 2, "token-in-message": 17, "token-in-log": 1, "configuration-mistake-untold": 4,
    "signers-forgotten": 7, "shared-orders-unheard": 38, "gone-devices-counted": 1, "unknown-key-taken": 43,
  ]
  /// Ours: stories until a bug counts as not found.
  private static let patience: UInt64 = 80

  /// Plays stories until one breaks a promise.
  private static func find(
    _ bug: String, from first: UInt64, patience: UInt64 = patience
  ) -> (seed: UInt64, play: ServicePlay)? {
    for seed in first..<(first + patience) {
      let play = ServicePlay(ServiceStory(seed: seed), ServicePlayTests.key, bug: bug)
      if play.violation != nil { return (seed, play) }
    }
    return nil
  }

  @Test(arguments: known.keys.sorted()) func aPlantedBugIsFound(_ bug: String) throws {
    let (seed, play) = try #require(Self.find(bug, from: Self.known[bug] ?? 1))
    let violation = try #require(play.violation)
    if Self.isMeasuring {
      print("planted \(bug): seed \(seed), \(violation.invariant.rawValue): \(violation.detail)")
    }
    let good = ServicePlay(play.story, ServicePlayTests.key)
    #expect(good.violation == nil, "seed \(seed): \(good.violation?.detail ?? "")")
  }

  /// Chance has a hand in how soon a story meets a bug, so each is looked for from several seeds, a thousand apart.
  @Test(
    .enabled(if: starts > 0, "LINKSPAN_PLANTED_STARTS asks from how many seeds"),
    arguments: known.keys.sorted())
  func mostSeedsFindABugSoon(_ bug: String) throws {
    var stories: [UInt64] = []
    var promises: Set<String> = []
    for start in 0..<Self.starts {
      guard let (seed, play) = Self.find(bug, from: 1_000 * start + 1, patience: 400) else { continue }
      stories.append(seed - 1_000 * start)
      promises.insert(try #require(play.violation).invariant.rawValue)
    }
    // A seed that finds nothing counts as the slowest.
    stories.sort()
    let half = Int(Self.starts / 2)
    try #require(stories.count > half, "found from \(stories.count) of \(Self.starts) seeds")
    print(
      "law: \(bug): \(stories[half]) at the median, \(stories.last ?? 0) at most,"
        + " from \(stories.count) of \(Self.starts) seeds; \(promises.sorted().joined(separator: ", "))")
  }

  @Test func thereAreTwentyBugsOrMore() { #expect(PlantedBugs.names.count >= 20) }

  private static let isMeasuring = ProcessInfo.processInfo.environment["LINKSPAN_PLANTED"] != nil
  /// Seeds to start from; `make laws` asks for nine.
  private static let starts =
    ProcessInfo.processInfo.environment["LINKSPAN_PLANTED_STARTS"].flatMap { UInt64($0) } ?? 0
}
