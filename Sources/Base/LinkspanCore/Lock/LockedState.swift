package import Glibc

/// A value that threads share behind a lock of the system's, and can wait for.
///
/// The standard library's `Mutex` waits by itself on Linux, where the thread sanitizer does not see it and takes every
/// access for a race; this one it knows. `@unchecked Sendable`: the value is reached with the lock held only.
package final class LockedState<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  @usableFromInline var value: Value

  @inlinable package init(_ value: Value) {
    self.value = value
    var attributes = pthread_condattr_t()
    // Not the clock that people set.
    let codes = [
      pthread_mutex_init(lock, nil), pthread_condattr_init(&attributes),
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), pthread_cond_init(condition, &attributes),
      pthread_condattr_destroy(&attributes),
    ]
    precondition(codes.allSatisfy { $0 == 0 }, "a lock needs no resources on Linux")
  }

  @inlinable deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(lock)
    condition.deallocate()
    lock.deallocate()
  }

  /// Runs `body` alone with the value; no other lock may be taken inside.
  @inlinable package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }

  /// Blocks until `body` has a result; it is asked at once, and again after each ``signal(all:)``.
  @inlinable package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, lock)
    }
  }

  /// Blocks until `body` has a result, or until the time is over.
  ///
  /// - Parameter limit: Of the system's monotonic clock.
  /// - Returns: nil when the time is over and `body`, asked a last time, still has no result.
  @inlinable package func wait<Result>(
    atMost limit: Duration, for body: (inout Value) -> Result?
  ) -> Result? {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let (seconds, attoseconds) = limit.components
    // Longer than any machine runs, and short enough for the sum.
    end.tv_sec += Int(min(seconds, 1 << 40))
    end.tv_nsec += Int(attoseconds / 1_000_000_000)
    if end.tv_nsec >= 1_000_000_000 {
      end.tv_sec += 1
      end.tv_nsec -= 1_000_000_000
    }
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = body(&value) { return result }
      if pthread_cond_timedwait(condition, lock, &end) != 0 { return body(&value) }
    }
  }

  /// Has one of those that wait look again, or all of them.
  @inlinable package func signal(all: Bool) {
    if all { pthread_cond_broadcast(condition) } else { pthread_cond_signal(condition) }
  }
}
