internal import AppSiteAssociation
internal import AssociationDelivery
internal import Dispatch
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanSimulator

extension Command {
  static let standInCDN = Command(
    name: "stand-in cdn", summary: "Apple's CDN for association files, in front of your own hosts",
    operands: "",
    discussion: """
      Answers /a/v1/HOST as Apple's CDN does, with its headers and for its cache times: asks the host as AASA-Bot
      over HTTPS, waits 5 seconds at most, keeps a file for 6 hours and a failure for one. Hosts at private
      addresses are refused, as Apple refuses them, until --allow-private names them.

      Admin calls, in JSON: GET /clock, POST /clock {"advance_s": 3600}, GET /cache, POST /purge {"host": "HOST"}
      (without a host: everything). Documentation/stand-ins.md has examples.
      """,
    flags: StandInServer.flags + [
      Flag("--origin", "HOST=ADDRESS:PORT", repeats: true, "Where a host is asked, instead of looking it up"),
      Flag("--only-origins", "Know only the hosts of '--origin'; every other one has no address"),
      Flag(
        "--allow-private", "HOST", repeats: true, "Ask this host at a private address as well; all for every"
      ),
      Flag("--ca", "FILE", "Trust the authorities in this PEM file for hosts (the system's)"),
      Flag("--manual-clock", "Let time pass only when an admin call moves the clock"),
      Flag(
        "--switch", "NAME=VALUE", repeats: true,
        "Decide what nobody has documented; the cdn_… names of Documentation/stories.md"),
      Flag("--har", "FILE", "Write every exchange when it ends, as HAR 1.2"),
    ],
    examples: [
      "linkspan stand-in cdn --plain --origin example.com=127.0.0.1:8443 --allow-private example.com --ca ca.pem",
      "linkspan stand-in cdn --plain --admin 127.0.0.1:8081 --manual-clock --switch cdn_asks_root=false",
    ]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(0...0)
    try StandInCDN(arguments).run(console)
    return .yes
  }
}

private struct StandInCDN {
  private let place: StandInAddress
  private let clock: MovableClock
  private let record: ExchangeRecord
  private let cdn: ContentDeliveryNetwork
  private let archive: String?

  init(_ arguments: Arguments) throws(CommandError) {
    place = try StandInAddress(arguments)
    let clock = MovableClock(stands: arguments.has("--manual-clock"))
    self.clock = clock
    archive = arguments.value("--har")
    let record = ExchangeRecord(isKeeping: archive != nil)
    self.record = record
    let origins = try CrawledOrigins(arguments, clock: clock, record: record)
    cdn = ContentDeliveryNetwork(
      now: { clock.now }, transport: origins.transport, switches: try Self.switches(arguments))
  }

  private static func switches(_ arguments: Arguments) throws(CommandError) -> CDNSwitches {
    var switches = CDNSwitches()
    for text in arguments.all("--switch") {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let names = CDNSwitches.Key.allCases.map(\.rawValue)
      guard let key = CDNSwitches.Key(rawValue: parts[0]) else {
        let near = Arguments.nearest(to: parts[0], among: names).map { " Did you mean '\($0)'?" } ?? ""
        throw CommandError(
          "there is no switch '\(parts[0])'.\(near)", help: "There are \(names.joined(separator: ", ")).")
      }
      if let wanted = switches.set(key, to: parts.count > 1 ? parts[1] : "") {
        throw arguments.usage("'--switch \(key.rawValue)' is set to \(wanted)")
      }
    }
    return switches
  }

  func run(_ console: Console) throws(CommandError) {
    // The archive is looked at before anything is asked, not when it is too late.
    if let archive { try ArchiveFile.write([], start: clock.start, to: archive) }
    let admin = AdminHandler(
      paths: "GET /clock, POST /clock, GET /cache and POST /purge", action: adminAction)
    let server = StandInServer(
      address: place.listen, credentials: try place.credentials(for: StandInAddress.ownNames),
      handler: handler, admin: place.admin.map { ($0, { await admin.response(to: $0) }) })
    try server.run { address, admin in
      place.announce("a stand-in for Apple's CDN", address, admin, [], on: console)
    }
    if let archive {
      try ArchiveFile.write(record.exchanges, start: clock.start, to: archive)
    }
  }

  private var handler: StandInServer.Handler {
    let (cdn, clock, record) = (cdn, clock, record)
    return { request in
      let started = clock.now
      let response = await cdn.answer(request)
      record.add(
        Exchange(
          started: started, time: clock.now - started, party: "client", connection: "client to cdn",
          version: .unknown, request: request, result: .answered(response),
          cause: FetchCause("a client asks the stand-in", Provenance(["C1"], .documented))))
      return response
    }
  }

  private var adminAction: AdminHandler.Action {
    let (cdn, clock) = (cdn, clock)
    return { method, path, body in
      switch (method, path) {
      case ("GET", "/clock"): return AdminHandler.answer(clock.json)
      case ("POST", "/clock"):
        if let refusal = AdminHandler.refusal(of: body, knowing: "advance_s") { return refusal }
        guard let seconds = body?["advance_s"]?.int, clock.advance(by: .seconds(seconds)) else {
          return AdminHandler.refusal(400, "'advance_s' wants a whole number of seconds, not below 0")
        }
        return AdminHandler.answer(clock.json)
      case ("GET", "/cache"):
        let now = clock.now
        let answers = await cdn.kept.map { $0.json(at: now) }
        return AdminHandler.answer(.object([("type", .string("cache")), ("answers", .array(answers))]))
      case ("POST", "/purge"):
        if let refusal = AdminHandler.refusal(of: body, knowing: "host") { return refusal }
        let host = body?["host"]
        guard host == nil || host?.string != nil else {
          return AdminHandler.refusal(400, "'host' wants the name of a host")
        }
        let count = await cdn.purge(host?.string.map { ASCII.lowercased($0) })
        return AdminHandler.answer(.object([("type", .string("purge")), ("forgotten", .int(count))]))
      default: return nil
      }
    }
  }
}
