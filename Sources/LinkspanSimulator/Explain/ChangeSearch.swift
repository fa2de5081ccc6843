import AppSiteAssociation

/// Finds what would turn the answer of a question, by trying it.
package struct ChangeSearch: Sendable {
  package enum Goal: String, Hashable, Sendable, CaseIterable {
    case app
    case browser

    func isReached(by verdict: LinkVerdict) -> Bool { (verdict.app != nil) == (self == .app) }
  }

  /// Ours: what a person reads.
  private static let answerLimit = 6
  /// Ours: each pair is a world that is played.
  private static let pairLimit = 400

  private let situation: Situation
  private let goal: Goal

  /// - Parameter explanation: The answer as it is now.
  init(_ situation: Situation, goal: Goal, now explanation: LinkExplanation) throws(SimulationError) {
    self.goal = goal
    let alone = situation.alone
    let same = try alone.explained().verdict
    let isSame = same.step == explanation.verdict.step && same.app == explanation.verdict.app
    self.situation = isSame ? alone : situation
  }

  /// The smallest sets of changes under which the goal is reached: single ones, else pairs.
  ///
  /// - Returns: Nothing when the answer is that already, or when no two changes turn it.
  func smallestSets() throws(SimulationError) -> [[WorldChange]] {
    guard try !reaches([]) else { return [] }
    var candidates = WorldChange.candidates(for: situation, toward: goal)
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
    if !found.isEmpty { candidates.removeAll(where: \.needsNewLook) }
    for change in candidates where !families.contains(change.family) {
      guard try reaches([change]) else { continue }
      found.append([change])
      families.insert(change.family)
    }
    if found.isEmpty { found = try pairs(of: candidates + looks) }
    return Array(found.prefix(Self.answerLimit))
  }

  private func pairs(of candidates: [WorldChange]) throws(SimulationError) -> [[WorldChange]] {
    var found: [[WorldChange]] = []
    var families: Set<String> = []
    var tried = 0
    for (index, first) in candidates.enumerated() {
      for second in candidates.dropFirst(index + 1) where first.target != second.target {
        let family = first.family + "\n" + second.family
        guard tried < Self.pairLimit, !families.contains(family) else { continue }
        tried += 1
        guard try reaches([first, second]) else { continue }
        found.append([first, second])
        families.insert(family)
      }
    }
    return found
  }

  private func reaches(_ changes: [WorldChange]) throws(SimulationError) -> Bool {
    let changed = situation.applying(changes)
    return goal.isReached(by: try changed.explained().verdict)
  }
}
