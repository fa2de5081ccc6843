/// A folder out of which nothing is read, for a process that may read more than whoever fills the folder.
///
/// Symbolic links are followed as long as they stay in the folder. The path without links is worked out first and then
/// opened one directory after another without following any link, so a link that is turned meanwhile leads nowhere.
struct ConfinedFolder {
  private let folder: OpenFolder
  /// Its path without links, with a slash at the end.
  private let prefix: String

  /// - Parameter path: As a person named it; links in it are theirs, and are followed.
  init(_ path: String) throws(DaemonError) {
    folder = try OpenFolder(path)
    let resolved = FileReader.resolved(path) ?? path
    prefix = resolved.hasSuffix("/") ? resolved : resolved + "/"
  }

  /// Refuses a path that leads out of the folder; one that leads nowhere is left to whoever opens it.
  func refuseOutside(_ path: String) throws(DaemonError) { _ = try steps(to: path) }

  /// All bytes of a regular file in the folder.
  ///
  /// - Throws: Also for a path that leads out of the folder, and for a file with more than `limitBytes`.
  func bytes(of path: String, limitBytes: Int) throws(DaemonError) -> [UInt8] {
    guard let steps = try steps(to: path), let name = steps.last else {
      throw DaemonError("is not there any more", at: path)
    }
    var inner = folder
    for step in steps.dropLast() { inner = try inner.folder(step) }
    return try inner.bytes(of: name, limitBytes: limitBytes)
  }

  /// The names on the way from the folder, none of which is a link; nil when the path leads nowhere.
  private func steps(to path: String) throws(DaemonError) -> [String]? {
    guard let resolved = FileReader.resolved(path) else { return nil }
    if resolved + "/" == prefix { return [] }
    guard resolved.hasPrefix(prefix) else {
      throw DaemonError(
        "leads out of '\(folder.path)', and root follows no link out of a site", at: path,
        help: "Put the file or folder itself in its place, or serve as another user with --user.")
    }
    return resolved.dropFirst(prefix.count).split(separator: "/").map(String.init)
  }
}
