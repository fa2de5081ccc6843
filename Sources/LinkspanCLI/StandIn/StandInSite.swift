internal import AppSiteAssociation
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer
internal import LinkspanSimulator
internal import Synchronization

extension Command {
  static let standInSite = Command(
    name: "stand-in site", summary: "A folder served with the faults you ask for", operands: "FOLDER",
    discussion: """
      FOLDER is laid out HOST/.well-known/apple-app-site-association, as for 'linkspan serve'. The files are read
      anew for each request and served whatever is in them. Faults are set at the start with --fault, and while it
      runs over the admin listener, in JSON: GET /faults, POST /faults {"status": 503} (these and no others),
      POST /faults {} (none).

      \(SiteFault.help)
      """,
    flags: StandInServer.flags + [
      Flag("--fault", "NAME=VALUE", repeats: true, "A fault from the start on"),
      Flag(
        "--certificate-fault", "FAULT", choices: ["expired", "wrong-name"],
        "Show a certificate that is expired or for another name (wrong-name)"),
    ],
    examples: [
      "linkspan stand-in site Examples/site --admin 127.0.0.1:8081 --write-certificate ca.pem",
      "linkspan stand-in site Examples/site --fault status=403 --fault for=crawler",
    ]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(1...1)
    try StandInSite(arguments).run(console)
    return .yes
  }
}

private struct StandInSite {
  private let place: StandInAddress
  private let folder: String
  private let hosts: [String]
  private let faults: CurrentFaults
  private let certificateFault: String?

  private final class CurrentFaults: Sendable {
    let set: Mutex<SiteFaults>
    init(_ faults: SiteFaults) { set = Mutex(faults) }
  }

  init(_ arguments: Arguments) throws(CommandError) {
    place = try StandInAddress(arguments)
    folder = arguments.operands[0]
    let reader = try SiteReader([folder], host: nil)
    hosts = reader.files.compactMap(\.host)
    guard !hosts.isEmpty else {
      throw CommandError(
        "there is no association file to serve.",
        help: "Lay the folder out as HOST/.well-known/apple-app-site-association.")
    }
    var faults = SiteFaults()
    for text in arguments.all("--fault") {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if let problem = faults.set(parts[0], to: parts.count > 1 ? parts[1] : "true") {
        throw CommandError("'--fault \(text)': \(problem)", help: SiteFault.help)
      }
    }
    self.faults = CurrentFaults(faults)
    certificateFault = arguments.value("--certificate-fault")
    if let certificateFault, !["expired", "wrong-name"].contains(certificateFault) {
      throw arguments.usage("'--certificate-fault' is expired or wrong-name")
    }
    if certificateFault != nil, place.isPlain {
      throw arguments.usage("'--certificate-fault' does not go with '--plain', which serves without TLS")
    }
  }

  func run(_ console: Console) throws(CommandError) {
    let names = certificateFault == "wrong-name" ? ["other.invalid"] : hosts + StandInAddress.ownNames
    let credentials = try place.credentials(
      for: names, age: certificateFault == "expired" ? .seconds(200_000) : .seconds(3_600))
    let admin = AdminHandler(paths: "GET /faults and POST /faults", action: adminAction)
    let server = StandInServer(
      address: place.listen, credentials: credentials, handler: handler,
      admin: place.admin.map { ($0, { await admin.response(to: $0) }) }, relayFault: relayFault)
    try server.run { address, admin in
      place.announce(
        "a stand-in for \(hosts.joined(separator: ", "))", address, admin,
        [("hosts", .array(hosts.map(JSON.string)))], on: console)
    }
  }

  private var relayFault: @Sendable () -> RelayFault? {
    let faults = faults
    return {
      let faults = faults.set.withLock { $0 }
      switch faults.network {
      case .silent: return .silent
      case .reset: return .reset
      case .trickle: return .trickle(pause: .milliseconds(20))
      case nil: return faults.breakBytes.map { .cut(afterBytes: $0) }
      }
    }
  }

  private var handler: StandInServer.Handler {
    let (folder, faults) = (folder, faults)
    return { request in
      let faults = faults.set.withLock { $0 }
      let agent = request.fields["User-Agent"] ?? ""
      guard faults.concern(agent) else { return Self.file(for: request, in: folder) }
      if faults.delay_ms > 0 {
        do { try await Task.sleep(for: .milliseconds(faults.delay_ms)) } catch {
          return .text(503, "the stand-in is ending")
        }
      }
      return faults.applied(to: Self.file(for: request, in: folder))
    }
  }

  /// The folder as it is now.
  private static func file(for request: HTTPRequest, in folder: String) -> HTTPResponse {
    do throws(CommandError) {
      let reader = try SiteReader([folder], host: nil)
      var sites: [AssociationSite] = []
      for host in Set(reader.files.compactMap(\.host)).sorted() {
        let files = reader.files.filter { $0.host == host }
        let wellKnown = files.first { $0.location == .wellKnown }
        let root = files.first { $0.location == .root }
        if request.path == AssociationLocation.root.rawValue, root == nil { continue }
        let file = request.path == AssociationLocation.root.rawValue ? root : wellKnown
        sites.append(
          AssociationSite(host: host, associationFile: file?.source.bytes, servesRootName: root != nil))
      }
      return AssociationHandler(sites).response(to: request)
    } catch {
      return .text(500, error.message)
    }
  }

  private var adminAction: AdminHandler.Action {
    let faults = faults
    return { method, path, body in
      guard path == "/faults" else { return nil }
      if method == "POST" {
        var new = SiteFaults()
        for member in body?.object ?? [] {
          // What GET tells can be sent back as it is.
          if member.name == "type" { continue }
          let text: String
          switch member.value.value {
          case .null: continue
          case .string(let value), .number(let value): text = value
          case .bool(let flag): text = flag ? "true" : "false"
          default: return AdminHandler.refusal(400, "'\(member.name)' is \(member.value.typeName)")
          }
          if let problem = new.set(member.name, to: text) {
            return AdminHandler.refusal(400, "'\(member.name)': \(problem)")
          }
        }
        faults.set.withLock { $0 = new }
      }
      return AdminHandler.answer(faults.set.withLock { $0.json })
    }
  }
}
