internal import AppSiteAssociation
internal import Glibc
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer

extension Command {
  static let serve = Command(
    name: "serve", summary: "Serve the association files of any number of hosts", operands: "SITE…",
    discussion: """
      SITE is a folder laid out HOST/.well-known/apple-app-site-association (and assetlinks.json beside it), or a
      file, which is served for --host or for every host. Files are checked before they are published. A change is
      noticed at once; a host whose new file has errors goes on with the old one, and the others are not touched.
      SIGHUP reads certificates as well. No connection is dropped for it. With --state the last publications of each
      host are kept, for a start with a broken folder and for 'linkspan rollback'.
      HTTP/2 and HTTP/1.1 are spoken, as the client likes.
      Without a certificate a throw-away one is made, which only tests will trust. On loopback 'localhost' answers
      for the first host.
      Ends on SIGINT or SIGTERM, after answering what is under way; a second signal ends it at once.
      """,
    flags: [
      Flag("--listen", "ADDRESS:PORT", "Where to listen; port 0 takes a free one (127.0.0.1:8443)"),
      Flag(
        "--certificate", "FILE", repeats: true, "A certificate chain in PEM, chosen by the host asked for"),
      Flag("--key", "FILE", repeats: true, "Its private key in PEM, in the same order"),
      Flag(
        "--write-certificate", "FILE", "Write the throw-away certificate, for clients that should trust it"),
      Flag("--plain", "Serve plain HTTP, for a proxy in front that ends TLS"),
      Flag("--host", "HOST", "The host of files that are named one by one"),
      Flag("--accept-errors", "Serve files that have errors"),
      Flag("--config", "FILE", "Read what is not said here from a configuration file"),
      Flag("--state", "FOLDER", "Keep the publications of each host there"),
      Flag("--history", "COUNT", "How many are kept for each host (10)"),
      Flag("--no-watch", "Read files again at SIGHUP only"),
      Flag("--dry-run", "Say what would be published, and serve nothing"),
      Flag(
        "--max-connections", "N",
        "Connections held at the same time; one above it is closed at once (\(ConnectionLimits().total))"),
      Flag(
        "--max-connections-per-address", "N",
        "The same from one address; more for a proxy in front (\(ConnectionLimits().perAddress))"),
    ],
    examples: [
      "linkspan serve Examples/site --accept-errors",
      "linkspan serve sites --listen 0.0.0.0:443 --certificate chain.pem --key key.pem",
      "linkspan serve sites --state state --dry-run",
    ]
  ) { arguments, console throws(CommandError) in
    let settings = try ServeSettings(arguments)
    let run = ServeRun(settings, arguments, console)
    return arguments.has("--dry-run") ? try run.tryOut() : try run.serve()
  }
}

private struct ServeRun {
  private let settings: ServeSettings
  private let arguments: Arguments
  private let console: Console

  init(_ settings: ServeSettings, _ arguments: Arguments, _ console: Console) {
    self.settings = settings
    self.arguments = arguments
    self.console = console
  }

  /// Says what `serve` would publish.
  func tryOut() throws(CommandError) -> ExitStatus {
    let desk = try PublishingDesk(settings, console, writesHistory: false)
    let outcomes = try desk.publish()
    for outcome in outcomes { report(outcome, always: true) }
    return outcomes.contains { $0.kind == .refused } ? .no : .yes
  }

  func serve() throws(CommandError) -> ExitStatus {
    // Before anything is read, so that no change falls between.
    let watch = settings.watches ? try FolderWatch(settings.sites) : nil
    let desk = try PublishingDesk(settings, console)
    try publishFirst(desk)
    let sites = desk.publisher.sites
    var configuration = HTTPServerConfiguration(
      listeners: [
        .init(settings.listen, credentials: settings.isPlain ? nil : try credentials(for: sites))
      ])
    configuration.stopSignals = [SIGINT, SIGTERM]
    configuration.connections = settings.connections
    raiseOpenFileLimit()
    let server: HTTPServer
    do throws(HTTPServerError) {
      server = try HTTPServer(configuration, handler: Self.handler(for: sites, on: settings.listen).handler)
    } catch {
      throw CommandError("\(error)")
    }
    announce(server.addresses[0], sites, isPlain: settings.isPlain)
    try ServeControl.run(server, stopSignals: configuration.stopSignals, watch: watch) { news in
      reload(server, desk, watch, news)
    }
    return .yes
  }

  private func raiseOpenFileLimit() {
    let limits = settings.connections
    // A connection is a descriptor, and files, listeners and the loop need some as well.
    let descriptors = OpenFileLimit.raise()
    if descriptors < limits.total + Self.spareDescriptors {
      console.note(
        "the system allows \(descriptors) open files, too few for \(limits.total) connections; those above wait"
          + " (raise it with 'ulimit -n' or LimitNOFILE=, or lower --max-connections)")
    }
  }

  /// A guess on the generous side.
  private static let spareDescriptors = 64

  /// A start needs something to serve: what the folder holds, or what was served before.
  private func publishFirst(_ desk: PublishingDesk) throws(CommandError) {
    do throws(CommandError) {
      for outcome in try desk.publish() where outcome.kind != .published { report(outcome, always: false) }
    } catch {
      guard !desk.publisher.sites.isEmpty else { throw error }
      console.note("serving what was served before: \(error)")
    }
    let refused = desk.publisher.refused
    let errors = refused.reduce(0) { $0 + $1.errors.count }
    guard desk.publisher.sites.isEmpty else { return }
    throw CommandError(
      "the files have \(errors == 1 ? "1 error" : "\(errors) errors").",
      help: "Mend them, or serve them as they are with --accept-errors.")
  }

