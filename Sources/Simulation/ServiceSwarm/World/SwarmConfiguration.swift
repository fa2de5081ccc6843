internal import LinkspanCore
internal import SimulatedStores

/// A configuration file that an operator writes; every fourth one has a mistake. A plain reader of the manual knows what it says.
struct SwarmConfiguration {
  /// Decides all of it.
  let number: Int
  let text: String
  /// What each key says that is not left out, as it is written.
  private let values: [String: String]

  var isGood: Bool { Self.isGood(number) }

  static func isGood(_ number: Int) -> Bool { number % 4 != 3 }

  /// Whether a mistake in it has a line and a column; two keys that contradict each other have none.
  let isMistakePlaced: Bool

  /// A password in addresses of databases, which no message repeats.
  static let password = "configuration-secret-0b5e"

  /// Hosts that are to be signed, and whether their signer can sign.
  private static let signers: [(text: String, hosts: [Int: Bool])] = [
    ("{ \"host0.example\": { certificate: \"signer.pem\", key: \"signer.key\" } }", [0: true]),
    (
      "{ \"host0.example\": { certificate: \"signer.pem\", key: \"signer.key\" },"
        + " \"host1.example\": { certificate: \"signer.pem\", key: \"gone.key\" } }", [0: true, 1: false]
    ),
    ("{ \"host2.example\": { certificate: \"expired.pem\", key: \"expired.key\" } }", [2: false]),
  ]

  /// Hosts that are to be signed, and whether their signer can sign.
  var signers: [Int: Bool] { Self.signers.first { $0.text == values["signed"] }?.hosts ?? [:] }

  private struct Key {
    var name: String
    var values: [String]
    var needsRestart = true
    /// Whether it is always there.
    var isFixed = false
  }

  private static let keys: [Key] = [
    Key(name: "plain", values: ["true"], isFixed: true),
    Key(name: "state", values: ["\"state\""], isFixed: true),
    Key(name: "auth_key", values: ["\"AuthKey_A1B2C3D4E5.p8\""], isFixed: true),
    Key(name: "auth_key_id", values: ["\"A1B2C3D4E5\""], needsRestart: false, isFixed: true),
    Key(name: "team_id", values: ["\"F6G7H8I9J0\""], needsRestart: false, isFixed: true),
    Key(
      name: "registry",
      values: ["\"sqlite:registry.db\"", "\"postgres://linkspan:\(password)@db.example/linkspan\""],
      isFixed: true),
    Key(name: "legacy_topic", values: ["\"com.example.app\"", "\"com.example.b\""], isFixed: true),
    Key(name: "legacy_environment", values: ["\"production\"", "\"sandbox\""], isFixed: true),
    Key(name: "legacy_open", values: ["true"]), Key(name: "ask_above", values: ["5", "100000"]),
    Key(name: "listen", values: ["\"127.0.0.1:8444\"", "\"[::1]:443\""]),
    Key(name: "local_pages", values: ["true"]), Key(name: "localhost", values: ["true"]),
    Key(name: "max_connections", values: ["7", "900"]),
    Key(name: "max_connections_per_address", values: ["5", "2048"]),
    Key(name: "admin", values: ["\"127.0.0.1:9464\"", "\"[::1]:9464\""]),
    Key(name: "console", values: ["\"127.0.0.1:9465\"", "\"[::1]:9466\""], isFixed: true),
    Key(name: "console_cdn", values: ["\"http://127.0.0.1:8080\""]),
    Key(name: "watch_cdn", values: ["true"]), Key(name: "watch", values: ["false"]),
    Key(name: "access_log", values: ["\"access.log\"", "\"-\""]),
    Key(name: "access_log_format", values: ["\"json\"", "\"combined\""]),
    Key(name: "log_level", values: ["\"error\"", "\"debug\""]),
    Key(name: "trusted_proxies", values: ["[\"10.0.0.0/8\"]", "[\"127.0.0.1\", \"2001:db8::/32\"]"]),
    Key(name: "user", values: ["\"linkspan\""]), Key(name: "drain_seconds", values: ["3", "60"]),
    Key(name: "journal_days", values: ["7", "90"]), Key(name: "campaign_journal_days", values: ["3", "60"]),
    Key(name: "journal_export", values: ["\"exports\""]), Key(name: "pause_above", values: ["0", "20"]),
    Key(name: "apns_connections", values: ["2", "8"]), Key(name: "apns_retry_seconds", values: ["30", "60"]),
    Key(name: "sender_lease_seconds", values: ["5", "40"]),
    // These are in force from the reload on. None of them changes what is served here.
    Key(name: "history", values: ["12", "20"], needsRestart: false),
    Key(name: "remove_at_most", values: ["3", "30"], needsRestart: false),
    Key(name: "link_roots", values: ["[\"/srv/releases\"]"], needsRestart: false),
    Key(name: "signed", values: signers.map(\.text), needsRestart: false),
    Key(name: "apns", values: ["\"https://127.0.0.1:2197\""], needsRestart: false),
    Key(
      name: "auth_keys",
      values: [
        "[{ topics: [\"com.example.b\"], auth_key: \"AuthKey_B.p8\", auth_key_id: \"B1B2C3D4E5\","
          + " team_id: \"K6L7M8N9P0\" }]"
      ], needsRestart: false),
  ]

