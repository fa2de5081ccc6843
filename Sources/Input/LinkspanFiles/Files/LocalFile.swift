package import AppBundle
internal import Glibc
internal import LinkspanCore
internal import LinkspanSystem

/// A file of this machine, read where it is asked for and never as a whole.
package final class LocalFile: RandomAccessBytes {
  private let descriptor: Int32
  private let path: String
  package let count: Int

  package init(_ path: String) throws(BundleError) {
    self.path = path
    do throws(LinkspanError) {
      try ReadingPlaces.refuseOutside(path)
    } catch {
      throw BundleError(.unreadable, in: path, error.message, help: error.help ?? "")
    }
    // Without O_NONBLOCK, opening a FIFO would wait for its other end.
    descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.unreadable(path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let error = Self.unreadable(path)
      close(descriptor)
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw BundleError(
        .unreadable, in: path, "This is not a regular file.",
        help: "Save it as a file first; it is read in pieces.")
    }
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) {
    var filled = 0
    while filled < buffer.count {
      let got = pread(
        descriptor, buffer.baseAddress! + filled, buffer.count - filled, off_t(offset + filled))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Self.unreadable(path) }
      guard got > 0 else {
        throw BundleError(
          .unreadable, in: path, "The file shrank while it was read.", help: "Try again.")
      }
      filled += got
    }
  }

  private static func unreadable(_ path: String) -> BundleError {
    if let error = LinkspanError.urlForFile(path) {
      return BundleError(.unreadable, in: path, "This \(error.what).", help: error.help ?? "")
    }
    return BundleError(
      .unreadable, in: path, "The file cannot be read: \(SystemError.text(errno)).",
      help: "Check that it exists and that you may read it.")
  }
}