  /// Certificates anew or not at all, and each host's files anew or not at all.
  private func reload(
    _ server: HTTPServer, _ desk: PublishingDesk, _ watch: FolderWatch?,
    _ news: ServeControl.News
  ) {
    do throws(CommandError) {
      let credentials =
        news == .hangUp && !settings.certificates.isEmpty ? try loaded(settings.certificates) : nil
      try watch?.watchAll()
      let outcomes = try desk.publish()
      let sites = desk.publisher.sites
      if let credentials { server.replaceCredentials(credentials) }
      server.replaceHandler(Self.handler(for: sites, on: settings.listen).handler)
      for outcome in outcomes where outcome.kind != .unchanged || outcome.endsRefusal {
        report(outcome, always: true)
      }
      if news == .hangUp {
        let isWhole = desk.publisher.refused.isEmpty
        report(
          isWhole ? "reloaded" : "not-reloaded", sites,
          isWhole ? "read everything anew" : "read everything anew, and refused some of it")
      }
    } catch {
      console.note("still serving what was there: \(error)")
      report("not-reloaded", nil, "not reloaded")
    }
  }

  /// One line about a host, and what is wrong with its files.
  private func report(_ outcome: PublicationOutcome, always: Bool) {
    for finding in outcome.errors { console.note(finding.text()) }
    let isAnswer = always || outcome.kind == .refused || outcome.kind == .changed
    guard isAnswer else { return }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("publication")), ("host", .init(outcome.host)),
          ("outcome", .string(outcome.kind.rawValue)), ("served", .bool(outcome.isServed)),
          ("errors", .int(outcome.errors.count)),
          ("differences", .array(outcome.differences.map(JSON.string))),
        ]))
    } else {
      console.print(Self.words(outcome))
      for line in outcome.differences { console.print("  " + line) }
    }
    console.flush()
  }

  private static func words(_ outcome: PublicationOutcome) -> String {
    let host = outcome.host ?? "every other host"
    let errors = outcome.errors.count == 1 ? "1 error" : "\(outcome.errors.count) errors"
    switch outcome.kind {
    case .published: return "\(host): published" + (outcome.errors.isEmpty ? "" : " with \(errors)")
    case .changed: return "\(host): changed" + (outcome.errors.isEmpty ? "" : ", with \(errors)")
    case .unchanged: return "\(host): " + (outcome.endsRefusal ? "mended, and what was live" : "as before")
    case .withdrawn: return "\(host): its files are gone, and it is not served any more"
    case .refused:
      return "\(host): refused for \(errors); "
        + (outcome.isServed ? "what was live goes on" : "nothing is served for it")
    }
  }

  private func report(_ type: String, _ sites: [AssociationSite]?, _ text: String) {
    if arguments.has("--json") {
      let hosts = sites.map { [("hosts", JSON.array(Self.names($0).map(JSON.string)))] } ?? []
      console.print(.object([("type", .string(type))] + hosts))
    } else {
      console.print(text)
    }
    console.flush()
  }

  private static func names(_ sites: [AssociationSite]) -> [String] { sites.map { $0.host ?? "*" } }

  private static func handler(for sites: [AssociationSite], on address: SocketAddress) -> AssociationHandler {
    AssociationHandler(sites + aliases(of: sites, on: address))
  }

  /// On loopback the machine's own names answer for the first host, so that a first look needs no `--resolve`.
  private static func aliases(of sites: [AssociationSite], on address: SocketAddress) -> [AssociationSite] {
    let names = ["localhost", "127.0.0.1", "[::1]"]
    guard address.isLoopback, let first = sites.first, first.host != nil,
      !sites.contains(where: { $0.host == nil || names.contains($0.host!) })
    else { return [] }
    return names.map { name in
      var alias = first
      alias.host = name
      return alias
    }
  }

  private func announce(_ address: SocketAddress, _ sites: [AssociationSite], isPlain: Bool) {
    let scheme = isPlain ? "http" : "https"
    let hosts = Self.names(sites)
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("listening")), ("url", .string("\(scheme)://\(address)")),
          ("port", .int(Int(address.port))), ("hosts", .array(hosts.map(JSON.string))),
        ]))
    } else {
      console.print("serving \(hosts.joined(separator: ", ")) on \(scheme)://\(address)")
    }
    console.flush()
  }

  private func credentials(for sites: [AssociationSite]) throws(CommandError) -> TLSCredentials {
    settings.certificates.isEmpty ? try throwaway(for: sites) : try loaded(settings.certificates)
  }

  private func loaded(_ files: [(certificate: String, key: String)]) throws(CommandError) -> TLSCredentials {
    do throws(TLSError) {
      var identities: [TLSIdentity] = []
      for (certificate, key) in files {
        let identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
        if identity.usesRSA {
          console.note("\(certificate): an RSA key; a handshake costs several times that of ECDSA P-256")
        }
        identities.append(identity)
      }
      return try TLSCredentials(identities)
    } catch {
      throw CommandError("\(error)")
    }
  }

  private func throwaway(for sites: [AssociationSite]) throws(CommandError) -> TLSCredentials {
    let names = sites.compactMap(\.host) + ["localhost", "127.0.0.1", "::1"]
    let certificate: ThrowawayCertificate
    let credentials: TLSCredentials
    do throws(TLSError) {
      certificate = try ThrowawayCertificate.make(for: names, from: Int64(time(nil)))
      credentials = try TLSCredentials([try TLSIdentity(certificate)])
    } catch {
      throw CommandError("\(error)")
    }
    console.note("no certificate given: using a throw-away one for \(names.joined(separator: ", "))")
    if let path = settings.writeCertificate {
      try FileWriter.write(certificate.certificatePEM, to: path)
    }
    return credentials
  }
}
