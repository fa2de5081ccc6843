internal import Glibc

/// A thread that nobody waits for. Signals of the process are delivered to other threads.
package enum DetachedThread {
  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// - Returns: 0, or the `errno` for which there is no thread.
  package static func start(_ body: @escaping @Sendable () -> Void) -> CInt {
    var attributes = pthread_attr_t()
    let code = pthread_attr_init(&attributes)
    guard code == 0 else { return code }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    // A new thread has its maker's mask, so the signals are blocked before there is a moment to get one.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let result = pthread_create(
      &thread, &attributes,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    if result != 0 { start.release() }
    return result
  }
}
