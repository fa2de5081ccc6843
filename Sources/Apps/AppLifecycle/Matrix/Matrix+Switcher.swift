internal import LinkspanCore

extension Matrix {
  private struct Scene {
    var name: String
    var title: String
    var event: ScreenEvent
    var surroundings = ScreenMachine.Surroundings()
  }

  /// Every event, then what differs in the Simulator and under a presented controller.
  private static let scenes: [Scene] = {
    var scenes = ScreenEvent.allCases.filter { $0 != .open }.map {
      Scene(name: $0.rawValue, title: $0.words, event: $0)
    }
    var simulator = ScreenMachine.Surroundings()
    simulator.isSimulator = true
    let race = scenes.firstIndex { $0.event == .doublePressRace } ?? 0
    scenes.insert(
      Scene(
        name: "double-press-race-in-simulator", title: "the same in the Simulator", event: .doublePressRace,
        surroundings: simulator), at: race + 1)
    var presenting = ScreenMachine.Surroundings()
    presenting.presents = true
    scenes.append(
      Scene(
        name: "switcher-over-presented-controller", title: "switcher over a presented controller",
        event: .switcher, surroundings: presenting))
    return scenes
  }()

  /// What can be seen of a private app, and what is in the picture, for every event and policy.
  ///
  /// - Source: rules LC4, LC5, SR6, SR7.
  package static func switcher() -> Matrix {
    Matrix(
      name: "switcher", title: "What can be seen, and what the picture holds",
      columns: CoverPolicy.allCases.map(\.rawValue),
      rows: scenes.map { scene in
        Row(title: scene.title, cells: CoverPolicy.allCases.map { cell(scene, $0) })
      },
      notes: [
        "hidden, visible: the app's card in the switcher; picture: what the system keeps on disk; flash, stuck: the cover "
          + "over the app in use.",
        "The Simulator enters the background before the switcher appears, so a cover at didEnterBackground looks safe "
          + "there and is not. (o)",
      ])
  }

  private static func cell(_ scene: Scene, _ policy: CoverPolicy) -> Cell {
    let outcome = ScreenOutcome.of(scene.event, policy: policy, surroundings: scene.surroundings)
    var lines: [String] = []
    switch outcome.card {
    case .hidden: lines.append("hidden")
    case .visibleLive: lines.append("visible, live")
    case .visibleInPicture: lines.append("visible")
    case .unknown: lines.append("not known")
    case .notShown: break
    }
    if let snapshot = outcome.snapshot {
      lines.append("picture: \(snapshot == .cover ? "cover" : snapshot.rawValue)")
    }
    switch outcome.disturbance {
    case .none: if lines.isEmpty { lines.append("no flash") }
    case .flash: lines.append("flash")
    case .stuck: lines.append("stuck cover")
    }
    let tone: Tone =
      outcome.exposes || outcome.disturbance == .stuck
      ? .bad : outcome.card == .unknown ? .unknown : outcome.disturbance == .flash ? .neutral : .good
    return Cell(
      lines, tone, outcome.certainty,
      [
        ("event", .string(scene.name)), ("policy", .string(policy.rawValue)),
        ("card", .string(outcome.card.rawValue)), ("snapshot", .init(outcome.snapshot?.rawValue)),
        ("disturbance", .string(outcome.disturbance.rawValue)), ("exposes", .bool(outcome.exposes)),
        ("certainty", .string(outcome.certainty.rawValue)), ("steps", .array(outcome.steps.map(\.json))),
      ])
  }

  /// The table of cover policies and how each fails, as the machine finds it.
  ///
  /// - Source: rules SR6, SR7.
  package static func policies() -> Matrix {
    Matrix(
      name: "policies", title: "Cover policies and how they fail",
      columns: ["switcher from active", "double-press race", "control centre, alert, prompt", "picture"],
      rows: CoverPolicy.allCases.map { policy in
        Row(
          title: policy.words,
          cells: [
            verdict(.switcher, policy), verdict(.doublePressRace, policy), promptVerdict(policy),
            pictureVerdict(policy),
          ])
      }, notes: [])
  }

  private static func verdict(_ event: ScreenEvent, _ policy: CoverPolicy) -> Cell {
    let outcome = ScreenOutcome.of(event, policy: policy)
    let isStuck = outcome.disturbance == .stuck
    let card =
      switch outcome.card {
      case .visibleLive: "visible live"
      case .visibleInPicture: "visible in the picture"
      case .unknown: "not known"
      case .hidden, .notShown: "hidden"
      }
    return Cell(
      isStuck ? [card, "cover can stay on"] : [card],
      outcome.exposes || isStuck ? .bad : outcome.card == .unknown ? .unknown : .good, outcome.certainty,
      [
        ("policy", .string(policy.rawValue)), ("event", .string(event.rawValue)),
        ("card", .string(outcome.card.rawValue)), ("disturbance", .string(outcome.disturbance.rawValue)),
        ("certainty", .string(outcome.certainty.rawValue)),
      ])
  }

  private static func promptVerdict(_ policy: CoverPolicy) -> Cell {
    let prompts: [ScreenEvent] = [.controlCentre, .alert, .biometricPrompt]
    let found = prompts.map { ScreenOutcome.of($0, policy: policy).disturbance }
    let worst = [ScreenOutcome.Disturbance.stuck, .flash].first(where: found.contains) ?? .none
    let words =
      switch worst {
      case .none: "no flash"
      case .flash: "flash of cover"
      case .stuck: "stuck cover"
      }
    let tone: Tone =
      switch worst {
      case .none: .good
      case .flash: .neutral
      case .stuck: .bad
      }
    return Cell(
      [words], tone, .documented,
      [
        ("policy", .string(policy.rawValue)), ("event", .string("prompts")), ("card", .null),
        ("disturbance", .string(worst.rawValue)), ("certainty", .string(Certainty.documented.rawValue)),
      ])
  }

  private static func pictureVerdict(_ policy: CoverPolicy) -> Cell {
    let outcome = ScreenOutcome.of(.home, policy: policy)
    let holds = outcome.snapshot ?? .unknown
    return Cell(
      [holds == .cover ? "safe" : holds.rawValue], holds == .cover ? .good : .bad, .documented,
      [
        ("policy", .string(policy.rawValue)), ("event", .string(ScreenEvent.home.rawValue)),
        ("card", .string(outcome.card.rawValue)), ("snapshot", .string(holds.rawValue)),
        ("certainty", .string(Certainty.documented.rawValue)),
      ])
  }
}
