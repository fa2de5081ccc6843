internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSiteCommands
internal import PushDelivery
internal import SimulatedDevices

extension DoctorRun {
  /// Why a push does not wake the app, or shows nothing.
  func answer(forPush path: String) throws(LinkspanError) -> DoctorAnswer {
    let question = try PushQuestion(pushArguments(path), payload: path)
    let explanation = question.situation.explained
    let goal = explanation.usualGoal
    let outcome = explanation.outcome(of: goal)
    // That nothing is left to do follows from a more precise reason, where there is one.
    // What is not simulated is no cause of anything; it is among what is not known.
    let all = explanation.changes(for: goal).filter { $0 != .otherType }
    let reasons = all.filter { $0 != .nothingToDo } + all.filter { $0 == .nothingToDo }
    let causes = reasons.map { reason in
      // Gates behind the first that is shut by a reason may say the same.
      var seen: Set<String> = []
      return FoundCause(
        .pushStopped, WayCauses.sureness(reason.facts.provenance.certainty),
        evidence: explanation.steps.filter { $0.answer.reason == reason }.map {
          WayCauses.sentence(
            reason == .uninstalled ? question.obstacle ?? $0.answer.message : $0.answer.message)
        }.filter { seen.insert($0).inserted },
        remedy: WayCauses.sentence(reason.facts.change), owner: Self.owner(of: reason),
        title: WayCauses.sentence(reason.facts.sentence), id: reason.rawValue)
    }
    let isDone = outcome.verdict == .yes
    let isUnknown = outcome.verdict == .unknown
    let wanted = goal == .wake ? "wakes the app" : "shows an alert"
    let missed = goal == .wake ? "does not wake the app" : "shows no alert"
    return DoctorAnswer(
      target: path, question: "this push", verdict: isDone ? .opens : isUnknown ? .unknown : .browser,
      outcome: isDone ? wanted : isUnknown ? "\(wanted) or not: that is not known" : missed,
      cause: isDone ? nil : causes.first, also: Array(causes.dropFirst()),
      notChecked: question.notKnown + explanation.notKnown)
  }

  private func pushArguments(_ path: String) throws(LinkspanError) -> Arguments {
    let asked = try arguments.asked(of: .explain, operands: []).with("--push", [path])
    return arguments.has("--not-installed")
      ? asked.with("--state", [PushApp.Life.notInstalled.rawValue]) : asked
  }

  private static func owner(of reason: DeliveryReason) -> Cause.Owner {
    switch reason.facts.owner {
    case .sender: .sender
    case .app: .app
    case .user: .user
    case .time: .none
    }
  }
}
