internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// Writes a file whole.
package enum FileWriter {
  /// Writes into what is there, such as a pipe.
  ///
  /// - Throws: Why it cannot be written.
  static func write(_ bytes: [UInt8], to path: String) throws(LinkspanError) {
    let descriptor = try opened(path)
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, ![S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT) else {
      throw LinkspanError("was replaced while it was opened, so nothing was written", at: path)
    }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0 else { throw failed(path) }
    try write(bytes, to: descriptor, path)
  }

  /// Ours, as long as for a pipe's writer: two programs started together open their ends within this time.
  private static let readerWait_ms = 2_000
  private static let pause_ms = 20

  /// Opens what is there; a pipe that no program reads would keep this waiting for ever.
  private static func opened(_ path: String) throws(LinkspanError) -> Int32 {
    for _ in 0...readerWait_ms / pause_ms {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
      if descriptor >= 0 { return descriptor }
      guard errno == ENXIO, isNamedPipe(path) else { throw failed(path) }
      usleep(UInt32(pause_ms * 1_000))
    }
    throw .unreadPipe(path)
  }

  private static func isNamedPipe(_ path: String) -> Bool {
    let error = errno
    defer { errno = error }
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Writes a file that must not be there yet.
  ///
  /// - Throws: Why it cannot be written, or that it is there.
  package static func writeNew(_ bytes: [UInt8], to path: String) throws(LinkspanError) {
    let (folder, name) = FileReader.place(of: path)
    let place = try OpenFolder(folder)
    guard try place.kind(of: name) == .missing else {
      throw LinkspanError("already exists", at: path, help: "Move it away, or name another file.")
    }
    try place.writeNew(bytes, to: name)
  }

  /// Copies that are kept of one file. Ours.
  static let copyLimit = 1_000

  /// The name of a copy: `NAME.orig`, `NAME.orig.2`, `NAME.orig.3`…
  static func copyName(of name: String, _ number: Int) -> String {
    name + ".orig" + (number == 1 ? "" : ".\(number)")
  }

  static func tooManyCopies(of name: String) -> LinkspanError {
    LinkspanError(
      "has \(copyLimit) copies beside it already", at: name, help: "Remove those that you no longer need.")
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(LinkspanError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw failed(path)
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func failed(_ path: String) -> LinkspanError {
    LinkspanError("cannot be written", at: path, errno: errno)
  }
}
