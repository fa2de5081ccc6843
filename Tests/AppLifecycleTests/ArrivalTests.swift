import AppLifecycle
import LinkspanCore
import Testing

/// What the system calls when something arrives (LC1).
@Suite struct ArrivalTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var entrance: Entrance
    var isCold: Bool
    var shape: AppShape
    /// `callback < carrier` for each delivery.
    var deliveries: [String]
    var certainty: Certainty
    var testDescription: String {
      "\(entrance.rawValue) \(isCold ? "cold" : "warm") \(shape.lifeCycle.rawValue)"
    }
  }

  private static func delegate(_ entrance: Entrance, _ door: String, _ options: String, _ mark: Certainty)
    -> [Row]
  {
    let app = AppShape(.appDelegate)
    let carrier = entrance == .customScheme ? "url" : "userActivity"
    return [
      Row(
        entrance: entrance, isCold: true, shape: app,
        deliveries: [
          "application(_:didFinishLaunchingWithOptions:) < launchOptions[.\(options)]",
          "\(door) < \(carrier)",
        ], certainty: mark),
      Row(
        entrance: entrance, isCold: false, shape: app, deliveries: ["\(door) < \(carrier)"],
        certainty: entrance == .spotlight ? .inferred : .documented),
    ]
  }

  private static func scene(_ entrance: Entrance) -> [Row] {
    let isURL = entrance == .customScheme
    let mark: Certainty = entrance == .spotlight ? .inferred : .documented
    return [
      Row(
        entrance: entrance, isCold: true, shape: AppShape(.scene),
        deliveries: [
          "scene(_:willConnectTo:options:) < connectionOptions.\(isURL ? "urlContexts" : "userActivities")"
        ], certainty: mark),
      Row(
        entrance: entrance, isCold: false, shape: AppShape(.scene),
        deliveries: [isURL ? "scene(_:openURLContexts:) < URLContexts" : "scene(_:continue:) < userActivity"],
        certainty: mark),
    ]
  }

  private static func swiftUI(_ entrance: Entrance) -> [Row] {
    [true, false].map { isCold in
      Row(
        entrance: entrance, isCold: isCold, shape: AppShape(.swiftUI),
        deliveries: [
          entrance == .customScheme
            ? "onOpenURL(perform:) < url" : "onContinueUserActivity(_:perform:) < userActivity"
        ], certainty: entrance == .spotlight ? .inferred : .documented)
    }
  }

  /// The table of D, row by row.
  static let table: [Row] = Entrance.allCases.flatMap { entrance in
    let isURL = entrance == .customScheme
    return delegate(
      entrance,
      isURL ? "application(_:open:options:)" : "application(_:continue:restorationHandler:)",
      isURL ? "url" : "userActivityDictionary",
      isURL ? .observed : entrance == .spotlight ? .inferred : .documented)
      + scene(entrance) + swiftUI(entrance)
  }

  private static func arrival(_ row: Row, _ code: LinkCode) -> Arrival {
    var process = AppProcess(row.shape)
    if !row.isCold {
      _ = process.launch()
      _ = process.becomeActive()
      _ = process.resignActive()
      _ = process.enterBackground()
    }
    return Arrival(row.entrance, in: &process, code: code)
  }

  @Test(arguments: table) func bringsThePayloadByTheseCallbacks(_ row: Row) {
    let arrival = Self.arrival(row, .naive)
    let found = arrival.steps.filter(\.isDelivery).map { "\($0.name) < \($0.carrier ?? "")" }
    #expect(found == row.deliveries)
    #expect(arrival.certainty == row.certainty)
  }

  @Test(arguments: table) func carefulCodeHandlesItExactlyOnce(_ row: Row) {
    for readiness in LinkCode.Readiness.allCases {
      var code = LinkCode()
      code.readiness = readiness
      let arrival = Self.arrival(row, code)
      #expect(arrival.isExactlyOnce, "\(readiness)")
      #expect(arrival.handled == 1)
    }
  }

  @Test(arguments: table) func naiveCodeHandlesEachDelivery(_ row: Row) {
    let arrival = Self.arrival(row, .naive)
    #expect(arrival.handled == row.deliveries.count)
    #expect(arrival.problems == (row.deliveries.count == 1 ? [] : [.handledTwice]))
  }

  @Test func losesAColdLinkThatOnlyTheRunningAppForwards() {
    var code = LinkCode.naive
    code.forwarding = .runningOnly
    var process = AppProcess(AppShape(.scene))
    let arrival = Arrival(.universalLink, in: &process, code: code)
    #expect(arrival.handled == 0)
    #expect(arrival.problems == [.notForwarded])
    // The same code works while the app runs.
    #expect(Arrival(.universalLink, in: &process, code: code).isExactlyOnce)
  }

  @Test func losesALinkBeforeTheInterfaceIsReady() {
    var code = LinkCode.naive
    code.readiness = .afterSession
    var process = AppProcess(AppShape(.scene))
    let arrival = Arrival(.handoff, in: &process, code: code)
    #expect(arrival.problems == [.interfaceNotReady])
    #expect(arrival.handled == 0)
    code.queues = true
    process = AppProcess(AppShape(.scene))
    let queued = Arrival(.handoff, in: &process, code: code)
    #expect(queued.isExactlyOnce)
    #expect(
      queued.steps.map(\.name).suffix(4) == [
        "sceneWillEnterForeground(_:)", "sceneDidBecomeActive(_:)", "interface-ready", "handled",
      ])
  }

  @Test func doesNotLaunchWithoutSceneOnANewSDK() {
    var process = AppProcess(AppShape(.appDelegate, sdk: 27))
    let arrival = Arrival(.universalLink, in: &process, code: LinkCode())
    #expect(arrival.problems == [.missingScene])
    #expect(arrival.steps.map(\.kind) == [.launchRefused])
    #expect(arrival.certainty == .observed)
    #expect(process.state == .notRunning)
    #expect(AppShape(.appDelegate, sdk: 26).launches)
    #expect(AppShape(.scene, sdk: 27).launches)
  }

  @Test func handsAnUnroutableLinkBackOnce() {
    var code = LinkCode()
    code.routes = false
    var process = AppProcess(AppShape(.scene))
    #expect(Arrival(.universalLink, in: &process, code: code).problems == [.unroutable])
    code.unroutable = .handsBack
    process = AppProcess(AppShape(.scene))
    let arrival = Arrival(.universalLink, in: &process, code: code)
    #expect(arrival.steps.last?.kind == .handedBack)
    #expect(arrival.problems.isEmpty)
    code.unroutable = .showsInside
    process = AppProcess(AppShape(.scene))
    #expect(Arrival(.universalLink, in: &process, code: code).steps.contains { $0.kind == .shownInside })
  }

  @Test(arguments: [LinkCode.Page.redirects, .opensScheme]) func handingBackToAPageThatReturnsLoops(
    _ page: LinkCode.Page
  ) {
    var code = LinkCode()
    code.routes = false
    code.unroutable = .handsBack
    code.page = page
    var process = AppProcess(AppShape(.scene))
    let arrival = Arrival(.universalLink, in: &process, code: code)
    #expect(arrival.problems == [.loop])
    #expect(arrival.steps.count { $0.kind == .cameBack } == 2)
    #expect(ArrivalProblem.loop.help.contains("SFSafariViewController"))
  }

  @Test func swiftUIWithoutTheModifierOpensURLsAndLosesOtherActivities() {
    let shape = AppShape(.swiftUI, continuesActivities: false)
    var process = AppProcess(shape)
    let link = Arrival(.universalLink, in: &process, code: LinkCode())
    #expect(link.steps.filter(\.isDelivery).map(\.name) == ["onOpenURL(perform:)"])
    #expect(link.certainty == .inferred)
    process = AppProcess(shape)
    #expect(Arrival(.spotlight, in: &process, code: LinkCode()).problems == [.notDelivered])
  }
}

/// The table of the states (LC4).
@Suite struct AppProcessTests {
  @Test(arguments: LifeCycle.allCases) func walksTheStates(_ lifeCycle: LifeCycle) {
    var process = AppProcess(AppShape(lifeCycle))
    #expect(process.launch()?.isEmpty == false)
    #expect(process.state == .inactive)
    #expect(process.enterForeground().isEmpty)
    #expect(process.becomeActive().count == 1)
    #expect(process.becomeActive().isEmpty)
    #expect(process.enterBackground().isEmpty)
    #expect(process.resignActive().count == 1)
    #expect(process.enterBackground().count == 1)
    process.suspend()
    #expect(process.state == .suspended)
    #expect(process.enterForeground().count == 1)
    #expect(process.state == .inactive)
    process.terminate()
    #expect(process.state == .notRunning)
  }
}
