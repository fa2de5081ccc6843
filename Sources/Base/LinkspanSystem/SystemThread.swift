internal import Glibc
internal import LinkspanCore

/// Makes threads. Signals of the process are delivered to other threads.
enum SystemThread {
  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// - Throws: Why there is no thread, and what to do.
  static func start(
    _ attributes: UnsafePointer<pthread_attr_t>?, _ body: @escaping @Sendable () -> Void
  ) throws(LinkspanError) -> pthread_t {
    // A new thread has its maker's mask, so the signals are blocked before there is a moment to get one.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &thread, attributes,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw refused(code)
    }
    return thread
  }

  /// For an error of pthread_create(3), whose EAGAIN is a limit that was reached.
  static func refused(_ code: CInt) -> LinkspanError {
    LinkspanError(
      "a thread cannot be started", errno: code,
      help: "Raise the limit of processes: by 'ulimit -u', or by TasksMax= in a systemd unit.")
  }
}
