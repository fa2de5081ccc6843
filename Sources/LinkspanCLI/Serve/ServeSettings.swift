internal import AppSiteAssociation
internal import AssociationDelivery
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer

/// What `serve` was told, by flags and by the configuration file; a flag goes before the file.
struct ServeSettings {
  var sites: [String]
  /// The host of files that are named one by one.
  var host: String?
  var listen: SocketAddress
  var isPlain: Bool
  /// Files in PEM form; empty for a throw-away certificate.
  var certificates: [(certificate: String, key: String)]
  /// Where the throw-away certificate is written.
  var writeCertificate: String?
  var acceptsErrors: Bool
  /// Whether changes of files are noticed without a signal.
  var watches: Bool
  /// The folder of the history; nil without one.
  var state: String?
  var historyCount: Int
  var connections = ConnectionLimits()
  /// Whether /readyz and /metrics answer this machine itself on the public listeners.
  var hasLocalPages: Bool
  /// Whether `localhost` answers for the first host.
  var hasLocalhost: Bool
  /// The listener for operators; nil without one.
  var admin: SocketAddress?
  /// A file or `-`; nil without an access log.
  var accessLog: String?
  var accessLogFormat: AccessLogLine.Format
  var logLevel: ServerLog.Level
  var trustedProxies: [AddressRange]
  /// Whom this process becomes; nil to stay who it is.
  var user: String?
  var drainSeconds: Int
  var signers: [SignedForms.Signer]
  /// The configuration file; nil without one.
  let configuration: String?
  private let arguments: Arguments

  init(_ arguments: Arguments) throws(CommandError) {
    self.arguments = arguments
    configuration = ConfigurationFile.path(arguments, isWanted: arguments.operands.isEmpty)
    let file = try configuration.map { path throws(CommandError) in try ConfigurationFile(path)
    }
    let section = file?.server ?? ConfigurationFile.ServerSection()
    sites = arguments.operands.isEmpty ? file?.sites ?? [] : arguments.operands
    host = arguments.value("--host").map { ASCII.lowercased($0) } ?? section.host
    listen = try SocketAddress.read(arguments.value("--listen") ?? section.listen ?? "127.0.0.1:8443")
    let named = (arguments.all("--certificate"), arguments.all("--key"))
    isPlain = arguments.has("--plain") || section.plain ?? false
    certificates = named.0.isEmpty ? section.certificates : Array(zip(named.0, named.1))
    writeCertificate = arguments.value("--write-certificate")
    acceptsErrors = arguments.has("--accept-errors") || section.acceptsErrors ?? false
    watches = !arguments.has("--no-watch") && section.watches ?? true
    state = arguments.value("--state") ?? section.state
    historyCount =
      try arguments.number("--history", atLeast: 1) ?? section.historyCount ?? PublicationHistory.defaultCount
    connections.total =
      try arguments.number("--max-connections", atLeast: 1) ?? section.connectionCount ?? connections.total
    connections.perAddress =
      try arguments.number("--max-connections-per-address", atLeast: 1) ?? section.connectionCountPerAddress
      ?? connections.perAddress
    hasLocalPages = arguments.has("--local-pages") || section.hasLocalPages ?? false
    hasLocalhost = arguments.has("--localhost") || section.hasLocalhost ?? false
    admin = try (arguments.value("--admin") ?? section.admin).map { text throws(CommandError) in
      try SocketAddress.read(text)
    }
    accessLog = arguments.value("--access-log") ?? section.accessLog
    accessLogFormat = try Self.word("--access-log-format", arguments) ?? section.accessLogFormat ?? .combined
    logLevel = try Self.word("--log-level", arguments) ?? section.logLevel ?? .info
    trustedProxies = []
    let proxies = arguments.all("--trusted-proxy")
    for text in proxies.isEmpty ? section.trustedProxies : proxies {
      trustedProxies.append(try AddressRange(text))
    }
    user = arguments.value("--user") ?? section.user
    drainSeconds = try arguments.number("--drain", atLeast: 1) ?? section.drainSeconds ?? Self.drainSeconds
    signers = section.signers
    try refuseIdleFlags()
  }

