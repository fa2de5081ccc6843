internal import AppSiteAssociation
import AssociationCheck
package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer
internal import PushProvider
internal import PushTerms

/// A configuration file (`linkspan.json5`): what a person would otherwise say in flags, every time.
///
/// Paths in it begin at its own folder. Secrets are never in it, only the files or environment variables that hold them.
package struct ConfigurationFile: DocumentReading {
  package let source: SourceText
  package private(set) var findings: [Finding] = []
  /// What may stand where, in the order of reading.
  package private(set) var choices: [(range: Range<Int>, choice: DocumentChoice)] = []
  /// Where the server's keys are, each in quotation marks, and the keys for provider tokens by their identifiers.
  private(set) var places: [(name: String, range: Range<Int>)] = []
  private(set) var keyPlaces: [(name: String, range: Range<Int>)] = []
  private let folder: String

  /// Folders of hosts, files or hosts, as `check` and `serve` take them.
  package private(set) var sites: [String] = []
  /// What `--app` takes.
  package private(set) var apps: [String] = []
  /// What `--os` takes.
  package private(set) var releases: [String] = []
  package private(set) var server = ServerSection()

  /// Everything under `server`; nil where the file says nothing.
  package struct ServerSection {
    package var listen: String?
    package var plain: Bool?
    package var certificates: [(certificate: String, key: String)] = []
    package var host: String?
    package var linkRoots: [String] = []
    package var acceptsErrors: Bool?
    package var watches: Bool?
    package var hasLocalPages: Bool?
    package var hasLocalhost: Bool?
    package var state: String?
    package var historyCount: Int?
    package var removeAtMost: Int?
    package var needsApproval: Bool?
    package var watchesCDN: Bool?
    package var pauseAbove: Int?
    package var connectionCount: Int?
    package var connectionCountPerAddress: Int?
    package var admin: String?
    package var console: String?
    package var consoleCDN: ServiceAddress?
    package var accessLog: String?
    package var accessLogFormat: AccessLogLine.Format?
    package var logLevel: ServerLog.Level?
    package var trustedProxies: [String] = []
    package var user: String?
    package var drainSeconds: Int?
    package var signers: [FileSigner] = []
    package var registry: ServiceAddress?
    package var legacyTopic: String?
    package var legacyEnvironment: String?
    package var legacyOpen: Bool?
    package var askAbove: Int?
    package var journalDays: Int?
    package var campaignJournalDays: Int?
    package var journalExport: String?
    package var bucketCredentials: String?
    package var authKey: String?
    package var authKeyIdentifier: String?
    package var team: String?
    package var otherKeys: [SenderKey] = []
    package var apns: ServiceAddress?
    package var apnsAuthorities: String?
    package var apnsConnections: Int?
    package var apnsRetrySeconds: Int?
    package var senderLeaseSeconds: Int?

    package init() {}
  }

  /// The name that `init` writes and that is found without being named.
  package static let defaultName = "linkspan.json5"

  /// - Throws: That it cannot be read, or everything that is wrong with it, each with line and column.
  package init(_ path: String) throws(LinkspanError) {
    try self.init(FileReader.read(path))
  }

  /// The same with ``findings`` instead of an error, for an editor.
  package init(reading source: SourceText) {
    self.source = source
    folder = source.name.lastIndex(of: "/").map { String(source.name[...$0]) } ?? ""
    read()
  }

  package init(_ source: SourceText) throws(LinkspanError) {
    self.init(reading: source)
    let errors = findings.inReadingOrder()
    guard errors.isEmpty else {
      throw LinkspanError(
        "'\(source.name)' is not a configuration:", findings: errors)
    }
  }

  /// Records an error without any text of the file, since the address of a registry may have a password in it and a start
  /// writes errors to the journal.
  package mutating func report(_ rule: String, at range: Range<Int>, _ message: String, _ help: String) {
    var place = Finding.Location(source, range)
    place.excerpt = nil
    let elsewhere = rule == "unknown-key" ? Self.rightPlace(ofKey: source.bytes[range]) : nil
    findings.append(
      Finding(
        rule: "configuration." + rule, severity: .error, at: place,
        message: Self.unquoted[rule] ?? message, help: elsewhere ?? help))
  }

  /// Where a key belongs that is not known at its place; nil for one that is no key at all, whose text is not shown.
  private static func rightPlace(ofKey written: ArraySlice<UInt8>) -> String? {
    let name = String(decoding: written.filter { !#""'"#.utf8.contains($0) }, as: UTF8.self)
    if ConfigurationKey.top.contains(where: { $0.name == name }) {
      return "'\(name)' belongs beside 'server', not into it."
    }
    return ConfigurationKey.server.contains { $0.name == name } ? "'\(name)' belongs into 'server'." : nil
  }

  /// What is said in place of a message that quotes the file.
  private static let unquoted = [
    "unknown-key": "this is not a key of the configuration.",
    "repeated-key": "the same key occurs twice in an object.",
    "unknown-word": "this is not a value that the key takes.",
  ]

  package mutating func expects(_ choice: DocumentChoice, at range: Range<Int>) {
    choices.append((range, choice))
  }

  private mutating func read() {
    let document = JSONParser.parse(source.bytes, dialect: .json5)
    for error in document.errors {
      let rule = JSONSyntaxRules.all.first { $0.identifier == "json.\(error.kind.rawValue)" }
      report(
        error.kind.rawValue, at: error.range, "this is not JSON5.",
        rule.map { "In JSON: \($0.summary)" } ?? "")
    }
    guard document.errors.isEmpty, let root = document.root,
      let members = members(
        root, "a configuration", keys: ConfigurationKey.top.map(\.name) + ["server", "$schema"],
        example: Self.example)
    else { return }
    for member in members {
      switch member.name {
      case "sites": sites = paths(member.value, "sites", example: "sites: [\"sites\"]")
      case "apps": apps = paths(member.value, "apps", example: "apps: [\"App.entitlements\"]")
      case "releases": readReleases(member.value)
      case "server": readServer(member.value)
      // For editors: where the schema of configurations is.
      case "$schema": _ = string(member.value, "$schema", example: "$schema: \"linkspan.schema.json\"")
      default: continue
      }
    }
  }

  private static let example = "{ sites: [\"sites\"], server: { listen: \"127.0.0.1:8443\" } }"

  private mutating func readServer(_ node: JSONNode) {
    guard
      let members = members(
        node, "the server", keys: ConfigurationKey.server.map(\.name),
        example: "server: { listen: \"127.0.0.1:8443\" }")
    else { return }
    for member in members {
      let (name, value) = (member.name, member.value)
      places.append(("'\(name)'", member.nameRange))
      switch name {
      case "listen": server.listen = string(value, name, example: "listen: \"127.0.0.1:8443\"")
      case "plain": server.plain = bool(value, name)
      case "certificates": readCertificates(value)
      case "host": server.host = string(value, name, example: "host: \"example.com\"").map(IDNA.named)
      case "link_roots": server.linkRoots = paths(value, name, example: "link_roots: [\"/srv/releases\"]")
      case "accept_errors": server.acceptsErrors = bool(value, name)
      case "watch": server.watches = bool(value, name)
      case "local_pages": server.hasLocalPages = bool(value, name)
      case "localhost": server.hasLocalhost = bool(value, name)
      case "state": server.state = path(value, name, example: "state: \"/var/lib/linkspan\"")
      case "history": server.historyCount = int(value, name, in: ServeOptions.Limit.history)
      case "remove_at_most": server.removeAtMost = int(value, name, in: ServeOptions.Limit.removals)
      case "watch_cdn": server.watchesCDN = bool(value, name)
      case "approval": server.needsApproval = bool(value, name)
      case "max_connections": server.connectionCount = int(value, name, in: ServeOptions.Limit.connections)
      case "max_connections_per_address":
        server.connectionCountPerAddress = int(value, name, in: ServeOptions.Limit.connections)
      case "admin": server.admin = string(value, name, example: "admin: \"127.0.0.1:9464\"")
      case "console": server.console = string(value, name, example: "console: \"127.0.0.1:9465\"")
      case "console_cdn":
        server.consoleCDN = address(value, name, example: "console_cdn: \"http://127.0.0.1:8080\"")
      case "access_log":
        let text = string(value, name, example: "access_log: \"access.log\"")
        server.accessLog = text.map { $0 == "-" ? $0 : resolved($0) }
      case "access_log_format": server.accessLogFormat = word(value, name, AccessLogLine.Format.allCases)
      case "log_level": server.logLevel = word(value, name, ServerLog.Level.allCases)
      case "trusted_proxies":
        server.trustedProxies = strings(value, name, example: "trusted_proxies: [\"10.0.0.0/8\"]").map(\.0)
      case "user": server.user = string(value, name, example: "user: \"linkspan\"")
      case "drain_seconds": server.drainSeconds = int(value, name, in: ServeOptions.Limit.drainSeconds)
      case "signed": readSigned(value)
      case "registry":
        let text = string(value, name, example: "registry: \"sqlite:registry.db\"")
        server.registry = text.map { text in
          let isFile = text.hasPrefix("sqlite:")
          return ServiceAddress(isFile ? "sqlite:" + resolved(String(text.dropFirst("sqlite:".count))) : text)
        }
      case "legacy_topic":
        server.legacyTopic = string(value, name, example: "legacy_topic: \"com.example.app\"")
      case "legacy_environment":
        server.legacyEnvironment = string(value, name, example: "legacy_environment: \"production\"")
      case "legacy_open": server.legacyOpen = bool(value, name)
      case "ask_above": server.askAbove = int(value, name, in: ServeOptions.Limit.askAbove)
      case "journal_days": server.journalDays = int(value, name, in: ServeOptions.Limit.journalDays)
      case "campaign_journal_days":
        server.campaignJournalDays = int(value, name, in: ServeOptions.Limit.journalDays)
      default: readSender(name, value)
      }
    }
  }

  private mutating func readSender(_ name: String, _ value: JSONNode) {
    switch name {
    case "auth_key": server.authKey = path(value, name, example: "auth_key: \"AuthKey_A1B2C3D4E5.p8\"")
    case "journal_export":
      // A URL has two slashes behind its scheme, where a path has none.
      let text = string(value, name, example: "journal_export: \"exports\"")
      server.journalExport = text.map { $0.contains("://") ? $0 : resolved($0) }
    case "bucket_credentials":
      server.bucketCredentials = path(value, name, example: "bucket_credentials: \"bucket-credentials\"")
    case "pause_above": server.pauseAbove = int(value, name, in: ServeOptions.Limit.pauseAbove)
    case "auth_key_id": server.authKeyIdentifier = string(value, name, example: "auth_key_id: \"A1B2C3D4E5\"")
    case "team_id": server.team = string(value, name, example: "team_id: \"F6G7H8I9J0\"")
    case "auth_keys": readKeys(value)
    case "apns": server.apns = address(value, name, example: "apns: \"https://127.0.0.1:2197\"")
    case "apns_ca": server.apnsAuthorities = path(value, name, example: "apns_ca: \"ca.pem\"")
    case "apns_connections":
      server.apnsConnections = int(value, name, in: ServeOptions.Limit.apnsConnections)
    case "apns_retry_seconds":
      server.apnsRetrySeconds = int(value, name, in: ServeOptions.Limit.apnsRetrySeconds)
    case "sender_lease_seconds":
      server.senderLeaseSeconds = int(value, name, in: ServeOptions.Limit.senderLeaseSeconds)
    default: return
    }
  }

  private mutating func readSigned(_ node: JSONNode) {
    let example = "signed: { \"old.example.com\": { p12: \"signer.p12\", passphrase_file: \"passphrase\" } }"
    guard let hosts = named(node, "signed", example: example) else { return }
    for host in hosts {
      guard
        let members = members(
          host.value, "a signer", keys: Self.signerKeys, example: example)
      else { continue }
      let files = files(members, named: Self.signerKeys)
      let isPKCS12 = files["p12"] != nil
      let hasPEM = files["certificate"] != nil && files["key"] != nil
      guard isPKCS12 != hasPEM, !isPKCS12 || files["chain"] == nil else {
        report(
          "missing-key", host.value, "A signer is either 'p12', or 'certificate' and 'key' with a 'chain'.",
          "Write it as in \(example).")
        continue
      }
      server.signers.append(
        FileSigner(
          host: IDNA.named(host.name), p12: files["p12"], passphraseFile: files["passphrase_file"],
          certificate: files["certificate"], key: files["key"], chain: files["chain"]))
    }
  }

  private mutating func readKeys(_ node: JSONNode) {
    let example =
      "auth_keys: [{ topics: [\"com.example.b\"], auth_key: \"AuthKey_B.p8\", auth_key_id: \"B1B2C3D4E5\", team_id:"
      + " \"F6G7H8I9J0\" }]"
    guard let elements = node.array else {
      return wrongType(node, "auth_keys", wanted: "an array", example: example)
    }
    for element in elements {
      guard let members = members(element, "a key for provider tokens", keys: Self.keyKeys, example: example)
      else { continue }
      var key = SenderKey(file: "", identifier: "", team: "")
      for member in members {
        let (name, value) = (member.name, member.value)
        switch name {
        case "auth_key": key.file = path(value, name, example: example) ?? ""
        case "auth_key_id": key.identifier = string(value, name, example: example) ?? ""
        case "team_id": key.team = string(value, name, example: example) ?? ""
        case "environment": key.environment = word(value, name, PushEnvironment.allCases)
        case "topics": key.topics = topics(value, example)
        default: continue
        }
      }
      guard Set(members.map(\.name)).isSuperset(of: Self.keyKeys.dropLast()) else {
        report(
          "missing-key", element, "A key needs 'topics', 'auth_key', 'auth_key_id' and 'team_id'.",
          "Write it as in \(example).")
        continue
      }
      server.otherKeys.append(key)
      keyPlaces.append((key.identifier, element.range))
    }
  }

  private mutating func topics(_ node: JSONNode, _ example: String) -> [PushTopic] {
    var topics: [PushTopic] = []
    for (text, node) in strings(node, "topics", example: example) {
      if let topic = PushTopic(text) {
        topics.append(topic)
      } else {
        report(
          "topic", node, "'topics' has a text that is not a bundle identifier.", "Write it as in \(example).")
      }
    }
    if topics.isEmpty, node.array?.isEmpty == true {
      report("topic", node, "'topics' names no topic.", "Write it as in \(example).")
    }
    return topics
  }

  private mutating func readCertificates(_ node: JSONNode) {
    let example = "certificates: [{ certificate: \"chain.pem\", key: \"key.pem\" }]"
    guard let elements = node.array else {
      return wrongType(node, "certificates", wanted: "an array", example: example)
    }
    for element in elements {
      guard
        let members = members(element, "a certificate", keys: Self.certificateKeys, example: example)
      else { continue }
      let files = files(members, named: Self.certificateKeys)
      guard let certificate = files["certificate"], let key = files["key"] else {
        report(
          "missing-key", element, "A certificate needs 'certificate' and 'key'.", "Write it as in \(example)."
        )
        continue
      }
      server.certificates.append((certificate, key))
    }
  }

  private static let signerKeys = ["p12", "passphrase_file", "certificate", "key", "chain"]
  private static let certificateKeys = ["certificate", "key"]
  private static let keyKeys = ["topics", "auth_key", "auth_key_id", "team_id", "environment"]

  /// The files that an object names by its keys; unknown ones have been reported.
  private mutating func files(_ members: [JSONMember], named keys: [String]) -> [String: String] {
    var files: [String: String] = [:]
    for member in members where keys.contains(member.name) {
      files[member.name] = path(member.value, member.name, example: "\(member.name): \"file.pem\"")
    }
    return files
  }

  private mutating func readReleases(_ node: JSONNode) {
    for (text, node) in strings(node, "releases", example: "releases: \"ios:15..26\"") {
      do throws(OSVersionError) {
        _ = try ReleaseSet([text])
        releases.append(text)
      } catch {
        report("releases", at: node.range, "these are no releases", "Write \"ios:15..26\".")
      }
    }
  }

  private mutating func paths(_ node: JSONNode, _ name: String, example: String) -> [String] {
    strings(node, name, example: example).map { resolved($0.0) }
  }

  private mutating func path(_ node: JSONNode, _ name: String, example: String) -> String? {
    string(node, name, example: example).map(resolved)
  }

  private mutating func address(_ node: JSONNode, _ name: String, example: String) -> ServiceAddress? {
    string(node, name, example: example).map { ServiceAddress($0) }
  }

  private func resolved(_ path: String) -> String { path.hasPrefix("/") ? path : folder + path }
}
