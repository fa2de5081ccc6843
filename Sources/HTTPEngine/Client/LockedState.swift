internal import Glibc

/// A value that threads share behind a lock of the system's.
///
/// The standard library's `Mutex` waits by itself on Linux, where the thread sanitizer does not see it and takes every
/// access for a race; this one it knows. `@unchecked Sendable`: the value is reached with the lock held only.
final class LockedState<Value: Sendable>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    let code = pthread_mutex_init(lock, nil)
    precondition(code == 0, "a lock needs no resources on Linux")
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body(&value)
  }
}
