internal import AppSiteAssociation
internal import AssociationDelivery
internal import Glibc
internal import HTTPEngine
package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer
internal import PushSending
package import ServiceConfiguration
internal import SiteInput

/// What `serve` was told, by options and by the configuration file; an option goes before the file.
package struct ServeSettings {
  var sites: [String]
  /// Folders that links of the operator's may lead to.
  var linkRoots: [String]
  /// The host of files named one by one.
  var host: String?
  var listen: SocketAddress
  var isPlain: Bool
  /// Files in PEM form; empty for a throwaway certificate.
  var certificates: [(certificate: String, key: String)]
  /// Where the throwaway certificate is written.
  var writeCertificate: OutputFile?
  var acceptsErrors: Bool
  /// Whether changes of files are noticed without a signal.
  var watches: Bool
  /// The folder of the history; nil without one.
  var state: String?
  var historyCount: Int
  /// Removals within a minute above which they are held back; nil for a tenth of all hosts.
  var removeAtMost: Int?
  /// Whether changes wait for a person.
  var needsApproval: Bool
  /// Whether the console asks the CDN for every host by itself.
  var watchesCDN: Bool
  /// Of a campaign's answers, the percentage of rejections above which it is paused.
  var pauseAbove: Int
  var connections = ConnectionLimits()
  /// Whether /readyz and /metrics answer this machine itself on the public listeners.
  var hasLocalPages: Bool
  /// Whether `localhost` answers for the first host.
  var hasLocalhost: Bool
  /// The listener for operators; nil without one.
  var admin: SocketAddress?
  /// The console's listener; nil without one.
  var console: SocketAddress?
  /// What the console asks in place of Apple's CDN; nil for that.
  var consoleCDN: CDNEndpoint?
  /// A file or `-`; nil without an access log.
  package var accessLog: String?
  var accessLogFormat: AccessLogLine.Format
  package var logLevel: ServerLog.Level
  var trustedProxies: [AddressBlock]
  /// Whom this process becomes; nil to stay who it is.
  var user: String?
  var drainSeconds: Int
  var signers: [FileSigner]
  /// nil without a registry.
  var registry: RegistrySettings?
  /// nil where pushes are not sent by this process.
  var sender: SenderSettings?
  /// The configuration file; nil without one.
  let configuration: String?
  private let options: ServeOptions
  private let text: Text?

  /// Reads a configuration file that is none of this machine's.
  package typealias Text = @Sendable () throws(LinkspanError) -> SourceText

  /// - Parameter text: What the configuration file says; nil for the file of that name.
  /// - Throws: What is wrong with an option or with the configuration file, or that the two contradict each other.
  package init(_ options: ServeOptions, text: Text? = nil) throws(LinkspanError) {
    let file = try options.configuration.map { path throws(LinkspanError) in
      guard let text else { return try ConfigurationFile(path) }
      return try ConfigurationFile(try text())
    }
    do throws(LinkspanError) {
      self = try Self(reading: options, text, file)
    } catch {
      throw file.map { Self.namingKeys(of: $0, in: error, apartFrom: options.flags) } ?? error
    }
  }

  /// What is wrong in the words of a configuration file, apart from flags that were given, and where it is there.
  private static func namingKeys(
    of file: ConfigurationFile, in error: LinkspanError, apartFrom flags: Set<String>
  ) -> LinkspanError {
    guard error.kind == .usage else { return error.placed(in: file) }
    var what = error.what
    for key in ConfigurationKey.server {
      guard let flag = key.flag, !flags.contains(flag) else { continue }
      what = what.replacing("'\(flag)'", with: "'\(key.name)'")
    }
    // What is missing from the file has no line there.
    let isOfFile = !what.contains("'--") && !what.contains(file.source.name)
    let place = file.place(of: what) ?? (isOfFile ? file.source.name : nil)
    return .usage(what + (place.map { " (\($0))" } ?? ""))
  }

  private init(
    reading options: ServeOptions, _ text: Text?, _ file: ConfigurationFile?
  ) throws(LinkspanError) {
    self.options = options
    self.text = text
    configuration = options.configuration
    let section = file?.server ?? ConfigurationFile.ServerSection()
    sites = options.sites.isEmpty ? file?.sites ?? [] : options.sites
    linkRoots = options.linkRoots.isEmpty ? section.linkRoots : options.linkRoots
    host = (options.host ?? section.host).map(IDNA.named)
    if let fault = host.flatMap(ServedHost.fault) {
      throw .usage("'\(options.host == nil ? "host" : "--host")': \(fault)")
    }
    listen = try SocketAddress.read(
      options.listen ?? section.listen ?? "127.0.0.1:8443", of: options.listen == nil ? "listen" : "--listen")
    isPlain = options.isPlain || section.plain ?? false
    certificates =
      options.certificates.isEmpty
      ? section.certificates : Array(zip(options.certificates, options.keys))
    writeCertificate = options.writeCertificate
    acceptsErrors = options.acceptsErrors || section.acceptsErrors ?? false
    watches = options.watches && section.watches ?? true
    state = options.state ?? section.state
    historyCount = options.historyCount ?? section.historyCount ?? Self.historyCount
    removeAtMost = options.removeAtMost ?? section.removeAtMost
    needsApproval = options.needsApproval || section.needsApproval ?? false
    watchesCDN = options.watchesCDN || section.watchesCDN ?? false
    pauseAbove = options.pauseAbove ?? section.pauseAbove ?? Self.pauseAbove
    connections.total = options.connectionCount ?? section.connectionCount ?? connections.total
    connections.perAddress =
      options.connectionCountPerAddress ?? section.connectionCountPerAddress ?? connections.perAddress
    hasLocalPages = options.hasLocalPages || section.hasLocalPages ?? false
    hasLocalhost = options.hasLocalhost || section.hasLocalhost ?? false
    admin = try (options.admin ?? section.admin).map { text throws(LinkspanError) in
      try SocketAddress.read(text, of: options.admin == nil ? "admin" : "--admin")
    }
    console = try (options.console ?? section.console).map { text throws(LinkspanError) in
      try SocketAddress.read(text, of: options.console == nil ? "console" : "--console")
    }
    consoleCDN = try (options.consoleCDN ?? section.consoleCDN).map { address throws(LinkspanError) in
      try CDNEndpoint.read(address, of: "--console-cdn")
    }
    accessLog = options.accessLog ?? section.accessLog
    accessLogFormat = options.accessLogFormat ?? section.accessLogFormat ?? .vhostCombined
    logLevel = options.logLevel ?? section.logLevel ?? .info
    trustedProxies = []
    for text in options.trustedProxies.isEmpty ? section.trustedProxies : options.trustedProxies {
      guard let block = AddressBlock(text) else {
        throw LinkspanError(
          "is not a network of IP addresses", at: text,
          help: "Write one such as 10.0.0.0/8, 2001:db8::/32 or 127.0.0.1.")
      }
      trustedProxies.append(block)
    }
    user = options.user ?? section.user
    drainSeconds = options.drainSeconds ?? section.drainSeconds ?? Self.drainSeconds
    signers = section.signers
    registry = try Self.registry(options, section)
    sender = try SenderSettings(options, section, hasRegistry: registry != nil)
    try refuseIdleOptions()
    try refuseSharedPorts()
  }

  /// Until answers under way are dropped after SIGTERM; half of what the packaged unit allows.
  package static let drainSeconds = 10
  /// Ours: how many publications of a host are kept.
  static let historyCount = 10

  /// Ours: far more than the tokens of an app go wrong by themselves.
  static let pauseAbove = 5

  private static func registry(
    _ options: ServeOptions, _ section: ConfigurationFile.ServerSection
  ) throws(LinkspanError) -> RegistrySettings? {
    let topic = options.legacyTopic ?? section.legacyTopic
    let environment = options.legacyEnvironment ?? section.legacyEnvironment
    let isOpen = options.legacyOpen || section.legacyOpen ?? false
    let askAbove = options.askAbove ?? section.askAbove
    let days = options.journalDays ?? section.journalDays
    let campaignDays = options.campaignJournalDays ?? section.campaignJournalDays
    let export = options.journalExport ?? section.journalExport
    let credentials = options.bucketCredentials ?? section.bucketCredentials
    guard credentials == nil || export != nil else {
      throw .usage("'--bucket-credentials' needs '--journal-export'")
    }
    guard let address = options.registry ?? section.registry else {
      guard topic == nil, environment == nil, !isOpen else {
        throw .usage("the routes of 2013 need '--registry', where devices are kept")
      }
      guard askAbove == nil else { throw .usage("'--ask-above' needs '--registry', where devices are kept") }
      guard days == nil, campaignDays == nil else {
        let flag = days == nil ? "--campaign-journal-days" : "--journal-days"
        throw .usage("'\(flag)' needs '--registry', where the journal is kept")
      }
      guard export == nil else {
        throw .usage("'--journal-export' needs '--registry', where the journal is kept")
      }
      return nil
    }
    var settings = RegistrySettings(address)
    (settings.legacyTopic, settings.legacyEnvironment, settings.legacyOpen) = (topic, environment, isOpen)
    (settings.journalDays, settings.campaignJournalDays) = (days, campaignDays)
    settings.askAbove = askAbove
    if let export {
      settings.journalExport = try JournalPlace(export, of: "--journal-export", credentials: credentials)
    }
    _ = try settings.options()
    return settings
  }

  /// An option that would do nothing was meant to do something.
  private func refuseIdleOptions() throws(LinkspanError) {
    guard !sites.isEmpty || registry != nil else {
      throw .usage(
        configuration.map { "SITE… is missing, and '\($0)' has no 'sites'" }
          ?? "SITE… is missing, and there is no \(ConfigurationFile.defaultName) here; name one with '--config'"
      )
    }
    if options.hasLocalhost, !listen.isLoopback {
      throw .usage("'--localhost' needs a server on loopback, but '--listen' is \(listen)")
    }
    if isPlain {
      let idle = [
        ("--certificate", !options.certificates.isEmpty), ("--key", !options.keys.isEmpty),
        ("--write-certificate", writeCertificate != nil),
      ]
      if let flag = idle.first(where: \.1)?.0 {
        throw .usage("'\(flag)' does not go with '--plain', which serves without TLS")
      }
      if !certificates.isEmpty {
        throw .usage("'certificates' do not go with 'plain', which serves without TLS")
      }
    }
    guard options.certificates.count == options.keys.count else {
      throw .usage("each '--certificate' needs its '--key', and each key its certificate")
    }
    if writeCertificate != nil, !certificates.isEmpty {
      throw .usage(
        "'--write-certificate' writes the throwaway certificate, which '--certificate' replaces")
    }
    if options.accessLogFormat != nil, accessLog == nil {
      throw .usage("'--access-log-format' needs '--access-log'")
    }
    if user != nil, !isPlain, certificates.isEmpty {
      throw .usage("'--user' needs '--certificate' or '--plain': a throwaway certificate is for tests")
    }
    if let console {
      guard state != nil else {
        throw .usage("'--console' needs '--state', where its users and the publications are kept")
      }
      guard console.isLoopback || isPlain || !certificates.isEmpty else {
        throw .usage(
          "'--console' on \(console) needs '--certificate': passwords cross the network; with '--plain' a proxy ends TLS"
        )
      }
    }
    if watchesCDN, console == nil {
      throw .usage("'--watch-cdn' needs '--console', which says what the CDN has")
    }
    if needsApproval, console == nil {
      throw .usage("'--approval' needs '--console', where people approve drafts")
    }
    if options.historyCount != nil, state == nil {
      throw .usage("'--history' needs '--state'")
    }
  }

  /// Of two listeners with one port the second cannot start, and a dry run binds each for a moment only.
  private func refuseSharedPorts() throws(LinkspanError) {
    let listeners = [("--listen", listen), ("--admin", admin), ("--console", console)]
    for (index, (flag, address)) in listeners.enumerated() {
      for (other, second) in listeners[(index + 1)...] {
        guard let address, let second, address.port == second.port, address.port != 0,
          address.isIPv6 == second.isIPv6,
          address == second || [address, second].contains(where: { $0.octets.allSatisfy { $0 == 0 } })
        else { continue }
        throw .usage(
          "'\(flag)' \(address) and '\(other)' \(second) share a port; give each listener one of its own")
      }
    }
  }

  /// What the same options and the configuration file as it is now say.
  ///
  /// - Throws: What is wrong with the file.
  func readAgain() throws(LinkspanError) -> ServeSettings { try ServeSettings(options, text: text) }

  /// The files whose changes are news, beside the sites.
  var watchedFiles: [String] {
    signers.flatMap(\.files) + [configuration].compactMap { $0 } + (sender?.keys ?? []).map(\.file)
  }

  /// The keys of the configuration in which other settings differ, and which take effect after a restart only.
  package func keysRequiringRestart(in other: ServeSettings) -> [String] {
    let pairs: [(key: String, isSame: Bool)] =
      [
        ("listen", listen == other.listen), ("plain", isPlain == other.isPlain),
        ("certificates", certificates.isEmpty || !other.certificates.isEmpty),
        ("watch", watches == other.watches), ("local_pages", hasLocalPages == other.hasLocalPages),
        ("localhost", hasLocalhost == other.hasLocalhost),
        ("state", state == other.state),
        ("max_connections", connections.total == other.connections.total),
        ("max_connections_per_address", connections.perAddress == other.connections.perAddress),
        ("admin", admin == other.admin), ("console", console == other.console),
        ("console_cdn", consoleCDN == other.consoleCDN), ("watch_cdn", watchesCDN == other.watchesCDN),
        ("pause_above", pauseAbove == other.pauseAbove), ("access_log", accessLog == other.accessLog),
        ("access_log_format", accessLogFormat == other.accessLogFormat),
        ("log_level", logLevel == other.logLevel),
        ("trusted_proxies", trustedProxies == other.trustedProxies), ("user", user == other.user),
        ("drain_seconds", drainSeconds == other.drainSeconds),
        ("registry", registry?.address == other.registry?.address),
        ("legacy_topic", registry?.legacyTopic == other.registry?.legacyTopic),
        ("legacy_environment", registry?.legacyEnvironment == other.registry?.legacyEnvironment),
        ("legacy_open", registry?.legacyOpen == other.registry?.legacyOpen),
        ("ask_above", registry?.askAbove == other.registry?.askAbove),
        ("journal_days", registry?.journalDays == other.registry?.journalDays),
        ("campaign_journal_days", registry?.campaignJournalDays == other.registry?.campaignJournalDays),
        ("journal_export", registry?.journalExport?.path == other.registry?.journalExport?.path),
        (
          "bucket_credentials",
          registry?.journalExport?.credentials == other.registry?.journalExport?.credentials
        ),
      ] + SenderSettings.keysRequiringRestart(sender, other.sender)
    return pairs.filter { !$0.isSame }.map(\.key)
  }

  /// Reads the files as they are now. A host in a folder that cannot be read is among the reader's problems.
  func readSites() throws(LinkspanError) -> SiteReader {
    if let configuration, options.sites.isEmpty {
      for site in sites where try FileReader.kind(of: site) == .missing {
        throw LinkspanError(
          "there is no file or folder '\(site)', which 'sites' in '\(configuration)' names.",
          help: "Make \(site)/HOST/.well-known/apple-app-site-association, or name another folder there.")
      }
    }
    let reader = try SiteReader(
      sites, host: host, passesOverProblems: true, passesOverEmptySites: true, refusesLargeFiles: true,
      links: .serving(linkRoots: linkRoots))
    try reader.refuseIdleHost(isGiven: options.host != nil)
    if let name = reader.names.first {
      throw LinkspanError(
        "there is no file or folder '\(name.host)'.",
        help: "'serve' serves files of this machine; 'linkspan check \(name.host)' asks the host.")
    }
    return reader
  }
}

extension LinkspanError {
  /// The same of a sentence about a key of a configuration, with its place there.
  fileprivate func placed(in file: ConfigurationFile) -> LinkspanError {
    guard kind == .failure, place == nil, reason == nil, findings.isEmpty, what.hasSuffix("."),
      let key = file.place(of: what)
    else { return self }
    return LinkspanError("\(what.dropLast()) (\(key)).", help: help)
  }
}
