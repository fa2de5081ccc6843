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
      file, which is served for --host or for every host. Files are read and checked at the start; one with errors
      is refused. SIGHUP reads files and certificates again, and keeps the old ones when something is wrong with
      the new ones; no connection is dropped for it. HTTP/2 and HTTP/1.1 are spoken, as the client likes.
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
    ]
  ) { arguments, console throws(CommandError) in
    try ServeRun(arguments, console).run()
  }
}

private struct ServeRun {
  private let arguments: Arguments
  private let console: Console

  init(_ arguments: Arguments, _ console: Console) {
    self.arguments = arguments
    self.console = console
  }

  /// Reads and checks the files, as often as asked.
  private func readSites() throws(CommandError) -> [AssociationSite] {
    let operands = arguments.operands
    guard !operands.isEmpty else { throw arguments.usage("SITE… is missing") }
    try Self.refuseIdleFlags(arguments)
    let reader = try SiteReader(operands, host: arguments.value("--host").map { ASCII.lowercased($0) })
    try reader.refuseIdleHost(arguments)
    if let name = reader.names.first {
      throw CommandError(
        "there is no file or folder '\(name.host)'.",
        help: "'serve' serves files of this machine; 'linkspan check \(name.host)' asks the host.")
    }
    guard !reader.files.isEmpty || !reader.assetLinks.isEmpty else {
      for finding in SiteChecker.findings(in: reader) { console.note(finding.text()) }
      throw CommandError(
        "there is no association file to serve.",
        help: "Lay the folder out as HOST/.well-known/apple-app-site-association, or name the file itself.")
    }
    for folder in reader.emptyFolders { console.note("'\(folder.path)' has no file and is not served") }
    try Self.refuseErrors(in: reader, arguments, console)
    return try Self.sites(of: reader)
  }

  /// A flag that would do nothing was meant to do something.
  private static func refuseIdleFlags(_ arguments: Arguments) throws(CommandError) {
    if arguments.has("--plain") {
      for flag in ["--certificate", "--key", "--write-certificate"] where arguments.has(flag) {
        throw arguments.usage("'\(flag)' does not go with '--plain', which serves without TLS")
      }
    }
    if arguments.has("--write-certificate"), arguments.has("--certificate") {
      throw arguments.usage(
        "'--write-certificate' writes a throw-away certificate, and with '--certificate' none is made")
    }
  }

  /// What devices would drop is not published by oversight (spec associated-domains 13.3).
  private static func refuseErrors(
    in reader: SiteReader, _ arguments: Arguments, _ console: Console
  ) throws(CommandError) {
    var errors = 0
    for file in reader.files {
      for finding in AssociationChecker.findings(in: AssociationSource(file.source))
      where finding.severity == .error {
        errors += 1
        console.note(finding.text())
      }
    }
    guard errors > 0 else { return }
    let count = errors == 1 ? "1 error" : "\(errors) errors"
    guard arguments.has("--accept-errors") else {
      throw CommandError(
        "the files have \(count).", help: "Mend them, or serve them as they are with --accept-errors.")
    }
    console.note("serving files that have \(count)")
  }

  private static func sites(of reader: SiteReader) throws(CommandError) -> [AssociationSite] {
    var hosts: [String?] = []
    for host in reader.files.map(\.host) + reader.assetLinks.map(\.host) where !hosts.contains(host) {
      hosts.append(host)
    }
    return hosts.map { host in
      let files = reader.files.filter { $0.host == host }
      let root = files.first { $0.location == .root }
      let file = files.first { $0.location == .wellKnown } ?? files.first { $0.location == nil }
      return AssociationSite(
        host: host, associationFile: (file ?? root)?.source.bytes, servesRootName: root != nil,
        assetLinks: reader.assetLinks.first { $0.host == host }?.source.bytes)
    }
  }

  func run() throws(CommandError) -> ExitStatus {
    let listen = arguments.value("--listen") ?? "127.0.0.1:8443"
    let address = try SocketAddress.read(listen)
    let isPlain = arguments.has("--plain")
    let connections = try connectionLimits()
    let sites = try readSites()
    var configuration = HTTPServerConfiguration(
      listeners: [.init(address, credentials: isPlain ? nil : try credentials(for: sites))])
    configuration.stopSignals = [SIGINT, SIGTERM]
    configuration.connections = connections
    let handler = ReplaceableHandler(Self.handler(for: sites, on: address))
    let server: HTTPServer
    do throws(HTTPServerError) {
      server = try HTTPServer(configuration) { handler.response(to: $0) }
    } catch {
      throw CommandError("\(error)")
    }
    announce(server.addresses[0], sites, isPlain: isPlain)
    try ServerThread.run(server, stopSignals: configuration.stopSignals) {
      reload(server, handler, address, isPlain: isPlain)
    }
    return .yes
  }

  private func connectionLimits() throws(CommandError) -> ConnectionLimits {
    var limits = ConnectionLimits()
    if let total = try arguments.number("--max-connections", atLeast: 1) as Int? { limits.total = total }
    if let perAddress = try arguments.number("--max-connections-per-address", atLeast: 1) as Int? {
      limits.perAddress = perAddress
    }
    // A connection is a descriptor, and files, listeners and the loop need some as well.
    let descriptors = OpenFileLimit.raise()
    if descriptors < limits.total + Self.spareDescriptors {
      console.note(
        "the system allows \(descriptors) open files, too few for \(limits.total) connections; those above wait"
          + " (raise it with 'ulimit -n' or LimitNOFILE=, or lower --max-connections)")
    }
    return limits
  }

  /// A guess on the generous side.
  private static let spareDescriptors = 64

  /// Everything anew or nothing: what can be wrong is found before anything is replaced.
  private func reload(
    _ server: HTTPServer, _ handler: ReplaceableHandler, _ address: SocketAddress, isPlain: Bool
  ) {
    do throws(CommandError) {
      let sites = try readSites()
      if !isPlain, !arguments.all("--certificate").isEmpty {
        server.replaceCredentials(try credentials(for: sites))
      }
      handler.replace(Self.handler(for: sites, on: address))
      report("reloaded", sites, "serving \(Self.names(sites).joined(separator: ", ")) from files read anew")
    } catch {
      console.note("not reloaded, still serving what was there: \(error)")
      report("not-reloaded", nil, "not reloaded")
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
    let certificates = arguments.all("--certificate")
    let keys = arguments.all("--key")
    guard certificates.count == keys.count else {
      throw arguments.usage("each '--certificate' wants its '--key', and each key its certificate")
    }
    return try certificates.isEmpty ? throwaway(for: sites) : loaded(certificates, keys)
  }

  private func loaded(_ certificates: [String], _ keys: [String]) throws(CommandError) -> TLSCredentials {
    do throws(TLSError) {
      var identities: [TLSIdentity] = []
      for (certificate, key) in zip(certificates, keys) {
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
    if let path = arguments.value("--write-certificate") {
      try FileWriter.write(certificate.certificatePEM, to: path)
    }
    return credentials
  }
}
