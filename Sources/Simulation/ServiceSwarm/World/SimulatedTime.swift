internal import LinkspanCore

/// The wall clock of a simulation, and its chance where the service draws numbers.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class SimulatedTime: @unchecked Sendable {
  private(set) var now: WallTime
  /// Time that has passed, which no one sets.
  private(set) var uptime = Duration.zero
  /// How often somebody has set the wall clock.
  private(set) var setCount = 0
  /// How often a loop has let time pass since the last ``begin()``.
  private var turns = 0
  private var generator: SeededGenerator

  /// Ours: a server that stops, the longest of all steps, takes some hundred turns.
  static let turnLimit = 5_000
  /// From the limit on each turn takes that long, so that whatever a loop waits for comes to pass. Ours.
  private static let longTurn: Int64 = 3_600_000

  init(_ start: WallTime, _ generator: SeededGenerator) {
    now = start
    self.generator = generator
  }

  /// Begins another step of the story.
  func begin() { turns = 0 }

  /// Whether a loop has turned too often in one step.
  var isStuck: Bool { turns > Self.turnLimit }

  /// In milliseconds.
  var uptimeMilliseconds: Int64 { uptime.wholeMilliseconds }

  func advance(_ milliseconds: Int64) {
    turns += 1
    let passed = isStuck ? max(milliseconds, Self.longTurn) : milliseconds
    now = now.advanced(by: .milliseconds(passed))
    uptime += .milliseconds(passed)
  }

  /// Sets the wall clock.
  func set(by milliseconds: Int64) {
    setCount += 1
    now = now.advanced(by: .milliseconds(milliseconds))
  }

  func random() -> UInt64 { generator.next() }
}
