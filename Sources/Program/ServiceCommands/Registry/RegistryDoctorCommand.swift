internal import DeviceRegistry
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles
internal import PushSending
internal import RegistryRequests

extension Command {
  static let registryDoctor = Command(
    name: "registry doctor", summary: "Find out why devices do not register or pushes do not go out",
    operands: "",
    discussion: """
      With --server it asks a running server as clients do: the API, the credential, and the routes of 2013 at both base
      addresses that people tried, and whether the registry takes changes, where the address answers /readyz as that of
      'serve --admin' does. With --registry it looks into the store: whether it is whole, who sends, what waits.
      It changes nothing.
      """,
    flags: [
      Flag.address("--server", "URL", "Where 'linkspan serve' answers, such as https://push.example.com"),
      Flag("--token-file", "FILE", "A credential to try (LINKSPAN_TOKEN, if it is set)"),
      Flag("--ca", "FILE", "Trust the certificates in this PEM file instead of the system's"), registryFlag,
    ],
    examples: [
      "linkspan registry doctor --server https://push.example.com",
      "linkspan registry doctor --registry sqlite:registry.db",
    ], exitStatus: "0 nothing is wrong, 1 something is, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let diagnosis = RegistryDiagnosis(arguments, console)
    switch (arguments.address("--server"), arguments.address("--registry")) {
    case (let server?, nil): return try diagnosis.ask(server)
    case (nil, .some): return try diagnosis.look()
    default: throw arguments.usage("exactly one of '--server' and '--registry' is required")
    }
  }
}

/// What `registry doctor` finds, one line each.
private struct RegistryDiagnosis {
  let arguments: Arguments
  let console: Console

  init(_ arguments: Arguments, _ console: Console) {
    self.arguments = arguments
    self.console = console
  }

  /// - Parameter isGood: nil where that was not checked.
  /// - Returns: Whether it is as it should be, as far as that was checked.
  private func say(_ what: String, _ isGood: Bool?, _ detail: String) -> Bool {
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("registry-check")), ("what", .string(what)),
          ("ok", isGood.map(JSON.bool) ?? .null),
          ("detail", .string(detail)),
        ]))
    } else {
      let word = isGood.map { $0 ? "ok" : "NO" } ?? "--"
      console.print("\(word)  \(what): \(detail)")
    }
    return isGood ?? true
  }

  // MARK: - A server

  func ask(_ address: ServiceAddress) throws(LinkspanError) -> ExitStatus {
    let (token, trust) = (try arguments.credential() ?? "", try arguments.trust())
    let client = try RegistryClient(server: address, token: token, trust: trust) { console.note($0) }
    defer { client.stop() }
    let server = client.base
    let api = try client.send("GET", "/v1/openapi.json")
    let hasAPI = api.status == 200 && JSONParser.parse(api.body).root?["openapi"] != nil
    if !hasAPI, let changes = try readiness(client) {
      _ = say(
        "API", nil, "not asked; \(server) is the address of 'serve --admin', and the API has another one")
      return say("changes", changes.areTaken, changes.text) ? .yes : .no
    }
    let remedy =
      server.hasSuffix("/v1")
      ? "the base address is the server's root, without /v1"
      : "the server needs --registry, or this is another server or port"
    var isGood = say(
      "API", hasAPI,
      hasAPI ? "\(server)/v1 answers" : "\(server)/v1/openapi.json answers \(api.status); \(remedy)")
    guard hasAPI else { return .no }
    if !token.isEmpty {
      let status = try client.send("GET", "/v1/devices?limit=1").status
      let word =
        switch status {
        case 200: "it may read devices"
        case 401: "it is wrong, expired or revoked"
        case 403: "it is valid, and lacks the scope devices:read"
        default: "the registry answers \(status)"
        }
      isGood = say("credential", status == 200 || status == 403, word) && isGood
    }
    let device = "/devices/" + String(repeating: "00", count: 32)
    var bases: [String] = []
    for base in ["", "/push_notification"] {
      let status = try client.send("OPTIONS", base + device).status
      if status == 204 { bases.append("\(server)\(base)/") }
    }
    _ = say(
      "clients of 2013", true,
      bases.isEmpty
        ? "their routes are off; 'serve --legacy-topic' turns them on"
        : "they reach it at \(bases.joined(separator: " and "))")
    let changes = try readiness(client)
    isGood =
      say(
        "changes", changes?.areTaken,
        changes?.text
          ?? "not checked; /readyz says whether the registry takes them, at the address of 'serve --admin'")
      && isGood
    return isGood ? .yes : .no
  }

  /// Whether the registry takes changes, which the server itself tries out. It tells operators so: at the address of `--admin`, and
  /// with local pages at the others.
  ///
  /// - Returns: nil where the address does not say.
  private func readiness(
    _ client: RegistryClient
  ) throws(LinkspanError) -> (areTaken: Bool, text: String)? {
    let answer = try client.send("GET", "/readyz?part=registry")
    let root = JSONParser.parse(answer.body).root
    guard let status = root?["status"]?.string else { return nil }
    let problem = root?["problem"]?.string.map { ": \($0.onOneLine)" } ?? ""
    return (answer.status == 200, "/readyz says \(status)\(problem)")
  }

  // MARK: - A store

  func look() throws(LinkspanError) -> ExitStatus {
    let registry = try arguments.registry(for: .questions)
    defer { registry.stop() }
    let now = CurrentTime.now
    let health = try registry.askNow { store throws(RegistryError) in try store.health(at: now) }
    // A server's /readyz says the same of a full disk.
    let problems =
      health.problems + (RegistryWatch.roomProblem(registry.address).map { [LinkspanError($0).text] } ?? [])
    var isGood = say(
      "store", problems.isEmpty, problems.isEmpty ? "whole" : problems.joined(separator: " "))
    _ = say("devices", true, "\(health.liveDevices) live of \(health.devices)")
    let waits = health.openMessages > 0
    isGood =
      say(
        "senders", health.liveSenders > 0 || !waits,
        health.liveSenders > 0
          ? "\(health.liveSenders) hold a lease, two for each server with a key"
          : "none; start 'linkspan serve --registry … --auth-key …'") && isGood
    if let last = health.lastAhead {
      let count = health.aheadMessages
      isGood =
        say(
          "clock", false,
          (count == 1 ? "1 notification or campaign was" : "\(count) notifications and campaigns were")
            + " made by a server whose clock was ahead, the last at \(last), and nothing of it goes out before that time;"
            + " cancel it and create it anew, or set the clock of this machine") && isGood
    }
    for refusal in health.refusals {
      let waiting = refusal.pushes == 1 ? "1 push waits" : "\(refusal.pushes) pushes wait"
      isGood =
        say(
          "key", false,
          "APNs (\(refusal.environment)) answered 403 \(refusal.reason), and \(waiting); check that key, key identifier"
            + " and team identifier belong together, and that the key is for this environment") && isGood
    }
    let lag = health.oldestUnfinishedDue.map { (now.milliseconds - $0.milliseconds) / 1_000 } ?? 0
    isGood =
      say(
        "queue", lag < 300,
        (health.openMessages == 1
          ? "1 notification or campaign has" : "\(health.openMessages) notifications and campaigns have")
          + " not ended; the oldest push has been due for \(lag) s"
      ) && isGood
    return isGood ? .yes : .no
  }
}
