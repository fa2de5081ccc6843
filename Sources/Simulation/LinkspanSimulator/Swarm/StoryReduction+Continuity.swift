internal import AppLifecycle
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// Ways of making steps about activities, arrivals and screens smaller.
extension StoryReduction {
  static var continuity: [StoryReduction] { [plain, events, code] }

  /// No clips, and no steps about them.
  static let clips = StoryReduction(count: { $0.clips.isEmpty ? 0 : 1 }) { story, _ in
    var plain = story
    plain.clips = []
    plain.script.removeAll { if case .clip = $0.action { true } else { false } }
    return plain.script.isEmpty ? [] : [plain]
  }

  /// One app that claims nothing, on one device, and the last step alone.
  private static let plain = StoryReduction(count: { _ in 1 }) { story, _ in
    guard let first = story.script.first, let last = story.script.last,
      case .continuity(let step) = last.action
    else { return [] }
    return step.devices.flatMap { device -> [Story] in
      smallest(step, on: device).compactMap { step in
        guard let app = step.app else { return nil }
        var plain = Story(name: story.name, seed: story.seed, start: story.start)
        plain.eventLimit = story.eventLimit
        plain.apps = [story.apps[app]]
        plain.apps[0].build = AppBuild(identifier: story.apps[app].build.identifier, entries: [])
        plain.apps[0].continuity.shape = AppShape(.appDelegate)
        plain.apps[0].continuity.code = LinkCode()
        plain.devices = [DeviceTraits(name: story.devices[device].name, os: story.devices[device].os)]
        guard let mapped = step.mapping(devices: { $0 == device ? 0 : nil }, apps: { $0 == app ? 0 : nil })
        else {
          return nil
        }
        plain.script = [
          StoryStep(.install(apps: [0], devices: [0]), at: first.location),
          StoryStep(.continuity(mapped), at: last.location),
        ]
        return plain
      }
    }
  }

  /// Each step with one event of the screen fewer.
  private static let events = StoryReduction(count: { $0.script.count }) { story, place in
    guard case .continuity(.screen(let move)) = story.script[place].action, move.events.count > 1 else {
      return []
    }
    return move.events.indices.map { event in
      var story = story
      var move = move
      move.events.remove(at: event)
      story.script[place].action = .continuity(.screen(move))
      return story
    }
  }

  /// Each app with the code that most have.
  private static let code = StoryReduction(count: { $0.apps.count }) { story, place in
    let usual = AppContinuity()
    var plain = story
    plain.apps[place].continuity.code = usual.code
    var alone = story
    alone.apps[place].continuity = usual
    return [alone, plain].filter { $0.apps[place] != story.apps[place] }
  }

  private static func smallest(_ step: ContinuityStep, on device: Int) -> [ContinuityStep] {
    switch step {
    case .screen(let move):
      return ([[.home]] + move.events.map { [$0] }).map {
        .screen(ScreenMove($0, app: move.app, devices: [device]))
      }
    case .arrive(let move):
      return [.warm, .cold].map {
        .arrive(ArrivalMove(move.entrance, app: move.app, devices: [device], start: $0))
      }
    // What a handoff brings arrives.
    case .handoff(let move):
      guard let app = move.app else { return [] }
      return [.arrive(ArrivalMove(.handoff, app: app, devices: [device], start: .warm))]
    }
  }
}

extension ContinuityStep {
  fileprivate var app: Int? {
    switch self {
    case .handoff(let move): move.app
    case .arrive(let move): move.app
    case .screen(let move): move.app
    }
  }
}
