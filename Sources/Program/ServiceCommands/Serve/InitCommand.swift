internal import LinkCoverage
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles
internal import LinkspanForecast
internal import ServiceConfiguration

extension Command {
  package static let initialize = Command(
    name: "init", summary: "Write a configuration file with a comment for each key", operands: "[FILE]",
    discussion: """
      Writes linkspan.json5, or FILE, with every key, its meaning and an example. Commented-out values
      are the defaults. An existing file is overwritten with --force only. '-' writes to standard output.
      With --fleet it writes fleet.json5 for 'linkspan forecast' instead.

      --from writes a configuration for 'linkspan generate' from an association file: its services, its apps, and each
      rule as a route or exclusion, or as it is. Where exclusions may not win over every route, the rules stay in their
      order. It names what it leaves out, such as an identifier that no app can have.
      """,
    flags: [
      Flag("--from", "FILE", "Write apps, routes and exclusions from this association file"),
      Flag("--fleet", "Write a fleet for 'linkspan forecast'"),
      .force,
    ],
    examples: [
      "linkspan init", "linkspan init -", "linkspan init --from apple-app-site-association",
      "linkspan init --fleet",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...1)
    let isFleet = arguments.has("--fleet")
    let source = arguments.value("--from")
    if isFleet, source != nil { throw arguments.usage("'--fleet' does not go with '--from'") }
    let path = arguments.operands.first ?? (isFleet ? "fleet.json5" : ConfigurationFile.defaultName)
    let text: String
    var losses: [String] = []
    if isFleet {
      text = Fleet().document
    } else {
      if let source {
        let request = try RequestText.commented(from: source)
        losses = request.losses
        text = request.text
      } else {
        text = ConfigurationText.commented
      }
    }
    for loss in losses { console.note("linkspan init: \(loss)") }
    let isWritten = path != "-"
    let word = ShellWord.quoted(path)
    if isWritten {
      let bytes = Array(text.utf8)
      let file = OutputFile(path, .common, isForced: arguments.has("--force"))
      let allowed = try file.allowed(over: bytes)
      try allowed.write(bytes)
    }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("init")), ("file", .init(isWritten ? path : nil)), ("text", .string(text)),
          ("left_out", .array(losses.map(JSON.string))),
        ]))
    } else if !isWritten {
      console.printRaw(text)
    } else if isFleet {
      console.print("\(path) is written; put your numbers in, and 'linkspan forecast \(word)' tells the peak")
    } else {
      if source != nil {
        console.print("\(path) is written; 'linkspan generate \(word)' makes the association file from it")
        return .yes
      }
      let serve = path == ConfigurationFile.defaultName ? "linkspan serve" : "linkspan serve --config \(word)"
      console.print(
        "\(path) is written; put files at sites/HOST/.well-known/apple-app-site-association, and '\(serve)' serves them"
      )
    }
    return .yes
  }
}
