package import LinkspanCore
package import LinkspanFiles

/// Where a flag has a command write what it makes: a file, or with '-' standard output. There it is the answer, and what
/// the command says otherwise goes to standard error.
package struct OutputPlace {
  private let file: OutputFile

  init(_ file: OutputFile) { self.file = file }

  package var isStandardOutput: Bool { file.path == "-" }

  /// For people.
  package var name: String { isStandardOutput ? "standard output" : file.path }

  /// Keeps standard output free for ``write(_:_:)``, for commands that say something before they write.
  package func reserve(_ console: Console) {
    if isStandardOutput { console.printsToStandardError = true }
  }

  /// The bytes as ``write(_:_:)`` writes them: with the mark of the command, where their form has one.
  package func marked(_ bytes: [UInt8]) -> [UInt8] { file.marked(bytes) }

  /// Writes all of it or nothing; a command writes before it says anything, or calls ``reserve(_:)`` first.
  ///
  /// - Throws: Why it cannot be written, or that another file is there that is not to be overwritten.
  package func write(_ bytes: [UInt8], _ console: Console) throws(LinkspanError) {
    guard isStandardOutput else {
      let allowed = try file.allowed(over: bytes)
      return try allowed.write(bytes)
    }
    console.print(bytes: file.marked(bytes))
    console.flush()
    reserve(console)
  }
}

extension OutputFile {
  /// This file, or one that may be overwritten because the person at the terminal says so.
  ///
  /// - Parameter bytes: What would be written; nil where that is not known yet.
  /// - Throws: That another file is there, and that it stays.
  package func allowed(over bytes: [UInt8]? = nil) throws(LinkspanError) -> OutputFile {
    guard let objection = try objection(to: bytes) else { return self }
    if Question.isMeant("\(objection.onOneLine) Overwrite it?") == true { return forced }
    throw LinkspanError("\(objection) It was not changed.", help: Self.help)
  }
}
