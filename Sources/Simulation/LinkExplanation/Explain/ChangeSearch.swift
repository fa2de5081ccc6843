import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
package import SimulatedDevices

/// Finds what would change the outcome, by trying it.
package struct ChangeSearch: Sendable {
  /// What should happen to the link.
  package enum Goal: String, Hashable, Sendable, CaseIterable {
    case app
    case browser

    /// Whether a verdict is this one; one that is not known reaches nothing.
    package func isReached(by verdict: LinkVerdict) -> Bool {
      !verdict.isUnknown && (verdict.app != nil) == (self == .app)
    }
  }

  /// Ours: what a person reads.
  private static let answerLimit = 6
  /// Ours: each set that is tried is a simulation of its own.
  private static let setLimit = 2_000
  /// Ours: with more to fix than that, a person starts with what the explanation says.
  private static let largestSet = 3

  /// What was found, and whether everything was tried.
  struct Outcome {
    var sets: [[WorldChange]] = []
    /// false when work or ``setLimit`` ended the search: then other sets, and smaller ones, may be enough as well.
    var isComplete = true
  }

  private let situation: Situation
  private let goal: Goal
  private var player: WorldPlayer
  private var isCutShort = false
  /// Below zero when the last world cost more than was left.
  var stepsLeft: Int { player.work.steps }

  /// - Parameters:
  ///   - explanation: The answer as it is now.
  ///   - player: That played it.
  init(
    _ situation: Situation, goal: Goal, now explanation: LinkExplanation, _ player: WorldPlayer
  ) throws(SimulationError) {
    self.goal = goal
    self.player = player
    let alone = situation.alone
    let same = try self.player.play(alone).verdict
    let isSame = same.step == explanation.verdict.step && same.app == explanation.verdict.app
    self.situation = isSame ? alone : situation
  }

  /// The smallest sets of changes under which the goal is reached: single ones, else pairs, else three at once.
  ///
  /// Finds nothing when the goal is reached already, or when no three changes reach it.
  mutating func smallestSets() throws(SimulationError) -> Outcome {
    guard try !reaches([]) else { return Outcome() }
    var candidates = WorldChange.candidates(for: situation, toward: goal, &player)
    let looks = candidates.filter { $0.target == WorldChange.lookAgain }
    var found: [[WorldChange]] = []
    var families: Set<String> = []
    for look in looks where !families.contains(look.family) {
      guard try reaches([look]) else { continue }
      found.append([look])
      families.insert(look.family)
    }
    candidates.removeAll { $0.target == WorldChange.lookAgain }
    // Where a new look is enough, whatever brings one about would seem to be as well.
    if !found.isEmpty { candidates.removeAll(where: { $0.needsNewLook }) }
    for change in candidates where !families.contains(change.family) {
      guard try reaches([change]) else { continue }
      found.append([change])
      families.insert(change.family)
    }
    for size in 2...Self.largestSet where found.isEmpty {
      found = try sets(of: size, from: candidates + looks)
    }
    return Outcome(
      sets: Array(found.prefix(Self.answerLimit)),
      isComplete: !isCutShort && player.hasWorkLeft && !player.hasLeftOut)
  }

  /// So many of the changes at once, each of something else.
  private mutating func sets(
    of size: Int, from candidates: [WorldChange]
  ) throws(SimulationError) -> [[WorldChange]] {
    var found: [[WorldChange]] = []
    var families: Set<String> = []
    var tried = 0
    // Places of the candidates that are chosen: the next set in their order follows from them.
    var chosen: [Int] = []
    var next = 0
    while true {
      if chosen.count < size, next < candidates.count {
        let target = candidates[next].target
        if !chosen.contains(where: { candidates[$0].target == target }) { chosen.append(next) }
        next += 1
        guard chosen.count == size else { continue }
        let set = chosen.map { candidates[$0] }
        chosen.removeLast()
        let family = set.map { $0.family }.joined(separator: "\n")
        guard !families.contains(family) else { continue }
        tried += 1
        if try reaches(set) {
          found.append(set)
          families.insert(family)
          if found.count >= Self.answerLimit { return found }
        }
        guard tried < Self.setLimit, player.hasWorkLeft else {
          isCutShort = true
          return found
        }
      } else {
        guard let last = chosen.popLast() else { return found }
        next = last + 1
      }
    }
  }

  /// Counts as a no when there is no work left.
  private mutating func reaches(_ changes: [WorldChange]) throws(SimulationError) -> Bool {
    guard player.hasWorkLeft else { return false }
    let verdict = try player.play(situation.applying(changes)).verdict
    return verdict.isDecided && goal.isReached(by: verdict)
  }
}
