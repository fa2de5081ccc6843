internal import Glibc
internal import LinkspanAppCommands
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDoctor
internal import LinkspanEditor
internal import LinkspanSiteCommands

@main
struct LinkspanCLI {
  static let commands: [Command] = [
    .doctor, .initialize, .check, .diff, .coverage, .generate, .match, .explain, .inspect, .review, .clip,
    .cover,
    .handoff,
    .sign, .verify, .serve, .publish, .rollback, .console, .push, .apn, .registry, .token,
    .simulate, .forecast, .rehearse, .standIn, .swcutil, .oracle, .rules, .lsp, .schema, .mcp, .selfTest,
    .completions, .manual,
  ]

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    exit(run(CommandLine.arguments.dropFirst()).rawValue)
  }

  private static func run(_ words: ArraySlice<String>) -> ExitStatus {
    var words = words
    var command: Command?
    var color: String?
    do throws(LinkspanError) {
      if let problem = notUTF8() { throw problem }
      let plain = try Console(color: "never")
      guard let name = words.popFirst(), !["--help", "-h"].contains(name) || words.first == "--all",
        name != "help" || !words.isEmpty
      else {
        plain.printRaw(HelpTask.overview(width: TerminalWidth.ofHelp))
        plain.flush()
        return .yes
      }
      if ["help", "--help", "-h"].contains(name), let text = help(about: words.first) {
        plain.printRaw(text)
        plain.flush()
        return .yes
      }
      if name == "--version" || name == "-V" {
        plain.print("linkspan \(Program.version)")
        plain.flush()
        return .yes
      }
      let asked = name == "help" ? words.popFirst()! : name
      guard let top = commands.first(where: { $0.name == asked }) else { throw noCommand(asked) }
      command = top
      let found = try top.resolved(&words)
      command = found
      if name == "help" || words.contains("--help") || words.contains("-h") {
        plain.printRaw(found.help(width: TerminalWidth.ofHelp, isWhole: words.contains("--all")))
        plain.flush()
        return .yes
      }
      let arguments = try Arguments(words, for: found)
      color = arguments.value("--color")
      let console = try Console(color: color)
      let status = try found.run(arguments, console)
      console.flush()
      return status
    } catch {
      Console.fail(command.map(error.completed) ?? error, command: command?.name, color: color)
      return .failed
    }
  }

  /// Why a word of the command line cannot be read. Swift puts U+FFFD where bytes are not UTF-8, and a file of that name is
  /// not the one that was meant.
  private static func notUTF8() -> LinkspanError? {
    for (index, word) in CommandLine.arguments.enumerated() where word.unicodeScalars.contains("\u{FFFD}") {
      guard let bytes = CommandLine.unsafeArgv[index] else { continue }
      guard String(validatingCString: bytes) == nil else { continue }
      let shown = UnsafeBufferPointer(start: bytes, count: Int(strlen(bytes))).map {
        (unit: CChar) -> String in
        let byte = UInt8(bitPattern: unit)
        return (0x20..<0x7F).contains(byte)
          ? String(UnicodeScalar(byte)) : "\\x" + ASCII.hexText([byte])
      }
      return LinkspanError(
        "the argument '\(shown.joined())' is not UTF-8.",
        help: "Rename the file, or name a link to it that has a name in UTF-8.")
    }
    return nil
  }

  private static func noCommand(_ word: String) -> LinkspanError {
    let list = "Run 'linkspan help --all' for the list."
    if Flag.common.contains(where: { word == $0.name || word.hasPrefix($0.name + "=") }) {
      return LinkspanError(
        "'\(word)' comes before the command.", help: "Put flags after the command. \(list)")
    }
    let near = Arguments.nearest(to: word, among: commands.map(\.name) + ["--help", "--version"])
    return LinkspanError(
      "there is no command '\(word)'." + (near.map { " Did you mean '\($0)'?" } ?? ""), help: list)
  }

  /// - Returns: The text about all commands or about a task; nil for any other word.
  private static func help(about word: String?) -> String? {
    let width = TerminalWidth.ofHelp
    if word == "--all" {
      return HelpTask.all.map { $0.text(commands, width: width) }.joined(separator: "\n") + "\n"
        + WrappedText.lines(
          "Every command takes --json. Exit status: \(Command.commonExitStatus).", rest: "  ", width: width)
    }
    return HelpTask.all.first { $0.word == word }?.text(commands, width: width)
  }
}
