internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import ServiceConfiguration
internal import SiteInput

extension ServeOptions {
  /// - Throws: Which flag has a value that it does not take.
  init(_ arguments: Arguments) throws(LinkspanError) {
    self.init()
    flags = Set(ConfigurationKey.server.compactMap(\.flag).filter(arguments.has))
    sites = arguments.operands
    configuration = arguments.configurationPath(isWanted: sites.isEmpty)
    host = arguments.value("--host")
    listen = arguments.value("--listen")
    isPlain = arguments.has("--plain")
    certificates = arguments.all("--certificate")
    keys = arguments.all("--key")
    writeCertificate = try arguments.outputFile("--write-certificate", ThrowawayCredentials.outputKind)
    acceptsErrors = arguments.has("--accept-errors")
    watches = !arguments.has("--no-watch")
    state = arguments.value("--state")
    historyCount = try arguments.number("--history", in: Limit.history)
    removeAtMost = try arguments.number("--remove-at-most", in: Limit.removals)
    pauseAbove = try arguments.number("--pause-above", in: Limit.pauseAbove)
    watchesCDN = arguments.has("--watch-cdn")
    needsApproval = arguments.has("--approval")
    connectionCount = try arguments.number("--max-connections", in: Limit.connections)
    connectionCountPerAddress = try arguments.number("--max-connections-per-address", in: Limit.connections)
    hasLocalPages = arguments.has("--local-pages")
    hasLocalhost = arguments.has("--localhost")
    admin = arguments.value("--admin")
    console = arguments.value("--console")
    consoleCDN = arguments.address("--console-cdn")
    accessLog = arguments.value("--access-log")
    accessLogFormat = arguments.choice("--access-log-format")
    logLevel = arguments.choice("--log-level")
    linkRoots = arguments.all("--link-root")
    trustedProxies = arguments.all("--trusted-proxy")
    user = arguments.value("--user")
    drainSeconds = try arguments.number("--drain", in: Limit.drainSeconds)
    registry = arguments.address("--registry")
    legacyTopic = arguments.value("--legacy-topic")
    legacyEnvironment = arguments.value("--legacy-environment")
    legacyOpen = arguments.has("--legacy-open")
    askAbove = try arguments.number("--ask-above", in: Limit.askAbove)
    journalDays = try arguments.number("--journal-days", in: Limit.journalDays)
    campaignJournalDays = try arguments.number("--campaign-journal-days", in: Limit.journalDays)
    journalExport = arguments.value("--journal-export")
    bucketCredentials = arguments.value("--bucket-credentials")
    authKey = arguments.value("--auth-key")
    authKeyIdentifier = arguments.value("--auth-key-id")
    team = arguments.value("--team-id")
    otherKeys = arguments.all("--auth-key-for")
    apns = arguments.address("--apns")
    apnsAuthorities = arguments.value("--apns-ca")
    apnsConnections = try arguments.number("--apns-connections", in: Limit.apnsConnections)
    apnsRetrySeconds = try arguments.number("--apns-retry", in: Limit.apnsRetrySeconds)
    senderLeaseSeconds = try arguments.number("--sender-lease", in: Limit.senderLeaseSeconds)
  }
}
