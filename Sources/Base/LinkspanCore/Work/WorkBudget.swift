/// How much work an answer may cost: counted steps, not time, so that it does not depend on the machine.
///
/// One for everything that judges a file. A step is about ten nanoseconds of the release build: comparing a few bytes, or
/// a step of an automaton. What costs more is charged as several. ``WorkLimits`` names how many steps a command has.
package struct WorkBudget: Hashable, Sendable {
  /// Steps that may still be made; below zero once more was asked for than was left.
  @usableFromInline package internal(set) var steps: Int
  /// States that one search may remember, which bounds its memory.
  package let stateLimit: Int
  /// Whether something stopped for want of steps or states.
  @usableFromInline package internal(set) var isExhausted = false

  package init(steps: Int, stateLimit: Int = WorkLimits.states) {
    self.steps = steps
    self.stateLimit = stateLimit
  }

  /// - Returns: false when nothing is left.
  @inlinable
  package mutating func spend(_ count: Int) -> Bool {
    steps -= count
    if steps < 0 { isExhausted = true }
    return steps >= 0
  }

  /// Notes that a search stopped for want of states.
  package mutating func exhaust() { isExhausted = true }

  /// Runs a body with a budget of at most so many of these steps; what it spends is spent here. That the share ran out is
  /// not noted here.
  package mutating func withShare<Result, Failure: Error>(
    of steps: Int, stateLimit: Int? = nil, _ body: (inout WorkBudget) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var share = WorkBudget(
      steps: max(0, min(self.steps, steps)), stateLimit: min(self.stateLimit, stateLimit ?? self.stateLimit))
    let before = share.steps
    defer { self.steps -= before - share.steps }
    return try body(&share)
  }
}
