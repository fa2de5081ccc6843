/// A point on a simulation's own time line.
package struct VirtualInstant: InstantProtocol, Sendable {
  /// Time since the simulation began.
  package var offset: Duration

  package init(_ offset: Duration) { self.offset = offset }

  package func advanced(by duration: Duration) -> VirtualInstant { VirtualInstant(offset + duration) }

  package func duration(to other: VirtualInstant) -> Duration { other.offset - offset }

  package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
}

/// The clock of a ``SeededExecutor``: it stands still while anything can run, and then leaps to the next
/// moment somebody waits for.
package struct VirtualClock: Clock, Sendable {
  private let executor: SeededExecutor

  package init(_ executor: SeededExecutor) { self.executor = executor }

  package var now: VirtualInstant { VirtualInstant(executor.elapsed) }

  package var minimumResolution: Duration { .nanoseconds(1) }

  /// - Throws: `CancellationError` when the task is cancelled before it sleeps or while it does.
  package func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let sleeper = executor.makeSleeper()
    await withTaskCancellationHandler {
      await withCheckedContinuation { executor.park(sleeper, until: deadline.offset, $0) }
    } onCancel: {
      executor.wake(sleeper)
    }
    try Task.checkCancellation()
  }
}
