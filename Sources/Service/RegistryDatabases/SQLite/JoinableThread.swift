internal import Glibc

/// A thread that can be waited for. Signals of the process go to other threads.
///
/// `@unchecked Sendable`: it is written once, before it is shared.
package final class JoinableThread: @unchecked Sendable {
  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private var thread = pthread_t()

  /// - Returns: nil when the system has no thread to spare.
  package init?(_ body: @escaping @Sendable () -> Void) {
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      return nil
    }
  }

  package func join() { pthread_join(thread, nil) }
}
