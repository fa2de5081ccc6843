internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSystem
internal import PushStandIn

/// The file with one line for each request of a stand-in. A line is there when its request is answered.
final class RequestRecord: Sendable {
  private let path: String
  private let descriptor: Int32
  private let failure = LockedState<LinkspanError?>(nil)

  /// - Throws: Why the file cannot be written.
  init(_ file: OutputFile) throws(LinkspanError) {
    path = file.path
    descriptor = try file.openedEmpty()
  }

  deinit { close(descriptor) }

  func add(_ facts: RequestFacts) {
    var bytes = facts.json.bytes
    bytes.append(0x0A)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        let reason = SystemError.text(errno)
        failure.withLock { $0 = $0 ?? LinkspanError("cannot be written", at: path, why: reason) }
        return
      }
    }
  }

  /// What went wrong first.
  ///
  /// - Throws: Why a line could not be written.
  func finish() throws(LinkspanError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
