import Foundation
import Linkspan
import Testing

/// No arrival is lost, none comes twice: seeded life cycles against what the person did (spec D, E.1).
struct LifeCycleLawTests {
  /// 2,000 in `make test`; `LINKSPAN_LIFE_CYCLES` asks for more.
  static var count: UInt64 {
    ProcessInfo.processInfo.environment["LINKSPAN_LIFE_CYCLES"].flatMap(UInt64.init) ?? 2_000
  }

  /// What an app did with the calls of one process.
  typealias Subject = @MainActor (LifeCycleStory.Process) throws -> [String]

  /// An app with one place to show things does not say in which scene it did.
  static func withoutScene(_ deed: String) -> String {
    String(deed.split(separator: " ").prefix(2).joined(separator: " "))
  }

  @MainActor @Test func theEntranceLosesAndDoublesNothing() throws {
    let router = try Self.router()
    try Self.hold(Self.count, kinds: LifeCycleStory.Kind.allCases, name: "the library") { process in
      var continuation = ActivityContinuation(router: router)
      return ArrivalRecording(process.calls).replay(in: &continuation).compactMap(Self.text)
    }
  }

  /// The tutorial's own code; its calls go by the coordinator's own methods.
  @MainActor @Test func theTutorialLosesAndDoublesNothing() throws {
    let kinds: [LifeCycleStory.Kind] = [.link, .handoff, .scheme, .clip, .unknown, .foreign]
    let router = try recipeRouter()
    try Self.hold(Self.count, kinds: kinds, name: "the tutorial", hasScenes: false) {
      Self.tutorial($0, router)
    }
  }

  /// The law finds the defect of the first edition: without the end of a delivery the next tap counts as its second road.
  @MainActor @Test func aLostArrivalShrinksToAStory() throws {
    let router = try Self.router()
    let broken: Subject = { process in
      var continuation = ActivityContinuation(router: router)
      var calls = process.calls.filter { $0.callback != .didEnterBackground }
      for place in calls.indices { calls[place].time = .zero }
      return ArrivalRecording(calls).replay(in: &continuation).compactMap(Self.text)
    }
    let kinds: [LifeCycleStory.Kind] = [.link, .scheme]
    let found = (0..<2_000).lazy.map { LifeCycleStory(seed: $0, kinds: kinds) }.first {
      (try? Self.problem(of: $0, broken)) != nil
    }
    let story = try Self.shrunk(try #require(found), broken)
    let problem = try #require(try Self.problem(of: story, broken))
    #expect(problem.contains("lost [\""), "\(problem)")
    #expect(story.moves.count <= 3, "\(story)\n\(problem)")
    // The calls of the story are a text that a test of an app can replay.
    let calls = try #require(story.processes().first).calls
    #expect(try ArrivalRecording(text: ArrivalRecording(calls).description).entries == calls)
  }

  // MARK: - The law

  @MainActor static func hold(
    _ count: UInt64, kinds: [LifeCycleStory.Kind], name: String, hasScenes: Bool = true, _ subject: Subject
  ) throws {
    var processes = 0
    var arrivals = 0
    var failures = 0
    for seed in 0..<count {
      let story = LifeCycleStory(seed: seed, kinds: kinds)
      for process in story.processes() {
        processes += 1
        arrivals += process.expected.count
      }
      guard try problem(of: story, hasScenes: hasScenes, subject) != nil else { continue }
      failures += 1
      guard failures <= 3 else { continue }
      let small = try shrunk(story, hasScenes: hasScenes, subject)
      let text = try problem(of: small, hasScenes: hasScenes, subject) ?? ""
      let calls = small.processes().map { ArrivalRecording($0.calls).description }.joined(separator: "\n\n")
      Issue.record("\(small)\n\(text)\n\(calls)")
    }
    print(
      "life cycles: \(name): \(count) stories, \(processes) processes, \(arrivals) arrivals, \(failures) wrong"
    )
    #expect(failures == 0)
  }

  /// What is lost and what came twice; nil when nothing.
  @MainActor static func problem(
    of story: LifeCycleStory, hasScenes: Bool = true, _ subject: Subject
  ) throws -> String? {
    for (number, process) in story.processes().enumerated() {
      var missing = process.expected
      var extra: [String] = []
      let deeds = try subject(process)
      if !hasScenes { missing = missing.map(withoutScene) }
      for deed in deeds {
        if let place = missing.firstIndex(of: deed) { missing.remove(at: place) } else { extra.append(deed) }
      }
      if !missing.isEmpty || !extra.isEmpty {
        return "process \(number + 1): lost \(missing), doubled \(extra)"
      }
    }
    return nil
  }

  /// The story with as little in it as still goes wrong.
  @MainActor static func shrunk(
    _ story: LifeCycleStory, hasScenes: Bool = true, _ subject: Subject
  ) throws -> LifeCycleStory {
    var best = story
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in best.smaller where try problem(of: candidate, hasScenes: hasScenes, subject) != nil {
        best = candidate
        isSmaller = true
        break
      }
    }
    return best
  }

