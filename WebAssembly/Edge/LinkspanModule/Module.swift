internal import LinkspanAppCommands
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanEditor
internal import LinkspanSiteCommands
internal import WebHost

/// The program's commands that need no system, behind one function: words in, output by the host, a status out.
enum Module {
  static let commands: [Command] = [
    .check, .match, .diff, .generate, .coverage, .swcutil, .push, .clip, .lsp,
  ]

  /// Commands of the program that are not here.
  private static let elsewhere = [
    "doctor", "init", "explain", "inspect", "review", "cover", "handoff", "sign", "verify", "serve",
    "rollback",
    "console", "apn", "registry", "token", "simulate", "forecast", "rehearse", "stand-in", "rules",
    "mcp",
    "self-test", "completions", "manual", "schema",
  ]

  static func run(_ words: ArraySlice<String>) -> ExitStatus {
    let list = CommandList(
      commands, help: { $0 == nil || $0 == "--all" ? overview : nil }, missing: { noCommand($0) })
    return list.run(words)
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