  /// Until answers under way are dropped after SIGTERM; half of what the packaged unit allows.
  static let drainSeconds = 10

  private static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ flag: String, _ arguments: Arguments
  ) throws(CommandError) -> Word? {
    guard let text = arguments.value(flag) else { return nil }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    throw arguments.usage("'\(flag)' takes one of \(words), and '\(text)' is none")
  }

  /// A flag that would do nothing was meant to do something.
  private func refuseIdleFlags() throws(CommandError) {
    guard !sites.isEmpty else {
      throw arguments.usage(
        configuration.map { "neither SITE… nor 'sites' in '\($0)' is there" }
          ?? "SITE… is missing, and there is no \(ConfigurationFile.defaultName) here; name one with '--config'"
      )
    }
    if arguments.has("--localhost"), !listen.isLoopback {
      throw arguments.usage("'--localhost' is for a server on loopback, and '--listen' says \(listen)")
    }
    if isPlain {
      for flag in ["--certificate", "--key", "--write-certificate"] where arguments.has(flag) {
        throw arguments.usage("'\(flag)' does not go with '--plain', which serves without TLS")
      }
      if !certificates.isEmpty {
        throw arguments.usage("'certificates' do not go with 'plain', which serves without TLS")
      }
    }
    guard arguments.all("--certificate").count == arguments.all("--key").count else {
      throw arguments.usage("each '--certificate' wants its '--key', and each key its certificate")
    }
    if writeCertificate != nil, !certificates.isEmpty {
      throw arguments.usage(
        "'--write-certificate' writes a throw-away certificate, and with '--certificate' none is made")
    }
    if arguments.has("--access-log-format"), accessLog == nil {
      throw arguments.usage("'--access-log-format' is the form of '--access-log', and there is none")
    }
    if user != nil, !isPlain, certificates.isEmpty {
      throw arguments.usage(
        "'--user' wants '--certificate' or '--plain': a throw-away certificate is for tests")
    }
    if arguments.has("--history"), state == nil {
      throw arguments.usage(
        "'--history' says how many publications '--state' keeps, and there is no '--state'")
    }
  }

  /// What the same flags and the configuration file as it is now say.
  ///
  /// - Throws: What is wrong with the file.
  func readAgain() throws(CommandError) -> ServeSettings { try ServeSettings(arguments) }

  /// The files and folders whose changes are news.
  var watched: [String] {
    sites + signers.flatMap(\.files) + (configuration.map { [$0] } ?? [])
  }

  /// The keys of the configuration in which other settings differ, and which are in force after a start only.
  func keysThatWait(in other: ServeSettings) -> [String] {
    let pairs: [(key: String, isSame: Bool)] = [
      ("listen", listen == other.listen), ("plain", isPlain == other.isPlain),
      ("certificates", certificates.isEmpty || !other.certificates.isEmpty),
      ("watch", watches == other.watches), ("local_pages", hasLocalPages == other.hasLocalPages),
      ("localhost", hasLocalhost == other.hasLocalhost),
      ("state", state == other.state),
      ("max_connections", connections.total == other.connections.total),
      ("max_connections_per_address", connections.perAddress == other.connections.perAddress),
      ("admin", admin == other.admin), ("access_log", accessLog == other.accessLog),
      ("access_log_format", accessLogFormat == other.accessLogFormat),
      ("log_level", logLevel == other.logLevel),
      ("trusted_proxies", trustedProxies == other.trustedProxies), ("user", user == other.user),
      ("drain_seconds", drainSeconds == other.drainSeconds),
    ]
    return pairs.filter { !$0.isSame }.map(\.key)
  }

  /// Reads the files as they are now. A host in a folder that cannot be read is among the reader's problems.
  func readSites() throws(CommandError) -> SiteReader {
    let reader = try SiteReader(sites, host: host, passesOverProblems: true, refusesLargeFiles: true)
    try reader.refuseIdleHost(arguments)
    if let name = reader.names.first {
      throw CommandError(
        "there is no file or folder '\(name.host)'.",
        help: "'serve' serves files of this machine; 'linkspan check \(name.host)' asks the host.")
    }
    return reader
  }
}
