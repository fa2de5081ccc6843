package import LinkspanCore

/// The commands of a program: chooses one by the words of a command line, runs it, and says why that failed.
package struct CommandList {
  private let commands: [Command]
  private let help: (String?) -> String?
  /// - Parameter help: The text of `help` for what follows it, or for nothing; nil for what may be a command.
  package init(_ commands: [Command], help: @escaping (String?) -> String?) {
    self.commands = commands
    self.help = help
  }

  /// Runs the command that the words name, and prints what goes wrong.
  ///
  /// - Parameter problem: Why the words cannot be read.
  package func run(_ words: ArraySlice<String>, problem: LinkspanError? = nil) -> ExitStatus {
    var words = words
    var command: Command?
    var color: String?
    do throws(LinkspanError) {
      if let problem { throw problem }
      if let text = try text(for: words) { return try Self.print(text) }
      guard var name = words.popFirst() else { preconditionFailure("no words at all are answered by a text") }
      let isHelp = name == "help"
      if isHelp, let asked = words.popFirst() { name = asked }
      guard let top = commands.first(where: { $0.name == name }) else { throw missing(name) }
      command = top
      let found = try top.resolved(&words)
      command = found
      if isHelp || Arguments.askForHelp(words, of: found) {
        return try Self.print(found.help(width: TerminalWidth.ofHelp, isWhole: words.contains("--all")))
      }
      let arguments = try Arguments(words, for: found)
      color = arguments.value("--color")
      let console = Console(color: color)
      let status = try found.run(arguments, console)
      console.flush()
      return status
    } catch {
      Console.fail(command.map { error.completed(for: $0) } ?? error, command: command?.name, color: color)
      return .failed
    }
  }

  /// Why there is no command of that name.
  private func missing(_ word: String) -> LinkspanError {
    let list = "Run 'linkspan help --all' for the list."
    if Flag.common.contains(where: { word == $0.name || word.hasPrefix($0.name + "=") }) {
      return LinkspanError(
        "'\(word)' comes before the command.", help: "Put flags after the command. \(list)")
    }
    let near = Arguments.nearest(to: word, among: commands.map { $0.name } + ["--help", "--version"])
    return LinkspanError(
      "there is no command '\(word)'." + (near.map { " Did you mean '\($0)'?" } ?? ""), help: list)
  }

  /// What is printed where the words name no command: the help, or the version.
  ///
  /// - Throws: That a word follows the version's flag.
  private func text(for words: ArraySlice<String>) throws(LinkspanError) -> String? {
    guard let name = words.first else { return help(nil) }
    let next = words.dropFirst().first
    switch name {
    case "help": return help(next)
    // A flag takes no name of a command behind it.
    case "--help", "-h": return help(next == "--all" ? next : nil)
    case "--version", "-V":
      guard let next else { return "linkspan \(Program.version)\n" }
      throw LinkspanError("unexpected argument '\(next)'.", help: "'\(name)' stands alone.")
    default: return nil
    }
  }

  private static func print(_ text: String) throws(LinkspanError) -> ExitStatus {
    let plain = Console(color: "never")
    plain.printRaw(text)
    plain.flush()
    return .yes
  }
}
