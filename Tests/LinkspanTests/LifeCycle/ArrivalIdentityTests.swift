import Linkspan
import Testing

/// When two deliveries are one arrival, and when they are two.
struct ArrivalIdentityTests {
  typealias Continuation = ActivityContinuation<LifeCycleLawTests.Place>

  static let link = IncomingActivity.web("https://recipes.example/recipes/5")
  static let handoff = IncomingActivity(
    activityType: "example.recipes.reading", webpageURL: "https://recipes.example/recipes/5",
    userInfo: ["id": "5"])

  static func continuation(_ gate: ArrivalGate? = nil) throws -> Continuation {
    Continuation(router: try LifeCycleLawTests.router(), gate: gate)
  }

  /// Scenes deliver by one road only, so the next tap by the other road is a new one.
  @Test func theSameLinkAMinuteLaterIsNew() throws {
    var continuation = try Self.continuation()
    #expect(continuation.connect(activities: [Self.link], urls: [], now: .zero).isHandled)
    #expect(continuation.interfaceIsReady() == [.go(.place(.recipe(5)))])
    let later = continuation.receive(Self.link, by: .callback, now: .seconds(60))
    #expect(later.isHandled && later.steps == [.go(.place(.recipe(5)))])
  }

  @Test(arguments: [(0.0, 0), (1, 0), (1.001, 1), (60, 1)])
  func aDeliveryEndsASecondAfterTheAppBecameActive(seconds: Double, count: Int) throws {
    var continuation = try Self.continuation()
    _ = continuation.handle(.lifeCycleIsObserved, now: .zero)
    _ = continuation.connect(activities: [Self.link], urls: [], now: .zero)
    _ = continuation.interfaceIsReady(now: .seconds(2))
    continuation.didBecomeActive(now: .seconds(10))
    let answer = continuation.receive(Self.link, by: .callback, now: .seconds(10) + .seconds(seconds))
    #expect(answer.isHandled && answer.steps.count == count)
  }

  /// Where the app never becomes active, a launch is over after twenty seconds.
  @Test(arguments: [(0.0, 0), (20, 0), (20.001, 1)])
  func aLaunchEndsAfterTwentySeconds(seconds: Double, count: Int) throws {
    var continuation = try Self.continuation()
    _ = continuation.handle(.lifeCycleIsObserved, now: .zero)
    _ = continuation.connect(activities: [Self.link], urls: [], now: .zero)
    _ = continuation.interfaceIsReady(now: .zero)
    let answer = continuation.receive(Self.link, by: .callback, now: .seconds(seconds))
    #expect(answer.isHandled && answer.steps.count == count)
  }

  /// More arrivals than anybody makes within a second are forgotten, the first of them first.
  @Test(arguments: [(64, 0), (65, 1)])
  func sixtyFourArrivalsAreRemembered(arrivals: Int, count: Int) throws {
    var continuation = try Self.continuation()
    _ = continuation.interfaceIsReady()
    for number in 1...arrivals {
      let link = IncomingActivity.web("https://recipes.example/recipes/\(number)")
      #expect(continuation.receive(link, by: .callback, now: .zero).steps.count == 1)
    }
    let again = continuation.open("https://recipes.example/recipes/1", by: .callback, now: .zero)
    #expect(again.steps.count == count)
    let last = continuation.open("https://recipes.example/recipes/\(arrivals)", by: .callback, now: .zero)
    #expect(last.steps == [])
  }

  /// What a scene brought is over when it is in the background; what another one brought is not.
  @Test(arguments: [("A", 1), ("B", 0)])
  func theBackgroundEndsWhatItsSceneBrought(scene: String, count: Int) throws {
    var continuation = try Self.continuation()
    _ = continuation.interfaceIsReady()
    _ = continuation.connect(activities: [Self.link], urls: [], now: .zero, scene: "A")
    continuation.didEnterBackground(scene: scene)
    let again = continuation.receive(Self.link, by: .callback, now: .zero, scene: "A")
    #expect(again.steps.count == count)
  }

