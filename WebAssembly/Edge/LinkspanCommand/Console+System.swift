package import LinkspanCore
internal import WebHost

/// What a console asks of the module's host: whether it is a terminal, and to write.
extension Console {
  static func showsColour(on descriptor: Int32) -> Bool {
    environment("NO_COLOR")?.isEmpty != false && environment("TERM") != "dumb"
      && TerminalWidth.columns(of: descriptor) != nil
  }

  private static func environment(_ name: String) -> String? { Host.ask(.environment, name).text }

  package func printPatch(_ text: String) throws(LinkspanError) {
    if TerminalWidth.columns(of: 1) != nil { return printUnbroken(text) }
    let isBuild = ["GITHUB_ACTIONS", "TF_BUILD"].contains { Self.environment($0)?.isEmpty == false }
    guard !isBuild || !WorkflowCommands.occur(in: text) else {
      throw LinkspanError(
        "The patch holds text that the log of this build would obey as a command, such as '##[...]'.",
        help: "Use --json, whose member 'patch' escapes it.")
    }
    printRaw(text)
  }

  package func progress(_ text: String) {}

  package func flush() {
    Self.write(pending, to: 1)
    pending.removeAll(keepingCapacity: true)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) { Host.write(bytes, to: descriptor) }
}

/// How many columns text may have.
package enum TerminalWidth {
  private static let least = 40
  private static let mostOfHelp = 118
  private static let usual = 80

  static func ofText(on descriptor: Int32) -> Int? { said.map { max(least, $0) } ?? columns(of: descriptor) }

  static func columns(of descriptor: Int32) -> Int? {
    Host.ask(.columns, String(descriptor)).text.flatMap { Int($0) }.map { max(least, $0) }
  }

  package static var ofHelp: Int { min(mostOfHelp, ofText(on: 1) ?? usual) }

  private static var said: Int? {
    Host.ask(.environment, "COLUMNS").text.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}

enum Question {
  static func isMeant(_ text: String) -> Bool? { nil }
}
