internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore
internal import PushDelivery
internal import PushProvider
internal import PushTerms

/// `linkspan explain --push FILE`: would this push wake that app, or show something?
struct ExplainPush {
  private let arguments: Arguments
  private let path: String
  private let goal: PushExplanation.Goal?

  /// Flags that a question about a push and one about a link have in common; the answer to the former is whole without `--why`.
  private static let shared = [
    "--app", "--team", "--bundle-identifier", "--build", "--os", "--expect", "--why",
  ]

  /// - Returns: nil for a question about a link.
  /// - Throws: For flags of the other kind of question.
  init?(_ arguments: Arguments) throws(LinkspanError) {
    let own = PushQuestion.flags.map { $0.name }
    guard let path = arguments.value("--push") else {
      if let flag = own.first(where: { arguments.has($0) }) {
        throw arguments.usage("'\(flag)' goes with '--push'")
      }
      return nil
    }
    try arguments.expectOperands(0...0)
    let known = own + Self.shared
    for flag in arguments.command.flags where !known.contains(flag.name) && arguments.has(flag.name) {
      throw arguments.usage("'\(flag.name)' is about links and does not go with '--push'")
    }
    self.arguments = arguments
    self.path = path
    guard let expected = arguments.value("--expect") else {
      goal = nil
      return
    }
    guard let goal = PushExplanation.Goal(rawValue: expected) else {
      throw arguments.usage("'--expect' with '--push': expected wake or show, got '\(expected)'")
    }
    self.goal = goal
  }

  func report(to console: Console) throws(LinkspanError) -> ExitStatus {
    let question = try PushQuestion(arguments, payload: path)
    if let obstacle = question.obstacle { console.note("linkspan explain: \(obstacle)") }
    let explanation = question.situation.explained
    let goal = goal ?? explanation.usualGoal
    if arguments.has("--json") {
      console.print(json(question, explanation, goal))
    } else {
      let text = PushExplanationText(
        explanation, goal: goal, path: path, notKnown: question.notKnown, columns: console.style.columns)
      console.print(text.text(console.style), terminator: "")
    }
    return switch explanation.outcome(of: goal).verdict {
    case .yes: .yes
    case .unknown: .failed
    case .no, .later, .notAsked: .no
    }
  }

  /// What the app is signed for; nil where that is not known, and without the entitlement.
  private static func environment(_ traits: PushAppTraits) -> String? {
    traits.isEnvironmentKnown ? traits.environment?.rawValue : nil
  }

  /// `{"type":"push_explanation",…}`
  private func json(
    _ question: PushQuestion, _ explanation: PushExplanation, _ goal: PushExplanation.Goal
  ) -> JSON {
    let situation = question.situation
    var members: [(String, JSON)] = [
      ("type", .string("push_explanation")), ("push", .string(path)),
      ("app", .string(situation.app.traits.bundleIdentifier)), ("os", .string(question.os.description)),
      ("push_type", .string(situation.push.kind.rawValue)),
      ("priority", .int(situation.push.priority.rawValue)),
      ("environment", .string(situation.push.server.rawValue)),
      ("aps_environment", .init(Self.environment(situation.app.traits))),
      ("state", .string(situation.app.life.rawValue)), ("profile", .string(situation.profile.rawValue)),
    ]
    members.append(("findings", .array(situation.push.decision.findings.map { $0.json })))
    members += explanation.members(for: goal)
    let place = members.firstIndex { $0.0 == "not_known" }
    if let place {
      members[place].1 = .array((question.notKnown + explanation.notKnown).map(JSON.string))
    }
    return .object(members)
  }
}
