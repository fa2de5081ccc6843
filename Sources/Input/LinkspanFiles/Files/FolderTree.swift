package import AppBundle
internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// The files of a folder. Symbolic links are left out: nothing outside of the folder is read.
package struct FolderTree: FileTree {
  package let name: String
  package let files: [BundleFile]
  package let archiveBytes: Int? = nil

  /// Ours: as many as an archive may have, and deeper than any bundle.
  private static let fileLimit = 100_000
  private static let depthLimit = 64

  /// - Parameter path: As the person wrote it.
  package init(_ path: String) throws(LinkspanError) {
    var name = path
    while name.count > 1, name.last == "/" { name.removeLast() }
    self.name = name
    var files: [BundleFile] = []
    try Self.walk(name, "", depth: 0, into: &files)
    self.files = files
  }

  package func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes {
    try LocalFile(name + "/" + files[index].path)
  }

  private static func walk(
    _ root: String, _ folder: String, depth: Int, into files: inout [BundleFile]
  ) throws(LinkspanError) {
    guard depth < depthLimit else {
      throw LinkspanError(
        "is more than \(depthLimit) folders deep, more than any bundle", at: "\(root)/\(folder)")
    }
    let place = folder.isEmpty ? root : root + "/" + folder
    for name in try FileReader.names(in: place) {
      let path = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      guard lstat(root + "/" + path, &status) == 0 else {
        let reason = SystemError.text(errno)
        throw FileReader.misnamed("\(root)/\(path)")
          ?? LinkspanError("cannot be read", at: "\(root)/\(path)", why: reason)
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try walk(root, path, depth: depth + 1, into: &files)
      case S_IFREG:
        guard files.count < fileLimit else {
          throw LinkspanError("has more than \(fileLimit) files, more than any bundle", at: root)
        }
        files.append(BundleFile(path: path, sizeBytes: Int(status.st_size)))
      default: break
      }
    }
  }
}
