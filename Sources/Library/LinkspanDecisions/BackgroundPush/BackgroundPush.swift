public import Dispatch

/// What an app tells the system about a background push.
public enum BackgroundFetchOutcome: String, Sendable, Equatable, CaseIterable {
  /// New content was stored.
  case newData
  /// There was nothing new.
  case noData
  /// It could not be found out.
  case failed
}

/// Runs an app's work for a background push, and calls the system's completion exactly once, before the time is up.
///
/// The system gives 30 seconds (push 7.5), counts what an app used, and wakes an app less often that does not answer. An
/// error is the answer `failed`; at the deadline the work is cancelled, and the answer is `failed` too.
public enum BackgroundPush {
  /// Our choice, below the system's 30 seconds: the rest is for the completion's way.
  public static let limit = Duration.seconds(25)

  private static let longest = Duration.seconds(29)

  /// For `didReceiveRemoteNotification:fetchCompletionHandler:`.
  ///
  /// - Parameters:
  ///   - limit: At most 29 seconds; more is cut to that.
  ///   - clock: Tests pass their own.
  ///   - tasks: Where the tasks of the work and of the timer begin; tests with an executor of their own name it.
  ///   - work: Fetches and stores what the push announces.
  ///   - completion: Called once.
  /// - Returns: The task, which ends after the completion was called; an app need not keep it.
  @discardableResult
  public static func handle(
    limit: Duration = limit, clock: some Clock<Duration> = .continuous, tasks: TaskStart = .plain,
    work: @escaping @Sendable () async throws -> BackgroundFetchOutcome,
    completion: @escaping @Sendable (BackgroundFetchOutcome) -> Void
  ) -> Task<Void, Never> {
    let once = OnceCompletion(completion)
    return tasks { () async -> Void in
      once(await outcome(limit: limit, clock: clock, tasks: tasks, work: work))
    }
  }

  /// The same for code that awaits.
  public static func outcome(
    limit: Duration = limit, clock: some Clock<Duration> = .continuous, tasks: TaskStart = .plain,
    work: @escaping @Sendable () async throws -> BackgroundFetchOutcome
  ) async -> BackgroundFetchOutcome {
    // The system takes no reason, and the work, which is the app's own, knows its error before this does.
    let result = try? await withDeadline(
      after: min(limit, longest), clock: clock, tasks: tasks, operation: work)
    return result?.value ?? .failed
  }

  /// For work with a completion handler of its own, which may call it twice or never.
  ///
  /// - Parameters:
  ///   - limit: At most 29 seconds; more is cut to that.
  ///   - queue: Where the deadline is noticed.
  ///   - work: Gets the handler to call.
  public static func handle(
    limit: DispatchTimeInterval, queue: DispatchQueue,
    work: (@escaping @Sendable (BackgroundFetchOutcome) -> Void) -> Void,
    completion: @escaping @Sendable (BackgroundFetchOutcome) -> Void
  ) {
    let once = OnceCompletion(completion)
    // Kept until one of the two has answered, also when the work drops its handler without calling it.
    let timer = Guarded<DeadlineTimer?>(nil)
    let made = DeadlineTimer(at: .monotonic(deadline(limit, from: .now())), queue: queue) {
      once(.failed)
      timer.withLock { $0 = nil }
    }
    timer.withLock { $0 = made }
    work { outcome in
      guard once(outcome) else { return }
      timer.withLock { $0.take() }?.cancel()
    }
  }

  /// Not later than the system waits; `never` is far in the future.
  static func deadline(_ limit: DispatchTimeInterval, from now: DispatchTime) -> DispatchTime {
    min(now + limit, now + .seconds(Int(longest.components.seconds)))
  }
}
