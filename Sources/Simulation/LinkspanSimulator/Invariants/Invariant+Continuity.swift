internal import AppLifecycle
internal import Handoff
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// What arrives in apps, what their screens show, and what moves between devices: read from the trace alone.
extension Invariant {
  static let continuity: [Invariant] = [
    Invariant(
      "delivered-as-often-as-measured",
      "A payload reaches an app once, and twice only after a cold start of an app without scenes.",
      rules: ["LC1", "SR5"], .observed
    ) { step in
      step.arrivals.flatMap { arrival -> [String] in
        // An app that hands links back gets them again.
        guard !arrival.deeds.contains("came-back") else { return [] }
        let isTwice = arrival.isCold && arrival.lifeCycle == .appDelegate
        let limit = isTwice ? 2 : 1
        return arrival.deliveryCount <= limit
          ? []
          : [
            "\(arrival.party), \(arrival.name): \(arrival.deliveryCount) deliveries of one payload after a "
              + "\(arrival.isCold ? "cold" : "warm") start; expected at most \(limit)"
          ]
      }
    },
    Invariant(
      "careful-code-handles-once",
      "An app that recognises a repeated payload and forwards every callback routes it exactly once.",
      rules: ["LC3"], .inferred
    ) { step in
      step.arrivals.flatMap { arrival -> [String] in
        guard case .app(let name)? = arrival.program,
          let code = step.story.apps.first(where: { $0.name == name })?.continuity.code,
          code.ignoresRepeats, code.forwarding == .everyDoor, code.queues, code.routes,
          arrival.deliveryCount > 0
        else { return [] }
        // An app whose code is the library also hands links without a place to the browser, or reports them, and leaves
        // alone what is not its own.
        let ends: Set = ["handled", "open-in-browser", "report", "foreign"]
        let handled = arrival.deeds.count { ends.contains($0) }
        return handled == 1 ? [] : ["\(arrival.party), \(name): routed \(handled) times"]
      }
    },
    Invariant(
      "announced-continues-or-fails-once",
      "After an announcement an app learns exactly once that the activity continues, or that it failed.",
      rules: ["HO8"], .documented
    ) { step in
      step.parties.flatMap { party -> [String] in
        var open = 0
        var problems: [String] = []
        for happening in step.continuity(of: party) {
          guard let name = happening.calledName else { continue }
          if name.contains("willContinueUserActivityWithType") {
            if open > 0 { problems.append("\(party): announced again before an end") }
            open = 1
          } else if name.contains("didFailToContinue") || name.contains("(_:continue:") {
            // Links and Spotlight continue without an announcement.
            if name.contains("didFail"), open == 0 {
              problems.append("\(party): failed without announcement")
            }
            open = 0
          }
        }
        return problems + (open == 0 ? [] : ["\(party): announced, and neither continued nor failed"])
      }
    },
    Invariant(
      "handoff-only-under-its-conditions",
      "Something is offered only if both devices allow Handoff, share an account and are close.",
      rules: ["HO5"], .documented
    ) { step in
      guard case .continuity(.handoff(let move)) = step.action else { return [] }
      let sender = step.story.devices[move.from].handoff
      return move.devices.flatMap { place -> [String] in
        let receiver = step.story.devices[place].handoff
        let isAllowed =
          sender.account == receiver.account && [sender, receiver].allSatisfy { $0.allowsHandoff }
        guard !isAllowed else { return [] }
        let name = step.story.devices[place].name
        return step.continuity(of: name).compactMap { happening in
          guard case .offered(let outcome, _) = happening.what, outcome != .nothing else { return nil }
          let offer = if case .app(let identifier, _) = outcome { identifier } else { "browser" }
          return "\(name) offers \(offer) although a condition is missing"
        }
      }
    },
    Invariant(
      "a-cover-stays-until-the-picture",
      "With a cover from willResignActive to didBecomeActive no card and no picture shows private content.",
      rules: ["SR6", "SR7"], .observed
    ) { step in
      let policies: Set<CoverPolicy> = [.onResign, .windowAboveAlerts, .scenePhase]
      return step.events.compactMap { event in
        guard let happening = event.what as? ContinuityHappening, case .app(let name)? = happening.program,
          let place = happening.placeOfPrivateContent,
          let app = step.story.apps.first(where: { $0.name == name })?.continuity,
          policies.contains(app.cover), !app.presents || app.cover == .windowAboveAlerts
        else { return nil }
        return "\(event.party), \(name): private content in \(place)"
      }
    },
    Invariant(
      "a-picture-follows-the-background",
      "The switcher's picture is taken after an app entered the background.",
      rules: ["LC5"], .documented
    ) { step in
      step.parties.flatMap { party -> [String] in
        var isInBackground = false
        return step.continuity(of: party).compactMap { happening in
          if case .screen = happening.what { isInBackground = false }
          if happening.calledName?.contains("ackground") == true { isInBackground = true }
          guard case .snapshot = happening.what, !isInBackground else { return nil }
          return "\(party): a picture was taken before the background"
        }
      }
    },
  ]
}

/// What a trace tells of one arrival.
private struct ArrivalRecord {
  var party: String
  var program: ContinuityHappening.Program?
  var isCold: Bool
  var lifeCycle: LifeCycle
  /// What happened in the program then, up to the next arrival.
  var happenings: [ContinuityHappening] = []

  var name: String {
    switch program {
    case .app(let name)?, .clip(let name)?: name
    case nil: ""
    }
  }

  /// How often the payload came.
  var deliveryCount: Int {
    happenings.count { if case .callback(let called) = $0.what { called.carries != nil } else { false } }
  }

  /// What its code did.
  var deeds: [String] {
    happenings.compactMap { if case .did(let what, _) = $0.what { what } else { nil } }
  }
}

extension StepRecord {
  fileprivate func continuity(of party: String) -> [ContinuityHappening] {
    events(of: party).compactMap { $0.what as? ContinuityHappening }
  }

  fileprivate var arrivals: [ArrivalRecord] {
    parties.flatMap { party -> [ArrivalRecord] in
      var found: [ArrivalRecord] = []
      for happening in continuity(of: party) {
        if case .arrived(_, let isCold, let lifeCycle) = happening.what {
          found.append(
            ArrivalRecord(
              party: party, program: happening.program, isCold: isCold, lifeCycle: lifeCycle))
        } else if let last = found.indices.last, happening.program == found[last].program {
          found[last].happenings.append(happening)
        }
      }
      return found
    }
  }
}

extension ContinuityHappening {
  /// The name of what was called, where something was.
  fileprivate var calledName: String? {
    if case .callback(let called) = what { called.name } else { nil }
  }

  /// Where private content can be seen; nil where none is told of.
  fileprivate var placeOfPrivateContent: String? {
    switch what {
    case .visible(.privateContent, let place): place.rawValue
    case .snapshot(.privateContent): "the picture"
    default: nil
    }
  }
}

extension HandoffDevice.Switches {
  fileprivate var allowsHandoff: Bool {
    isHandoffOn && isBluetoothOn && isNear && isUnlockedSinceBoot && !isRestricted && !isLowPower
  }
}