  /// What is wrong in one that is damaged.
  private enum Mistake: CaseIterable {
    case torn, unknownKey, wrongType, outOfRange, repeatedKey, wrongWord, noNetwork, contradiction,
      halfCertificate,
      noTopic

    var member: String {
      switch self {
      case .torn: ""
      case .unknownKey: "listne: \"127.0.0.1:8443\","
      case .wrongType: "max_connections: \"many\","
      case .outOfRange: "drain_seconds: 0,"
      case .repeatedKey: "state: \"state\","
      case .wrongWord: "log_level: \"loud\","
      case .noNetwork: "trusted_proxies: [\"10.0.0/8x\"],"
      case .contradiction: "certificates: [{ certificate: \"chain.pem\", key: \"key.pem\" }],"
      case .halfCertificate: "certificates: [{ certificate: \"chain.pem\" }],"
      case .noTopic:
        "auth_keys: [{ topics: [], auth_key: \"B.p8\", auth_key_id: \"B1B2C3D4E5\", team_id: \"K6L7M8N9P0\" }],"
      }
    }

    /// The key that it is about, which is not there twice.
    var name: Substring { member.prefix { $0 != ":" } }
  }

  init(_ number: Int) {
    self.number = number
    var generator = SeededGenerator(seed: UInt64(number)).fork("configuration")
    let mistakes = Mistake.allCases
    let drawn = mistakes[Int(generator.draw(0...Int64(mistakes.count - 1)))]
    let mistake = Self.isGood(number) ? nil : drawn
    var values: [String: String] = [:]
    var lines: [String] = []
    for key in Self.keys {
      let place = Int(generator.draw(0...Int64(key.values.count - 1)))
      let isThere = key.isFixed || generator.chance(1, in: 3)
      guard isThere, mistake == .repeatedKey || mistake.map({ $0.name != key.name }) ?? true else { continue }
      values[key.name] = key.values[place]
      lines.append("    \(key.name): \(key.values[place]),")
    }
    if let mistake { lines.insert("    \(mistake.member)", at: Int(generator.draw(0...Int64(lines.count)))) }
    let whole = (["{", "  sites: [\"sites\"],", "  server: {"] + lines + ["  },", "}", ""]).joined(
      separator: "\n")
    // Without its last two brackets at least.
    text = mistake == .torn ? String(whole.prefix(Int(generator.draw(1...Int64(whole.count - 6))))) : whole
    isMistakePlaced = mistake != .contradiction && mistake != .noNetwork
    self.values = values
  }

  /// The keys that wait for a start where another configuration is in force.
  func keysRequiringRestart(since other: SwarmConfiguration) -> Set<String> {
    Set(Self.keys.filter { $0.needsRestart && values[$0.name] != other.values[$0.name] }.map(\.name))
  }
}

/// The configuration file as it lies on the servers' machines.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class ConfigurationBox: @unchecked Sendable {
  var configuration = SwarmConfiguration(0)

  var source: SourceText { SourceText(name: "linkspan.json5", bytes: Array(configuration.text.utf8)) }
}
