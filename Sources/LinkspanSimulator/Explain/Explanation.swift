import AppSiteAssociation
package import LinkspanCore

/// The whole answer to "what does this link do, and what would change the outcome?".
package struct Explanation: Sendable {
  package var link: String
  package var device: DeviceTraits
  package var way: WayOfFollowing
  /// Every step with its verdict, as things are now.
  package var chain: LinkExplanation
  /// What decides on a real device and cannot be determined here, one clause each.
  package var notKnown: [String]
  /// What ``changes`` lead to.
  package var goal: ChangeSearch.Goal
  /// The smallest sets of changes that reach the goal, the cheapest first. Any one set is enough, and all of its
  /// changes are needed. Empty when the goal is reached already, or when no three changes together reach it.
  package var changes: [[WorldChange]]

  /// Answers by simulating: once for the explanation, and once for each set of changes that is tried, of which there
  /// may be thousands.
  ///
  /// - Throws: ``SimulationError`` when the situation's story stalls or has too many events.
  package init(
    _ situation: Situation, goal: ChangeSearch.Goal = .app, notKnown: [String] = []
  ) throws(SimulationError) {
    link = situation.link
    device = situation.traits
    way = situation.way
    chain = try situation.explained()
    self.goal = goal
    changes = try ChangeSearch(situation, goal: goal, now: chain).smallestSets()
    self.notKnown = notKnown + Self.unknown(situation, chain)
  }

  /// What no story and no question of ours could say.
  private static func unknown(_ situation: Situation, _ chain: LinkExplanation) -> [String] {
    var unknown: [String] = []
    switch situation.way {
    case .otherBrowser:
      unknown.append("what that browser does with links; each browser decides for itself (section 10 row 14)")
    case .inAppBrowser:
      unknown.append("what that app's browser does with links; in-app browsers differ (section 10 row 17)")
    case .handoff:
      unknown.append(
        "whether both devices share an iCloud account, have Handoff and Bluetooth switched on and are close "
          + "(handoff-and-app A)")
    default: break
    }
    let inferred = chain.steps.filter { $0.certainty == .inferred && $0.name != .screen }.map(\.name.rawValue)
    if !inferred.isEmpty {
      unknown.append(
        "whether a real device agrees where a rule is only inferred: \(inferred.joined(separator: ", "))")
    }
    return unknown
  }

  /// `{"type":"explanation",…}`
  package var json: JSON {
    .object([
      ("type", .string("explanation")), ("url", .string(link)), ("device", .string(device.name)),
      ("os", .string(device.os.description)), ("from", .string(way.name)),
      ("opens", .string(chain.verdict.opens)), ("app", .init(chain.verdict.app)),
      ("certainty", .string(chain.verdict.certainty.rawValue)),
      (
        "steps",
        .array(
          chain.steps.map { step in
            .object(
              [("step", .string(step.name.rawValue)), ("verdict", .string(step.verdict.rawValue))]
                + step.provenance.members + [("message", .string(step.message))])
          })
      ),
      ("arrivals", .array(arrivals.map(\.json))), ("not_known", .array(notKnown.map(JSON.string))),
      ("toward", .string(goal.rawValue)),
      (
        "changes",
        .array(
          changes.map { set in
            .array(
              set.map { change in
                .object(
                  [("who", .string(change.whoWords)), ("what", .string(change.what))]
                    + change.provenance.members
                )
              })
          })
      ),
    ])
  }
}
