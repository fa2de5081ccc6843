package import LinkspanCore
internal import PushProvider

/// The whole answer to "would this push wake that app, or show something, and if not, why?".
package struct PushExplanation: Sendable {
  /// One gate with what it says, as if everything before it had let the push through.
  package struct Step: Sendable {
    package var gate: DeliveryGate
    package var answer: GateAnswer
  }

  /// What comes of the push in one respect.
  package struct Outcome: Hashable, Sendable {
    package var verdict: GateAnswer.Verdict
    /// The first that keeps it from happening.
    package var reason: DeliveryReason?
    package var certainty: Certainty
  }

  /// What a person may ask for.
  package enum Goal: String, Hashable, Sendable, CaseIterable {
    case wake, show
  }

  package let situation: PushSituation
  /// Every gate once, in order.
  package let steps: [Step]
  package let wakes: Outcome
  package let shows: Outcome
  /// The items of a troubleshooting list, each checked as far as it can be from here.
  package let checks: [PushCheck]

  init(_ situation: PushSituation) {
    self.situation = situation
    let context = situation.context
    let app = situation.usedApp
    let push = situation.push
    let way = DeliveryGate.ofSender + DeliveryGate.ofStore + DeliveryGate.ofAttempt + [.pushType]
    // Of other types nothing behind the push type is known.
    let isSimulated = push.isSimulated
    wakes = Self.outcome(way + (isSimulated ? DeliveryGate.ofWake : []), context, push, app)
    var shows = Self.outcome(way + (isSimulated ? [.display] : []), context, push, app)
    // That a denied alert is not shown is documented (7.13), whatever becomes of the push and its wake.
    if shows.reason == .notificationsOff { shows.certainty = .documented }
    self.shows = shows
    let laterGates = DeliveryGate.ofWake.dropFirst()
    steps = DeliveryGate.allCases.map { gate in
      if !isSimulated, gate == .display || DeliveryGate.ofWake.contains(gate) {
        return Step(
          gate: gate,
          answer: .notAsked(
            "what a device does with a push of this type is not simulated",
            context.answer(gate, push, app).rules))
      }
      if laterGates.contains(gate), !push.payload.asksForWake {
        return Step(
          gate: gate,
          answer: .notAsked("the payload asks for no wake", context.answer(gate, push, app).rules))
      }
      return Step(gate: gate, answer: context.answer(gate, push, app))
    }
    checks = PushCheck.all(situation, steps)
  }

  private static func outcome(
    _ gates: [DeliveryGate], _ context: DeliveryContext, _ push: SentPush, _ app: PushApp
  ) -> Outcome {
    let answers = gates.map { context.answer($0, push, app) }
    // What waits comes through later only where nothing else ever ends it.
    let wait = answers.last?.verdict == .notAsked ? nil : answers.first { $0.verdict == .later }
    let unknown = answers.first { $0.verdict == .unknown }
    if let stop = answers.first(where: { $0.verdict == .no }) ?? unknown ?? wait {
      return Outcome(verdict: stop.verdict, reason: stop.reason, certainty: stop.certainty)
    }
    let certainty = answers.reduce(Certainty.documented) { $0.and($1.certainty) }
    return Outcome(verdict: answers.last?.verdict ?? .no, reason: nil, certainty: certainty)
  }

  /// What the push was probably sent for: to wake the app, unless it only shows something.
  package var usualGoal: Goal {
    let payload = situation.push.payload
    let wantsWake =
      payload.contentAvailable != .absent || payload.misplacedKey != nil || !payload.namesVisible
    return wantsWake ? .wake : .show
  }

  package func outcome(of goal: Goal) -> Outcome { goal == .wake ? wakes : shows }

  /// Everything that keeps the goal from being reached, with what to change, in order.
  package func changes(for goal: Goal) -> [DeliveryReason] {
    let ofGoal: (DeliveryGate) -> Bool =
      goal == .wake ? { $0 != .display } : { !DeliveryGate.ofWake.contains($0) }
    var reasons: [DeliveryReason] = []
    for step in steps where ofGoal(step.gate) {
      guard step.answer.stops, let reason = step.answer.reason,
        !reasons.contains(reason)
      else { continue }
      reasons.append(reason)
    }
    return reasons
  }

  /// What decides on a real device and cannot be determined here, one clause each.
  package var notKnown: [String] {
    var unknown = [
      "the budgets of a real device: Apple publishes no numbers, and the user's habits count (push 7.8)"
    ]
    if !situation.push.isSimulated { unknown.append(DeliveryReason.otherType.facts.sentence) }
    if situation.app.traits.environment != nil {
      unknown.append("whether the token is the app's current one (push 2.3)")
    }
    if wakes.verdict == .yes {
      unknown.append("whether the app calls its completion handler within 30 s (push 7.5)")
    }
    return unknown
  }
}

extension PushExplanation {
  /// The members of a JSON object, but for what was asked.
  package func members(for goal: Goal) -> [(String, JSON)] {
    func json(_ outcome: Outcome) -> JSON {
      .object([
        ("verdict", .string(outcome.verdict.rawValue)), ("reason", .init(outcome.reason?.rawValue)),
        ("certainty", .string(outcome.certainty.rawValue)),
      ])
    }
    let steps = steps.map { step -> JSON in
      let answer = step.answer
      let change = answer.stops ? answer.reason?.facts.change : nil
      return .object(
        [
          ("step", .string(step.gate.rawValue)), ("verdict", .string(answer.verdict.rawValue)),
          ("reason", .init(answer.reason?.rawValue)),
        ] + answer.provenance.members + [
          ("message", .string(answer.message)), ("change", .init(change)),
          ("until", .init(answer.until?.description)),
        ])
    }
    let changes = changes(for: goal).map { reason -> JSON in
      .object(
        [
          ("who", .string(reason.facts.owner.rawValue)), ("what", .string(reason.facts.change)),
          ("reason", .string(reason.rawValue)),
        ] + reason.facts.provenance.members)
    }
    return [
      ("goal", .string(goal.rawValue)), ("wakes", json(wakes)), ("shows", json(shows)),
      ("steps", .array(steps)), ("changes", .array(changes)), ("checks", .array(checks.map { $0.json })),
      ("not_known", .array(notKnown.map(JSON.string))),
    ]
  }
}
