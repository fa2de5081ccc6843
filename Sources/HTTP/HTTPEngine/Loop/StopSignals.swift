internal import CLinkspanPlatform
internal import Glibc
internal import HTTPTransport
internal import LinkspanSystem

/// Signals that arrive as news in a loop instead of interrupting the program.
///
/// They are blocked in the thread that makes this object, from then until the object is freed on the same thread.
final class StopSignals {
  let descriptor: CInt
  private var previous = sigset_t()

  init(_ signals: [Int32]) throws(HTTPServerError) {
    descriptor = linkspan_signal_descriptor(signals, CInt(signals.count), &previous)
    guard descriptor >= 0 else { throw HTTPServerError("no signal descriptor: \(SystemError.text(errno))") }
  }

  deinit {
    pthread_sigmask(SIG_SETMASK, &previous, nil)
    close(descriptor)
  }

  /// How many have come since the last call.
  func take() -> Int {
    var count = 0
    while linkspan_signal_take(descriptor) != 0 { count += 1 }
    return count
  }
}
