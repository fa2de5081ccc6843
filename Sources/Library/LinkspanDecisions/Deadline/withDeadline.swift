/// How work under a deadline ended.
public enum DeadlineResult<Value: Sendable>: Sendable {
  /// The work returned before the deadline.
  case finished(Value)
  /// The deadline came first. The work was cancelled, and goes on until it notices.
  case expired(LeftWork<Value>)

  /// The value, when the work was in time.
  public var value: Value? { if case .finished(let value) = self { value } else { nil } }
}

/// Work that a deadline left behind.
///
/// Swift cannot stop a task: work that ignores its cancellation runs to its end. A task group would wait for it, so that the
/// timeout would hang; this hands it to the caller instead.
public struct LeftWork<Value: Sendable>: Sendable {
  private let task: Task<Value, any Error>
  private let hasEnded: OnceFlag

  init(task: Task<Value, any Error>, hasEnded: OnceFlag) {
    self.task = task
    self.hasEnded = hasEnded
  }

  /// Whether the work still runs, cancelled as it is.
  public var goesOn: Bool { !hasEnded.wasClaimed }

  /// Waits for the work, with no deadline.
  ///
  /// - Returns: What it came to, too late.
  public func result() async -> Result<Value, any Error> { await task.result }
}

/// Runs work until a deadline, and returns at the deadline whether or not the work is done.
///
/// - Parameters:
///   - deadline: On the clock that is passed.
///   - tolerance: How much later the system may wake up, to save energy; never earlier.
///   - clock: `ContinuousClock` counts while the machine sleeps, `SuspendingClock` does not. Tests pass their own.
///   - tasks: Where the tasks of the work and of the timer begin; tests with an executor of their own name it.
///   - operation: The work. At the deadline its task is cancelled and left behind.
/// - Returns: The value, or the work that goes on.
/// - Throws: What the work throws before the deadline; `CancellationError` as soon as the calling task is cancelled.
public func withDeadline<Value: Sendable, C: Clock>(
  _ deadline: C.Instant, tolerance: C.Duration? = nil, clock: C, tasks: TaskStart = .plain,
  operation: @escaping @Sendable () async throws -> Value
) async throws -> DeadlineResult<Value> {
  let race = DeadlineRace<Value>()
  let hasEnded = OnceFlag()
  let work = tasks {
    do {
      let value = try await operation()
      _ = hasEnded.claim()
      race.end(.finished(.success(value)))
      return value
    } catch {
      _ = hasEnded.claim()
      race.end(.finished(.failure(error)))
      throw error
    }
  }
  let timer = tasks {
    do {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    } catch {
      // A clock that fails for another reason than cancellation must not make the deadline vanish.
      if Task.isCancelled { return }
    }
    race.end(.expired)
  }
  let end = await withTaskCancellationHandler {
    await withCheckedContinuation { race.wait($0) }
  } onCancel: {
    race.end(.cancelled)
  }
  timer.cancel()
  switch end {
  case .finished(let result): return .finished(try result.get())
  case .expired:
    work.cancel()
    return .expired(LeftWork(task: work, hasEnded: hasEnded))
  case .cancelled:
    work.cancel()
    throw CancellationError()
  }
}

/// Our choice, a hundred years: the system's clocks end the app that sleeps until a time they cannot count.
private let longestSpan = Duration.seconds(3_155_760_000)

/// The same with a time span, on the continuous clock unless another is passed.
///
/// - Parameter duration: A hundred years at most; a longer one, such as `.seconds(.max)`, is cut to that.
/// - Throws: What the work throws before the deadline; `CancellationError` as soon as the calling task is cancelled.
public func withDeadline<Value: Sendable>(
  after duration: Duration, tolerance: Duration? = nil, clock: some Clock<Duration> = .continuous,
  tasks: TaskStart = .plain, operation: @escaping @Sendable () async throws -> Value
) async throws -> DeadlineResult<Value> {
  func run<C: Clock>(_ clock: C) async throws -> DeadlineResult<Value> where C.Duration == Duration {
    try await withDeadline(
      clock.now.advanced(by: min(duration, longestSpan)), tolerance: tolerance, clock: clock, tasks: tasks,
      operation: operation)
  }
  return try await run(clock)
}

/// Result, deadline and cancellation meet here; the first one decides, and the others are not heard.
final class DeadlineRace<Value: Sendable>: Sendable {
  enum End: Sendable {
    case finished(Result<Value, any Error>)
    case expired
    case cancelled
  }

  private struct State {
    var end: End?
    var waiting: CheckedContinuation<End, Never>?
  }

  private let flag = OnceFlag()
  private let state = Guarded(State())

  /// - Returns: Whether this end is the one that counts.
  @discardableResult
  func end(_ end: End) -> Bool {
    guard flag.claim() else { return false }
    let waiting = state.withLock { state in
      state.end = end
      return state.waiting.take()
    }
    waiting?.resume(returning: end)
    return true
  }

  /// Resumes the continuation with the end that counts, at once when there is one.
  func wait(_ continuation: CheckedContinuation<End, Never>) {
    let end = state.withLock { state in
      if state.end == nil { state.waiting = continuation }
      return state.end
    }
    if let end { continuation.resume(returning: end) }
  }
}
