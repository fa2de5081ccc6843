internal import Foundation

/// A value behind a lock. `Mutex` of the standard library would do the same, and needs iOS 18.
// Safe: the value is touched only while the lock is held.
final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
    lock.lock()
    defer { lock.unlock() }
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
