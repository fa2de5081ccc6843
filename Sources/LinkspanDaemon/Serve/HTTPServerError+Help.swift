internal import Glibc
package import HTTPEngine

extension DaemonError {
  /// Why a server cannot listen, and what to do.
  package init(_ error: HTTPServerError) {
    let isTaken = error.reason.hasSuffix(String(cString: strerror(EADDRINUSE)))
    self.init(
      error.reason,
      help: isTaken
        ? "Choose another port, or stop the process that has this one: 'ss -ltnp' names it." : nil)
  }
}
