import DeviceRegistry
import Foundation
import LinkspanCore
import LinkspanCrypto
import SimulatedDevices
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

@Suite struct ServicePlayTests {
  static let key = try! P256PrivateKey.generate()

  @Test func everyPromiseHoldsInMadeUpStories() {
    for seed in UInt64(1)...UInt64(SeedCount.value) {
      let play = ServicePlay(ServiceStory(seed: seed), Self.key)
      if let violation = play.violation {
        Issue.record(
          "seed \(seed), step \(violation.step): \(violation.invariant.rawValue): \(violation.detail)")
      }
    }
  }

  /// Also where a file that cannot be opened is named, however many stories the process has played: seed 29451.
  @Test(arguments: [UInt64(7), 29451]) func theSameSeedGivesTheSameEvents(seed: UInt64) {
    let (one, other) = (
      ServicePlay(ServiceStory(seed: seed), Self.key), ServicePlay(ServiceStory(seed: seed), Self.key)
    )
    #expect(one.events.count > 50)
    #expect(one.events.map(\.line) == other.events.map(\.line))
  }

  @Test func aStoryInAFileIsTheSameStory() throws {
    for seed in UInt64(1)...20 {
      let story = ServiceStory(seed: seed)
      let text = story.text(remarks: ["A remark"])
      #expect(try ServiceStory(JSONParser.parse(Array(text.utf8), dialect: .json5).root) == story)
    }
  }

  /// Ten thousand stories end as many servers, most of them with requests that wait.
  @Test func aServerThatEndsLeavesNothingInMemory() throws {
    let world = ServiceWorld(ServiceStory(seed: 1), Self.key)
    world.startServers()
    for _ in 0..<8 { world.perform(.register(device: 0, person: 0)) }
    // Their credentials are asked for; then the first one changes something.
    for index in world.servers.indices { world.running(index)?.registry.step() }
    let waiting = world.servers.compactMap { $0?.registry.waitingChanges }.reduce(0, +)
    #expect(waiting > 0)
    for index in world.servers.indices {
      weak let registry = world.servers[index]?.registry
      #expect(registry != nil)
      world.killServer(index)
      #expect(registry == nil)
    }
  }

  @Test func aLoopThatNeverEndsIsSeen() {
    let time = SimulatedTime(ServiceWorld.start, SeededGenerator(seed: 1))
    for _ in 0..<SimulatedTime.turnLimit { time.advance(0) }
    #expect(!time.isStuck && time.uptime == .zero)
    time.advance(0)
    #expect(time.isStuck && time.uptime >= .seconds(3_600))
    time.begin()
    #expect(!time.isStuck)
  }
}

/// How many stories are played: `LINKSPAN_SERVICE_STORIES`, or a few.
private enum SeedCount {
  static var value: Int {
    ProcessInfo.processInfo.environment["LINKSPAN_SERVICE_STORIES"].flatMap(Int.init) ?? 5
  }
}
