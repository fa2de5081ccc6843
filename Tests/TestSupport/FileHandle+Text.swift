package import Foundation
import Glibc

extension FileHandle {
  /// Writes all of a text, whatever signal comes in between; `write(contentsOf:)` ends with an error then.
  package func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(fileDescriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      rest = rest.dropFirst(count)
    }
  }
}
