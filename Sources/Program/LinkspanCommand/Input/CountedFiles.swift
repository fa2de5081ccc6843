package import LinkspanCore
internal import LinkspanFiles

/// The files that one run has counted, so that none counts twice under two names: `a.log`, `./a.log`, a symbolic link and a
/// hard link.
package struct CountedFiles {
  private var namesByFile: [String: String] = [:]

  package init() {}

  package var count: Int { namesByFile.count }

  /// Takes a file into account.
  ///
  /// - Parameter path: A path, or `-` for standard input, of which every reading is a new one, as of a pipe.
  /// - Returns: The name under which it was counted before; nil for a new one.
  package mutating func earlierName(of path: String) throws(LinkspanError) -> String? {
    guard path != "-", try FileReader.kind(of: path) == .file, let file = FileReader.identity(path) else {
      return nil
    }
    if let name = namesByFile[file] { return name }
    namesByFile[file] = path
    return nil
  }

  /// The same for a file that a person named, who gets a note when it is not counted again.
  ///
  /// - Parameter command: For the note, such as `coverage`.
  /// - Returns: Whether it is to be counted.
  package mutating func takes(
    _ path: String, _ command: String, _ console: Console
  ) throws(LinkspanError) -> Bool {
    guard let name = try earlierName(of: path) else { return true }
    let what = name == path ? "named twice" : "the same file as '\(name)'"
    console.note("linkspan \(command): warning: '\(path)' is \(what); it is counted once.")
    return false
  }
}
