internal import LinkspanCore

/// What the system calls when something arrives (LC1).
extension AppProcess {
  /// Lets something arrive, starting the app or bringing it to the front as needed; it is active afterwards.
  ///
  /// What is documented or measured is which callbacks bring the payload. The place of the callbacks that bring none is
  /// inferred from the table of states.
  package mutating func arrive(by entrance: Entrance) -> [ArrivalStep] {
    let isCold = state == .notRunning
    var steps: [ArrivalStep] = []
    if isCold {
      guard let launch = launch() else { return [ArrivalStep(.launchRefused, .observed)] }
      steps += launch.map { step($0, cold: entrance) }
    } else {
      steps += enterForeground().map { ArrivalStep(.callback($0, carrying: nil), .documented) }
    }
    steps += doors(entrance, isCold: isCold)
    steps += becomeActive().map { ArrivalStep(.callback($0, carrying: nil), .inferred) }
    // A scene is in front before a cold start's payload is there, or the other way round; the table does not say.
    return steps
  }

  /// A callback of a cold start, with the payload where it brings one.
  private func step(_ callback: Callback, cold entrance: Entrance) -> ArrivalStep {
    switch (callback, shape.lifeCycle) {
    case (.didFinishLaunching, .appDelegate):
      ArrivalStep(
        .callback(
          callback,
          carrying: entrance.isActivity ? "launchOptions[.userActivityDictionary]" : "launchOptions[.url]"),
        certainty(ofColdDoor: entrance))
    case (.sceneWillConnect, _):
      ArrivalStep(
        .callback(
          callback,
          carrying: entrance.isActivity ? "connectionOptions.userActivities" : "connectionOptions.urlContexts"
        ), entrance == .spotlight ? .inferred : .documented)
    default: ArrivalStep(.callback(callback, carrying: nil), .documented)
    }
  }

  /// Two deliveries of one URL were measured; the table of the cold start lists three kinds of activity.
  private func certainty(ofColdDoor entrance: Entrance) -> Certainty {
    switch entrance {
    case .customScheme: .observed
    case .universalLink, .handoff, .clip: .documented
    case .spotlight: .inferred
    }
  }

  /// The callbacks of an app that runs, and of the app delegate and SwiftUI after a cold start too.
  private func doors(_ entrance: Entrance, isCold: Bool) -> [ArrivalStep] {
    switch shape.lifeCycle {
    case .appDelegate:
      let certainty = isCold ? certainty(ofColdDoor: entrance) : usual(entrance)
      let door: Callback = entrance.isActivity ? .continueActivity : .openURL
      return announcement(entrance, .willContinue, isCold: isCold)
        + [ArrivalStep(.callback(door, carrying: entrance.isActivity ? "userActivity" : "url"), certainty)]
    case .scene:
      // After a cold start it is not called: the payload came with the connection.
      guard !isCold else { return [] }
      let door: Callback = entrance.isActivity ? .sceneContinue : .sceneOpenURL
      return announcement(entrance, .sceneWillContinue, isCold: false)
        + [
          ArrivalStep(
            .callback(door, carrying: entrance.isActivity ? "userActivity" : "URLContexts"), usual(entrance))
        ]
    case .swiftUI: return swiftUIDoors(entrance)
    }
  }

  /// Handoff alone is announced (HO8). For a cold start the table does not list the announcement.
  private func announcement(_ entrance: Entrance, _ callback: Callback, isCold: Bool) -> [ArrivalStep] {
    guard entrance == .handoff else { return [] }
    return [
      ArrivalStep(.callback(callback, carrying: nil), isCold ? .inferred : .documented, ["HO8"])
    ]
  }

  private func swiftUIDoors(_ entrance: Entrance) -> [ArrivalStep] {
    if !entrance.isActivity {
      return [ArrivalStep(.callback(.onOpenURL, carrying: "url"), .documented)]
    }
    if shape.continuesActivities {
      return [
        ArrivalStep(.callback(.onContinueUserActivity, carrying: "userActivity"), usual(entrance))
      ]
    }
    // Documented in part, and different from release to release. Other types than web pages have no URL to open.
    guard entrance == .universalLink || entrance == .clip else { return [] }
    return [ArrivalStep(.callback(.onOpenURL, carrying: "url"), .inferred)]
  }

  private func usual(_ entrance: Entrance) -> Certainty { entrance == .spotlight ? .inferred : .documented }
}
