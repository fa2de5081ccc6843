package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer

extension Command {
  package static let rollback = Command(
    name: "rollback", summary: "Restore an earlier version of a host's file", operands: "HOST [SITE…]",
    discussion: """
      Replaces HOST's association file with an earlier publication; a running 'linkspan serve' notices. Without --to it
      restores the publication before the current one, so running it twice goes back two. --list shows the publications.
      Needs the --state and the SITE… of 'serve'; both are read from --config, or from linkspan.json5 in the working
      directory. Writes only in HOST's directory of SITE: it follows no symlink out of it, and the state cannot redirect
      the write. HOST's directory itself may be a symlink, owned by root or by SITE's owner, to a directory below
      --link-root. As root it acts as the owner of that directory.
      A file there that was never published is kept as apple-app-site-association.orig.
      """,
    flags: [
      Flag("--config", "FILE", "The configuration file of 'serve' with the sites and the state"),
      Flag("--state", "FOLDER", "Where 'serve' keeps the publications"),
      Flag("--link-root", "FOLDER", repeats: true, "A folder that HOST's symlink may point into"),
      Flag("--to", "NUMBER", "The publication to restore"),
      Flag("--list", "Show the publications of HOST and change nothing"),
    ],
    examples: [
      "linkspan rollback example.com --state state --list",
      "linkspan rollback example.com sites --state state --to 3",
    ]
  ) { arguments, console throws(LinkspanError) in
    guard let operand = arguments.operands.first else { try arguments.expectOperands(1...1); return .failed }
    if arguments.has("--list"), arguments.has("--to") {
      throw arguments.usage("'--to' does not go with '--list', which restores nothing")
    }
    let named = Array(arguments.operands.dropFirst())
    let file = try arguments.configurationPath(isWanted: named.isEmpty || !arguments.has("--state"))
      .map { path throws(LinkspanError) in try ConfigurationFile(path) }
    guard let state = arguments.value("--state") ?? file?.server.state else {
      throw arguments.usage("'--state' is missing, and no configuration names it")
    }
    let host = ASCII.lowercased(operand)
    let rollback = try Rollback(of: host, state: state, wantsAssociationFiles: !arguments.has("--list")) {
      console.note($0)
    }
    let run = RollbackRun(rollback: rollback, console: console, isJSON: arguments.has("--json"))
    if arguments.has("--list") {
      run.list()
      return .yes
    }
    let sites = named.isEmpty ? file?.sites ?? [] : named
    guard !sites.isEmpty else {
      throw arguments.usage(
        "SITE… is missing, and no configuration names 'sites': where the file of '\(host)' lies is not known")
    }
    let place = try RollbackPlace(
      host, in: sites, bareHost: named.isEmpty ? file?.server.host : host,
      linkRoots: arguments.has("--link-root") ? arguments.all("--link-root") : file?.server.linkRoots ?? [])
    try run.rollBack(to: try arguments.number("--to", atLeast: 1), in: place)
    return .yes
  }
}

private struct RollbackRun {
  let rollback: Rollback
  let console: Console
  let isJSON: Bool

  private var host: String { rollback.host }

  func list() {
    let entries = rollback.entries
    for (index, entry) in entries.enumerated() {
      let before = index + 1 < entries.count ? entries[index + 1].site : nil
      let differences = before.map { Publisher.differences(from: $0, to: entry.site) } ?? []
      if isJSON {
        console.print(
          .object([
            ("type", .string("publication")), ("host", .string(host)), ("number", .int(entry.number)),
            ("published_at", .string(entry.publishedAt.description)), ("sha256", .init(entry.digest)),
            ("size_bytes", .init(entry.site.associationFile?.count)),
            ("rolled_back_to", .init(Self.origin(of: entry))),
            ("differences", .array(differences.map(JSON.string))),
          ]))
      } else {
        let digest = entry.digest.map { "  " + $0.prefix(12) } ?? ""
        let origin = Self.origin(of: entry).map { "  rolled back to \($0)" } ?? ""
        console.print(
          "\(entry.number)  \(entry.publishedAt)\(digest)\(index == 0 ? "  newest" : "")\(origin)")
        for line in differences { console.print("   " + line) }
      }
    }
  }

  /// The publication that a rollback went back to; nil for any other publication.
  private static func origin(of entry: PublicationHistory.Entry) -> Int? {
    if case .rolledBack(let number) = entry.origin { return number }
    return nil
  }

  func rollBack(to number: Int?, in place: RollbackPlace) throws(LinkspanError) {
    let (entry, warning) = try rollback.putBack(number, in: place)
    if let warning { console.note("linkspan rollback: \(warning)") }
    if isJSON {
      console.print(
        .object([
          ("type", .string("rollback")), ("host", .string(host)), ("number", .int(entry.number)),
          ("published_at", .string(entry.publishedAt.description)), ("file", .string(place.path)),
        ]))
    } else {
      console.print("Restored publication \(entry.number) (\(entry.publishedAt)) to \(place.path).")
    }
  }
}
