internal import Glibc
package import LinkspanCore

/// A thread that nobody waits for. Signals of the process are delivered to other threads.
package enum DetachedThread {
  /// - Throws: Why there is no thread, and what to do.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(LinkspanError) {
    var attributes = pthread_attr_t()
    let code = pthread_attr_init(&attributes)
    guard code == 0 else { throw SystemThread.refused(code) }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    _ = try SystemThread.start(&attributes, body)
  }
}
