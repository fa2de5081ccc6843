internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import ServiceConfiguration
internal import SiteInput

extension ServeOptions {
  /// - Throws: Which flag has a value that it does not take.
  init(_ arguments: Arguments) throws(LinkspanError) {
    self.init()
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
    historyCount = try arguments.number("--history", atLeast: 1)
    removeAtMost = try arguments.number("--remove-at-most", atLeast: 0)
    pauseAbove = try arguments.number("--pause-above", atLeast: 0)
    watchesCDN = arguments.has("--watch-cdn")
    needsApproval = arguments.has("--approval")
    connectionCount = try arguments.number("--max-connections", atLeast: 1)
    connectionCountPerAddress = try arguments.number("--max-connections-per-address", atLeast: 1)
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
    drainSeconds = try arguments.number("--drain", atLeast: 1)
    registry = arguments.address("--registry")
    legacyTopic = arguments.value("--legacy-topic")
    legacyEnvironment = arguments.value("--legacy-environment")
    legacyOpen = arguments.has("--legacy-open")
    askAbove = try arguments.number("--ask-above", atLeast: 0)
    journalDays = try Self.days("--journal-days", arguments)
    campaignJournalDays = try Self.days("--campaign-journal-days", arguments)
    journalExport = arguments.value("--journal-export")
    authKey = arguments.value("--auth-key")
    authKeyIdentifier = arguments.value("--auth-key-id")
    team = arguments.value("--team-id")
    otherKeys = arguments.all("--auth-key-for")
    apns = arguments.address("--apns")
    apnsAuthorities = arguments.value("--apns-ca")
    apnsConnections = try arguments.number("--apns-connections", atLeast: 1)
    guard apnsConnections ?? 1 <= ServeOptions.apnsConnectionLimit else {
      throw arguments.usage(
        "'--apns-connections': expected an integer from 1 to \(ServeOptions.apnsConnectionLimit)")
    }
    apnsRetrySeconds = try arguments.number("--apns-retry", atLeast: 1)
    senderLeaseSeconds = try arguments.number("--sender-lease", atLeast: 1)
  }

  private static func days(_ flag: String, _ arguments: Arguments) throws(LinkspanError) -> Int? {
    let days = try arguments.number(flag, atLeast: 1)
    guard days ?? 1 <= ServeOptions.journalDaysLimit else {
      throw arguments.usage("'\(flag)': expected an integer from 1 to \(ServeOptions.journalDaysLimit)")
    }
    return days
  }
}
