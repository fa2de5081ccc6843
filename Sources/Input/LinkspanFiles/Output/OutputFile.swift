package import LinkspanCore

/// A file that a command writes because a person named it. What is there is overwritten only when it is the command's own
/// earlier output, or when the person says so.
package struct OutputFile: Sendable {
  package let path: String
  private let kind: OutputKind
  /// Whether a person said that what is there may go.
  private let isForced: Bool

  package init(_ path: String, _ kind: OutputKind, isForced: Bool = false) {
    self.path = path
    self.kind = kind
    self.isForced = isForced
  }

  /// The same, where a person said that what is there may go.
  package var forced: OutputFile { OutputFile(path, kind, isForced: true) }

  /// The bytes as they are written: with the mark of the command, where the form has one.
  package func marked(_ bytes: [UInt8]) -> [UInt8] { kind.marked(bytes) }

  /// Why nothing is written over what is there, as a sentence; nil where nothing is there that would be missed: no file,
  /// an empty one, earlier output, or the same bytes.
  ///
  /// - Parameter bytes: What would be written; nil where that is not known yet.
  /// - Throws: Why the place cannot be looked at, and for a disk in its place.
  package func objection(to bytes: [UInt8]? = nil) throws(LinkspanError) -> String? {
    switch try FileReader.kind(of: path) {
    case .missing, .folder: return nil
    case .special:
      try refuseDisk()
      return nil
    case .file: break
    }
    if isForced { return nil }
    let (head, count) = try beginning()
    if count == 0 { return nil }
    let isSmall = count <= FileReader.sizeLimitBytes
    let path = path
    let isOwn = try kind.isOwn(head: head) { () throws(LinkspanError) in
      isSmall ? try FileReader.bytes(path) : nil
    }
    if isOwn { return nil }
    if let bytes {
      let written = kind.marked(bytes)
      if written.count == count, isSmall, try FileReader.bytes(path) == written { return nil }
    } else if !kind.isKnownByItself {
      return nil
    }
    return
      "'\(path)' already exists and \(kind.otherwise); it seems to be \(ContentGuess.phrase(head, name: path))."
  }

  /// Says that what is there stays, where nobody allowed otherwise.
  package func refuseForeign(_ bytes: [UInt8]? = nil) throws(LinkspanError) {
    if let objection = try objection(to: bytes) {
      throw LinkspanError("\(objection) It was not changed.", help: Self.help)
    }
  }

  package static let help = "Name another file, or add '--force' to overwrite this one."

  /// Writes the file whole, with its mark, so that everyone who opens it sees all of it.
  ///
  /// - Throws: Why it cannot be written, or that something else is there; that is then as it was.
  package func write(_ bytes: [UInt8]) throws(LinkspanError) {
    try refuseForeign(bytes)
    let marked = kind.marked(bytes)
    switch try FileReader.kind(of: path) {
    case .folder: throw LinkspanError("is a directory; expected a file", at: path)
    case .special: try FileWriter.write(marked, to: path)
    case .missing, .file:
      let (folder, name) = try Self.place(of: path)
      try SiteWriter.place(marked, as: name, in: folder)
    }
  }
}
