import Linkspan
import Testing

/// One entrance, exactly once (HO8, HO9, LC1).
struct ActivityContinuationTests {
  typealias Continuation = ActivityContinuation<Int>

  private static func continuation() throws -> Continuation {
    let router = try Router<Int>(
      sources: [
        .universalLinks(hosts: ["a.example"]), .appClip(hosts: ["clip.example"]), .customScheme("a"),
        .handoff(activityType: "example.reading", route: "recipe"),
      ],
      routes: [
        Route("recipe", "/recipes/{id:int}") {
          try $0("id")
        } write: {
          ["id": $0]
        }
      ])
    return Continuation(router: router, ownTypes: ["example.drawing"])
  }

  private static func ready() throws -> Continuation {
    var continuation = try continuation()
    #expect(continuation.interfaceIsReady() == [])
    return continuation
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var activity: IncomingActivity
    var steps: [Continuation.Step]
    var isHandled = true
  }

  /// SR1: the type decides first; a web page in `webpageURL` of another type is only a fallback.
  @Test(arguments: [
    Row(
      testDescription: "universal link", activity: .web("https://a.example/recipes/5"),
      steps: [.go(.place(5))]),
    Row(
      testDescription: "handoff",
      activity: IncomingActivity(
        activityType: "example.reading", webpageURL: "https://a.example/recipes/9", userInfo: ["id": "5"]),
      steps: [.go(.place(5))]),
    Row(
      testDescription: "handoff whose payload is of another version",
      activity: IncomingActivity(
        activityType: "example.reading", webpageURL: "https://a.example/recipes/9",
        userInfo: ["identifier": "5"]),
      steps: [.go(.place(9))]),
    Row(
      testDescription: "spotlight",
      activity: IncomingActivity(
        activityType: "com.apple.corespotlightitem",
        userInfo: ["kCSSearchableItemActivityIdentifier": "recipe-5"]),
      steps: [.go(.spotlightItem("recipe-5"))]),
    Row(
      testDescription: "spotlight search",
      activity: IncomingActivity(
        activityType: "com.apple.corespotlightquerycontinuation", userInfo: ["kCSSearchQueryString": "eggs"]),
      steps: [.go(.spotlightQuery("eggs"))]),
    Row(
      testDescription: "clip",
      activity: IncomingActivity(
        activityType: IncomingActivity.browsingWeb, webpageURL: "https://clip.example/recipes/5",
        clipURL: "https://clip.example/recipes/5"), steps: [.go(.place(5))]),
    Row(
      testDescription: "clip link taken over by the app",
      activity: IncomingActivity(
        activityType: IncomingActivity.browsingWeb, clipURL: "https://a.example/recipes/5"),
      steps: [.go(.place(5))]),
    Row(
      testDescription: "own type without a route",
      activity: IncomingActivity(activityType: "example.drawing"),
      steps: [.go(.activity(IncomingActivity(activityType: "example.drawing")))]),
    Row(
      testDescription: "unknown type",
      activity: IncomingActivity(activityType: "example.other", webpageURL: "https://a.example/recipes/5"),
      steps: [], isHandled: false),
    Row(
      testDescription: "spotlight without identifier",
      activity: IncomingActivity(activityType: "com.apple.corespotlightitem"), steps: [], isHandled: false),
  ])
  func branchesOnTheTypeFirst(row: Row) throws {
    var continuation = try Self.ready()
    let answer = continuation.receive(row.activity, by: .callback, now: .zero)
    #expect(answer.steps == row.steps)
    #expect(answer.isHandled == row.isHandled)
  }

  @Test func whatComesBeforeTheInterfaceIsReadyWaits() throws {
    var continuation = try Self.continuation()
    #expect(continuation.receive(.web("https://a.example/recipes/1"), by: .launch, now: .zero).steps == [])
    #expect(continuation.open("a://recipes/2", by: .callback, now: .zero).steps == [])
    #expect(continuation.interfaceIsReady() == [.go(.place(1)), .go(.place(2))])
    #expect(continuation.interfaceIsReady() == [])
    continuation.interfaceIsGone()
    #expect(continuation.open("a://recipes/3", by: .callback, now: .zero).steps == [])
    #expect(continuation.interfaceIsReady() == [.go(.place(3))])
  }

