internal import Glibc
internal import LinkspanCore

extension Command {
  static let initialize = Command(
    name: "init", summary: "Write a configuration file with a comment for each key", operands: "[FILE]",
    discussion: """
      Writes linkspan.json5, or FILE, with every key, its meaning and an example. What stands in it unchanged is what
      holds without it. A file that is there is not touched. '-' writes to standard output.
      """,
    flags: [], examples: ["linkspan init", "linkspan init -"]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(0...1)
    let path = arguments.operands.first ?? ConfigurationFile.defaultName
    let text = ConfigurationText.commented
    let isWritten = path != "-"
    if isWritten { try FileWriter.writeNew(Array(text.utf8), to: path) }
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

enum ConfigurationText {
  /// A configuration file with every key, those that need not be said as comments.
  static var commented: String {
    var text = """
      // The configuration of linkspan, in JSON5. Paths begin at the folder of this file.
      // No secret belongs in it: keys name the files that hold them.
      {

      """
    for key in ConfigurationKey.top { text += line(key, indent: "  ") }
    text += "  server: {\n"
    for key in ConfigurationKey.server { text += line(key, indent: "    ") }
    return text + "  },\n}\n"
  }

  private static func line(_ key: ConfigurationKey, indent: String) -> String {
    "\(indent)// \(key.help).\n\(indent)\(key.isWritten ? "" : "// ")\(key.name): \(key.example),\n"
  }
}
