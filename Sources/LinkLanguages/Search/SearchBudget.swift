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

  /// Runs a body with a budget of at most so many of these steps; what it spends is spent here. That it ran out is not
  /// noted here.
  package mutating func withShare<Result>(
    of steps: Int, _ body: (inout SearchBudget) throws -> Result
  ) rethrows -> Result {
    var share = SearchBudget(steps: max(0, min(self.steps, steps)), stateLimit: stateLimit)
    let before = share.steps
    defer { self.steps -= before - share.steps }
    return try body(&share)
  }

  mutating func exceed() { wasExceeded = true }
}
