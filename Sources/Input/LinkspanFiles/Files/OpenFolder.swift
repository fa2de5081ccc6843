package import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// A directory that is held open, for reading and writing where somebody else may have put links.
///
/// Names are single path components and are looked up in the open directory: no symbolic link is followed, only regular
/// files are read, and never more than a limit. So nothing that is planted below it leads anywhere else.
package final class OpenFolder {
  /// The directory itself, whatever its name means by now.
  let entry: OpenEntry
  /// As in messages.
  package let path: String

  /// The host's folder that it lies in; nil where it lies in none.
  private let home: OpenFolder?

  package var descriptor: Int32 { entry.descriptor }

  /// Whether this is the same directory, by whatever path it was reached.
  package func isSame(as other: OpenFolder) -> Bool { entry.identity == other.entry.identity }

  /// - Parameters:
  ///   - entry: A directory.
  ///   - home: The host's folder that it lies in, if it does.
  init(_ entry: OpenEntry, path: String, home: OpenFolder? = nil) {
    self.entry = entry
    self.path = path
    self.home = home
  }

  /// Opens a directory by the path a person named. A link in that path is followed when it belongs to root, to the user
  /// or to the owner of the directory it leads to: somebody else's would choose the directory.
  ///
  /// - Parameter user: Who is going to use it: the user of this process.
  package convenience init(_ path: String, for user: uid_t = geteuid()) throws(LinkspanError) {
    try ReadingPlaces.refuseOutside(path)
    let place = try FolderWalk.named(path, for: user)
    self.init(place[place.count - 1].entry, path: path)
  }

  /// The absolute path that the directory has now, in which no name is a link: for libraries that open files by paths.
  package func absolutePath() throws(LinkspanError) -> String {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let link = "/proc/self/fd/\(descriptor)"
    let count = bytes.withUnsafeMutableBytes { readlink(link, $0.baseAddress!, $0.count) }
    guard count > 0 else { throw LinkspanError("cannot be opened", at: path, why: "/proc is not mounted") }
    let absolute = String(decoding: bytes[..<count], as: UTF8.self)
    // The system adds words to the path of a directory that is gone or out of reach.
    guard count < bytes.count, absolute.utf8.elementsEqual(bytes[..<count]),
      let there = try OpenEntry.held(absolute, in: AT_FDCWD, expectsFolder: false, as: path),
      there.identity == entry.identity
    else { throw LinkspanError("cannot be opened", at: path, why: "it has no path any more") }
    return absolute
  }

  /// Whether it is written by its owner alone, as far as its mode says.
  package var isWrittenByOwnerAlone: Bool { entry.isWrittenByOwnerAlone }

  /// The user that owns the directory now.
  package func owner() throws(LinkspanError) -> uid_t {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failed("cannot be read", path) }
    return status.st_uid
  }

  /// The path of something in it, for messages.
  package func path(of name: String) -> String {
    path == "." ? name : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }

  package enum Kind {
    case missing, folder, file, link, special
  }

  package func kind(of name: String) throws(LinkspanError) -> Kind {
    switch try held(name)?.kind {
    case nil: .missing
    case .folder: .folder
    case .file: .file
    case .link: .link
    case .special: .special
    }
  }

  private func held(_ name: String, expectsFolder: Bool = false) throws(LinkspanError) -> OpenEntry? {
    try OpenEntry.held(
      try component(name), in: descriptor, expectsFolder: expectsFolder, as: path(of: name))
  }

  /// A directory in this one, which has to be one itself and no link to one.
  package func folder(_ name: String) throws(LinkspanError) -> OpenFolder {
    guard let inner = try held(name, expectsFolder: true) else {
      errno = ENOENT
      throw failed("cannot be opened", name)
    }
    guard inner.kind == .folder else {
      throw LinkspanError(
        "is not a directory; links there are not followed", at: path(of: name),
        help: "Put the directory itself in its place.")
    }
    return OpenFolder(inner, path: path(of: name))
  }

  /// The names inside, sorted.
  package func names() throws(LinkspanError) -> [String] {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let error = Self.failed("cannot be read", path)
      if copy >= 0 { close(copy) }
      throw error
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw Self.failed("cannot be read", path) }
        return names.sorted()
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// All bytes of a regular file.
  ///
  /// - Throws: Also for a link, for anything that is no regular file, and for one with more than `limitBytes`.
  package func bytes(of name: String, limitBytes: Int) throws(LinkspanError) -> [UInt8] {
    let path = path(of: name)
    guard let file = try held(name) else {
      errno = ENOENT
      throw failed("cannot be read", name)
    }
    guard file.kind == .file else {
      throw LinkspanError("is a link or not a regular file, so it is not read", at: path)
    }
    try file.refuseForeignName(in: [home, self].compactMap { $0 }, as: path)
    return try file.bytes(limitBytes: limitBytes, as: path)
  }

  package func component(_ name: String) throws(LinkspanError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
    else { throw LinkspanError("is not the name of a file in '\(path)'", at: name) }
    return name
  }

  package func failed(_ what: String, _ name: String) -> LinkspanError { Self.failed(what, path(of: name)) }

  package static func failed(_ what: String, _ path: String) -> LinkspanError {
    LinkspanError(what, at: path, errno: errno)
  }
}
