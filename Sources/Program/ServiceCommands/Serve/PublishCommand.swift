package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles
internal import LinkspanServer
internal import PushSending
internal import SiteInput

extension Command {
  package static let publish = Command(
    name: "publish", summary: "Publish files to a running server, or confirm a removal",
    operands: "[FOLDER | HOST…]",
    discussion: """
      With --to it sends the files of FOLDER, laid out HOST/.well-known/apple-app-site-association (and assetlinks.json
      beside it), to a running 'linkspan serve' with --registry, which checks them and serves the good ones.
      The credential needs the scope sites:write for these hosts ('linkspan token create --scope sites:write --host HOST').
      What it publishes is served until the host's folder on the server changes. A refused file is kept as a draft.
      With --remove it confirms that HOSTs whose folders are gone are no longer served: over the network with --to, or
      else through the state of the server on this machine.
      """,
    flags: [
      Flag.address("--to", "URL", "Where 'linkspan serve' answers, such as https://links.example.com"),
      Flag("--token-file", "FILE", "The credential for it (LINKSPAN_TOKEN)"),
      Flag("--ca", "FILE", "Trust the certificates in this PEM file instead of the system's"),
      Flag("--remove", "Confirm the removal of these HOSTs"),
      Flag("--config", "FILE", "The configuration file of 'serve' with the state"),
      Flag("--state", "FOLDER", "Where 'serve' keeps the publications"),
    ],
    examples: [
      "linkspan publish site --to https://links.example.com --token-file token",
      "linkspan publish --remove old.example.com --state state",
    ],
    exitStatus: "0 everything is served, 1 something was refused, held back or left out, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    let run = PublishRun(arguments, console)
    guard arguments.has("--remove") else {
      try arguments.expectOperands(1...1)
      guard let server = arguments.address("--to") else {
        throw arguments.usage("'--to' is missing: the server")
      }
      return try run.publish(arguments.operands[0], to: server)
    }
    guard !arguments.operands.isEmpty else { throw arguments.usage("'--remove' needs the HOSTs") }
    let hosts = arguments.operands.map(IDNA.named)
    for host in hosts where host != PublicationOrder.everyOtherHost {
      if let fault = ServedHost.fault(of: host) { throw arguments.usage(fault) }
    }
    guard let server = arguments.address("--to") else {
      return try OrderReport(console: console, isJSON: arguments.has("--json"))
        .give(.remove(hosts: hosts), state: try arguments.state())
    }
    return try run.remove(hosts, at: server)
  }
}

/// One run of `publish` over the network.
private struct PublishRun {
  let arguments: Arguments
  let console: Console

  init(_ arguments: Arguments, _ console: Console) {
    self.arguments = arguments
    self.console = console
  }

  func publish(_ folder: String, to server: ServiceAddress) throws(LinkspanError) -> ExitStatus {
    let files = try PublicationFiles(in: folder)
    for line in files.repeated + files.misnamed + files.passedOver { console.note("\(line)" as TerminalText) }
    guard !files.sites.isEmpty || !files.misnamed.isEmpty else {
      throw LinkspanError(
        "there is no association file in '\(folder)'.",
        help: "Lay the folder out as HOST/.well-known/apple-app-site-association.")
    }
    var requests: [Request] = []
    for candidate in files.sites {
      guard let host = candidate.host else {
        throw LinkspanError(
          "'\(folder)' does not say the host of its files",
          help: "Lay the folder out as HOST/.well-known/apple-app-site-association.")
      }
      // One publication, so that one rollback goes back behind both files.
      let files = [
        (PublicationCandidate.associationFileName, candidate.associationFile),
        (PublicationCandidate.assetLinksName, candidate.assetLinks),
      ].compactMap { name, bytes in bytes.map { (name, JSON.string(Base64.text(of: $0))) } }
      if files.isEmpty { continue }
      requests.append(
        Request(
          host: host, method: "PUT", path: "\(Self.path(of: host))/files", body: JSON.object(files).bytes))
    }
    let status = try send(requests, to: server)
    let isWhole = files.repeated.isEmpty && files.misnamed.isEmpty
    return status == .yes && !isWhole ? .no : status
  }

  func remove(_ hosts: [String], at server: ServiceAddress) throws(LinkspanError) -> ExitStatus {
    try send(
      hosts.map { Request(host: $0, method: "DELETE", path: Self.path(of: $0), body: []) }, to: server)
  }

