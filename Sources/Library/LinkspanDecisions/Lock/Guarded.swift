#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A value behind a lock of the system's. `Mutex` of the standard library would do the same, and needs iOS 18.
// Safe: the value is touched only while the lock is held.
final class Guarded<Value>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    let code = pthread_mutex_init(lock, nil)
    precondition(code == 0, "the system has no memory for a lock")
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }
}

/// One question that is answered yes exactly once, whoever asks: which of result and timeout came first.
final class OnceFlag: Sendable {
  private let isClaimed = Guarded(false)

  /// - Returns: Whether this call was the first one.
  func claim() -> Bool {
    isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }

  var wasClaimed: Bool { isClaimed.withLock { $0 } }
}
