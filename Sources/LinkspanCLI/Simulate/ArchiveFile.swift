internal import LinkspanCore
internal import LinkspanSimulator

/// Writes exchanges for other tools.
enum ArchiveFile {
  /// - Throws: Why the file cannot be written.
  static func write(_ exchanges: [Exchange], start: WallTime, to path: String) throws(CommandError) {
    let archive = HTTPArchive.json(exchanges, start: start, creator: ("linkspan", LinkspanCLI.version))
    try FileWriter.write(archive.bytes + [0x0A], to: path)
  }
}
