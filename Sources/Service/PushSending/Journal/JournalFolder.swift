package import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer

/// Where files of the journal are written.
package protocol JournalFiles: Sendable {
  /// Begins a file, which has no name yet.
  func begin(_ name: String) throws(LinkspanError) -> any JournalFile
}

/// A file of the journal that is being written.
package protocol JournalFile: Sendable {
  func write(_ bytes: [UInt8]) throws(LinkspanError)
  /// Nothing more comes, and all of it is on the disk.
  func end() throws(LinkspanError)
  /// Gives it its name, in the place of an older one.
  func publish() throws(LinkspanError)
}

/// A folder, in which files belong to its owner.
struct JournalFolder: JournalFiles {
  private let path: String

  /// - Parameter path: Made when it isn't there.
  /// - Throws: That nothing can be written there.
  init(_ path: String) throws(LinkspanError) {
    self.path = path
    try SiteWriter.refuseUnfit(path)
    _ = try SiteWriter.madeFolder(path)
  }

  func begin(_ name: String) throws(LinkspanError) -> any JournalFile {
    // It says which pushes a device got, if only by a keyed hash.
    File(file: try CompressedFile(name, in: SiteWriter.madeFolder(path), mode: 0o600))
  }

  private struct File: JournalFile {
    let file: CompressedFile

    func write(_ bytes: [UInt8]) throws(LinkspanError) { try file.write(bytes) }

    func end() throws(LinkspanError) { try file.end() }

    func publish() throws(LinkspanError) { try file.publish() }
  }
}
