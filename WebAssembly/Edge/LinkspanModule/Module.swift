internal import LinkspanAppCommands
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDoctor
internal import LinkspanEditor
internal import LinkspanSiteCommands
internal import SiteInput
internal import WebHost

/// The program's commands that need no system, behind one function: words in, output by the host, a status out.
enum Module {
  static let commands: [Command] = [
    .check, .match, .explain, .doctor, .diff, .generate, .coverage, .swcutil, .push, .clip, .lsp,
  ]

  /// Commands of the program that are not here, also of groups that are.
  private static let elsewhere = [
    "init", "inspect", "review", "cover", "handoff", "sign", "verify", "serve",
    "publish", "rollback", "console", "apn", "registry", "token", "simulate", "forecast", "rehearse",
    "stand-in", "oracle", "rules", "mcp", "self-test", "completions", "manual", "schema",
    "clip size", "clip pack", "clip card", "clip qr", "clip ndef", "clip code", "clip codes",
    "push token", "push send", "push campaign", "push channel", "push activity", "swcutil show",
  ]

  static func run(_ words: ArraySlice<String>) -> ExitStatus {
    let list = CommandList(commands, help: { $0 == nil || $0 == "--all" ? overview : nil })
    // Before its flags are looked at, which are not here either.
    let asked = (words.first == "help" ? words.dropFirst() : words).prefix(2)
    let place = [asked.prefix(1), asked].map { $0.joined(separator: " ") }.first { elsewhere.contains($0) }
    return list.run(words, problem: place.map { LinkspanError.notInModule("'\($0)'") })
  }

  private static var overview: String {
    let rows = commands.map { (name: $0.name, text: $0.summary) }
    return "linkspan COMMAND [flags] — from a website to its iOS app, without a Mac\n\n"
      + Command.table(rows, width: TerminalWidth.ofHelp)
      + "\n"
      + WrappedText.lines(
        "This is the WebAssembly module. Not in it, and in the program: \(elsewhere.joined(separator: ", ")).",
        width: TerminalWidth.ofHelp)
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
