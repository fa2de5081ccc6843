internal import LinkspanCommand
internal import LinkspanCore

extension Command {
  static let completions = Command(
    name: "completions", summary: "Print completions for a shell", operands: "bash|zsh|fish",
    discussion: """
      Prints a script that completes commands, flags and their values. Packages install it; otherwise, put it where
      the shell looks for completions.
      """,
    flags: [],
    examples: ["linkspan completions bash > /etc/bash_completion.d/linkspan"],
    operandChoices: { ["bash", "zsh", "fish"] }
  ) { arguments, console throws(LinkspanError) in
    let shell = try arguments.chosenOperand()
    let tasks = HelpTask.all.map { (word: $0.word, title: $0.title) }
    let text =
      switch shell {
      case "bash": Completion.bash(LinkspanCLI.commands, tasks: tasks)
      case "zsh": Completion.zsh(LinkspanCLI.commands, tasks: tasks)
      default: Completion.fish(LinkspanCLI.commands, tasks: tasks)
      }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("completions")), ("shell", .string(shell)),
          ("text", .string(text)),
        ]))
    } else {
      console.printRaw(text)
    }
    return .yes
  }

  static let manual = Command(
    name: "manual", summary: "Print a manual page, or list them", operands: "[PAGE]",
    discussion: """
      Prints a page in the language of man(7), for 'man -l -' for example; without PAGE it prints the names of the pages,
      one a line. PAGE is the name of a page or of a command. Packages install the pages.
      """,
    flags: [],
    examples: ["linkspan manual", "linkspan manual serve | man -l -"],
    operandChoices: { manualPages.map(\.name) }
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...1)
    let pages = manualPages
    let isJSON = arguments.has("--json")
    guard let name = arguments.operands.first else {
      for page in pages {
        isJSON
          ? console.print(.object([("type", .string("page")), ("page", .string(page.name))]))
          : console.print(page.name)
      }
      return .yes
    }
    let names = [name, name + ".1", "linkspan-\(name).1", name + ".5"]
    guard let page = pages.first(where: { names.contains($0.name) }) else {
      let near = Arguments.nearest(to: name, among: LinkspanCLI.commands.map(\.name))
      throw LinkspanError(
        "there is no page '\(name)'." + (near.map { " Did you mean '\($0)'?" } ?? ""),
        help: "'linkspan manual' lists them.")
    }
    if isJSON {
      console.print(
        .object([
          ("type", .string("page")), ("page", .string(page.name)), ("text", .string(page.text())),
        ]))
    } else {
      console.printRaw(page.text())
    }
    return .yes
  }

  private static var manualPages: [(name: String, text: () -> String)] {
    let commands = LinkspanCLI.commands
    let version = Program.version
    return [("linkspan.1", { ManualPage.overview(commands, version: version) })]
      + commands.map { command in
        ("linkspan-\(command.name).1", { ManualPage.page(command, version: version) })
      } + [("linkspan.json5.5", { ManualPage.configuration(version: version) })]
  }
}