  // MARK: - Subjects

  enum Place: Equatable, Sendable {
    case recipe(Int)
    case account(Int)
  }

  static func router() throws -> Router<Place> {
    try Router(
      sources: [
        .universalLinks(hosts: ["recipes.example"]), .customScheme("recipes"),
        .handoff(activityType: "example.recipes.reading", route: "recipe"),
      ],
      routes: [
        Route("recipe", "/recipes/{id:int}") {
          .recipe(try $0("id"))
        } write: {
          if case .recipe(let id) = $0 { ["id": id] } else { nil }
        },
        Route("account", "/account/{id:int}", gate: "login") {
          .account(try $0("id"))
        } write: {
          if case .account(let id) = $0 { ["id": id] } else { nil }
        },
      ])
  }

  static func text(_ direction: ActivityContinuation<Place>.Direction) -> String? {
    let scene = direction.scene.map { " in \($0)" } ?? ""
    switch direction.step {
    case .go(.place(.recipe(let id))): return "recipe \(id)" + scene
    case .go(.place(.account(let id))): return "account \(id)" + scene
    case .go(.spotlightItem(let identifier)): return "spotlight \(identifier)" + scene
    case .openInBrowser(let url, _): return "browser \(url.split(separator: "/").last ?? "")" + scene
    case .report(let miss): return "report \(miss.url)"
    default: return nil
    }
  }

  @MainActor static func tutorial(_ process: LifeCycleStory.Process, _ router: Router<Screen>) -> [String] {
    var log: [String] = []
    var time = Duration.zero
    let coordinator = recipeEntrance(
      router,
      show: { if case .recipe(let id, _) = $0 { log.append("recipe \(id)") } },
      openInBrowser: { log.append("browser \($0.split(separator: "/").last ?? "")") },
      report: { log.append("alert \($0.title)") }, uptime: { time })
    for entry in process.calls {
      time = entry.time
      switch entry.callback {
      case .connect(let activities, let urls):
        coordinator.connect(activities: activities, urls: urls, scene: entry.scene)
      case .receive(let activity, let road): coordinator.receive(activity, by: road, scene: entry.scene)
      case .open(let url, let road): coordinator.open(url, by: road, scene: entry.scene)
      case .interfaceIsReady: recipeAppDidBecomeUsable(coordinator)
      case .lifeCycleIsObserved: coordinator.handle(.lifeCycleIsObserved)
      case .didBecomeActive: coordinator.didBecomeActive(scene: entry.scene)
      case .willResignActive: coordinator.willResignActive(scene: entry.scene)
      case .didEnterBackground: coordinator.didEnterBackground(scene: entry.scene)
      default: break
      }
    }
    return log
  }
}

extension LifeCycleStory {
  /// Stories with one move less, or one thing less in a move.
  var smaller: [LifeCycleStory] {
    var stories: [LifeCycleStory] = []
    for place in moves.indices {
      var story = self
      story.moves.remove(at: place)
      if case .start? = story.moves.first { stories.append(story) }
      switch moves[place] {
      case .start(let items):
        for item in items.indices {
          var fewer = items
          fewer.remove(at: item)
          story = self
          story.moves[place] = .start(fewer)
          stories.append(story)
        }
      case .comeBack(let items, let window):
        for item in items.indices {
          var fewer = items
          fewer.remove(at: item)
          story = self
          story.moves[place] = .comeBack(fewer, window: window)
          stories.append(story)
        }
      default: break
      }
    }
    return stories
  }
}
