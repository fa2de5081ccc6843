internal import LinkspanCore
internal import ServiceConfiguration

/// Manual pages in the language of man(7), made from the command records.
package enum ManualPage {
  /// The page of the whole program.
  package static func overview(_ commands: [Command], version: String) -> String {
    var page = head("LINKSPAN", 1, version)
    page += section("NAME", "linkspan \\- everything between a website and its iOS app")
    page += ".SH SYNOPSIS\n.B linkspan\n.I COMMAND\n.RI [ flags ]\n"
    page += ".SH COMMANDS\n"
    for command in commands {
      page += ".TP\n.BR linkspan\\-\(escaped(command.name)) (1)\n\(filled(command.summary))"
    }
    page += exitStatus
    page += section(
      "SEE ALSO",
      ([".BR linkspan.json5 (5)"] + commands.map { ".BR linkspan\\-\(escaped($0.name)) (1)" })
        .joined(separator: ",\n"))
    return page
  }

  /// The page of one command, with those of its group.
  package static func page(_ command: Command, version: String) -> String {
    var page = head("LINKSPAN\\-\(command.name.uppercased())", 1, version)
    page += ".SH NAME\n\(filled("linkspan-\(command.name) - \(command.summary)"))"
    page += ".SH SYNOPSIS\n"
    let runnable = command.leaves
    for (place, one) in runnable.enumerated() {
      if place > 0 { page += ".br\n" }
      page += "\\fBlinkspan \(escaped(one.name))\\fR"
      if !one.operands.isEmpty { page += " \\fI\(escaped(one.operands))\\fR" }
      page += " [\\fIflags\\fR]\n"
    }
    page += ".SH DESCRIPTION\n\(paragraphs(command.discussion))"
    for one in runnable {
      if runnable.count > 1 || !command.subcommands.isEmpty {
        page += ".SS linkspan \(escaped(one.name))\n\(paragraphs(one.discussion))"
        if one.exitStatus != Command.commonExitStatus {
          page += (one.discussion.isEmpty ? "" : ".PP\n") + filled("Exit status: \(one.exitStatus).")
        }
      }
      page += command.subcommands.isEmpty ? ".SH OPTIONS\n" : ""
      for flag in one.allFlags { page += option(flag) }
    }
    let examples = runnable.flatMap(\.examples)
    if !examples.isEmpty {
      page += ".SH EXAMPLES\n"
      page += ".nf\n" + examples.map { line("\\fB\(escaped($0))\\fR") }.joined() + ".fi\n"
    }
    let own = command.subcommands.isEmpty ? command.exitStatus : Command.commonExitStatus
    page += own == Command.commonExitStatus ? exitStatus : ".SH \"EXIT STATUS\"\n\(filled(own + "."))"
    if runnable.contains(where: namesDocuments) || namesDocuments(command) { page += documents }
    return page + section("SEE ALSO", ".BR linkspan (1)")
  }

  /// The page of the configuration file.
  package static func configuration(version: String) -> String {
    var page = head("LINKSPAN.JSON5", 5, version)
    page += section("NAME", "linkspan.json5 \\- configuration of linkspan")
    page += ".SH DESCRIPTION\n"
    page += paragraphs(
      """
      A file of JSON5: comments, trailing commas and bare names are fine. Paths begin at its own folder. Flags of a
      command go before it. 'linkspan init' writes one with every key.
      """)
    page += ".SH KEYS\n" + ConfigurationKey.top.map(key).joined()
    page += ".SH KEYS OF 'SERVER'\n" + ConfigurationKey.server.map(key).joined()
    page += ".SH EXAMPLE\n.nf\n"
    page += ConfigurationText.commented.split(separator: "\n", omittingEmptySubsequences: false).map {
      line(escaped(String($0)))
    }.joined()
    return page + ".fi\n" + section("SEE ALSO", ".BR linkspan\\-serve (1),\n.BR linkspan\\-check (1)")
  }

  private static let exitStatus = """
    .SH "EXIT STATUS"
    .TP
    .B 0
    Done, or the answer is yes.
    .TP
    .B 1
    The answer is no, or there are findings of severity error.
    .TP
    .B 2
    There is no answer: wrong usage, unreadable input, network.

    """

  private static func head(_ title: String, _ number: Int, _ version: String) -> String {
    ".TH \"\(title)\" \(number) \"\(Program.manualDate)\" \"linkspan \(version)\" \"Linkspan\"\n"
  }

  private static func section(_ title: String, _ text: String) -> String { ".SH \"\(title)\"\n\(text)\n" }

  private static func option(_ flag: Flag) -> String {
    var name = flag.short.map { "\\fB\(escaped($0))\\fR, " } ?? ""
    name += "\\fB\(escaped(flag.name))\\fR"
    if let value = flag.value { name += " \\fI\(escaped(value))\\fR" }
    return ".TP\n\(name)\n\(filled(flag.help + (flag.repeats ? "; may be repeated" : "") + "."))"
  }

  private static func key(_ key: ConfigurationKey) -> String {
    ".TP\n\\fB\(escaped(key.name))\\fR\n\(filled(key.help + "."))"
      + ".br\n\(filled("Example: \(key.example)"))"
  }

  private static let documents = section(
    "FILES",
    "The documents and examples that this page names are installed in\n"
      + "share/doc/linkspan, beside the bin folder of the program.")

  private static func namesDocuments(_ command: Command) -> Bool {
    ([command.discussion] + command.flags.map(\.help) + command.examples).contains {
      $0.contains("Documentation/") || $0.contains("Examples/")
    }
  }

  /// The first one stands right under its heading, where a macro for paragraphs would be skipped.
  private static func paragraphs(_ text: String) -> String {
    text.split(separator: "\n\n").map { filled(String($0).replacing("\n", with: " ")) }.joined(
      separator: ".PP\n")
  }

  /// Ours: lines of the source end before 80 bytes, as mandoc likes them.
  private static let lineBytes = 78

  /// Text broken into lines of the source, each ended.
  private static func filled(_ text: String) -> String {
    var lines: [String] = []
    var current = ""
    for word in text.split(separator: " ").map({ escaped(String($0)) }) {
      if !current.isEmpty, current.utf8.count + 1 + word.utf8.count > lineBytes {
        lines.append(current)
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    return (lines + [current]).map { line($0) }.joined()
  }

  /// A line that begins with a dot or a quote is a request.
  private static func line(_ escaped: String) -> String {
    (escaped.hasPrefix(".") ? "\\&" : "") + escaped + "\n"
  }

  /// A backslash begins an escape, and a hyphen in a flag is a minus sign that can be copied. Quotation marks have names,
  /// because a macro takes plain ones away from its arguments.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "\"": result += "\\(dq"
      case "…": result += "..."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
