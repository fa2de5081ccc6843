internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// Reads what a person named, whole and bounded.
package enum FileReader {
  /// Ours: an association file may have 128 KB, a story or a list a little more.
  package static let sizeLimitBytes = 64 << 20

  /// - Parameter path: A path, or `-` for standard input.
  /// - Throws: Why it cannot be read, with its name.
  package static func read(_ path: String) throws(LinkspanError) -> SourceText {
    SourceText(name: path == "-" ? "<stdin>" : path, bytes: try bytes(path))
  }

  package static func bytes(_ path: String) throws(LinkspanError) -> [UInt8] {
    let descriptor = try InputFile.open(path)
    defer { if descriptor != 0 { close(descriptor) } }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    guard status.st_size <= sizeLimitBytes else { throw tooLarge(path) }
    var bytes = [UInt8](repeating: 0, count: max(Int(status.st_size) + 1, 1 << 14))
    var filled = 0
    while true {
      let count = bytes.withUnsafeMutableBytes {
        InputFile.read(descriptor, into: .init(rebasing: $0[filled...]))
      }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { break }
      filled += count
      if filled > sizeLimitBytes { throw tooLarge(path) }
      if filled == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  package enum Kind {
    case file, folder, missing
    /// A FIFO, a socket or a device: a person may name one, as a shell's `<(…)` does, and a folder may not
    /// hold one in a file's place.
    case special
  }

  /// - Throws: Why nobody can tell, where a folder on the way may not be searched for example.
  package static func kind(of path: String) throws(LinkspanError) -> Kind {
    try ReadingPlaces.refuseOutside(path)
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .missing }
      throw unreadable(path)
    }
    return switch status.st_mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFREG: .file
    default: .special
    }
  }

  /// The names inside a folder, sorted.
  package static func names(in path: String) throws(LinkspanError) -> [String] {
    try ReadingPlaces.refuseOutside(path)
    guard let folder = opendir(path) else { throw unreadable(path) }
    defer { closedir(folder) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(folder) else {
        if errno != 0 { throw unreadable(path) }
        return names.sorted()
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// What to say of a name from ``names(in:)`` that leads nowhere: what is not UTF-8 in it has become U+FFFD. nil for a path
  /// without such a character, and for one at which there is something.
  package static func misnamed(_ path: String) -> LinkspanError? {
    var status = stat()
    guard path.unicodeScalars.contains("\u{FFFD}"), lstat(path, &status) != 0, errno == ENOENT else {
      return nil
    }
    return .nameNotUTF8(path)
  }

  /// The path without links, or nil when it leads nowhere.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// What all names of one file have in common, hard links included; nil when the path leads nowhere.
  package static func identity(_ path: String) -> String? {
    var status = stat()
    return stat(path, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
  }

  private static func unreadable(_ path: String) -> LinkspanError {
    let error = LinkspanError("cannot be read", at: path, errno: errno)
    return .secretForFile(path) ?? error
  }

  private static func tooLarge(_ path: String) -> LinkspanError {
    LinkspanError("has more than \(sizeLimitBytes >> 20) MB, the limit for input files", at: path)
  }
}
