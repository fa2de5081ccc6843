internal import HTTPTransport
internal import LinkspanCore

/// A thread that runs one loop and keeps how it ended.
final class LoopThread: Sendable {
  private let ending = LockedState<Result<Void, HTTPServerError>?>(nil)

  /// - Throws: ``HTTPServerError`` when the system has no thread left.
  init(_ body: @escaping @Sendable () throws(HTTPServerError) -> Void) throws(HTTPServerError) {
    let ending = ending
    let code = DetachedThread.start {
      let ended = Result { () throws(HTTPServerError) in try body() }
      ending.withLock { $0 = ended }
      ending.signal(all: true)
    }
    guard code == 0 else { throw HTTPServerError("a thread cannot be started: \(SystemError.text(code))") }
  }

  /// Waits for the loop to end.
  func join() throws(HTTPServerError) { try ending.wait { $0 }.get() }
}
