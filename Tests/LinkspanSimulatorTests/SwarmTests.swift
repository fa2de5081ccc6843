import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

@Suite struct SwarmTests {
  /// Events of a shrunk story, at most: as many as a person reads at a glance.
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
    "054994d1a6aaf4e4", "b7cf9b2bb42672c6", "6d27d7a826aa51b7", "dfdb32d5a27bd415",
    "0ade728b97f5e803", "0b8a73cae782b5e5", "4a79da955d37d955", "109ec69b39e10cee",
    "4e0b6c56eb3da689", "67db1b8836837cd6", "46549149406e0b73", "58f2900d1321cbac",
    "76ed5104452d7948", "4728a3a99a4b3c22", "9ceeae915fefa7b4", "b5fbd2b6a7c90a41",
    "ad987732e860e706", "ca5b823cc5d58d0e", "58147d33ba192250", "54eb0abe97c6822d",
  ]

  /// No field of an event has the name of a member that every event has.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func theMembersOfAnEventDiffer(_ seed: UInt64) throws {
    for event in try Simulation.run(Swarm.story(seed: seed)).events {
      guard case .object(let members) = event.json else { continue }
      #expect(Set(members.map { $0.0 }).count == members.count, "\(event.json.text)")
    }
  }

  /// What is done first of several things of one moment never shows, with faults and without.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func theInterleavingIsNeverSeen(_ seed: UInt64) throws {
    let story = Swarm.story(seed: seed)
    let lines = try Simulation.run(story).events.map(\.line)
    for interleaving in 1...4 as ClosedRange<UInt64> {
      #expect(try Simulation.run(story, interleaving: interleaving).events.map(\.line) == lines)
    }
  }

  @Test func theStoriesUseEveryReleaseStepAndFault() {
    let stories = (1...100 as ClosedRange<UInt64>).map { Swarm.story(seed: $0) }
    let releases = Set(stories.flatMap(\.devices).map(\.os.major))
    #expect(releases.isSuperset(of: [9, 10, 12, 13, 14, 15, 17, 18, 26]))
    let platforms = Set(stories.flatMap(\.devices).map(\.os.platform))
    #expect(platforms == [.iOS, .macOS, .watchOS])
    #expect(stories.contains { story in story.devices.contains { $0.region != HostFacts.usualRegion } })
    #expect(stories.contains { story in story.devices.contains { !$0.managedEntries.isEmpty } })
    #expect(Set(stories.flatMap(\.apps).map(\.build.kind)) == Set(BuildKind.allCases))
    let steps = stories.flatMap(\.script).map(\.action)
    #expect(steps.contains { if case .launch = $0 { true } else { false } })
    let ways = Set(steps.compactMap { if case .tap(_, let way, _, _) = $0 { way.name } else { nil } })
    #expect(ways == Set(WayOfFollowing.names))
    for knob in FaultOptions.knobs {
      #expect(stories.contains { $0.faults[keyPath: knob.path].numerator > 0 }, "\(knob.name)")
    }
    #expect(stories.contains { $0.faults == .none })
    let clipSteps = steps.compactMap { if case .clip(let step) = $0 { step } else { nil } }
    let entrances = Set(
      clipSteps.compactMap { if case .invoke(let step) = $0 { "\(step.entrance)" } else { nil } })
    #expect(entrances.isSuperset(of: ["qr", "nfc", "banner", "appLibrary", "appClipCode"]))
    #expect(clipSteps.contains { if case .save = $0 { true } else { false } })
    #expect(clipSteps.contains { if case .read = $0 { true } else { false } })
    #expect(clipSteps.contains { if case .remove = $0 { true } else { false } })
    #expect(stories.allSatisfy { (10...60).contains($0.script.count) })
  }

  /// An app that nobody has opened has no token. Half of the pushes of a hundred stories are accepted; the others are
  /// refused for every reason there is.
  @Test func manyPushesAreAccepted() throws {
    var kinds: [String: Int] = [:]
    for seed in 1...100 as ClosedRange<UInt64> {
      for event in try Simulation.run(Swarm.story(seed: seed)).events { kinds[event.kind, default: 0] += 1 }
    }
    let accepted = kinds["push-accepted"] ?? 0
    let refused = kinds["push-refused"] ?? 0
    #expect(5 * accepted > 4 * refused && accepted > 100, "\(accepted) accepted, \(refused) refused")
    for kind in ["push-woke", "push-shown", "fetch-woke", "handler-called-again", "invoke"] {
      #expect(kinds[kind] ?? 0 > 0, "no \(kind) among \(kinds.keys.sorted())")
    }
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
    // Handoff-and-app D.
    Planted(bug: .callbackTwice, invariant: "delivered-as-often-as-measured"),
    // Handoff-and-app E.
    Planted(bug: .coverRemovedEarly, invariant: "a-cover-stays-until-the-picture"),
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
    #expect(failure.shrunk.eventCount <= Self.fewEvents)
    #expect(failure.shrunk.story.script.count <= failure.shrunk.eventCount)
  }

  /// Seeds whose stories break it by two clients of one host, or by a crash late in the story (C6).
  @Test(arguments: [502, 601, 802, 5000, 6000, 12_001] as [UInt64])
  func aNegativeCacheThatIsIgnoredIsShrunkFromWhereverItWasFound(seed: UInt64) throws {
    let failure = try #require(try Swarm.run(seed: seed, plant: .negativeCacheIgnored).failure)
    #expect(failure.violation.invariant.name == "negative-cache-honoured")
    #expect(failure.shrunk.eventCount <= Self.fewEvents)
  }

  /// Seeds whose stories break it in their last steps (R1).
  @Test(arguments: [14_686, 14_299, 5018] as [UInt64])
  func aStoredFileThatIsDroppedIsShrunkFromWhereverItWasFound(seed: UInt64) throws {
    let failure = try #require(try Swarm.run(seed: seed, plant: .storedFileDropped).failure)
    #expect(failure.violation.invariant.name == "approval-survives-what-passes")
    #expect(failure.shrunk.eventCount <= Self.fewEvents)
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