  /// - Parameter host: One that devices may ask for.
  private static func path(of host: String) -> String {
    "/v1/sites/\(ASCII.percentEncoded(host.utf8) { $0 < 0x80 })"
  }

  /// What says the same of every host: a credential that the server does not know, and a server that is still busy after it was
  /// waited for.
  private static let endingStatuses: Set = [401, 429, 503]

  private struct Request {
    let host: String
    let method: String
    let path: String
    let body: [UInt8]
  }

  /// Sends one request a host. What the server does not take of one host is told, and the others are sent all the same; what it
  /// would not take of any host ends the run.
  private func send(_ requests: [Request], to server: ServiceAddress) throws(LinkspanError) -> ExitStatus {
    let client = try self.client(server)
    defer { client.stop() }
    var isGood = true
    var failed: [String] = []
    for (index, request) in requests.enumerated() {
      var endsRun = true
      do throws(LinkspanError) {
        let answer = try client.send(request.method, request.path, body: request.body)
        endsRun = Self.endingStatuses.contains(answer.status)
        try tell(answer, to: request)
        isGood = [200, 201].contains(answer.status) && isGood
      } catch {
        if requests.count == 1 { throw error }
        if endsRun {
          let left = failed + requests[index...].map(\.host)
          throw LinkspanError(
            error.message,
            help: "Not sent, or not taken: \(left.joinedForReading)." + (error.help.map { " \($0)" } ?? ""))
        }
        // Where the address is wrong, each of them says what to do.
        let help = error.help.map { " \($0)" } ?? ""
        console.note("\(request.host): not taken: \(error.message)\(help)" as TerminalText)
        failed.append(request.host)
      }
    }
    if failed.isEmpty { return isGood ? .yes : .no }
    throw LinkspanError(
      "the server did not take \(failed.count) of \(requests.count) hosts: \(failed.joinedForReading).",
      help: "The lines above say why, and what became of the others.")
  }

  private func client(_ server: ServiceAddress) throws(LinkspanError) -> RegistryClient {
    guard let token = try arguments.credential() else {
      throw arguments.usage("'--to' needs a credential in LINKSPAN_TOKEN or '--token-file'")
    }
    return try RegistryClient(server: server, of: "--to", token: token, trust: try arguments.trust()) {
      console.note($0)
    }
  }

  /// Prints what became of a host.
  ///
  /// - Throws: Why nothing did.
  private func tell(_ answer: HTTPResponse, to request: Request) throws(LinkspanError) {
    let root = JSONParser.parse(answer.body).root
    guard let root, root["type"]?.string == "publication" else {
      let detail =
        root?["detail"]?.string ?? "the server answers \(answer.status) to \(request.method) \(request.path)."
      if arguments.has("--json"), (400..<500).contains(answer.status) {
        console.printRefusal("\(request.host): \(detail)", status: answer.status)
        console.flush()
      }
      throw LinkspanError(
        detail,
        help: answer.status == 404
          ? "The server needs --registry; the address is its root, without /v1." : nil)
    }
    if arguments.has("--json") {
      console.print(root.json)
    } else {
      say(root)
    }
    // It is done, whatever becomes of the others.
    console.flush()
  }

  private func say(_ root: JSONNode) {
    let host = root["host"]?.string ?? "?"
    for finding in root["findings"]?.array ?? [] { console.print(Self.words(of: finding)) }
    let words =
      switch root["outcome"]?.string {
      case "published": "published and served"
      case "changed": "changed and served"
      case "unchanged": "served already"
      case "withdrawn": "no longer served"
      case "held": "held back until a person approves it, or takes its pin away"
      case "refused": "refused; the previous version stays served, if there was one"
      case let other: other ?? "no outcome"
      }
    console.print("\(host): \(words)" + (root["problem"]?.string.map { ": \($0)" } ?? ""))
    for line in (root["differences"]?.array ?? []).compactMap(\.string) { console.print("  " + line) }
  }

  private static func words(of finding: JSONNode) -> String {
    let place = ["file", "line", "column"].compactMap { key in
      finding[key]?.string ?? finding[key]?.int.map { "\($0)" }
    }.joined(separator: ":")
    let severity = finding["severity"]?.string ?? "error"
    return "\(place): \(severity)[\(finding["rule"]?.string ?? "?")]: \(finding["message"]?.string ?? "")"
  }
}