  /// As code did that has no adapter, before there was more to tell.
  @Test func whoTellsOfTheBackgroundAloneLosesNothing() throws {
    var continuation = try Self.continuation()
    _ = continuation.connect(activities: [Self.link], urls: [], now: .zero)
    _ = continuation.interfaceIsReady()
    continuation.didEnterBackground()
    #expect(continuation.receive(Self.link, by: .callback, now: .seconds(10)).steps.count == 1)
    let url = "https://recipes.example/recipes/5"
    #expect(continuation.open(url, by: .callback, now: .seconds(100)).steps.count == 1)
  }

  @Test func aLinkForAnotherSceneIsAnotherArrival() throws {
    var continuation = try Self.continuation()
    _ = continuation.interfaceIsReady()
    let first = continuation.connect(activities: [Self.link], urls: [], now: .zero, scene: "A")
    #expect(first.directions == [.init(step: .go(.place(.recipe(5))), scene: "A")])
    let second = continuation.receive(Self.link, by: .callback, now: .zero, scene: "B")
    #expect(second.directions == [.init(step: .go(.place(.recipe(5))), scene: "B")])
    // The app delegate's road names no scene and fits any.
    #expect(continuation.open("https://recipes.example/recipes/5", by: .callback, now: .zero).steps == [])
  }

  /// Handoff and a universal link to one screen; the same link through 'open' and 'receive'.
  @Test func onePlaceAtOnceIsOneArrival() throws {
    var continuation = try Self.continuation()
    _ = continuation.interfaceIsReady()
    let both = continuation.connect(activities: [Self.link, Self.handoff], urls: [], now: .zero)
    #expect(both.steps == [.go(.place(.recipe(5)))])
    #expect(continuation.receive(Self.handoff, by: .callback, now: .zero).steps == [])
    var warm = try Self.continuation()
    _ = warm.interfaceIsReady()
    #expect(warm.receive(Self.link, by: .callback, now: .zero).steps.count == 1)
    #expect(warm.open("https://recipes.example/recipes/5", by: .callback, now: .zero).steps == [])
    #expect(warm.open("https://recipes.example/recipes/6", by: .callback, now: .zero).steps.count == 1)
  }

  @Test func aWaitingArrivalLearnsItsScene() throws {
    var continuation = try Self.continuation()
    _ = continuation.connect(activities: [Self.link], urls: [], now: .zero)
    _ = continuation.connect(activities: [Self.link], urls: [], now: .zero, scene: "A")
    _ = continuation.receive(Self.link, by: .callback, now: .zero, scene: "A")
    _ = continuation.interfaceIsReady(scene: "B")
    let answer = continuation.handle(.interfaceIsReady, scene: "A", now: .zero)
    #expect(answer.directions.contains(.init(step: .go(.place(.recipe(5))), scene: "A")))
  }

  @Test func whatWaitsForAClosedWindowGoesToAnother() throws {
    var continuation = try Self.continuation()
    _ = continuation.connect(activities: [Self.link], urls: [], now: .zero, scene: "A")
    #expect(continuation.didDisconnect(scene: "A") == [])
    #expect(continuation.interfaceIsReady(scene: "B") == [.go(.place(.recipe(5)))])
  }

  @Test func whatWaitsForAClosedWindowGoesToAReadyOneAtOnce() throws {
    var continuation = try Self.continuation()
    _ = continuation.interfaceIsReady(scene: "B")
    #expect(continuation.connect(activities: [Self.link], urls: [], now: .zero, scene: "A").steps == [])
    #expect(continuation.didDisconnect(scene: "A") == [.go(.place(.recipe(5)))])
    #expect(continuation.didDisconnect(scene: "A") == [])
  }

