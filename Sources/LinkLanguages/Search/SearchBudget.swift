/// How much a search may cost. Work, not time, so that an answer does not depend on the machine.
package struct SearchBudget: Sendable {
  /// Steps of automata that may still be made.
  package private(set) var steps: Int
  /// States that one search may remember.
  package let stateLimit: Int
  /// Whether some search stopped for want of steps or states.
  package private(set) var wasExceeded = false

  package init(steps: Int, stateLimit: Int) {
    self.steps = steps
    self.stateLimit = stateLimit
  }

  package mutating func spend(_ count: Int) -> Bool {
    steps -= count
    if steps < 0 { wasExceeded = true }
    return steps >= 0
  }

  /// Counts what another budget spent.
  package mutating func take(_ count: Int) { steps -= count }

  mutating func exceed() { wasExceeded = true }
}
