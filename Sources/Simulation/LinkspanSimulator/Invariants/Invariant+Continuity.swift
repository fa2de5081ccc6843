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
        guard !arrival.events.contains(where: { $0.text("what") == "came-back" }) else { return [] }
        let isTwice = arrival.start == "cold" && arrival.lifeCycle == LifeCycle.appDelegate.rawValue
        let limit = isTwice ? 2 : 1
        return arrival.deliveries.count <= limit
          ? []
          : [
            "\(arrival.party), \(arrival.app): \(arrival.deliveries.count) deliveries of one payload after a "
              + "\(arrival.start) start; expected at most \(limit)"
          ]
      }
    },
    Invariant(
      "careful-code-handles-once",
      "An app that recognises a repeated payload and forwards every callback routes it exactly once.",
      rules: ["LC3"], .inferred
    ) { step in
      step.arrivals.flatMap { arrival -> [String] in
        guard let code = step.story.apps.first(where: { $0.name == arrival.app })?.continuity.code,
          code.ignoresRepeats, code.forwarding == .everyDoor, code.queues, code.routes,
          !arrival.deliveries.isEmpty
        else { return [] }
        // An app whose code is the library also hands links without a place to the browser, or reports them.
        let ends: Set<String?> = ["handled", "open-in-browser", "report"]
        let handled = arrival.events.count { ends.contains($0.text("what")) }
        return handled == 1 ? [] : ["\(arrival.party), \(arrival.app): routed \(handled) times"]
      }
    },
    Invariant(
      "announced-continues-or-fails-once",
      "After an announcement an app learns exactly once that the activity continues, or that it failed.",
      rules: ["HO8"], .documented
    ) { step in
      step.parties(of: "callback").flatMap { party -> [String] in
        var open = 0
        var problems: [String] = []
        for event in step.events("callback", of: party) {
          guard let name = event.text("name") else { continue }
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
        return step.events("offer", of: step.story.devices[place].name)
          .filter { !isAllowed && $0.text("opens") != "nothing" }
          .map { "\($0.party) offers \($0.text("opens") ?? "") although a condition is missing" }
      }
    },
    Invariant(
      "a-cover-stays-until-the-picture",
      "With a cover from willResignActive to didBecomeActive no card and no picture shows private content.",
      rules: ["SR6", "SR7"], .observed
    ) { step in
      let policies: Set<CoverPolicy> = [.onResign, .windowAboveAlerts, .scenePhase]
      return step.events.compactMap { event in
        guard event.kind == "snapshot" || event.kind == "visible", event.text("content") == "private",
          let app = step.story.apps.first(where: { $0.name == event.text("app") })?.continuity,
          policies.contains(app.cover), !app.presents || app.cover == .windowAboveAlerts
        else { return nil }
        return
          "\(event.party), \(event.text("app") ?? ""): private content in \(event.text("at") ?? "the picture")"
      }
    },
    Invariant(
      "a-picture-follows-the-background",
      "The switcher's picture is taken after an app entered the background.",
      rules: ["LC5"], .documented
    ) { step in
      step.parties(of: "snapshot").flatMap { party -> [String] in
        var isInBackground = false
        return step.events(of: party).compactMap { event in
          if event.kind == "screen" { isInBackground = false }
          if event.kind == "callback", event.text("name")?.contains("ackground") == true {
            isInBackground = true
          }
          guard event.kind == "snapshot", !isInBackground else { return nil }
          return "\(party): a picture was taken before the background"
        }
      }
    },
  ]
}

/// What a trace tells of one arrival.
private struct ArrivalRecord {
  var party: String
  var app: String
  var start: String
  var lifeCycle: String
  /// Those of the app that follow, up to the next arrival.
  var events: [Event] = []

  var deliveries: [Event] { events.filter { $0.kind == "callback" && $0.text("carries") != nil } }
}

extension StepRecord {
  fileprivate var arrivals: [ArrivalRecord] {
    parties(of: "arrive").flatMap { party -> [ArrivalRecord] in
      var found: [ArrivalRecord] = []
      for event in events(of: party) {
        if event.kind == "arrive" {
          found.append(
            ArrivalRecord(
              party: party, app: event.text("app") ?? "", start: event.text("start") ?? "",
              lifeCycle: event.text("life_cycle") ?? ""))
        } else if let last = found.indices.last, event.text("app") == found[last].app {
          found[last].events.append(event)
        }
      }
      return found
    }
  }
}

extension HandoffDevice.Switches {
  fileprivate var allowsHandoff: Bool {
    isHandoffOn && isBluetoothOn && isNear && isUnlockedSinceBoot && !isRestricted && !isLowPower
  }
}
