internal import LinkspanCommand
internal import LinkspanCore
internal import PushDelivery
internal import PushProvider
internal import PushTerms

/// An explanation of a push for people, in lines of at most a hundred columns, and no wider than the terminal, which would
/// break them anew.
struct PushExplanationText {
  private let width: Int
  private let explanation: PushExplanation
  private let goal: PushExplanation.Goal
  private let path: String
  private let notKnown: [String]

  init(
    _ explanation: PushExplanation, goal: PushExplanation.Goal, path: String, notKnown: [String],
    columns: Int?
  ) {
    width = ExplanationText.width(columns)
    self.explanation = explanation
    self.goal = goal
    self.path = path
    self.notKnown = notKnown + explanation.notKnown
  }

  func text(_ style: TextStyle) -> String {
    let situation = explanation.situation
    var text = style.bold("\(path) to \(situation.app.traits.bundleIdentifier)".onOneLine) + "\n"
    text +=
      "  \(situation.push.kind.rawValue), priority \(situation.push.priority.rawValue), "
      + "\(situation.push.server.rawValue) server, app \(situation.app.life.rawValue): \(result(style))\n\n"
    let gates = DeliveryGate.allCases.map { $0.rawValue.count }.max() ?? 0
    for step in explanation.steps {
      text += line(
        mark(step.answer.verdict), step.gate.rawValue.padded(to: gates),
        step.answer.message + Self.basis(step.answer), style)
    }
    text += findings
    text += changes
    text += "\nThe list to go through:\n"
    let names = explanation.checks.map { $0.name.count }.max() ?? 0
    for check in explanation.checks {
      text += line(
        mark(check.verdict), check.name.padded(to: names), check.message + Self.basis(check), style)
    }
    text += "\nNot known from here:\n"
    for item in notKnown {
      text += WrappedText.lines(item.onOneLine, first: "  - ", rest: "    ", width: width)
    }
    return text
  }

  /// `wakes the app, shows nothing`
  private func result(_ style: TextStyle) -> String {
    let wakes =
      switch explanation.wakes.verdict {
      case .yes: style.paint("wakes the app", .green)
      case .later: style.paint("wakes the app later", .cyan)
      case .unknown: style.paint("whether it wakes the app is not known", .yellow)
      case .no, .notAsked: style.paint("does not wake the app", goal == .wake ? .red : .cyan)
      }
    let shows =
      switch explanation.shows.verdict {
      case .yes: style.paint("shows it", .green)
      case .later: style.paint("shows it later", .cyan)
      case .no: style.paint("does not show it", goal == .show ? .red : .cyan)
      case .unknown: style.paint("whether it shows it is not known", .yellow)
      case .notAsked: "shows no alert"
      }
    return wakes + ", " + shows
  }

  /// What the lint says of the payload and its headers.
  private var findings: String {
    let findings = explanation.situation.push.decision.findings
    guard !findings.isEmpty else { return "" }
    return findings.reduce(into: "\nIn the payload and its headers:\n") { text, finding in
      text += WrappedText.lines(
        "\(finding.severity.rawValue): \(finding.message) [\(finding.rule)]".onOneLine, first: "  - ",
        rest: "    ",
        width: width)
    }
  }

  private var changes: String {
    let reasons = explanation.changes(for: goal)
    guard !reasons.isEmpty else { return "" }
    let aim = goal == .wake ? "wake the app" : "show it"
    var text = "\nTo \(aim)" + (reasons.count > 1 ? ", all of these are needed" : "") + ":\n"
    for (index, reason) in reasons.enumerated() {
      text += WrappedText.lines(
        "\(reason.facts.owner.rawValue): \(reason.facts.change)  [\(reason.facts.provenance.text)]",
        first: "  \(index + 1). ", rest: "     ", width: width)
    }
    return text
  }

  private typealias Mark = (text: String, colour: TextStyle.Colour?)

  private func mark(_ verdict: GateAnswer.Verdict) -> Mark {
    switch verdict {
    case .yes: ("yes  ", .green)
    case .no: ("no   ", .red)
    case .later: ("later", .cyan)
    case .unknown: ("?    ", .yellow)
    case .notAsked: ("-    ", nil)
    }
  }

  private func mark(_ verdict: PushCheck.Verdict) -> Mark {
    switch verdict {
    case .ok: ("ok     ", .green)
    case .problem: ("problem", .red)
    case .tryIt: ("try    ", .cyan)
    }
  }

  private func line(_ mark: Mark, _ name: String, _ text: String, _ style: TextStyle) -> String {
    // The mark is painted, so the lines are broken as if it were plain.
    let head = "  " + mark.text + "  " + name + "  "
    let wrapped = WrappedText.lines(
      text.onOneLine, first: head, rest: String(repeating: " ", count: head.count), width: width)
    let painted = mark.colour.map { style.paint(mark.text, $0) } ?? mark.text
    return "  " + painted + String(wrapped.dropFirst(2 + mark.text.count))
  }

  private static func basis(_ source: some HasProvenance) -> String { "  [\(source.provenance.text)]" }
}
