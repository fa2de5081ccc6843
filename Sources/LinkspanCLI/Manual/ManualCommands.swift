internal import LinkspanCore

extension Command {
  static let completions = Command(
    name: "completions", summary: "Print completions for a shell", operands: "bash|zsh|fish",
    discussion: """
      Prints a script that completes commands, flags and their values. Packages install it; by hand it goes where
      the shell looks for completions.
      """,
    flags: [],
    examples: ["linkspan completions bash > /etc/bash_completion.d/linkspan"]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(1...1)
    let text: String
    switch arguments.operands[0] {
    case "bash": text = Completion.bash(LinkspanCLI.commands)
    case "zsh": text = Completion.zsh(LinkspanCLI.commands)
    case "fish": text = Completion.fish(LinkspanCLI.commands)
    case let other:
      throw arguments.usage("there are no completions for '\(other)', only for bash, zsh and fish")
    }
    console.print(text, terminator: "")
    return .yes
  }

  static let manual = Command(
    name: "manual", summary: "Print a manual page, or list them", operands: "[PAGE]",
    discussion: """
      Prints a page in the language of man(7); without PAGE their names, one a line. Packages install them.
      """,
    flags: [],
    examples: ["linkspan manual", "linkspan manual linkspan-serve.1"]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(0...1)
    let commands = LinkspanCLI.commands
    let version = LinkspanCLI.version
    guard let name = arguments.operands.first else {
      for page in ["linkspan.1"] + commands.map({ "linkspan-\($0.name).1" }) + ["linkspan.json5.5"] {
        console.print(page)
      }
      return .yes
    }
    if name == "linkspan.1" {
      console.print(ManualPage.overview(commands, version: version), terminator: "")
    } else if name == "linkspan.json5.5" {
      console.print(ManualPage.configuration(version: version), terminator: "")
    } else if let command = commands.first(where: { "linkspan-\($0.name).1" == name }) {
      console.print(ManualPage.page(command, version: version), terminator: "")
    } else {
      throw CommandError("there is no page '\(name)'.", help: "'linkspan manual' lists them.")
    }
    return .yes
  }
}
