internal import LinkspanDaemon

/// Where a flag has a command write what it makes: a file, or with '-' standard output. There it is the answer, and what
/// the command says otherwise goes to standard error.
package struct OutputPlace {
  private let path: String

  init(_ path: String) { self.path = path }

  package var isStandardOutput: Bool { path == "-" }

  /// For people.
  package var name: String { isStandardOutput ? "standard output" : path }

  /// Keeps standard output free for ``write(_:_:)``, for commands that say something before they write.
  package func reserve(_ console: Console) {
    if isStandardOutput { console.printsToStandardError = true }
  }

  /// Writes all of it or nothing; a command writes before it says anything, or calls ``reserve(_:)`` first.
  ///
  /// - Throws: Why it cannot be written.
  package func write(_ bytes: [UInt8], _ console: Console) throws(CommandError) {
    guard isStandardOutput else {
      return try CommandError.mapping(FileWriter.place(bytes, at: path, mode: 0o644))
    }
    console.print(bytes: bytes)
    console.flush()
    reserve(console)
  }
}
