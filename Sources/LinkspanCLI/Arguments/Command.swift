/// What a command ends with: documented, tested, and the same everywhere.
enum ExitStatus: Int32, Sendable {
  /// Done, or the answer is yes.
  case yes = 0
  /// The answer is no, or there are findings of severity error.
  case no = 1
  /// Could not answer: wrong usage, unreadable input, network.
  case failed = 2
}

/// One command of the tool.
struct Command: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What stands behind the name, such as `SITE…`; empty when nothing may.
  let operands: String
  /// Paragraphs for the help.
  let discussion: String
  let flags: [Flag]
  let examples: [String]
  let run: @Sendable (Arguments, Console) throws(CommandError) -> ExitStatus

  var allFlags: [Flag] { flags + Flag.common }

  func flag(_ name: String) -> Flag? { allFlags.first { $0.name == name } }

  var help: String {
    var text = "linkspan \(name) — \(summary)\n\nUsage: linkspan \(name)"
    if !operands.isEmpty { text += " \(operands)" }
    text += " [flags]\n\n\(discussion)\n\nFlags:\n"
    let names = allFlags.map { flag in flag.name + (flag.value.map { " \($0)" } ?? "") }
    let width = names.map(\.count).max() ?? 0
    for (flag, name) in zip(allFlags, names) {
      text += "  \(name)\(String(repeating: " ", count: width - name.count))  \(flag.help)"
      text += flag.repeats ? "; may be repeated\n" : "\n"
    }
    if !examples.isEmpty {
      text += "\nExamples:\n" + examples.map { "  \($0)\n" }.joined()
    }
    return text + "\nExit status: 0 done or yes, 1 no or errors found, 2 could not answer.\n"
  }
}

/// Why a command could not answer, in words for the person who gave it; ends the program with status 2.
struct CommandError: Error, CustomStringConvertible {
  /// What, where and why.
  let message: String
  /// What to do.
  let help: String?

  init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }

  var description: String { message + (help.map { "\n  \($0)" } ?? "") }
}
