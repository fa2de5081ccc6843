import LinkspanCore
import SimulatedDevices
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// Each request of the swarm's catalogue of mistakes, alone: refused for what is wrong with it.
@Suite struct ClientMistakeTests {
  /// Ours: credentials have 30 requests a minute.
  private static let together = 20

  @Test(arguments: Array(stride(from: 0, to: ClientMistake.all.count, by: together)))
  func aMistakeIsRefusedForWhatIsWrong(_ first: Int) {
    for number in first..<min(first + Self.together, ClientMistake.all.count) {
      var story = ServiceStory(seed: 1)
      story.store = .sqlite
      let step = ServiceStep.mistake(number: number, credential: 0)
      let settled = ServiceStep.wait(milliseconds: 2_000)
      story = story.with([.init(step: step, chance: 1), .init(step: settled, chance: 1)])
      let play = ServicePlay(story, ServicePlayTests.key)
      #expect(play.violation == nil, "\(number): \(play.violation?.detail ?? "")")
      #expect(
        play.reached.contains("answer \(ClientMistake.all[number].status)"),
        "\(number) is not answered")
    }
  }

  @Test func everyMistakeOccursOnce() {
    let texts = ClientMistake.all.map { "\($0.request) \($0.body) \($0.type) \($0.key ?? "")" }
    #expect(Set(texts).count == texts.count)
    #expect(texts.count > 100)
  }
}
