import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
import Testing

@Suite struct SwarmTests {
  /// How many events of a shrunk story a person reads at a glance.
  static let fewEvents = 10

  @Test(arguments: 0..<10) func aHundredSeedsHoldEveryInvariant(_ ten: UInt64) throws {
    for seed in (ten * 10 + 1)...(ten * 10 + 10) {
      let outcome = try Swarm.run(seed: seed)
      #expect(outcome.failure == nil, "seed \(seed): \(outcome.failure?.violation.detail ?? "")")
    }
  }

  /// The digests of twenty stories, the same on every machine. Whoever changes what the simulator does, or what the
  /// swarm makes up, changes them on purpose.
  @Test func twentyDigests() throws {
    let digests = try (1...20 as ClosedRange<UInt64>).map { try Swarm.run(seed: $0).digest.text }
    #expect(digests == Self.golden)
  }

  static let golden: [String] = [
    "d21d987d1517c922", "3043fd7928764185", "c16927f653c37701", "f8c2ee38795dd7c6",
    "411729a57d4ea31c", "841fd1b0b0898eb8", "37a587c40005731d", "aa98fb5b2d80e9a9",
    "646b78615bc4689a", "82190954136c65d5", "f743b3d0b24d353d", "fa274f935af7fcb2",
    "1b9aa3309a2d56b8", "8cca2ae6787d42d4", "5ad4916f62167120", "fdcf467917c0554c",
    "857f9303bfcb40e5", "b030a90bb67c4b96", "c341e62e772fee9d", "c96b4450ebded661",
  ]

  /// What is done first of several things of one moment never shows, with faults and without.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func theInterleavingIsNeverSeen(_ seed: UInt64) throws {
    let story = Swarm.story(seed: seed)
    let lines = try Simulation.run(story).events.map(\.line)
    for interleaving in 1...4 as ClosedRange<UInt64> {
      #expect(try Simulation.run(story, interleaving: interleaving).events.map(\.line) == lines)
    }
  }

  /// A made-up story is what its file says.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func aStoryThatIsWrittenAndReadPlaysAlike(_ seed: UInt64)
    throws
  {
    let story = Swarm.story(seed: seed)
    let read = try Stories.inline(StoryWriter.text(of: story, remarks: ["A remark."]))
    #expect(try Simulation.run(read).digest == Simulation.run(story).digest)
  }

  @Test func theStoriesUseEveryReleaseStepAndFault() {
    let stories = (1...100 as ClosedRange<UInt64>).map { Swarm.story(seed: $0) }
    let releases = Set(stories.flatMap(\.devices).map(\.os.major))
    #expect(releases.isSuperset(of: [9, 10, 12, 13, 14, 15, 17, 18, 26]))
    for knob in FaultOptions.knobs {
      #expect(stories.contains { $0.faults[keyPath: knob.path].numerator > 0 }, "\(knob.name)")
    }
    #expect(stories.contains { $0.faults == .none })
    #expect(stories.allSatisfy { (10...60).contains($0.script.count) })
  }

  // MARK: - Planted bugs

  struct Planted: Sendable {
    var bug: PlantedBug
    var invariant: String
  }

  static let planted = [
    // C6.
    Planted(bug: .negativeCacheIgnored, invariant: "negative-cache-honoured"),
    // R1, V7.
    Planted(bug: .storedFileDropped, invariant: "approval-survives-what-passes"),
  ]

  static func found(_ bug: PlantedBug) throws -> Swarm.Failure? {
    for seed in 1...100 as ClosedRange<UInt64> {
      if let failure = try Swarm.run(seed: seed, plant: bug).failure { return failure }
    }
    return nil
  }

  @Test(arguments: planted) func aPlantedBugIsFoundAndShrunk(_ planted: Planted) throws {
    let failure = try #require(try Self.found(planted.bug))
    #expect(failure.violation.invariant.name == planted.invariant)
    #expect(failure.shrunk.eventCount < Self.fewEvents)
    #expect(failure.shrunk.story.script.count <= failure.shrunk.eventCount)
  }

  /// The file shows the failure with the bug, and no failure without it.
  @Test(arguments: planted) func theShrunkStoryShowsIt(_ planted: Planted) throws {
    let shrunk = try #require(try Self.found(planted.bug)).shrunk
    let read = try Stories.inline(shrunk.text(remarks: []))
    let sick = try Simulation.run(read, plant: planted.bug)
    #expect(sick.violations.first?.invariant.name == planted.invariant)
    #expect(sick.events.count == shrunk.eventCount)
    #expect(try Simulation.run(read).violations.isEmpty)
  }

  @Test func shrinkingIsRepeatable() throws {
    let texts = try (1...2).map { _ in try Self.found(.storedFileDropped)?.shrunk.text(remarks: []) }
    #expect(texts[0] == texts[1])
  }

  /// Bugs that are planted in no story: whoever asks for one gets an error.
  @Test func aStoryCannotAskForABug() {
    let result = StoryParser.parse(
      SourceText(name: "a", "{ start: \"2026-09-14T08:00:00Z\", plant: \"negative-cache-ignored\" }"),
      reader: .none)
    guard case .findings(let findings) = result else {
      Issue.record("it was taken")
      return
    }
    #expect(findings.map(\.rule) == ["story.unknown-key"])
  }
}
