import AppSiteAssociation

/// Finds what would change the outcome, by trying it.
package struct ChangeSearch: Sendable {
  /// What should happen to the link.
  package enum Goal: String, Hashable, Sendable, CaseIterable {
    case app
    case browser

    func isReached(by verdict: LinkVerdict) -> Bool { (verdict.app != nil) == (self == .app) }
  }

  /// Ours: what a person reads.
  private static let answerLimit = 6
  /// Ours: each set that is tried is a simulation of its own.
  private static let setLimit = 2_000
  /// Ours: with more to fix than that, a person starts with what the explanation says.
  private static let largestSet = 3

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

  /// The smallest sets of changes under which the goal is reached: single ones, else pairs, else three at once.
  ///
  /// - Returns: Nothing when the goal is reached already, or when no three changes reach it.
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
    for size in 2...Self.largestSet where found.isEmpty {
      found = try sets(of: size, from: candidates + looks)
    }
    return Array(found.prefix(Self.answerLimit))
  }

  /// So many of the changes at once, each of something else.
  private func sets(of size: Int, from candidates: [WorldChange]) throws(SimulationError) -> [[WorldChange]] {
    var found: [[WorldChange]] = []
    var families: Set<String> = []
    var tried = 0
    func extend(_ chosen: [WorldChange], from start: Int) throws(SimulationError) {
      guard tried < Self.setLimit, found.count < Self.answerLimit else { return }
      guard chosen.count == size else {
        for index in candidates.indices.dropFirst(start) {
          let next = candidates[index]
          guard !chosen.contains(where: { $0.target == next.target }) else { continue }
          try extend(chosen + [next], from: index + 1)
        }
        return
      }
      let family = chosen.map(\.family).joined(separator: "\n")
      guard !families.contains(family) else { return }
      tried += 1
      guard try reaches(chosen) else { return }
      found.append(chosen)
      families.insert(family)
    }
    try extend([], from: 0)
    return found
  }

  private func reaches(_ changes: [WorldChange]) throws(SimulationError) -> Bool {
    let changed = situation.applying(changes)
    return goal.isReached(by: try changed.explained().verdict)
  }
}
