internal import AppBundle
internal import Glibc
package import LinkspanCore

/// What writing a file asks of the system.
extension OutputFile {
  func beginning() throws(LinkspanError) -> (head: [UInt8], count: Int) {
    do throws(BundleError) {
      let file = try LocalFile(path)
      return (try file.bytes(0..<min(OutputKind.headBytes, file.count)), file.count)
    } catch {
      throw LinkspanError(error)
    }
  }

  /// Bytes written to a disk are a file system lost.
  func refuseDisk() throws(LinkspanError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFBLK else { return }
    throw LinkspanError("is a disk or a part of one; expected a file", at: path)
  }

  /// Opens the file, empty, for adding to its end while the process runs; see ``GrowingFile``. Root opens it as the owner of
  /// its directory.
  ///
  /// - Returns: The descriptor, which the caller closes.
  /// - Throws: Why it cannot be written, or that something else is there; that is then as it was.
  package func openedEmpty() throws(LinkspanError) -> Int32 {
    try refuseForeign()
    let mode: mode_t = 0o644
    if try FileReader.kind(of: path) == .special { return try GrowingFile.open(path, mode: mode) }
    let (parent, name) = try Self.place(of: path)
    let folder = try OpenFolder(parent)
    return try Privileges.asOwner(of: folder) { () throws(LinkspanError) in
      try GrowingFile.open(name, in: folder, mode: mode, isEmptied: true)
    }
  }

  /// Where the file lies. A symbolic link in its place stays one when it belongs to root or to this user.
  ///
  /// - Throws: That it is a link of somebody else, or that one leads there, or that its folder is missing.
  static func place(of path: String) throws(LinkspanError) -> (folder: String, name: String) {
    let named = FileReader.place(of: path)
    if try FileReader.kind(of: named.folder) == .missing {
      throw LinkspanError("cannot be written", at: path, why: "there is no directory '\(named.folder)'")
    }
    guard try OpenFolder(named.folder).kind(of: named.name) == .link else { return named }
    var status = stat()
    guard lstat(path, &status) == 0, [0, geteuid()].contains(status.st_uid),
      let target = FileReader.resolved(path)
    else {
      throw LinkspanError(
        "is a symbolic link of another user, or leads nowhere", at: path, help: "Name the file itself.")
    }
    return FileReader.place(of: target)
  }
}
