internal import AppBundle
internal import LinkspanCore
internal import LinkspanDaemon

/// What a person named where a bundle, a program or a size report may stand.
enum BundleInput {
  case tree(FileIndex)
  case program(LocalFile)
  /// Neither; a property list or a text, perhaps.
  case other(LocalFile)

  static func open(_ path: String) throws(CommandError) -> BundleInput {
    if try CommandError.mapping(FileReader.kind(of: path)) == .folder {
      return .tree(FileIndex(try CommandError.mapping(FolderTree(path))))
    }
    return try answer { () throws(BundleError) in
      let file = try LocalFile(path)
      let head = try file.bytes(0..<min(8, file.count))
      if head.starts(with: "PK".utf8) { return .tree(FileIndex(ArchiveTree(try Archive(file, file: path)))) }
      return MachOFile.looksLike(head) ? .program(file) : .other(file)
    }
  }

  /// An answer, or its error as one of the command.
  static func answer<Answer>(_ work: () throws(BundleError) -> Answer) throws(CommandError) -> Answer {
    do throws(BundleError) {
      return try work()
    } catch {
      throw CommandError("\(error)")
    }
  }
}
