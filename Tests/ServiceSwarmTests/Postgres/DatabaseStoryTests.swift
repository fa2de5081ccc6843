import LinkspanCore
import SimulatedDevices
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// Stories on PostgreSQL that find a planted bug soon, and hold without it.
@Suite struct DatabaseStoryTests {
  private static let stories: [(bug: String, servers: Int, steps: [ServiceStep])] = [
    (
      "uncertain-claim-forgotten", 1,
      [.register(device: 0, person: 0), .register(device: 1, person: 1), .database(.cutting)]
        + Array(repeating: [note(0), .wait(milliseconds: 300), note(1), .wait(milliseconds: 300)], count: 5)
        .flatMap(\.self) + [.database(.healthy), .wait(milliseconds: 2_000)]
    ),
    // The sender has asked the store before, and takes what is stored from then on.
    (
      "uncertain-handover-forgotten", 1,
      [.register(device: 0, person: 0), .wait(milliseconds: 2_000), note(0), .wait(milliseconds: 2_000)]
        + [.database(.cutting)] + Array(repeating: note(0), count: 10)
        + [.database(.healthy), .wait(milliseconds: 2_000)]
    ),
    // The database is gone between a claim and what came of it.
    (
      "store-away-before-outcome", 1,
      [
        .register(device: 0, person: 0), .wait(milliseconds: 300), .apns(.slow), note(0),
        .wait(milliseconds: 300),
        .database(.away), .wait(milliseconds: 9_500), .database(.healthy), .wait(milliseconds: 2_000),
      ]
    ),
    (
      "lease-taken-twice", 2,
      [
        .register(device: 0, person: 0), .register(device: 1, person: 0), .wait(milliseconds: 300),
        .apns(.slow),
        note(0), .wait(milliseconds: 2_000), note(0), .wait(milliseconds: 30_000), .apns(.healthy),
        .wait(milliseconds: 30_000),
      ]
    ),
  ]

  private static func note(_ person: Int) -> ServiceStep {
    .notify(person: person, credential: 0, key: nil)
  }

  private static func story(_ steps: [ServiceStep], servers: Int, seed: UInt64) -> ServiceStory {
    var chance = SeededGenerator(seed: seed)
    var story = ServiceStory(seed: seed)
    story.store = .postgres
    story.serverCount = servers
    return story.with(steps.map { ServiceStory.Entry(step: $0, chance: chance.next()) })
  }

  /// Ours: plays until a bug counts as not found.
  private static let patience: UInt64 = 40

  @Test(arguments: stories.map(\.bug)) func aPlantedBugIsFound(_ bug: String) throws {
    let (_, servers, steps) = try #require(Self.stories.first { $0.bug == bug })
    let found = (1...Self.patience).lazy.map { seed in
      ServicePlay(Self.story(steps, servers: servers, seed: seed), ServicePlayTests.key, bug: bug)
    }.first { $0.violation != nil }
    let play = try #require(found)
    let good = ServicePlay(play.story, ServicePlayTests.key)
    #expect(good.violation == nil, "seed \(play.seed): \(good.violation?.detail ?? "")")
  }

  /// A key is kept for a day, and a client that uses it again means another message.
  @Test func aKeyMakesAnotherMessageAfterADay() {
    let keyed = ServiceStep.notify(person: 0, credential: 0, key: 0)
    let steps: [ServiceStep] = [
      .register(device: 0, person: 0), keyed, .wait(milliseconds: 90_000_000), .prune, keyed,
      .wait(milliseconds: 2_000),
    ]
    let play = ServicePlay(Self.story(steps, servers: 1, seed: 1), ServicePlayTests.key)
    #expect(play.violation == nil, "\(play.violation?.detail ?? "")")
    #expect(play.events.count { $0.party == "apns" && $0.kind == "accept" } >= 2)
  }

  @Test func aStoryInAFileKeepsItsStore() throws {
    for store in [ServiceStory.Store.sqlite, .postgres] {
      var story = Self.story([.database(.cutting), .restartDatabase], servers: 1, seed: 1)
      story.store = store
      let root = JSONParser.parse(Array(story.text(remarks: []).utf8), dialect: .json5).root
      #expect(try ServiceStory(root) == story)
    }
  }

  @Test func aStoreThatDoesNotExistIsRefused() {
    let text = "{service: {seed: \"1\", servers: 1, store: \"oracle\", steps: []}}"
    let root = JSONParser.parse(Array(text.utf8), dialect: .json5).root
    let error = #expect(throws: LinkspanError.self) { try ServiceStory(root) }
    #expect(error?.message == "'store' of the story is neither \"sqlite\" nor \"postgres\".")
  }
}
