internal import Glibc
internal import LinkspanCore
internal import LinkspanServer

extension Command {
  static let rollback = Command(
    name: "rollback", summary: "Put an earlier publication of a host back", operands: "HOST [SITE…]",
    discussion: """
      Puts an association file that HOST published before in the place of the one in its directory; a running
      'linkspan serve' notices. Without --to it is the publication before the one that lies there now, so that doing it
      twice goes back two. --list shows what there is.
      Needs the --state and the SITE… that 'serve' was given; both are read from --config, or from linkspan.json5 in the
      working directory. The file is written in the HOST's directory of SITE and nowhere else: no link is followed out
      of SITE, and nothing in the state says where to write. As root it acts as the owner of that directory.
      """,
    flags: [
      Flag("--config", "FILE", "The configuration file of 'serve', which names the sites and the state"),
      Flag("--state", "FOLDER", "Where 'serve' keeps the publications"),
      Flag("--to", "NUMBER", "The publication to put back"),
      Flag("--list", "Show the publications of HOST and change nothing"),
    ],
    examples: [
      "linkspan rollback example.com --state state --list",
      "linkspan rollback example.com sites --state state --to 3",
    ]
  ) { arguments, console throws(CommandError) in
    guard let operand = arguments.operands.first else { try arguments.expectOperands(1...1); return .failed }
    if arguments.has("--list"), arguments.has("--to") {
      throw arguments.usage("'--to' does not go with '--list', which puts nothing back")
    }
    let named = Array(arguments.operands.dropFirst())
    let file = try ConfigurationFile.path(arguments, isWanted: named.isEmpty || !arguments.has("--state"))
      .map { path throws(CommandError) in try ConfigurationFile(path) }
    guard let state = arguments.value("--state") ?? file?.server.state else {
      throw arguments.usage("'--state' is missing, and no configuration names it")
    }
    let host = ASCII.lowercased(operand)
    if let fault = ServedHost.fault(of: host) {
      throw CommandError(fault + ".", help: "Name the host itself, such as example.com.")
    }
    let history = PublicationHistory(state: state)
    // What lies in the state may be planted, and is read with its owner's rights.
    let entries = try history.asOwner { () throws(CommandError) in
      try history.entries(of: host, wantsAssociationFiles: !arguments.has("--list")) { console.note($0) }
    }
    guard !entries.isEmpty else {
      let hosts = try history.asOwner { () throws(CommandError) in try history.hosts() }.compactMap { $0 }
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
    let sites = named.isEmpty ? file?.sites ?? [] : named
    guard !sites.isEmpty else {
      throw arguments.usage(
        "SITE… is missing, and no configuration names 'sites': where the file of '\(host)' lies is not known")
    }
    let place = try RollbackPlace(host, in: sites, bareHost: named.isEmpty ? file?.server.host : host)
    try run.rollBack(to: try arguments.number("--to", atLeast: 1), in: place)
    return .yes
  }
}

extension PublicationHistory {
  /// Reads it with the rights of its owner, when this is root.
  fileprivate func asOwner<Result>(
    _ body: () throws(CommandError) -> Result
  ) throws(CommandError) -> Result {
    guard let state = try opened() else { return try body() }
    return try Privileges.asOwner(of: state, body)
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

  func rollBack(to number: Int?, in place: RollbackPlace) throws(CommandError) {
    let entry = try Privileges.asOwner(of: place.folder) { () throws(CommandError) in
      let now = try current(place)
      let entry = try chosen(number, now)
      guard let bytes = entry.site.associationFile else {
        throw CommandError(
          "publication \(entry.number) of '\(host)' has no association file.",
          help: "Take the file away by hand, or choose another with --to.")
      }
      try place.folder.replace(place.name, by: bytes)
      return entry
    }
    if isJSON {
      console.print(
        .object([
          ("type", .string("rollback")), ("host", .string(host)), ("number", .int(entry.number)),
          ("published_at", .string(entry.publishedAt.description)), ("file", .string(place.path)),
        ]))
    } else {
      console.print("\(place.path) is what was published at \(entry.publishedAt) as number \(entry.number)")
    }
  }

  /// What lies in the place; nil when nothing does, or nothing that could have been published.
  private func current(_ place: RollbackPlace) throws(CommandError) -> [UInt8]? {
    switch try place.folder.kind(of: place.name) {
    case .missing: nil
    case .file: try place.folder.bytes(of: place.name, limitBytes: FileReader.sizeLimitBytes)
    // Replacing it says so in better words.
    case .folder, .link, .special: nil
    }
  }

  private func chosen(_ number: Int?, _ now: [UInt8]?) throws(CommandError) -> PublicationHistory.Entry {
    if let number {
      if let entry = entries.first(where: { $0.number == number }) { return entry }
      let known = entries.map { String($0.number) }.joined(separator: ", ")
      throw CommandError("there is no publication \(number) of '\(host)'.", help: "There are \(known).")
    }
    let line = Self.line(of: entries)
    guard let place = line.lastIndex(where: { $0.site.associationFile == now }) else {
      if let newest = line.last { return newest }
      throw CommandError(
        "no publication of '\(host)' has an association file.", help: "There is nothing to go back to.")
    }
    guard place > 0 else {
      throw CommandError(
        "what lies in the directory of '\(host)' is its oldest publication (number \(line[place].number)).",
        help: "There is nothing to go back to; --list shows what came later, and --to puts it back.")
    }
    return line[place - 1]
  }

  /// The publications that led to the newest one, oldest first. One with the content of an earlier one went back to it,
  /// by a rollback or by hand, and what was between the two is left out: so each rollback goes back one further.
  private static func line(of entries: [PublicationHistory.Entry]) -> [PublicationHistory.Entry] {
    var line: [PublicationHistory.Entry] = []
    for entry in entries.reversed() {
      guard let bytes = entry.site.associationFile else { continue }
      if let same = line.firstIndex(where: { $0.site.associationFile == bytes }) {
        line.removeSubrange((same + 1)...)
        line[same] = entry
      } else {
        line.append(entry)
      }
    }
    return line
  }
}
