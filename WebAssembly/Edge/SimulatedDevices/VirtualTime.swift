/// The clock of a world without concurrency: a pause moves it on at once. There is one world at a time.
package struct SimulationClock: Sendable {
  nonisolated(unsafe) fileprivate static var elapsed = Duration.zero

  package init(_: VirtualClock) { Self.elapsed = .zero }

  /// Virtual time since the world began.
  package var now: Duration { Self.elapsed }

  package func pause(_ duration: Duration) { Self.elapsed += max(.zero, duration) }

  package func pause(until moment: Duration) { pause(moment - now) }
}

/// Begins a world's time.
package struct VirtualClock {
  package init() {}
}

/// Turns that begin at the same moment; together they end when the last does.
package struct SideBySide {
  private let start = SimulationClock.elapsed
  fileprivate private(set) var end = SimulationClock.elapsed

  package mutating func addTask(_ turn: () -> Void) {
    SimulationClock.elapsed = start
    turn()
    end = max(end, SimulationClock.elapsed)
  }
}

package func withTaskGroup(_ body: (inout SideBySide) -> Void) {
  var group = SideBySide()
  body(&group)
  SimulationClock.elapsed = group.end
}

/// Of one that waits for another's answer: here each has ended before the next begins, so nobody does.
struct CheckedContinuation<Success, Failure> {
  func resume(returning: Success) {}
}

func withCheckedContinuation<Success>(_ body: (CheckedContinuation<Success, Never>) -> Void) -> Success {
  preconditionFailure("a turn waits for one that has not ended")
}
