internal import Glibc
internal import LinkspanAppCommands
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDoctor
internal import LinkspanEditor
internal import LinkspanSiteCommands
internal import ServiceCommands
internal import SwarmCommands

@main
struct LinkspanCLI {
  static let commands: [Command] = [
    .doctor, .initialize, .check, .diff, .coverage, .generate, .match, .explain, .inspect, .review, .clip,
    .cover,
    .handoff,
    .sign, .verify, .serve, .publish, .rollback, .console, .push(campaign: .pushCampaign), .apn, .registry,
    .token,
    .simulate(ofService: swarmOfService), .forecast, .rehearse, .standIn, .swcutil, .oracle, .rules, .lsp,
    .schema, .mcp, .selfTest,
    .completions, .manual,
  ]

  private static func swarmOfService(_ arguments: Arguments, _ console: Console) throws(LinkspanError)
    -> ExitStatus
  {
    try ServiceSwarmRun(arguments, console).run()
  }

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let list = CommandList(commands, help: help(about:))
    exit(list.run(CommandLine.arguments.dropFirst(), problem: notUTF8()).rawValue)
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

  /// - Returns: The text about all commands or about a task; nil for any other word.
  private static func help(about word: String?) -> String? {
    let width = TerminalWidth.ofHelp
    guard let word else { return HelpTask.overview(width: width) }
    if word == "--all" {
      return HelpTask.all.map { $0.text(commands, width: width) }.joined(separator: "\n") + "\n"
        + WrappedText.lines(
          "Every command but help takes --json. Exit status: \(Command.commonExitStatus).", rest: "  ",
          width: width)
    }
    return HelpTask.all.first { $0.word == word }?.text(commands, width: width, isAlone: true)
  }
}
