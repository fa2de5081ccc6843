internal import Glibc
internal import LinkspanCore

@main
struct LinkspanCLI {
  static let version = "0.1.0"

  static let commands: [Command] = [
    .initialize, .check, .match, .explain, .inspect, .clip, .sign, .verify, .serve, .rollback, .simulate,
    .standIn, .swcutil, .rules, .completions, .manual,
  ]

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    exit(run(CommandLine.arguments.dropFirst()).rawValue)
  }

  private static func run(_ words: ArraySlice<String>) -> ExitStatus {
    var words = words
    var command: Command?
    var color: String?
    do throws(CommandError) {
      let plain = try Console(color: "never")
      guard let name = words.popFirst(), name != "--help", name != "-h", name != "help" || !words.isEmpty
      else {
        plain.print(help, terminator: "")
        plain.flush()
        return .yes
      }
      if name == "--version" {
        plain.print("linkspan \(version)")
        plain.flush()
        return .yes
      }
      let asked = name == "help" ? words.popFirst()! : name
      guard let top = commands.first(where: { $0.name == asked }) else { throw noCommand(asked) }
      command = top
      let found = try top.resolved(&words)
      command = found
      if name == "help" || words.contains("--help") {
        plain.print(found.help, terminator: "")
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
      Console.fail(error, command: command?.name, color: color)
      return .failed
    }
  }

  private static func noCommand(_ word: String) -> CommandError {
    let list = "Run 'linkspan --help' for the list."
    if Flag.common.contains(where: { word == $0.name || word.hasPrefix($0.name + "=") }) {
      return CommandError("'\(word)' stands before the command.", help: "Flags come behind it. \(list)")
    }
    let near = Arguments.nearest(to: word, among: commands.map(\.name) + ["--help", "--version"])
    return CommandError(
      "there is no command '\(word)'." + (near.map { " Did you mean '\($0)'?" } ?? ""), help: list)
  }

  private static var help: String {
    let width = commands.map(\.name.count).max() ?? 0
    let list = commands.map { "  \($0.name.padded(to: width))  \($0.summary)\n" }
    return """
      linkspan — everything between a website and its iOS app, checked, served and rehearsed without a Mac

      Usage: linkspan COMMAND [flags]

      Commands:
      \(list.joined())
      'linkspan COMMAND --help' tells more, 'linkspan --version' the version. Every command takes --json.
      Exit status: \(Command.commonExitStatus).

      """
  }
}
