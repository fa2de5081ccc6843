package import AppBundle
internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// The files of a folder. Symbolic links are named and not followed: nothing outside of the folder is read.
package struct FolderTree: FileTree {
  package let name: String
  package private(set) var files: [BundleFile] = []
  package private(set) var links: [String] = []
  package let archiveBytes: Int? = nil

  /// Ours: as many as an archive may have, and deeper than any bundle.
  private static let fileLimit = 100_000
  private static let depthLimit = 64

  /// - Parameter path: As the person wrote it.
  package init(_ path: String) throws(LinkspanError) {
    var name = path
    while name.count > 1, name.last == "/" { name.removeLast() }
    self.name = name
    try walk("", depth: 0)
  }

  package func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes {
    try LocalFile(name + "/" + files[index].path)
  }

  private mutating func walk(_ folder: String, depth: Int) throws(LinkspanError) {
    guard depth < Self.depthLimit else {
      throw LinkspanError(
        "is more than \(Self.depthLimit) folders deep, more than any bundle", at: "\(name)/\(folder)")
    }
    let root = name
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
      case S_IFDIR: try walk(path, depth: depth + 1)
      case S_IFREG, S_IFLNK:
        guard files.count + links.count < Self.fileLimit else {
          throw LinkspanError("has more than \(Self.fileLimit) files, more than any bundle", at: root)
        }
        if status.st_mode & S_IFMT == S_IFLNK {
          links.append(path)
        } else {
          files.append(BundleFile(path: path, sizeBytes: Int(status.st_size)))
        }
      default: break
      }
    }
  }
}
