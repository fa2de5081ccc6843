package import AppBundle
internal import LinkspanCore

/// What a person named where a bundle, a program or a size report may stand.
package enum BundleInput {
  case tree(FileIndex)
  case program(LocalFile)
  /// Neither; a property list or a text, perhaps.
  case other(LocalFile)

  /// - Throws: When the file or the folder can't be read, and when an archive is refused.
  package init(_ path: String) throws(DaemonError) {
    if try FileReader.kind(of: path) == .folder {
      self = .tree(FileIndex(try FolderTree(path)))
      return
    }
    do throws(BundleError) {
      let file = try LocalFile(path)
      let head = try file.bytes(0..<min(8, file.count))
      if head.starts(with: "PK".utf8) {
        self = .tree(FileIndex(ArchiveTree(try Archive(file, file: path))))
      } else {
        self = MachOFile.looksLike(head) ? .program(file) : .other(file)
      }
    } catch {
      throw DaemonError("\(error)")
    }
  }

  /// The bundle, with its clips held to their rules, or the program; nil for any other file.
  func document(named name: String) throws(DaemonError) -> BundleDocument? {
    do throws(BundleError) {
      switch self {
      case .tree(let index):
        var document = try BundleReader(index).read()
        document.judged = ClipChecker(document, index).check()
        return document
      case .program(let file): return try BundleDocument(program: file, name: name)
      case .other: return nil
      }
    } catch {
      throw DaemonError("\(error)")
    }
  }
}
