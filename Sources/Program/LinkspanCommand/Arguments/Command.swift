package import LinkspanCore

/// One command of the tool, or a group of them.
package struct Command: Sendable {
  /// What a person types behind `linkspan`; a command of a group has the group's name before its own.
  package let name: String
  /// One line for the list of commands.
  package let summary: String
  /// What stands behind the name, such as `SITE…`; empty when nothing may.
  package let operands: String
  /// Paragraphs for the help.
  package let discussion: String
  package let flags: [Flag]
  package let examples: [String]
  /// The commands of a group, such as `swcutil verify`.
  package var subcommands: [Command]
  /// Commands a person may expect in a group, and flags they may expect of a command, each with the sentence that says what to use instead.
  package var elsewhere: [(word: String, instead: String)]
  /// The flags that most people need, where there are many; empty where all are shown.
  package var commonFlags: [String]
  /// When it ends with 0, 1 and 2, where that differs from what all commands have in common.
  package var exitStatus: String
  /// The words that may stand behind the name, for completions; none where a person writes something else.
  package var operandChoices: @Sendable () -> [String]
  package let run: Action

  /// What a command does.
  package typealias Action = @Sendable (Arguments, Console) throws(LinkspanError) -> ExitStatus

  /// How it is called, in one line, for a person who called it otherwise.
  package var usage: String {
    let operands = operands.isEmpty ? "" : " " + operands
    return "Usage: linkspan \(name)\(operands) [flags]; 'linkspan \(name) --help' describes it."
  }

  package init(
    name: String, summary: String, operands: String, discussion: String, flags: [Flag], examples: [String],
    subcommands: [Command] = [], elsewhere: [(word: String, instead: String)] = [],
    commonFlags: [String] = [], exitStatus: String = Self.commonExitStatus,
    operandChoices: @escaping @Sendable () -> [String] = { [] },
    run: @escaping Action
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.discussion = discussion
    self.flags = flags
    self.examples = examples
    self.subcommands = subcommands
    self.elsewhere = elsewhere
    self.commonFlags = commonFlags
    self.exitStatus = exitStatus
    self.operandChoices = operandChoices
    self.run = run
  }

  package static let commonExitStatus = "0 done or yes, 1 no or errors found, 2 could not answer"

  var allFlags: [Flag] { flags + Flag.common }

  /// - Parameter name: The long or the short one.
  package func flag(_ name: String) -> Flag? { allFlags.first { $0.name == name || $0.short == name } }

  /// The commands of a group and of the groups in it; a command that is no group is its own.
  var leaves: [Command] { subcommands.isEmpty ? [self] : subcommands.flatMap { $0.leaves } }

  /// The last word of the name.
  package var word: String { String(name.split(separator: " ").last ?? "") }

  /// The command that the words after this one's name begin with, and takes its name off them.
  ///
  /// - Throws: For a group: which of its commands was probably meant, or what to use instead.
  package func resolved(_ words: inout ArraySlice<String>) throws(LinkspanError) -> Command {
    guard !subcommands.isEmpty, let word = words.first, !word.hasPrefix("-") else { return self }
    if let found = subcommands.first(where: { $0.word == word }) {
      words.removeFirst()
      return try found.resolved(&words)
    }
    if let other = elsewhere.first(where: { $0.word == word }) {
      throw LinkspanError("'\(name) \(word)' is not here.", help: other.instead)
    }
    let near = Arguments.nearest(to: word, among: subcommands.map { $0.word })
    throw LinkspanError(
      "there is no '\(name) \(word)'." + (near.map { " Did you mean '\($0)'?" } ?? ""),
      help: "Run 'linkspan \(name) --help' for the list.")
  }

  /// - Parameter width: How many columns its lines may have.
  ///
  /// - Parameter isWhole: Whether all flags are shown where ``commonFlags`` names a few.
  package func help(width: Int, isWhole: Bool = true) -> String {
    var text = WrappedText.lines("linkspan \(name) — \(summary)", rest: "  ", width: width) + "\n"
    let usage = "Usage: linkspan \(name)\(operands.isEmpty ? "" : " " + operands) [flags]"
    text += WrappedText.lines(usage, rest: "  ", width: width) + "\n"
    for line in discussion.split(separator: "\n\n") {
      text += (text.hasSuffix("\n\n") ? "" : "\n")
      text += WrappedText.lines(line.split(separator: "\n").joined(separator: " "), width: width)
    }
    if !subcommands.isEmpty {
      text += "\nCommands:\n" + Self.table(subcommands.map { ($0.word, $0.summary) }, width: width)
    }
    assert(
      commonFlags.allSatisfy { name in allFlags.contains { $0.name == name } },
      "'\(name)' has no flag of the name of a common one")
    let shown = isWhole || commonFlags.isEmpty ? allFlags : allFlags.filter { commonFlags.contains($0.name) }
    text += "\nFlags:\n"
    text += Self.table(
      shown.map { flag in
        (
          (flag.short.map { "\($0), " } ?? "") + flag.name + (flag.value.map { " \($0)" } ?? ""),
          flag.help + (flag.repeats ? "; may be repeated" : "")
        )
      }, width: width)
    if shown.count < allFlags.count {
      let count = allFlags.count - shown.count
      text += WrappedText.lines("  and \(count) more: 'linkspan \(name) --help --all'", width: width)
    }
    if !examples.isEmpty {
      text += "\nExamples:\n"
      text += examples.map { WrappedText.command($0, indent: "  ", width: width) }.joined()
    }
    return text + "\n" + WrappedText.lines("Exit status: \(exitStatus).", rest: "  ", width: width)
  }

  /// Names in one column and what they are in another; a name too long for its column has a line of its own.
  package static func table(_ rows: [(name: String, text: String)], width: Int) -> String {
    let column = min(rows.map { $0.name.count }.max() ?? 0, max(12, width / 3))
    let indent = String(repeating: " ", count: column + 4)
    return rows.map { row in
      if row.name.count <= column {
        return WrappedText.lines(
          row.text, first: "  \(row.name.padded(to: column))  ", rest: indent, width: width)
      }
      return WrappedText.lines(row.name, first: "  ", rest: "    ", width: width)
        + WrappedText.lines(row.text, first: indent, rest: indent, width: width)
    }.joined()
  }
}

extension LinkspanError {
  /// The error with the usage of its command, where that says what to do.
  package func completed(for command: Command) -> LinkspanError {
    kind == .usage ? LinkspanError(message, help: command.usage) : self
  }
}
