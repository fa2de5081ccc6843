internal import Glibc
package import LinkspanCore

/// A thread that can be waited for. Signals of the process are delivered to other threads.
package struct JoinableThread: Sendable {
  private let thread: pthread_t

  /// - Throws: Why there is no thread, and what to do.
  package init(_ body: @escaping @Sendable () -> Void) throws(LinkspanError) {
    thread = try SystemThread.start(nil, body)
  }

  /// Waits for its end; to be called once.
  package func join() { pthread_join(thread, nil) }
}