  @Test func theQueueIsBounded() throws {
    var continuation = try Self.continuation()
    for id in 0..<100 { _ = continuation.open("a://recipes/\(id)", by: .callback, now: .zero) }
    let steps = continuation.interfaceIsReady()
    #expect(steps.count == Continuation.queueLimit)
    #expect(steps.last == .go(.place(99)))
  }

  /// D: one open of a terminated app brings two deliveries, by launch options and by the callback.
  @Test func bothRoadsOfAColdStartDeliverOnce() throws {
    var continuation = try Self.continuation()
    let link = IncomingActivity.web("https://a.example/recipes/5")
    #expect(continuation.connect(activities: [link], urls: ["a://recipes/6"], now: .zero).isHandled)
    #expect(continuation.receive(link, by: .callback, now: .zero).isHandled)
    #expect(continuation.open("a://recipes/6", by: .callback, now: .zero).isHandled)
    #expect(continuation.interfaceIsReady() == [.go(.place(5)), .go(.place(6))])
    // The third one is a tap of its own.
    #expect(continuation.receive(link, by: .callback, now: .zero).steps == [.go(.place(5))])
  }

  @Test func theSameLinkIsNewAfterTheBackground() throws {
    var continuation = try Self.ready()
    let link = IncomingActivity.web("https://a.example/recipes/5")
    _ = continuation.connect(activities: [link], urls: [], now: .zero)
    continuation.didEnterBackground()
    #expect(continuation.receive(link, by: .callback, now: .zero).steps == [.go(.place(5))])
  }

