internal import CLinkspanLibrary
internal import CLinkspanPlatform
internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// The folders that a process may read, for work that somebody else asked for.
///
/// Paths are looked up without following any link. What a command then opens is checked again where it is opened, for
/// the links and names inside of files; and where the kernel has Landlock, it forbids everything else as well.
package struct ReadingPlaces: Sendable {
  /// Paths without links, each with a slash at its end.
  private let roots: [String]
  /// Those of the whole process; nil where it may read what its user may.
  private static let enforced = LockedState<ReadingPlaces?>(nil)

  /// - Parameter folders: As a person named them; links in them are theirs, and are followed.
  /// - Throws: For what is no folder.
  package init(_ folders: [String]) throws(LinkspanError) {
    var roots: [String] = []
    for folder in folders {
      guard let resolved = FileReader.resolved(folder), try FileReader.kind(of: resolved) == .folder else {
        throw LinkspanError("is not a folder", at: folder, help: "Name a folder that exists.")
      }
      roots.append(resolved.hasSuffix("/") ? resolved : resolved + "/")
    }
    self.roots = roots
  }

  /// The path to open for a path that a client named: below one of the folders, without `..` and without links.
  ///
  /// - Returns: The path as the client wrote it, where it is absolute or lies in the first folder, which is the working
  ///   directory, so that answers name it alike; else an absolute one. It never begins like a flag. nil for what is not there.
  /// - Throws: For a path that leads out of the folders, or over a link.
  package func path(_ text: String) throws(LinkspanError) -> String? {
    let names = text.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }
    guard !names.contains(".."), !text.utf8.contains(0) else {
      throw LinkspanError("has '..' in it, which is not followed", at: text, help: Self.remedy)
    }
    var candidates: [(root: Int, names: [Substring])] = []
    for (index, root) in roots.enumerated() {
      let prefix = root.split(separator: "/")
      if !text.hasPrefix("/") {
        candidates.append((index, names))
      } else if names.starts(with: prefix) {
        candidates.append((index, Array(names.dropFirst(prefix.count))))
      }
    }
    guard !candidates.isEmpty else { throw outside(text) }
    for (root, names) in candidates where try isThere(names, below: roots[root], text) {
      if text.hasPrefix("/") { return text }
      let relative = names.joined(separator: "/")
      guard root == 0 else { return roots[root] + relative }
      return names.isEmpty ? "." : text.hasPrefix("-") ? "./" + relative : text
    }
    return nil
  }

  private func isThere(_ names: [Substring], below root: String, _ text: String) throws(LinkspanError) -> Bool
  {
    var path = root
    for (index, name) in names.enumerated() {
      path += (index == 0 ? "" : "/") + name
      var status = stat()
      guard lstat(path, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return false }
        throw LinkspanError("cannot be read", at: text, errno: errno)
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG, S_IFDIR: continue
      case S_IFLNK:
        throw LinkspanError(
          "leads over a symbolic link, and none is followed", at: text, help: "Name the file itself.")
      default: throw LinkspanError("is neither a file nor a folder", at: text)
      }
    }
    return true
  }

  /// Holds this process to the folders, for good, and makes the first one its working directory.
  ///
  /// - Throws: When the working directory cannot be changed, or the kernel fails at it.
  package func enforce() throws(LinkspanError) {
    guard chdir(roots[0]) == 0 else {
      throw LinkspanError("cannot be entered", at: roots[0], errno: errno)
    }
    var folders: [Int32] = []
    defer { for folder in folders { close(folder) } }
    for root in roots {
      let folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else {
        throw LinkspanError("cannot be opened", at: root, errno: errno)
      }
      folders.append(folder)
    }
    // Their files lie outside of the folders.
    linkspan_library_demand_all()
    guard linkspan_confine(folders, Int32(folders.count)) >= 0 else {
      throw LinkspanError("the kernel refuses the confinement", errno: errno)
    }
    Self.enforced.withLock { $0 = self }
  }

  /// Refuses a path that this process may not read.
  static func refuseOutside(_ path: String) throws(LinkspanError) {
    guard path != "-", let places = enforced.withLock({ $0 }) else { return }
    let resolved = FileReader.resolved(path) ?? normalized(path)
    guard places.roots.contains(where: { (resolved + "/").hasPrefix($0) }) else { throw places.outside(path) }
  }

  /// The same for what is held, whatever way led to it.
  static func refuseOutside(_ entry: OpenEntry, as path: String) throws(LinkspanError) {
    guard let places = enforced.withLock({ $0 }) else { return }
    let resolved = FileReader.resolved("/proc/self/fd/\(entry.descriptor)") ?? path
    guard places.roots.contains(where: { (resolved + "/").hasPrefix($0) }) else { throw places.outside(path) }
  }

  /// The absolute path that a path means as long as no link is in it.
  private static func normalized(_ path: String) -> String {
    var names: [Substring] = []
    let folder = path.hasPrefix("/") ? "" : (FileReader.resolved(".") ?? "") + "/"
    for name in (folder + path).split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }

  private static let remedy = "Name a path below a folder of '--root'."

  private func outside(_ path: String) -> LinkspanError {
    LinkspanError("does not lie below a folder that may be read", at: path, help: Self.remedy)
  }
}
