import AppSiteAssociation
package import HeldURLs
package import LinkspanCore
package import LinkspanSimulator
import LinkspanStories
package import SimulatedDevices

/// The whole answer to "what does this link do, and what would change the outcome?".
package struct Explanation: Sendable {
  package var link: String
  /// What the device made of the link; nil where it changed nothing.
  package var held: HeldURL?
  package var device: DeviceTraits
  package var way: WayOfFollowing
  /// What messages call the CDN that devices ask.
  package var cdnName: String
  /// Every step with its verdict, as things are now.
  package var chain: LinkExplanation
  /// What decides on a real device and cannot be determined here, one clause each.
  package var notKnown: [String]
  /// Whether ``chain`` is decided and every change that could help was tried.
  package var isDecided: Bool { isKnown && areAllTried }
  private var areAllTried: Bool
  private var isKnown: Bool { chain.verdict.isDecided && !chain.verdict.isUnknown }
  /// What finding the answer took.
  package private(set) var spentSteps: Int
  /// What ``changes`` lead to.
  package var goal: ChangeSearch.Goal
  /// The smallest sets of changes that reach the goal, the cheapest first. Any one set is enough, and all of its
  /// changes are needed. Empty when the goal is reached already, or when no three changes together reach it, as far as
  /// they were tried (``isDecided``).
  package var changes: [[WorldChange]]

  /// Answers by simulating: once for the explanation, and once for each set of changes that is tried, of which there
  /// may be thousands as long as the work lasts.
  ///
  /// - Throws: ``SimulationError`` when the situation's story stalls or has too many events.
  package init(
    _ situation: Situation, goal: ChangeSearch.Goal = .app, notKnown: [String] = [],
    work: WorkBudget = .answer
  ) throws(SimulationError) {
    link = situation.link
    held = situation.url.held
    device = situation.traits
    way = situation.way
    cdnName = situation.story.cdnName
    var player = WorldPlayer(work)
    chain = try player.play(situation)
    self.goal = goal
    var search = try ChangeSearch(situation, goal: goal, now: chain, player)
    let outcome = chain.verdict.isDecided ? try search.smallestSets() : ChangeSearch.Outcome()
    changes = outcome.sets
    areAllTried = outcome.isComplete
    spentSteps = work.steps - search.stepsLeft
    self.notKnown = notKnown + Self.unknown(situation, chain)
    if !chain.verdict.isDecided {
      self.notKnown.append(
        "whether the rules cover the link: comparing it with them takes more than the bound on work")
    } else if !outcome.isComplete {
      self.notKnown.append(
        "whether other changes would help: trying all of them takes more than the bound on work")
    }
  }

  /// What no story and no question of ours could say.
  private static func unknown(_ situation: Situation, _ chain: LinkExplanation) -> [String] {
    var unknown: [String] = []
    if chain.verdict.isUnknown { unknown.append("whether the app opens: \(chain.verdict.reason)") }
    switch situation.way.navigation.container {
    case .otherBrowser:
      unknown.append("what that browser does with links; each browser decides for itself (section 10 row 14)")
    case .inAppBrowser:
      unknown.append("what that app's browser does with links; in-app browsers differ (section 10 row 17)")
    case .system where situation.way.navigation.gesture == .handoff:
      unknown.append(
        "whether both devices share an iCloud account, have Handoff and Bluetooth switched on and are close "
          + "(HO5)")
    default: break
    }
    let inferred = chain.steps.filter { $0.certainty == .inferred && $0.name != .screen }.map {
      $0.name.rawValue
    }
    if !inferred.isEmpty {
      unknown.append(
        "whether a real device agrees where a rule is only inferred: \(inferred.joined(separator: ", "))")
    }
    return unknown
  }

  /// `{"type":"explanation",…}`
  package var json: JSON {
    let members: [(String, JSON)] = [
      ("type", .string("explanation")), ("url", .string(link.withoutUserInformation)),
      ("device", .string(device.name)),
      ("os", .string(device.os.description)), ("from", .string(way.name)),
      ("opens", isKnown ? .string(chain.verdict.opens) : .null),
      ("app", .init(chain.verdict.app)), ("decided", .bool(isDecided)),
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
      ("arrivals", .array(arrivals.map { $0.json })), ("not_known", .array(notKnown.map(JSON.string))),
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
    ]
    return .object(members + (held?.members ?? []))
  }
}
