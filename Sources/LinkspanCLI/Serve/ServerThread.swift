internal import Glibc
internal import HTTPEngine
internal import Synchronization

/// Runs a server on a thread of its own, so that this one has time for what the loop must not wait for: reading files
/// again at each SIGHUP.
enum ServerThread {
  private final class Run: Sendable {
    let server: HTTPServer
    let waiter: pthread_t
    let result = Mutex<Result<Void, HTTPServerError>?>(nil)

    init(_ server: HTTPServer, waiter: pthread_t) {
      self.server = server
      self.waiter = waiter
    }

    func run() {
      let result = Result { () throws(HTTPServerError) in try server.run() }
      self.result.withLock { $0 = result }
      // Wakes the waiting thread; it looks for the result first.
      pthread_kill(waiter, SIGHUP)
    }
  }

  /// Returns when the server has stopped.
  ///
  /// - Parameters:
  ///   - stopSignals: The server's own, which no other thread may take.
  ///   - onHangUp: Called on this thread for each SIGHUP; several that come while it runs are one.
  /// - Throws: What the server throws, or that there is no thread to be had.
  static func run(
    _ server: HTTPServer, stopSignals: [Int32], onHangUp: () -> Void
  ) throws(CommandError) {
    var hangUp = sigset_t()
    sigemptyset(&hangUp)
    sigaddset(&hangUp, SIGHUP)
    var blocked = hangUp
    for signal in stopSignals { sigaddset(&blocked, signal) }
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    // Under nohup it is ignored, and would wake nobody.
    signal(SIGHUP, SIG_DFL)
    let run = Run(server, waiter: pthread_self())
    let argument = Unmanaged.passRetained(run)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Run>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      throw CommandError("a thread cannot be started: \(String(cString: strerror(code))).")
    }
    while true {
      var signal: Int32 = 0
      sigwait(&hangUp, &signal)
      if let result = run.result.withLock({ $0 }) {
        pthread_join(thread, nil)
        if case .failure(let error) = result { throw CommandError("\(error)") }
        return
      }
      onHangUp()
    }
  }
}
