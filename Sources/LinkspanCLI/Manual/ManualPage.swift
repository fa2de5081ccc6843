/// Manual pages in the language of man(7), made from the command records.
enum ManualPage {
  /// The page of the whole program.
  static func overview(_ commands: [Command], version: String) -> String {
    var page = head("LINKSPAN", 1, version)
    page += section(
      "NAME", "linkspan \\- everything between a website and its iOS app, checked, served and rehearsed")
    page += ".SH SYNOPSIS\n.B linkspan\n.I COMMAND\n.RI [ flags ]\n"
    page += ".SH COMMANDS\n"
    for command in commands {
      page += ".TP\n.BR linkspan\\-\(escaped(command.name)) (1)\n\(sentence(command.summary))\n"
    }
    page += exitStatus
    page += section(
      "SEE ALSO",
      ([".BR linkspan.json5 (5)"] + commands.map { ".BR linkspan\\-\(escaped($0.name)) (1)" })
        .joined(separator: ",\n"))
    return page
  }

  /// The page of one command, with those of its group.
  static func page(_ command: Command, version: String) -> String {
    var page = head("LINKSPAN\\-\(command.name.uppercased())", 1, version)
    page += section("NAME", "linkspan\\-\(escaped(command.name)) \\- \(escaped(command.summary))")
    page += ".SH SYNOPSIS\n"
    let runnable = command.subcommands.isEmpty ? [command] : command.subcommands
    for one in runnable {
      page += ".B linkspan \(escaped(one.name))\n"
      if !one.operands.isEmpty { page += ".I \(escaped(one.operands))\n" }
      page += ".RI [ flags ]\n.br\n"
    }
    page += ".SH DESCRIPTION\n\(paragraphs(command.discussion))"
    for one in runnable {
      if runnable.count > 1 || !command.subcommands.isEmpty {
        page += ".SS linkspan \(escaped(one.name))\n\(paragraphs(one.discussion))"
        if one.exitStatus != Command.commonExitStatus {
          page += paragraphs("Exit status: \(one.exitStatus).")
        }
      }
      page += command.subcommands.isEmpty ? ".SH OPTIONS\n" : ""
      for flag in one.allFlags { page += option(flag) }
    }
    let examples = runnable.flatMap(\.examples)
    if !examples.isEmpty {
      page += ".SH EXAMPLES\n"
      for example in examples { page += ".nf\n.B \(escaped(example))\n.fi\n" }
    }
    return page + exitStatus + section("SEE ALSO", ".BR linkspan (1)")
  }

  /// The page of the configuration file.
  static func configuration(version: String) -> String {
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
      escaped(String($0)) + "\n"
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
    ".TH \"\(title)\" \(number) \"\" \"linkspan \(version)\" \"Linkspan\"\n"
  }

  private static func section(_ title: String, _ text: String) -> String { ".SH \"\(title)\"\n\(text)\n" }

  private static func option(_ flag: Flag) -> String {
    var name = flag.short.map { "\\fB\(escaped($0))\\fR, " } ?? ""
    name += "\\fB\(escaped(flag.name))\\fR"
    if let value = flag.value { name += " \\fI\(escaped(value))\\fR" }
    return ".TP\n\(name)\n\(sentence(flag.help + (flag.repeats ? "; may be repeated" : "")))\n"
  }

  private static func key(_ key: ConfigurationKey) -> String {
    ".TP\n\\fB\(escaped(key.name))\\fR\n\(sentence(key.help))\n.br\nExample:\n.B \(escaped(key.example))\n"
  }

  private static func paragraphs(_ text: String) -> String {
    text.split(separator: "\n\n").map { paragraph in
      ".PP\n" + paragraph.split(separator: "\n").map { escaped(String($0)) + "\n" }.joined()
    }.joined()
  }

  private static func sentence(_ text: String) -> String { escaped(text) + "." }

  /// A line that begins with a dot or a quote is a request, a backslash begins an escape, and a hyphen in a flag is a
  /// minus sign that can be copied.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "…": result += "..."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}