  /// D: `connectionOptions.userActivities` is a set; its order must not decide.
  @Test func theOrderOfASetDoesNotMatter() throws {
    let activities = [
      IncomingActivity.web("https://a.example/recipes/1"),
      IncomingActivity(activityType: "example.reading", userInfo: ["id": "2"]),
      IncomingActivity(
        activityType: IncomingActivity.spotlightItem, userInfo: ["kCSSearchableItemActivityIdentifier": "x"]),
    ]
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
      var continuation = try Self.ready()
      let answer = continuation.connect(activities: order.map { activities[$0] }, urls: [], now: .zero)
      #expect(answer.steps == [.go(.place(2)), .go(.place(1)), .go(.spotlightItem("x"))])
    }
  }

  @Test func aLinkWithoutAPlaceGoesToTheBrowserAndNotInACircle() throws {
    var continuation = try Self.ready()
    let link = IncomingActivity.web("https://a.example/about")
    let first = continuation.receive(link, by: .callback, now: .seconds(1))
    guard case .openInBrowser("https://a.example/about", let miss) = first.steps.first else {
      Issue.record("\(first)")
      return
    }
    // After false iOS would open the browser as well.
    #expect(first.isHandled && first.outcome == .unknown)
    continuation.didEnterBackground()
    let second = continuation.receive(link, by: .callback, now: .seconds(2))
    #expect(second.steps == [.report(miss)])
    continuation.didEnterBackground()
    let later = continuation.receive(link, by: .callback, now: .seconds(60))
    #expect(later.steps == [.openInBrowser("https://a.example/about", miss)])
  }

  @Test func aCustomSchemeWithoutAPlaceIsReported() throws {
    var continuation = try Self.ready()
    let answer = continuation.open("a://about", by: .callback, now: .zero)
    guard case .report(let miss) = answer.steps.first else {
      Issue.record("\(answer)")
      return
    }
    #expect(miss.description.contains("closest is 'recipe'"))
  }

  /// HO8: announced, then exactly one of continued and failed.
  @Test func anAnnouncedActivityIsShownUntilItComes() throws {
    var continuation = try Self.ready()
    #expect(
      continuation.willContinue(activityType: "example.reading").steps
        == [.showWaiting(activityType: "example.reading")])
    #expect(continuation.update(activityType: "example.reading") == [])
    let activity = IncomingActivity(activityType: "example.reading", userInfo: ["id": "5"])
    #expect(
      continuation.receive(activity, by: .callback, now: .zero).steps == [.hideWaiting, .go(.place(5))])
    #expect(continuation.fail(activityType: "example.reading", isCancelled: true) == [])
  }

  @Test func anAnnouncedActivityThatFailsIsReported() throws {
    var continuation = try Self.ready()
    #expect(!continuation.willContinue(activityType: "example.other").isHandled)
    _ = continuation.willContinue(activityType: "example.reading")
    #expect(
      continuation.fail(activityType: "example.reading", isCancelled: false)
        == [.hideWaiting, .reportFailure(activityType: "example.reading")])
    _ = continuation.willContinue(activityType: "example.reading")
    #expect(continuation.fail(activityType: "example.reading", isCancelled: true) == [.hideWaiting])
  }

  @Test func restorationYieldsToWhatArrived() throws {
    let restored = IncomingActivity(activityType: "example.reading", userInfo: ["id": "7"])
    var alone = try Self.ready()
    #expect(alone.restore(restored) == [.go(.place(7))])
    var busy = try Self.continuation()
    _ = busy.receive(.web("https://a.example/recipes/5"), by: .launch, now: .zero)
    #expect(busy.restore(restored) == [])
    #expect(busy.interfaceIsReady() == [.go(.place(5))])
  }

  /// In a clip the router has no universal links, and the miss says what came closest among the clip's.
  @Test func aMissInAClipIsToldOfTheClipsRoutes() throws {
    let router = try Router<Int>(
      sources: [.appClip(hosts: ["a.example"])],
      routes: [
        Route("recipe", "/recipes/{id:int}") {
          try $0("id")
        } write: {
          ["id": $0]
        }
      ])
    var continuation = ActivityContinuation(router: router)
    _ = continuation.interfaceIsReady()
    var activity = IncomingActivity.web("https://a.example/recipes/x")
    activity.clipURL = activity.webpageURL
    let answer = continuation.receive(activity, by: .callback, now: .zero)
    guard case .openInBrowser("https://a.example/recipes/x", let miss)? = answer.steps.first else {
      Issue.record("\(answer.steps)")
      return
    }
    #expect(miss.reason == .noRoute(closest: "recipe"))
  }

  @MainActor @Test func theCoordinatorCarriesItOut() throws {
    var log: [String] = []
    let coordinator = ActivityCoordinator(
      continuation: try Self.continuation(), now: { .zero },
      actions: .init(
        go: { log.append("go \($0)") }, openInBrowser: { log.append("browser \($0)") },
        showWaiting: { log.append("waiting \($0 ?? "-")") }, report: { log.append("report \($0.title)") }))
    #expect(coordinator.willContinue(activityType: "example.reading"))
    coordinator.fail(activityType: "example.reading", error: CancellationError())
    coordinator.connect(activities: [.web("https://a.example/recipes/5")], urls: [])
    coordinator.interfaceIsReady()
    #expect(coordinator.open("https://a.example/x"))
    #expect(!coordinator.open("https://elsewhere.example/x"))
    #expect(
      log == [
        "waiting example.reading", "waiting -", "go place(5)", "browser https://a.example/x",
      ])
  }

  /// An action that calls the coordinator gets its way after what was decided before: the waiting view is gone then.
  @MainActor @Test func whatAnActionCausesComesBehindWhatWasDecided() throws {
    var log: [String] = []
    var openGate: () -> Void = {}
    let coordinator = ActivityCoordinator(
      continuation: try Self.continuation(), now: { .zero },
      actions: .init(
        go: { log.append("go \($0)") }, openInBrowser: { _ in },
        showWaiting: { log.append("waiting \($0 ?? "-")") }, report: { _ in },
        notice: { _ in
          log.append("notice")
          openGate()
        }), gate: "login")
    openGate = { [weak coordinator] in coordinator?.open(gate: "login") }
    coordinator.interfaceIsReady()
    _ = coordinator.willContinue(activityType: "example.reading")
    coordinator.receive(IncomingActivity(activityType: "example.reading", userInfo: ["id": "5"]))
    #expect(log == ["waiting example.reading", "notice", "waiting -", "go place(5)"])
  }
}
