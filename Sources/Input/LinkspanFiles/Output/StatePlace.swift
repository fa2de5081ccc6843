package import LinkspanCore

/// A directory of what a service keeps: ``OpenFolder`` on a real disk, a folder in memory in a simulation.
package protocol StateFolder: AnyObject {
  /// As in messages.
  var path: String { get }

  func kind(of name: String) throws(LinkspanError) -> OpenFolder.Kind

  /// A directory in this one.
  func inner(_ name: String) throws(LinkspanError) -> any StateFolder

  /// The same, made when it isn't there.
  func madeInner(_ name: String) throws(LinkspanError) -> any StateFolder

  /// The names inside, sorted.
  func names() throws(LinkspanError) -> [String]

  func bytes(of name: String, limitBytes: Int) throws(LinkspanError) -> [UInt8]

  /// Writes a file that is not there yet; when this returns its bytes are on the disk, and its name after ``sync()``.
  func writeNew(_ bytes: [UInt8], to name: String) throws(LinkspanError)

  /// Puts a file in the place of another one or of nothing; when this returns it is on the disk.
  func replace(_ name: String, by bytes: [UInt8]) throws(LinkspanError)

  func rename(_ name: String, to other: String) throws(LinkspanError)

  /// Removes a file, or a directory with what lies directly in it; nothing when it isn't there.
  func remove(_ name: String) throws(LinkspanError)

  /// Refuses a directory in which nothing can be made.
  func refuseUnwritable() throws(LinkspanError)

  /// Returns when the names in it are on the disk.
  func sync() throws(LinkspanError)
}

extension OpenFolder: StateFolder {
  package func inner(_ name: String) throws(LinkspanError) -> any StateFolder { try folder(name) }

  package func madeInner(_ name: String) throws(LinkspanError) -> any StateFolder { try madeFolder(name) }

  package func writeNew(_ bytes: [UInt8], to name: String) throws(LinkspanError) {
    try writeNew(bytes, to: name, as: nil)
  }

  package func replace(_ name: String, by bytes: [UInt8]) throws(LinkspanError) {
    try replace(name, by: bytes, mode: 0o644)
  }
}

/// Where a service keeps what has to outlive its process.
package protocol StatePlace: Sendable {
  /// As in messages.
  var path: String { get }

  /// - Throws: Also when there is something else than a directory.
  func isThere() throws(LinkspanError) -> Bool

  /// Does something in the directory, which is there.
  func open<Answer>(
    _ body: (any StateFolder) throws(LinkspanError) -> Answer
  ) throws(LinkspanError) -> Answer

  /// The same; the directory is made when it isn't there.
  func openMade(_ body: (any StateFolder) throws(LinkspanError) -> Void) throws(LinkspanError)
}

/// A directory that an operator named. Root acts as its owner there.
package struct FolderPlace: StatePlace {
  package let path: String

  package init(_ path: String) { self.path = path }

  package func isThere() throws(LinkspanError) -> Bool {
    switch try FileReader.kind(of: path) {
    case .folder: return true
    case .missing where !path.isEmpty: return false
    case .missing, .file, .special:
      throw LinkspanError(
        "the state '\(path)' is not a directory.",
        help: "Name a directory; it is created if it does not exist.")
    }
  }

  package func open<Answer>(
    _ body: (any StateFolder) throws(LinkspanError) -> Answer
  ) throws(LinkspanError) -> Answer {
    let folder = try OpenFolder(path)
    return try Privileges.asOwner(of: folder) { () throws(LinkspanError) in try body(folder) }
  }

  package func openMade(
    _ body: (any StateFolder) throws(LinkspanError) -> Void
  ) throws(LinkspanError) {
    let folder = try SiteWriter.madeFolder(path)
    try Privileges.asOwner(of: folder) { () throws(LinkspanError) in try body(folder) }
  }
}
