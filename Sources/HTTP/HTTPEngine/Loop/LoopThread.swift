internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem

/// A thread that runs one loop and keeps how it ended.
package final class LoopThread: Sendable {
  private let ending = LockedState<Result<Void, HTTPServerError>?>(nil)

  /// - Throws: ``HTTPServerError`` when the system has no thread left.
  package init(_ body: @escaping @Sendable () throws(HTTPServerError) -> Void) throws(HTTPServerError) {
    let ending = ending
    do throws(LinkspanError) {
      try DetachedThread.start {
        let ended = Result { () throws(HTTPServerError) in try body() }
        ending.withLock { $0 = ended }
        ending.signal(all: true)
      }
    } catch {
      throw HTTPServerError(error)
    }
  }

  /// Waits for the loop to end.
  package func join() throws(HTTPServerError) { try ending.wait { $0 }.get() }
}
