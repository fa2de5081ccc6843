internal import Glibc
internal import LinkspanCore
internal import LinkspanServer

extension Command {
  static let rollback = Command(
    name: "rollback", summary: "Put an earlier publication of a host back", operands: "HOST",
    discussion: """
      Puts an association file that HOST published before in the place of the one in its folder; a running
      'linkspan serve' notices. Without --to it is the newest publication that differs from what lies in the folder
      now. --list shows what there is. Needs the --state folder that 'serve' was given.
      """,
    flags: [
      Flag("--config", "FILE", "The configuration file of 'serve', which names the state"),
      Flag("--state", "FOLDER", "Where 'serve' keeps the publications"),
      Flag("--to", "NUMBER", "The publication to put back"),
      Flag("--list", "Show the publications of HOST and change nothing"),
    ],
    examples: [
      "linkspan rollback example.com --state state --list",
      "linkspan rollback example.com --state state --to 3",
    ]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(1...1)
    if arguments.has("--list"), arguments.has("--to") {
      throw arguments.usage("'--to' does not go with '--list', which puts nothing back")
    }
    let file = try arguments.value("--config").map { path throws(CommandError) in try ConfigurationFile(path)
    }
    guard let state = arguments.value("--state") ?? file?.server.state else {
      throw arguments.usage("'--state' is missing, and no configuration names it")
    }
    let host = ASCII.lowercased(arguments.operands[0])
    let entries = try PublicationHistory(state: state).entries(of: host) { console.note($0) }
    guard !entries.isEmpty else {
      let hosts = try PublicationHistory(state: state).hosts().compactMap { $0 }
      throw CommandError(
        "'\(state)' has no publication of '\(host)'.",
        help: hosts.isEmpty
          ? "It has none of any host: start 'serve' with this --state first."
          : "It has some of \(hosts.prefix(8).joined(separator: ", ")).")
    }
    let run = RollbackRun(host: host, entries: entries, console: console, isJSON: arguments.has("--json"))
    if arguments.has("--list") {
      run.list()
      return .yes
    }
    try run.rollBack(to: try arguments.number("--to", atLeast: 1))
    return .yes
  }
}

private struct RollbackRun {
  let host: String
  /// Newest first.
  let entries: [PublicationHistory.Entry]
  let console: Console
  let isJSON: Bool

  func list() {
    for (index, entry) in entries.enumerated() {
      let before = index + 1 < entries.count ? entries[index + 1].site : nil
      let differences = before.map { Publisher.differences(from: $0, to: entry.site) } ?? []
      if isJSON {
        console.print(
          .object([
            ("type", .string("publication")), ("host", .string(host)), ("number", .int(entry.number)),
            ("published_at", .string(entry.publishedAt.description)), ("sha256", .init(entry.digest)),
            ("size_bytes", .init(entry.site.associationFile?.count)),
            ("differences", .array(differences.map(JSON.string))),
          ]))
      } else {
        let digest = entry.digest.map { "  " + $0.prefix(12) } ?? ""
        console.print("\(entry.number)  \(entry.publishedAt)\(digest)\(index == 0 ? "  newest" : "")")
        for line in differences { console.print("   " + line) }
      }
    }
  }

  func rollBack(to number: Int?) throws(CommandError) {
    guard let path = entries[0].associationFileName else {
      throw CommandError(
        "it isn't known where the file of '\(host)' was read.",
        help: "Copy the one you want from the state folder by hand.")
    }
    let now = try FileReader.kind(of: path) == .file ? try FileReader.bytes(path) : nil
    let entry = try chosen(number, now)
    guard let bytes = entry.site.associationFile else {
      throw CommandError(
        "publication \(entry.number) of '\(host)' has no association file.",
        help: "Take the file away by hand, or choose another with --to.")
    }
    if now == nil {
      try FileWriter.place(bytes, at: path, mode: 0o644)
    } else {
      try FileWriter.replace(path, by: bytes)
    }
    if isJSON {
      console.print(
        .object([
          ("type", .string("rollback")), ("host", .string(host)), ("number", .int(entry.number)),
          ("published_at", .string(entry.publishedAt.description)), ("file", .string(path)),
        ]))
    } else {
      console.print("\(path) is what was published at \(entry.publishedAt) as number \(entry.number)")
    }
  }

  private func chosen(_ number: Int?, _ now: [UInt8]?) throws(CommandError) -> PublicationHistory.Entry {
    if let number {
      if let entry = entries.first(where: { $0.number == number }) { return entry }
      let known = entries.map { String($0.number) }.joined(separator: ", ")
      throw CommandError("there is no publication \(number) of '\(host)'.", help: "There are \(known).")
    }
    if let entry = entries.first(where: { $0.site.associationFile != nil && $0.site.associationFile != now })
    {
      return entry
    }
    throw CommandError(
      "every publication of '\(host)' is what lies in its folder now.",
      help: "There is nothing to go back to.")
  }
}