  @Test func whatWasAnnouncedToAClosedWindowIsWaitedForNoLonger() throws {
    var continuation = try Self.continuation()
    let type = IncomingActivity.browsingWeb
    #expect(
      continuation.willContinue(activityType: type, scene: "A").steps == [.showWaiting(activityType: type)])
    #expect(continuation.didDisconnect(scene: "B") == [])
    #expect(continuation.didDisconnect(scene: "A") == [.hideWaiting])
    #expect(continuation.didDisconnect(scene: "A") == [])
  }
}

/// An arrival waits at its gate until it opens, expires or is refused.
struct ArrivalGateTests {
  typealias Continuation = ActivityContinuation<LifeCycleLawTests.Place>

  static let account = IncomingActivity.web("https://recipes.example/account/1")
  static let arrival = Arrival<LifeCycleLawTests.Place>.place(.account(1))

  private static func waiting() throws -> Continuation {
    var continuation = try ArrivalIdentityTests.continuation()
    _ = continuation.interfaceIsReady()
    let answer = continuation.receive(account, by: .callback, now: .zero)
    #expect(answer.outcome == .mine && answer.steps == [] && answer.notices == [.waits(arrival, at: "login")])
    return continuation
  }

  /// The oldest gives way to one that has to wait too, not to one that goes on at once.
  @Test func anArrivalThatDoesNotWaitDisplacesNone() throws {
    var continuation = try ArrivalIdentityTests.continuation()
    _ = continuation.interfaceIsReady()
    for id in 1...Continuation.queueLimit {
      let answer = continuation.open(
        "https://recipes.example/account/\(id)", by: .callback, now: .zero)
      #expect(answer.notices.count == 1)
    }
    let free = continuation.open("https://recipes.example/recipes/5", by: .callback, now: .zero)
    #expect(free.steps == [.go(.place(.recipe(5)))] && free.notices == [])
    let last = continuation.open("https://recipes.example/account/99", by: .callback, now: .zero)
    #expect(last.notices.contains(.displaced(.place(.account(1)))))
  }

  @Test func anOpenGateLetsItThroughOnce() throws {
    var continuation = try Self.waiting()
    #expect(continuation.open(gate: "login", now: .seconds(30)).steps == [.go(Self.arrival)])
    #expect(continuation.open(gate: "login").steps == [])
    #expect(
      continuation.receive(Self.account, by: .callback, now: .seconds(60)).steps == [.go(Self.arrival)])
    continuation.close(gate: "login")
    #expect(continuation.receive(Self.account, by: .callback, now: .seconds(90)).steps == [])
  }

  @Test func aRefusedGateGivesItUp() throws {
    var continuation = try Self.waiting()
    #expect(continuation.refuse(gate: "login").notices == [.refused(Self.arrival, at: "login")])
    #expect(continuation.open(gate: "login").steps == [])
  }

  @Test(arguments: [(600, true), (601, false)])
  func itExpires(seconds: Int, comes: Bool) throws {
    var continuation = try Self.waiting()
    let answer = continuation.open(gate: "login", now: .seconds(seconds))
    #expect(answer.steps == (comes ? [.go(Self.arrival)] : []))
    #expect(answer.notices == (comes ? [] : [.expired(Self.arrival, at: "login")]))
  }

  @Test func aGateOfTheWholeAppComesFirst() throws {
    var continuation = try ArrivalIdentityTests.continuation("tour")
    _ = continuation.interfaceIsReady()
    _ = continuation.receive(ArrivalIdentityTests.link, by: .callback, now: .zero)
    _ = continuation.receive(Self.account, by: .callback, now: .zero)
    let answer = continuation.open(gate: "tour")
    #expect(answer.steps == [.go(.place(.recipe(5)))])
    #expect(answer.notices == [.waits(Self.arrival, at: "login")])
    #expect(continuation.open(gate: "login").steps == [.go(Self.arrival)])
  }

  @MainActor @Test func aCoordinatorHasAGate() throws {
    var log: [String] = []
    let coordinator = ActivityCoordinator(
      continuation: try ArrivalIdentityTests.continuation(), now: { .zero },
      actions: .init(
        go: { log.append("go \($0)") }, openInBrowser: { log.append($0) }, report: { log.append($0.title) },
        notice: { if case .waits(_, let gate) = $0 { log.append("waits at \(gate.name)") } }), gate: "tour")
    coordinator.interfaceIsReady()
    #expect(coordinator.receive(ArrivalIdentityTests.link))
    coordinator.open(gate: "tour")
    #expect(log == ["waits at tour", "go place(LinkspanTests.LifeCycleLawTests.Place.recipe(5))"])
  }
}

