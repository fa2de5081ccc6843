public import Dispatch

/// A one-shot timer for code with callbacks, over `DispatchSourceTimer`.
///
/// The pitfalls of that type are not the caller's: the source is resumed once, when it is made; it may be released at any
/// time; it is cancelled in its handler; cancelling again does nothing. Whether the handler runs or the timer is cancelled is
/// decided by one flag, so a handler that is already on its queue does not run after ``cancel()`` returned true.
public final class DeadlineTimer: Sendable {
  /// When the handler runs.
  public enum Time: Sendable {
    /// Stands still while the machine sleeps.
    case monotonic(DispatchTime)
    /// Goes on while the machine sleeps, and follows the wall clock.
    case wall(DispatchWallTime)
  }

  private let flag = OnceFlag()
  private let source: any TimerSource

  /// - Parameters:
  ///   - time: Not earlier than this.
  ///   - leeway: How much later the system may be, to save energy.
  ///   - queue: Where the handler runs.
  ///   - handler: Runs once, or never when the timer is cancelled or released first.
  public convenience init(
    at time: Time, leeway: DispatchTimeInterval = .milliseconds(0), queue: DispatchQueue,
    handler: @escaping @Sendable () -> Void
  ) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    switch time {
    case .monotonic(let deadline): source.schedule(deadline: deadline, repeating: .never, leeway: leeway)
    case .wall(let deadline): source.schedule(wallDeadline: deadline, repeating: .never, leeway: leeway)
    }
    self.init(source: DispatchTimerSource(source: source), handler: handler)
  }

  init(source: any TimerSource, handler: @escaping @Sendable () -> Void) {
    self.source = source
    source.start { [flag, weak source] in
      source?.cancel()
      if flag.claim() { handler() }
    }
  }

  deinit { cancel() }

  /// Keeps the handler from running.
  ///
  /// - Returns: Whether this call did; false when the handler ran or runs, or the timer was cancelled before.
  @discardableResult
  public func cancel() -> Bool {
    source.cancel()
    return flag.claim()
  }
}

/// What a timer needs of a dispatch source; tests have one that fires when they say so.
protocol TimerSource: AnyObject, Sendable {
  /// Called once. The source begins suspended, so this must resume it, and nothing else may.
  func start(_ handler: @escaping @Sendable () -> Void)
  /// May be called often, and from the handler.
  func cancel()
}

// Safe: a dispatch source may be used from every thread, and the property does not change.
private final class DispatchTimerSource: TimerSource, @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(source: any DispatchSourceTimer) { self.source = source }

  func start(_ handler: @escaping @Sendable () -> Void) {
    source.setEventHandler(handler: handler)
    source.resume()
  }

  func cancel() { source.cancel() }
}

/// A completion handler that is called exactly once: with the first answer, or with a fallback at the deadline.
public final class OnceCompletion<Value: Sendable>: Sendable {
  private let flag = OnceFlag()
  private let completion: @Sendable (Value) -> Void

  /// - Parameter completion: Called once, on the thread of the call that was first.
  public init(_ completion: @escaping @Sendable (Value) -> Void) { self.completion = completion }

  /// - Returns: Whether this call was the first, and its value is the one that counts.
  @discardableResult
  public func callAsFunction(_ value: Value) -> Bool {
    guard flag.claim() else { return false }
    completion(value)
    return true
  }
}
