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
      add(&step, .arrived(.universalLink, isCold: false, .scene))
      for _ in 1...2 {
        add(&step, .callback(.init(name: "scene(_:continue:)", carries: "userActivity")))
      }
      add(&step, .did("handled"))
    },
    // Two deliveries are right for this life cycle, and three are not.
    Doctored("delivered-as-often-as-measured", arrive) { step in
      add(&step, .arrived(.universalLink, isCold: true, .appDelegate))
      for _ in 1...3 { add(&step, .callback(.init(name: "a", carries: "userActivity"))) }
      add(&step, .did("handled"))
    },
    Doctored("careful-code-handles-once", arrive) { step in
      add(&step, .arrived(.universalLink, isCold: false, .scene))
      add(&step, .callback(.init(name: "scene(_:continue:)", carries: "userActivity")))
      for _ in 1...2 { add(&step, .did("handled")) }
    },
    Doctored("careful-code-handles-once", arrive) { step in
      add(&step, .arrived(.universalLink, isCold: false, .scene))
      add(&step, .callback(.init(name: "scene(_:continue:)", carries: "userActivity")))
    },
    Doctored("announced-continues-or-fails-once", arrive) { step in
      add(&step, .callback(.init(name: "scene(_:willContinueUserActivityWithType:)")))
    },
    Doctored("announced-continues-or-fails-once", arrive) { step in
      add(&step, .callback(.init(name: "scene(_:didFailToContinueUserActivityWithType:error:)")))
    },
    Doctored("handoff-only-under-its-conditions", handoff) { step in
      step.story.devices[0].handoff.isBluetoothOn = false
      add(&step, .offered(.browser, obstacles: []))
    },
    Doctored("a-cover-stays-until-the-picture", arrive) { step in
      step.story.apps[0].continuity.cover = .onResign
      add(&step, .callback(.init(name: "sceneDidEnterBackground(_:)")))
      add(&step, .snapshot(.privateContent))
    },
    Doctored("a-cover-stays-until-the-picture", arrive) { step in
      step.story.apps[0].continuity.cover = .scenePhase
      add(&step, .visible(.privateContent, at: .liveCard))
    },
    Doctored("a-picture-follows-the-background", arrive) { step in
      add(&step, .screen(.home))
      add(&step, .snapshot(.cover))
    },
  ]

  private static func add(_ step: inout StepRecord, _ what: ContinuityHappening.What) {
    step.events.append(Good.event(step, 1, "iphone", ContinuityHappening(program: .app("app"), what: what)))
  }
}
