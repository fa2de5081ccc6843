package import LinkspanCore
package import LinkspanFiles
package import LinkspanServer

/// What a person says to `serve` beside its configuration file; nil and empty where nothing is said.
package struct ServeOptions: Sendable {
  /// The flags that were given and that the configuration has a key for: an error names any other by that key.
  package var flags: Set<String> = []
  /// Files and folders, as ``SiteReader`` takes them.
  package var sites: [String] = []
  /// Folders that links of the operator's may lead to.
  package var linkRoots: [String] = []
  /// The configuration file; nil without one.
  package var configuration: String?
  /// The host of files named one by one.
  package var host: String?
  /// `ADDRESS:PORT`.
  package var listen: String?
  package var isPlain = false
  /// Files in PEM form.
  package var certificates: [String] = []
  /// Their private keys, in the same order.
  package var keys: [String] = []
  package var writeCertificate: OutputFile?
  package var acceptsErrors = false
  package var watches = true
  package var state: String?
  package var historyCount: Int?
  /// Removals within a minute above which they are held back.
  package var removeAtMost: Int?
  package var needsApproval = false
  /// Whether the console asks the CDN for every host by itself.
  package var watchesCDN = false
  /// Of a campaign's answers, the percentage of rejections above which it is paused.
  package var pauseAbove: Int?
  package var connectionCount: Int?
  package var connectionCountPerAddress: Int?
  package var hasLocalPages = false
  package var hasLocalhost = false
  /// `ADDRESS:PORT`.
  package var admin: String?
  /// `ADDRESS:PORT` of the console.
  package var console: String?
  /// The URL of what the console asks in place of Apple's CDN.
  package var consoleCDN: ServiceAddress?
  /// A file or `-`.
  package var accessLog: String?
  package var accessLogFormat: AccessLogLine.Format?
  package var logLevel: ServerLog.Level?
  /// Networks in CIDR notation.
  package var trustedProxies: [String] = []
  package var user: String?
  package var drainSeconds: Int?
  /// `sqlite:PATH` or `postgres://…`.
  package var registry: ServiceAddress?
  package var legacyTopic: String?
  package var legacyEnvironment: String?
  package var legacyOpen = false
  /// Devices of one push above which their number has to be confirmed.
  package var askAbove: Int?
  /// Days that the journal is kept, and that of campaigns where it differs.
  package var journalDays: Int?
  package var campaignJournalDays: Int?
  /// The folder for closed days of the journal, or the URL of a bucket.
  package var journalExport: String?
  /// The file with the keys of the bucket's store.
  package var bucketCredentials: String?
  /// The .p8 file of the key for provider tokens.
  package var authKey: String?
  package var authKeyIdentifier: String?
  package var team: String?
  /// Further keys: `TOPIC[,TOPIC…][@ENVIRONMENT]=KEY_ID:TEAM_ID:FILE`.
  package var otherKeys: [String] = []
  /// Another server than Apple's.
  package var apns: ServiceAddress?
  /// A file in PEM form.
  package var apnsAuthorities: String?
  package var apnsConnections: Int?
  package var apnsRetrySeconds: Int?
  package var senderLeaseSeconds: Int?

  package init() {}

  /// What numbers may be, as flags and in the configuration. Ours.
  package enum Limit {
    package static let history = 1...10_000
    package static let removals = 0...Int(Int32.max)
    /// Per cent.
    package static let pauseAbove = 0...100
    package static let connections = 1...Int(Int32.max)
    package static let drainSeconds = 1...86_400
    package static let askAbove = 0...Int(Int32.max)
    /// Ten years.
    package static let journalDays = 1...3_650
    /// To each environment.
    package static let apnsConnections = 1...64
    package static let apnsRetrySeconds = 1...86_400
    package static let senderLeaseSeconds = 1...3_600
  }
}
