package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import ServiceConfiguration

extension Command {
  package static let rollback = Command(
    name: "rollback", summary: "Serve an earlier version of a host's file", operands: "HOST",
    discussion: """
      The running 'linkspan serve' with the same --state serves an earlier publication of HOST from now on, and this command
      says when it does. HOST's folder is neither read nor written, so it may be read-only. Without --to it goes back to
      the publication before the one that is served, so running it twice goes back two. --list shows the publications.
      A rollback stands until the folder differs from what it replaced. With --pin it stands until --release takes it
      away; what is put into the folder meanwhile is checked, held back and shown in the console. After --release counts
      what did before: what the API published, as long as the folder has not changed, or else the folder.
      When no server runs, the order waits in the state and is carried out when one starts.
      The state is read from --config, or from linkspan.json5 in the working directory.
      """,
    flags: [
      Flag("--config", "FILE", "The configuration file of 'serve' with the state"),
      Flag("--state", "FOLDER", "Where 'serve' keeps the publications"),
      Flag("--to", "NUMBER", "The publication to serve"),
      Flag("--pin", "Keep serving it whatever is put into the folder; without --to what is served now"),
      Flag("--release", "End a rollback or a pin: what counted before it counts again"),
      Flag("--list", "Show the publications of HOST and change nothing"),
    ],
    examples: [
      "linkspan rollback example.com --state state --list",
      "linkspan rollback example.com --state state --to 3",
      "linkspan rollback example.com --state state --release",
    ],
    exitStatus:
      "0 done, or it waits for a server, 1 after --release the folder's file is refused or held, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let modes = ["--list", "--release", "--pin"].filter(arguments.has)
    if modes.count > 1 { throw arguments.usage("'\(modes[0])' does not go with '\(modes[1])'") }
    if arguments.has("--list"), arguments.has("--to") {
      throw arguments.usage("'--to' does not go with '--list', which changes nothing")
    }
    if arguments.has("--release"), arguments.has("--to") {
      throw arguments.usage("'--to' does not go with '--release', which goes by the folder")
    }
    let state = try arguments.state()
    let host = IDNA.named(arguments.operands[0])
    let isJSON = arguments.has("--json")
    if arguments.has("--release") {
      return try OrderReport(console: console, isJSON: isJSON).give(.release(host: host), state: state)
    }
    // Whether a file with errors may be served, the server knows: by its flags, or its configuration.
    let rollback = try Rollback(of: host, state: state, wantsAssociationFiles: false) { console.note($0) }
    let run = RollbackRun(rollback: rollback, console: console, isJSON: isJSON)
    if arguments.has("--list") {
      run.list()
      return .yes
    }
    return try run.rollBack(
      to: try arguments.number("--to", atLeast: 1), isPinned: arguments.has("--pin"), state)
  }
}

extension Arguments {
  /// The state that `--state` names, or else the configuration.
  func state() throws(LinkspanError) -> String {
    let file = try configurationPath(isWanted: !has("--state")).map { path throws(LinkspanError) in
      try ConfigurationFile(path)
    }
    guard let state = value("--state") ?? file?.server.state else {
      throw usage("'--state' is missing, and no configuration names it")
    }
    return state
  }
}

/// Hands an order to the server, and says what became of it.
struct OrderReport {
  let console: Console
  let isJSON: Bool

  func give(_ order: PublicationOrder, state: String) throws(LinkspanError) -> ExitStatus {
    let (words, number, isServed): (String, Int?, Bool)
    var status = ExitStatus.yes
    switch try StateOrder.give(order, state: state) {
    case .done(let said, let done, let served):
      (words, number, isServed) = (said, done, served)
      if !served, case .release = order { status = .no }
    case .waits:
      words = "No server with this state answers; the order is carried out when one starts."
      (number, isServed) = (nil, false)
    }
    if isJSON {
      console.print(
        .object([
          ("type", .string(String(order.action.dropFirst("site.".count)))),
          ("host", .init(order.hosts.count == 1 ? order.hosts[0] : nil)),
          ("hosts", .array(order.hosts.map(JSON.string))), ("number", .init(number)),
          ("served", .bool(isServed)), ("words", .string(words)),
        ]))
    } else {
      console.print(words)
    }
    return status
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
      let standing = index == 0 ? rollback.standing : nil
      let differences = before.map { Publisher.differences(from: $0, to: entry.site) } ?? []
      if isJSON {
        console.print(
          .object([
            ("type", .string("publication")), ("host", .string(host)), ("number", .int(entry.number)),
            ("published_at", .string(entry.publishedAt.description)), ("sha256", .init(entry.digest)),
            ("size_bytes", .init(entry.site.associationFile?.count)),
            ("rolled_back_to", .init(Self.origin(of: entry))),
            ("standing", standing.map(Self.json) ?? .null),
            ("differences", .array(differences.map(JSON.string))),
          ]))
      } else {
        let digest = entry.digest.map { "  " + $0.prefix(12) } ?? ""
        let origin = Self.origin(of: entry).map { "  rolled back to \($0)" } ?? ""
        console.print(
          "\(entry.number)  \(entry.publishedAt)\(digest)\(index == 0 ? "  newest" : "")\(origin)"
            + (standing.map { "  \(Self.words($0.kind)) by \($0.actor) since \($0.since)" } ?? ""))
        for line in differences { console.print("   " + line) }
      }
    }
  }

  private static func words(_ kind: Standing.Kind) -> String {
    switch kind {
    case .rollback: "rolled back"
    case .pin: "pinned"
    case .published: "published over the API"
    }
  }

  /// A decision that goes before the folder.
  private static func json(_ standing: Standing) -> JSON {
    .object([
      ("kind", .string(standing.kind.rawValue)), ("actor", .string(standing.actor)),
      ("since", .string(standing.since.description)),
    ])
  }

  /// The publication that a rollback went back to; nil for any other publication.
  private static func origin(of entry: PublicationHistory.Entry) -> Int? {
    if case .rolledBack(let number) = entry.origin { return number }
    return nil
  }

  /// What cannot be chosen is refused before the server hears of it.
  func rollBack(to number: Int?, isPinned: Bool, _ state: String) throws(LinkspanError) -> ExitStatus {
    let report = OrderReport(console: console, isJSON: isJSON)
    if isPinned {
      if number != nil { _ = try rollback.chosen(number) }
      return try report.give(.pin(host: host, number: number), state: state)
    }
    // The server chooses: orders that wait may come before this one.
    _ = try rollback.chosen(number)
    return try report.give(.rollBack(host: host, number: number), state: state)
  }
}
