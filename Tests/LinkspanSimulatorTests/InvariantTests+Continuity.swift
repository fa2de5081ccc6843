import AppLifecycle
import Handoff
import LinkspanCore

@testable import LinkspanSimulator
@testable import LinkspanStories
@testable import SimulatedDevices

/// Steps in which something about activities, arrivals or screens is wrong.
extension InvariantTests {
  private static let arrive = StoryStep.Action.continuity(
    .arrive(ArrivalMove(.universalLink, app: 0, devices: [0], start: nil)))
  private static let handoff = StoryStep.Action.continuity(
    .handoff(HandoffMove(.page("https://e.test/a"), app: nil, from: 0, devices: [0])))

  static let continuity: [Doctored] = [
    Doctored("delivered-as-often-as-measured", arrive) { step in
      add(&step, "arrive", [("start", "warm"), ("life_cycle", "scene")])
      for _ in 1...2 {
        add(&step, "callback", [("name", "scene(_:continue:)"), ("carries", "userActivity")])
      }
      add(&step, "app", [("what", "handled")])
    },
    // Two deliveries are right for this life cycle, and three are not.
    Doctored("delivered-as-often-as-measured", arrive) { step in
      add(&step, "arrive", [("start", "cold"), ("life_cycle", "app-delegate")])
      for _ in 1...3 { add(&step, "callback", [("name", "a"), ("carries", "userActivity")]) }
      add(&step, "app", [("what", "handled")])
    },
    Doctored("careful-code-handles-once", arrive) { step in
      add(&step, "arrive", [("start", "warm"), ("life_cycle", "scene")])
      add(&step, "callback", [("name", "scene(_:continue:)"), ("carries", "userActivity")])
      for _ in 1...2 { add(&step, "app", [("what", "handled")]) }
    },
    Doctored("careful-code-handles-once", arrive) { step in
      add(&step, "arrive", [("start", "warm"), ("life_cycle", "scene")])
      add(&step, "callback", [("name", "scene(_:continue:)"), ("carries", "userActivity")])
    },
    Doctored("announced-continues-or-fails-once", arrive) { step in
      add(&step, "callback", [("name", "scene(_:willContinueUserActivityWithType:)")])
    },
    Doctored("announced-continues-or-fails-once", arrive) { step in
      add(&step, "callback", [("name", "scene(_:didFailToContinueUserActivityWithType:error:)")])
    },
    Doctored("handoff-only-under-its-conditions", handoff) { step in
      step.story.devices[0].handoff.isBluetoothOn = false
      add(&step, "offer", [("opens", "browser")])
    },
    Doctored("a-cover-stays-until-the-picture", arrive) { step in
      step.story.apps[0].continuity.cover = .onResign
      add(&step, "callback", [("name", "sceneDidEnterBackground(_:)")])
      add(&step, "snapshot", [("content", "private")])
    },
    Doctored("a-cover-stays-until-the-picture", arrive) { step in
      step.story.apps[0].continuity.cover = .scenePhase
      add(&step, "visible", [("at", "switcher-live"), ("content", "private")])
    },
    Doctored("a-picture-follows-the-background", arrive) { step in
      add(&step, "screen", [("event", "home")])
      add(&step, "snapshot", [("content", "cover")])
    },
  ]

  private static func add(_ step: inout StepRecord, _ kind: String, _ fields: [(String, String)]) {
    step.events.append(
      Good.event(step, 1, "iphone", kind, [("app", .string("app"))] + fields.map { ($0.0, .string($0.1)) }))
  }
}
