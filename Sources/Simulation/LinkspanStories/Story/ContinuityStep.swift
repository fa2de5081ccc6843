package import AppLifecycle
package import Handoff
package import LinkspanCore

/// A step about activities that move between devices, about what arrives in an app, or about what its screen shows.
package enum ContinuityStep: Sendable {
  case handoff(HandoffMove)
  case arrive(ArrivalMove)
  case screen(ScreenMove)

  /// The keys that make a step one of these.
  package static let verbs = ["handoff", "arrive", "screen"]

  /// Whether an app runs when something arrives.
  package enum Start: String, Hashable, Sendable, CaseIterable {
    /// It is ended first.
    case cold
    /// It is opened and left first.
    case warm
  }
}

/// An activity of one device, continued on others. Devices and apps are named by their place in the story.
package struct HandoffMove: Sendable {
  package var activity: UserActivity
  /// The app that makes it; nil for the browser.
  package var app: Int?
  package var from: Int
  package var devices: [Int]
  package var start: ContinuityStep.Start?
  package var trouble: TransferTrouble?
  /// How many objects the receiving app gives to have their state restored.
  package var restores = 0
  /// How often the activity changes after it was continued.
  package var updates = 0
  package var expectations: [ContinuityExpectation] = []

  package init(_ activity: UserActivity, app: Int?, from: Int, devices: [Int]) {
    self.activity = activity
    self.app = app
    self.from = from
    self.devices = devices
  }
}

/// Something arrives in an app.
package struct ArrivalMove: Sendable {
  package var entrance: Entrance
  package var app: Int
  package var devices: [Int]
  package var start: ContinuityStep.Start?
  /// The link, or the identifier of Spotlight's item; only an app with routes looks at it.
  package var link: String?
  package var expectations: [ContinuityExpectation] = []

  package init(_ entrance: Entrance, app: Int, devices: [Int], start: ContinuityStep.Start?) {
    self.entrance = entrance
    self.app = app
    self.devices = devices
    self.start = start
  }
}

/// What happens on the screen while an app is there.
package struct ScreenMove: Sendable {
  package var events: [ScreenEvent]
  package var app: Int
  package var devices: [Int]
  package var expectations: [ContinuityExpectation] = []

  package init(_ events: [ScreenEvent], app: Int, devices: [Int]) {
    self.events = events
    self.app = app
    self.devices = devices
  }
}

/// What should have come of a step, fact by fact; a fact that is not named may be anything.
package struct ContinuityExpectation: Hashable, Sendable {
  /// By the names of ``ContinuityFacts``, in the order of the story.
  package var facts: [ContinuityFact]
  package var devices: [Int]
  package var location: Finding.Location

  package init(_ facts: [ContinuityFact], devices: [Int], location: Finding.Location) {
    self.facts = facts
    self.devices = devices
    self.location = location
  }
}

/// One thing that can be said about the outcome of a step.
package struct ContinuityFact: Hashable, Sendable {
  package enum Name: String, Hashable, Sendable, CaseIterable {
    /// The name of an app, `browser` or `nothing`.
    case opens
    /// The name of an obstacle.
    case because
    /// The number of an error, or `none`.
    case error
    case deliveries
    case handled
    /// Where an app with routes went: a route with its parameters, `browser` or `nothing`.
    case shows
    /// The name of a problem, or `none`.
    case problem
    case card
    case snapshot
    case disturbance
    /// `true` or `false`.
    case exposes
  }

  package var name: Name
  /// As text, also where it is a number.
  package var value: String

  package init(_ name: Name, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension ContinuityStep {
  package var devices: [Int] {
    switch self {
    case .handoff(let move): move.devices
    case .arrive(let move): move.devices
    case .screen(let move): move.devices
    }
  }

  /// The step with other places, without those that become nil; nil when nothing is left of it.
  package func mapping(devices: (Int) -> Int?, apps: (Int) -> Int?) -> ContinuityStep? {
    let left = self.devices.compactMap(devices)
    guard !left.isEmpty else { return nil }
    switch self {
    case .handoff(var move):
      guard let from = devices(move.from) else { return nil }
      if let app = move.app {
        guard let mapped = apps(app) else { return nil }
        move.app = mapped
      }
      (move.from, move.devices, move.expectations) = (from, left, [])
      return .handoff(move)
    case .arrive(var move):
      guard let app = apps(move.app) else { return nil }
      (move.app, move.devices, move.expectations) = (app, left, [])
      return .arrive(move)
    case .screen(var move):
      guard let app = apps(move.app) else { return nil }
      (move.app, move.devices, move.expectations) = (app, left, [])
      return .screen(move)
    }
  }
}
