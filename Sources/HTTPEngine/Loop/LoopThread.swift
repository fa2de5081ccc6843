internal import Glibc

/// A thread that runs one loop and keeps how it ended. It inherits the signals blocked in the thread that starts it.
final class LoopThread: Sendable {
  private let body: @Sendable () throws(HTTPServerError) -> Void
  private let result = LockedState<Result<Void, HTTPServerError>>(.success(()))
  private let thread = LockedState<pthread_t?>(nil)

  /// - Throws: ``HTTPServerError`` when the system has no thread left.
  init(_ body: @escaping @Sendable () throws(HTTPServerError) -> Void) throws(HTTPServerError) {
    self.body = body
    let argument = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<LoopThread>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      throw HTTPServerError("a thread cannot be started: \(SystemError.text(code))")
    }
    let started = thread
    self.thread.withLock { $0 = started }
  }

  /// Waits for the loop to end. Once only.
  func join() throws(HTTPServerError) {
    if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
    try result.withLock { $0 }.get()
  }

  private func run() {
    let ended = Result { () throws(HTTPServerError) in try body() }
    result.withLock { $0 = ended }
  }
}
