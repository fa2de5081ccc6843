internal import Glibc
package import LinkspanCore

/// A gzip file that is written in pieces into an open directory and has its name when it is whole. Equal pieces make equal
/// bytes, since it has no time in it. Root does all of it with the rights of the directory's owner: what is written counts
/// against the owner's quota, and removes nothing that the owner could not.
///
/// `@unchecked Sendable`: one thread writes it, and waits while another one publishes it.
package final class CompressedFile: @unchecked Sendable {
  private let folder: OpenFolder
  private let name: String
  private let temporary: String
  private let descriptor: Int32
  private let stream = GzipStream()
  private var isEnded = false

  /// Removes what other processes have left of a file of this name; one that still writes it fails at its end.
  ///
  /// - Parameter mode: Of the file, a `mode_t`.
  package init(_ name: String, in folder: OpenFolder, mode: UInt32) throws(LinkspanError) {
    self.folder = folder
    let component = try folder.component(name)
    self.name = component
    let prefix = ".\(name)."
    // Another machine's process may have the same number.
    let temporary = prefix + ASCII.hexText((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    self.temporary = temporary
    descriptor = try Privileges.asOwner(of: folder) { () throws(LinkspanError) in
      for left in try folder.names() where left.hasPrefix(prefix) { unlinkat(folder.descriptor, left, 0) }
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = openat(folder.descriptor, temporary, flags, mode)
      guard descriptor >= 0 else { throw folder.failed("cannot be written", component) }
      return descriptor
    }
  }

  deinit {
    close(descriptor)
    if isEnded { return }
    do throws(LinkspanError) {
      _ = try Privileges.asOwner(of: folder) { unlinkat(folder.descriptor, temporary, 0) }
    } catch {
      // The next file of this name removes it.
    }
  }

  package func write(_ bytes: [UInt8]) throws(LinkspanError) {
    try Privileges.asOwner(of: folder) { () throws(LinkspanError) in try add(bytes) }
  }

  /// Ends it; when this returns it is on the disk, and has its name after ``publish()``.
  package func end() throws(LinkspanError) {
    try Privileges.asOwner(of: folder) { () throws(LinkspanError) in
      try add([], isLast: true)
      guard fsync(descriptor) == 0 else { throw folder.failed("cannot be written", name) }
    }
  }

  /// Gives it its name, in the place of a file that had it; once more does nothing.
  package func publish() throws(LinkspanError) {
    guard !isEnded else { return }
    try Privileges.asOwner(of: folder) { () throws(LinkspanError) in
      try folder.rename(temporary, to: name)
      isEnded = true
      try folder.sync()
    }
  }

  private func add(_ bytes: [UInt8], isLast: Bool = false) throws(LinkspanError) {
    try stream.add(bytes, isLast: isLast) { piece throws(LinkspanError) in try write(piece) }
  }

  private func write(_ bytes: ArraySlice<UInt8>) throws(LinkspanError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw folder.failed("cannot be written", name) }
      rest = rest.dropFirst(count)
    }
  }
}