/// What is another's brings nothing on screen, and what is the app's without a place brings no developer's words.
struct StrangersTests {
  /// Thirty URLs that reach 'onOpenURL' of real apps and are for others.
  static let strangers = [
    "com.googleusercontent.apps.1:/oauth2redirect?code=1", "file://", "file:///private/var/mobile/a.pdf", "",
    "fb123456789://authorize#state=x", "msauth.com.example://auth?code=1", "otpauth://totp/a?secret=b",
    "https://elsewhere.example/recipes/5", "http://recipes.example.evil.example/recipes/5",
    "mailto:a@b.example",
    "https://evil.example/?https://recipes.example/recipes/5", "tel:+123", "sms:1", "about:blank",
    "data:text/plain,recipes", "javascript:alert(1)", "https://recipes.example:8443/recipes/5", "blob:x",
    "//",
    "https:///recipes/5", "recipes", "twitterkit-1://callback", "line3rdp.a.b://x", "spotify:track:1",
    "x-apple.systempreferences:", "itms-apps://itunes.example/app/id1", "ftp://recipes.example/recipes/5",
    "recipesx://recipes/5", "ws://recipes.example/recipes/5", "://recipes/5",
  ]

  @MainActor @Test func thirtyStrangersChangeNothing() throws {
    #expect(Self.strangers.count == 30)
    var log: [String] = []
    let coordinator = ActivityCoordinator(
      continuation: try ArrivalIdentityTests.continuation(), now: { .zero },
      actions: .init(
        go: { log.append("go \($0)") }, openInBrowser: { log.append("browser \($0)") },
        showWaiting: { log.append("waiting \($0 ?? "-")") }, report: { log.append("report \($0.title)") },
        notice: { log.append("notice \($0)") },
        takeUnknown: {
          log.append("unknown \($0)")
          return true
        }))
    coordinator.interfaceIsReady()
    for url in Self.strangers {
      #expect(!coordinator.open(url), "\(url)")
      #expect(!coordinator.open(url, by: .launch, scene: "A"), "\(url)")
    }
    #expect(log == [])
  }

  @MainActor @Test func aPersonReadsNoDevelopersWords() throws {
    var alerts: [AlertContent] = []
    let coordinator = ActivityCoordinator(
      continuation: try ArrivalIdentityTests.continuation(), now: { .zero },
      actions: .init(go: { _ in }, openInBrowser: { _ in }, report: { alerts.append($0) }))
    #expect(coordinator.open("recipes://nothing/here"))
    let error = try #require(throws: RouterError.self) {
      try Router<Int>(sources: [.customScheme("a")], routes: [Route("secret", "/{", 1)])
    }
    let printing = try #require(throws: PrintingError.self) {
      try LifeCycleLawTests.router().url(for: .recipe(-1))
    }
    alerts += [AlertContent(error), AlertContent(printing)].compactMap { $0 }
    #expect(alerts.count == 3)
    for alert in alerts {
      let text = (alert.title + " " + (alert.message ?? "")).lowercased()
      for word in ["router", "route", "scheme", "template", "recipes", "universallink"] {
        #expect(!text.contains(word), "\(text)")
      }
    }
  }
}

