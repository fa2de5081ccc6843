package import LinkspanCore

/// One item of the troubleshooting list for silent pushes.
package struct PushCheck: Sendable, HasProvenance {
  package enum Verdict: String, Hashable, Sendable {
    case ok
    case problem
    /// Only a person can try it.
    case tryIt = "try"
  }

  package var name: String
  package var verdict: Verdict
  /// What was found, or what to try; one sentence without capital letter and full stop.
  package var message: String
  package var rules: [String]
  package var certainty: Certainty

  package var json: JSON {
    .object(
      [("check", .string(name)), ("verdict", .string(verdict.rawValue)), ("message", .string(message))]
        + provenance.members)
  }

  /// push 7.2 and 7.3.
  private static let wakesAnHour = 3

  static func all(_ situation: PushSituation, _ steps: [PushExplanation.Step]) -> [PushCheck] {
    func gates(_ name: String, _ gates: [DeliveryGate]) -> PushCheck {
      let answers = steps.filter { gates.contains($0.gate) }.map { $0.answer }
      let stop = answers.first { $0.stops }
      let answer = stop ?? answers.last { $0.verdict == .yes } ?? answers[0]
      let isOpen = answer.reason == .otherType
      return PushCheck(
        name: name, verdict: isOpen ? .tryIt : answer.stops ? .problem : .ok, message: answer.message,
        rules: answer.rules, certainty: answer.certainty)
    }
    return [
      gates("key", [.contentAvailable]),
      gates("headers", [.headers, .pushType]),
      gates("background-mode", [.backgroundMode]),
      gates("entitlement-and-server", [.entitlement, .environment, .topic]),
      gates("app-opened", [.registration, .installed, .appState, .recentUse]),
      gates("user-settings", [.backgroundRefresh, .permission]),
      gap(situation),
    ] + byHand
  }

  private static func gap(_ situation: PushSituation) -> PushCheck {
    let count = situation.wakesBefore
    return PushCheck(
      name: "gap", verdict: count >= wakesAnHour ? .problem : .ok,
      message: count >= wakesAnHour
        ? "\(count) background pushes came shortly before; leave a gap, two or three an hour are the limit"
        : "\(count) background pushes came shortly before; two or three an hour are the limit",
      rules: ["push 7.2", "push 7.3", "push section 7.2"], certainty: .documented)
  }

  private static let byHand = [
    PushCheck(
      name: "badge-first", verdict: .tryIt,
      message:
        "send {\"aps\":{\"badge\":7}} as an alert: if the badge changes, token, server and topic are right, "
        + "and only the wake is at fault", rules: ["push section 7.2"], certainty: .observed),
    PushCheck(
      name: "register-again", verdict: .tryIt,
      message:
        "let the app unregister and register again: that was seen to help devices that got nothing any more",
      rules: ["push section 7.2"], certainty: .observed),
    PushCheck(
      name: "without-debugger", verdict: .tryIt,
      message:
        "start the app from the Home Screen: a debugger lifts the budgets, and a test under Xcode proves little",
      rules: ["push 7.8"], certainty: .observed),
    PushCheck(
      name: "other-build", verdict: .tryIt,
      message: "if only the TestFlight build fails, try a development build with the sandbox server",
      rules: ["push 7.10"], certainty: .observed),
  ]
}
