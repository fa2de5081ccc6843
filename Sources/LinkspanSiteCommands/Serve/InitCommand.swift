package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon

extension Command {
  package static let initialize = Command(
    name: "init", summary: "Write a configuration file with a comment for each key", operands: "[FILE]",
    discussion: """
      Writes linkspan.json5, or FILE, with every key, its meaning and an example. Commented-out values
      are the defaults. An existing file is not touched. '-' writes to standard output.
      """,
    flags: [], examples: ["linkspan init", "linkspan init -"]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(0...1)
    let path = arguments.operands.first ?? ConfigurationFile.defaultName
    let text = ConfigurationText.commented
    let isWritten = path != "-"
    if isWritten { try CommandError.mapping(FileWriter.writeNew(Array(text.utf8), to: path)) }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("init")), ("file", .init(isWritten ? path : nil)), ("text", .string(text)),
        ]))
    } else if !isWritten {
      console.printRaw(text)
    } else {
      let serve = path == ConfigurationFile.defaultName ? "linkspan serve" : "linkspan serve --config \(path)"
      console.print(
        "\(path) is written; put files at sites/HOST/.well-known/apple-app-site-association, and '\(serve)' serves them"
      )
    }
    return .yes
  }
}
