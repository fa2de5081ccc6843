internal import LinkspanAppCommands
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSiteCommands
internal import WebHost

/// The program's commands that need no system, behind one function: words in, output by the host, a status out.
enum Module {
  static let commands: [Command] = [.check, .match, .diff, .generate, .coverage, .push, .clip]

  /// Commands of the program that are not here.
  private static let elsewhere = [
    "doctor", "init", "explain", "inspect", "review", "cover", "handoff", "sign", "verify", "serve",
    "rollback",
    "console", "apn", "registry", "token", "simulate", "forecast", "rehearse", "stand-in", "swcutil", "rules",
    "mcp",
    "self-test", "completions", "manual", "lsp", "schema",
  ]

  static func run(_ words: ArraySlice<String>) -> ExitStatus {
    var words = words
    var command: Command?
    var color: String?
    do throws(LinkspanError) {
      let plain = try Console(color: "never")
      guard let name = words.popFirst(), !["help", "--help", "-h"].contains(name) || !words.isEmpty else {
        plain.printRaw(overview)
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
      Console.fail(command.map { error.completed(for: $0) } ?? error, command: command?.name, color: color)
      return .failed
    }
  }

  private static var overview: String {
    let rows = commands.map { (name: $0.name, text: $0.summary) }
    return "linkspan COMMAND [flags] — from a website to its iOS app, without a Mac\n\n"
      + Command.table(rows, width: TerminalWidth.ofHelp)
      + "\nThis is the WebAssembly build. Not in it, and in the program: \(elsewhere.joined(separator: ", ")).\n"
  }

  private static func noCommand(_ word: String) -> LinkspanError {
    if elsewhere.contains(word) {
      return LinkspanError(
        "'\(word)' is not in the WebAssembly build.",
        help: "Install the program: Documentation/getting-it.md.")
    }
    let near = Arguments.nearest(to: word, among: commands.map { $0.name })
    return LinkspanError(
      "there is no command '\(word)'." + (near.map { " Did you mean '\($0)'?" } ?? ""),
      help: "Run 'linkspan help' for the list.")
  }
}

/// Runs one command.
///
/// - Parameters:
///   - words: The command line, each word ended by a zero byte.
///   - count: Its size.
/// - Returns: The exit status.
@_cdecl("linkspan_run")
public func run(_ words: UnsafePointer<UInt8>, _ count: Int32) -> Int32 {
  let bytes = UnsafeBufferPointer(start: words, count: Int(count))
  let list = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
    String(decoding: $0, as: UTF8.self)
  }
  return Module.run(list[...]).rawValue
}
