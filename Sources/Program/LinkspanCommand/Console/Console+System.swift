internal import Glibc
package import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSystem

/// What a console asks of the system: whether it is a terminal, and to write.
extension Console {
  /// Only on a terminal, and not where `NO_COLOR` or a dumb one says otherwise.
  static func showsColour(on descriptor: Int32) -> Bool {
    ProcessEnvironment.value("NO_COLOR", isNotEmpty: true) == nil
      && ProcessEnvironment.value("TERM") != "dumb"
      && isatty(descriptor) == 1
  }

  /// A patch: escaped on a terminal, elsewhere byte for byte, so that it applies.
  ///
  /// - Throws: That the log of a build service would take a line of it for a command, and no file takes the patch instead.
  package func printPatch(_ text: String) throws(LinkspanError) {
    var status = stat()
    let isFile = fstat(1, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    if isatty(1) == 1 { return printUnbroken(text) }
    let isBuild = ["GITHUB_ACTIONS", "TF_BUILD"].contains {
      ProcessEnvironment.value($0, isNotEmpty: true) != nil
    }
    guard isFile || !isBuild || !WorkflowCommands.occur(in: text) else {
      throw LinkspanError(
        "The patch holds text that the log of this build would obey as a command, such as '##[...]'.",
        help: "Write it to a file: add '> fix.patch' to the command.")
    }
    printRaw(text)
  }

  /// How far long work has come: on a terminal only, each in the place of the one before.
  package func progress(_ text: String) { Self.progress(text) }

  /// The same from any thread.
  ///
  /// - Returns: Whether standard error is a terminal.
  @discardableResult
  package static func progress(_ text: String) -> Bool {
    guard isatty(2) == 1 else { return false }
    let text = shown(text, keepsColours: false)
    write(Array("\r\u{1B}[K\(text)\(text.isEmpty ? "" : "…")".utf8), to: 2)
    return true
  }

  package func flush() {
    let problem = Self.write(pending, to: 1)
    pending.removeAll(keepingCapacity: true)
    guard let problem else { return }
    let leftover = leftover?()
    if problem != EPIPE || leftover != nil {
      let reason =
        problem == EPIPE
        ? "the program that reads it has ended" : SystemError.text(problem)
      let help =
        problem == EPIPE
        ? "The output is incomplete."
        : "The output is incomplete. Free some space, or write to another place."
      Self.fail(
        LinkspanError(
          "cannot write the output: \(reason).", helpLines: [leftover, help].compactMap { $0 }),
        command: nil)
    }
    // Whoever asks for the first lines only has them.
    exit((problem == EPIPE && leftover == nil ? ExitStatus.yes : .failed).rawValue)
  }

  /// - Returns: The system's number for what went wrong, or nil.
  @discardableResult
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // Whoever we share the pipe with made it so: wait until there is room.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      case let problem: return problem
      }
    }
    return nil
  }
}