/// A recording's text reads as the same calls.
struct ArrivalRecordingTests {
  @Test func everyCallIsWrittenAndRead() throws {
    let activity = IncomingActivity(
      activityType: "a b%", webpageURL: "https://a.example/?q=1&x=ü", clipURL: "https://c.example",
      userInfo: ["k=e y": "v%=\n", "": ""])
    let calls: [ArrivalCallback] = [
      .connect(activities: [activity, .web("https://a.example")], urls: ["a://b", "c://d"]),
      .receive(activity, by: .launch), .open("a://b"), .open("a://b", by: .launch),
      .willContinue(activityType: "t"), .update(activityType: "t"),
      .fail(activityType: "t", isCancelled: true), .fail(activityType: "t", isCancelled: false),
      .restore(activity), .interfaceIsReady, .interfaceIsGone, .lifeCycleIsObserved, .didBecomeActive,
      .willResignActive, .didEnterBackground, .didDisconnect, .openGate("log in"), .closeGate("x"),
      .refuseGate("x"),
    ]
    let entries = calls.enumerated().map { index, call in
      ArrivalRecording.Entry(
        at: .milliseconds(index * 333), scene: index % 2 == 0 ? nil : "scene \(index)", call)
    }
    let text = ArrivalRecording(entries).description
    #expect(try ArrivalRecording(text: text + "\n\n").entries == entries, "\(text)")
    let other = text.split(separator: "\n").joined(separator: "\r\n") + "\r\n\r\n"
    #expect(try ArrivalRecording(text: other).entries == entries)
  }

  @Test(arguments: [
    ("x connect", "Line 1 of the recording: 'x' is no time; expected seconds, such as 0.25s."),
    ("1s", "Line 1 of the recording: expected a call after the time, such as connect."),
    ("\n1s jump", "Line 2 of the recording: unknown call 'jump'."),
    ("1s open", "Line 1 of the recording: 'open' has no 'url='."),
    ("1s receive page=x", "Line 1 of the recording: 'page=' comes before its 'type='."),
    ("1s receive type=x what", "Line 1 of the recording: expected name=value, got 'what'."),
  ])
  func aLineThatCannotBeReadIsNamed(text: String, message: String) throws {
    let error = try #require(throws: ArrivalRecordingError.self) { try ArrivalRecording(text: text) }
    #expect(error.description == message)
  }

  @Test(
    arguments: [
      ("0s", .zero), ("1s", .seconds(1)), ("-1s", .seconds(-1)), ("1.5s", .milliseconds(1_500)),
      ("-0.25s", .milliseconds(-250)), ("0.123456789s", .nanoseconds(123_456_789)),
      ("0.000000001s", .nanoseconds(1)), ("0.1234567890s", nil), ("1.s", nil), (".5s", nil), ("1.5.5s", nil),
      ("--1s", nil), ("s", nil), ("1", nil), ("1.-5s", nil), ("1.٣s", nil),
      ("999999999999999s", .seconds(999_999_999_999_999)), ("1000000000000000s", nil),
    ] as [(String, Duration?)])
  func aTimeIsSecondsWithUpToNineDigitsBehindThePoint(word: String, time: Duration?) {
    let recording = try? ArrivalRecording(text: word + " interface-is-ready")
    #expect(recording?.entries.map(\.time) == time.map { [$0] })
  }

  @MainActor @Test func aCoordinatorRecordsAndReplays() throws {
    func coordinator(_ log: @escaping (String) -> Void) throws -> ActivityCoordinator<LifeCycleLawTests.Place>
    {
      ActivityCoordinator(
        continuation: try ArrivalIdentityTests.continuation(), now: { .zero },
        actions: .init(go: { log("go \($0)") }, openInBrowser: { _ in }, report: { _ in }))
    }
    var first: [String] = []
    let recorded = try coordinator { first.append($0) }
    recorded.record(limit: 3)
    recorded.update(activityType: "forgotten")
    recorded.connect(activities: [ArrivalIdentityTests.link], urls: [])
    recorded.receive(ArrivalIdentityTests.link)
    recorded.interfaceIsReady()
    #expect(recorded.recording.entries.count == 3 && first.count == 1)
    var second: [String] = []
    try coordinator { second.append($0) }.replay(ArrivalRecording(text: recorded.recording.description))
    #expect(second == first)
  }
}
