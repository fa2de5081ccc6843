import Foundation
import LinkspanCore
import LinkspanCrypto
import SimulatedDevices
import Testing

@testable import ServiceSwarm

@Suite struct ServicePlayTests {
  private static let key = try! P256PrivateKey.generate()

  @Test func everyPromiseHoldsInMadeUpStories() {
    for seed in UInt64(1)...UInt64(SeedCount.value) {
      let play = ServicePlay(ServiceStory(seed: seed), Self.key)
      print("seed", seed, "events", play.events.count, "elapsed", play.elapsed)
      if let violation = play.violation {
        Issue.record(
          "seed \(seed), step \(violation.step): \(violation.invariant.rawValue): \(violation.detail)")
      }
    }
  }

  @Test func theSameSeedGivesTheSameEvents() {
    let (one, other) = (
      ServicePlay(ServiceStory(seed: 7), Self.key), ServicePlay(ServiceStory(seed: 7), Self.key)
    )
    #expect(one.events.count > 50)
    #expect(one.events.map(\.line) == other.events.map(\.line))
  }
}

/// How many stories are played: `LINKSPAN_SERVICE_STORIES`, or a few.
private enum SeedCount {
  static var value: Int {
    ProcessInfo.processInfo.environment["LINKSPAN_SERVICE_STORIES"].flatMap(Int.init) ?? 5
  }
}
