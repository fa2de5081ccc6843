import LinkspanCore
import LinkspanDaemon
import LinkspanServer
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What operators of stories write into configuration files.
@Suite struct SwarmConfigurationTests {
  private func start(_ configuration: SwarmConfiguration) throws(LinkspanError) -> SteppedPublication {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    let tree = VirtualTree(disk, SeededGenerator(seed: 1))
    return try SteppedPublication(
      in: tree, configuration: { SourceText(name: "linkspan.json5", bytes: Array(configuration.text.utf8)) },
      now: { ServiceWorld.start }, candidates: { [] }, report: { _ in })
  }

  /// Every mistake is one, and nothing else is.
  @Test func aServerStartsWithEachThatHasNoMistake() throws {
    for number in 0..<200 {
      let configuration = SwarmConfiguration(number)
      do throws(LinkspanError) {
        _ = try start(configuration)
        #expect(configuration.isGood, "\(configuration.text)")
      } catch {
        #expect(!configuration.isGood, "\(configuration.text): \(error)")
        #expect(!configuration.isMistakePlaced || error.problem.contains("linkspan.json5:"), "\(error)")
        #expect(!error.text.contains(SwarmConfiguration.password))
      }
    }
  }

  @Test func twoOfThemDifferInTheKeysThatAreWrittenDifferently() {
    let (one, other) = (SwarmConfiguration(0), SwarmConfiguration(1))
    #expect(one.keysRequiringRestart(since: one).isEmpty)
    #expect(!one.keysRequiringRestart(since: other).isEmpty)
    #expect(one.keysRequiringRestart(since: other) == other.keysRequiringRestart(since: one))
  }
}
