internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer

/// Prints what a run of `serve` tells of, in words or as JSON lines.
struct ServeReport {
  private let console: Console
  private let log: ServerLog
  private let isJSON: Bool
  /// The access log is the answer then, and what is said beside it goes to standard error.
  private let logHasOutput: Bool

  init(_ settings: ServeSettings, _ arguments: Arguments, _ console: Console) {
    self.console = console
    isJSON = arguments.has("--json")
    let isDryRun = arguments.has("--dry-run")
    log = ServerLog(settings.logLevel, stampsLines: !isDryRun && !ServerLog.goesToTheJournal) {
      Console.tell($0)
    }
    logHasOutput = settings.accessLog == "-" && !isDryRun
  }

  var output: ServeOutput {
    ServeOutput(
      log: log, report: show, fail: { [log] in log.error("error: " + $0.text) })
  }

  private func show(_ event: ServeEvent) {
    if isJSON { console.print(Self.json(of: event)) } else { say(event) }
    console.flush()
  }

  // MARK: - In words

  private func say(_ event: ServeEvent) {
    switch event {
    case .listening(let address, let isPlain, let hosts, let admin, let console):
      let shown = hosts.prefix(Self.hostsOnLine).joined(separator: ", ")
      let more = hosts.count - Self.hostsOnLine
      let served =
        hosts.isEmpty
        ? "the device registry" : more > 0 ? "\(hosts.count) hosts (\(shown) and \(more) more)" : shown
      say("serving \(served) on \(Self.url(address, isPlain: isPlain))")
      if let admin { say("admin pages: http://\(admin)/readyz and /metrics") }
      if let console { say("console: \(console)") }
    case .publication(let outcome):
      say(Self.words(outcome), isStamped: true)
      for line in outcome.differences { say("  " + line) }
    case .reloaded: say("reloaded", isStamped: true)
    case .refusedSome: say("reloaded; some files were refused, see above", isStamped: true)
    case .notReloaded: say("not reloaded", isStamped: true)
    case .registry(let found, let wanted):
      // What a start would change is a note of its own.
      if found == wanted { say("the device registry: version \(wanted), unchanged") }
    }
  }

  /// Ours: names in the line that says what is served; --json has all of them.
  private static let hostsOnLine = 5

  /// Says something where no reader of an access log stumbles over it.
  ///
  /// - Parameter isStamped: Whether it is news, with its time where nobody else adds one.
  private func say(_ text: String, isStamped: Bool = false) {
    let line = text.onOneLine
    if logHasOutput { log.error(line) } else { console.print((isStamped ? log.stamp : "") + line) }
  }

  private static func words(_ outcome: PublicationOutcome) -> String {
    let host = outcome.host ?? "every other host"
    let errors = outcome.errorCount.counted("error")
    switch outcome.kind {
    case .published: return "\(host): published" + (outcome.errorCount == 0 ? "" : " with \(errors)")
    case .changed: return "\(host): changed" + (outcome.errorCount == 0 ? "" : ", with \(errors)")
    case .unchanged:
      return "\(host): " + (outcome.endsRefusal ? "valid again; same as the live version" : "unchanged")
    case .held:
      return
        "\(host): held back; the previous version stays live until it is approved, or its pin is taken away"
    case .removalHeld:
      return
        "\(host): its files were removed; it stays live until "
        + (outcome.confirmation.map { "\($0), or " } ?? "") + "its folder is back"
    case .withdrawn: return "\(host): its files were removed; no longer served"
    case .refused:
      if outcome.lacksSignature, let problem = outcome.problem {
        return "\(host): served unsigned: \(problem)"
      }
      let consequence = outcome.isServed ? "the previous version stays live" : "nothing is served for it"
      if let problem = outcome.problem { return "\(host): refused, \(consequence): \(problem)" }
      return "\(host): refused for \(errors); \(consequence)"
    }
  }

  // MARK: - As JSON

  private static func json(of event: ServeEvent) -> JSON {
    switch event {
    case .listening(let address, let isPlain, let hosts, let admin, let console):
      .object([
        ("type", .string("listening")), ("url", .string(url(address, isPlain: isPlain))),
        ("port", .int(Int(address.port))), names(hosts),
        ("admin_url", .init(admin.map { "http://\($0)" })), ("admin_port", .init(admin.map { Int($0.port) })),
        ("console_url", .init(console)),
      ])
    case .publication(let outcome): outcome.json
    case .reloaded(let hosts): .object([("type", .string("reloaded")), names(hosts)])
    case .refusedSome(let hosts): .object([("type", .string("not-reloaded")), names(hosts)])
    case .notReloaded: .object([("type", .string("not-reloaded"))])
    case .registry(let found, let wanted):
      .object([
        ("type", .string("registry")), ("version", JSON(found)), ("version_after_start", .int(wanted)),
      ])
    }
  }

  private static func names(_ hosts: [String]) -> (String, JSON) { ("hosts", .array(hosts.map(JSON.string))) }

  private static func url(_ address: SocketAddress, isPlain: Bool) -> String {
    "\(isPlain ? "http" : "https")://\(address)"
  }
}
