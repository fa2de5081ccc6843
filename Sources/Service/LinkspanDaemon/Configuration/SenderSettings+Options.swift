internal import LinkspanCore
internal import PushProvider
internal import PushSending
internal import PushTerms
internal import ServiceConfiguration

extension SenderSettings {
  /// Ours: each key has a sender for each environment, with a thread and connections of its own.
  private static let keyLimit = 64

  /// What options and configuration file say about sending; nil where they say nothing.
  ///
  /// - Throws: That something is missing or has no use.
  init?(
    _ options: ServeOptions, _ section: ConfigurationFile.ServerSection, hasRegistry: Bool
  ) throws(LinkspanError) {
    let server = options.apns ?? section.apns
    let authorities = options.apnsAuthorities ?? section.apnsAuthorities
    let parts = [
      ("--auth-key", options.authKey ?? section.authKey),
      ("--auth-key-id", options.authKeyIdentifier ?? section.authKeyIdentifier),
      ("--team-id", options.team ?? section.team),
    ]
    let others =
      options.otherKeys.isEmpty ? section.otherKeys : try options.otherKeys.map(SenderKey.init(flag:))
    guard
      let given = parts.first(where: { $0.1 != nil })?.0
        ?? (others.isEmpty ? nil : "--auth-key-for")
    else {
      let idle: [(flag: String, isGiven: Bool)] = [
        ("--apns", server != nil), ("--apns-ca", options.apnsAuthorities != nil),
        ("--apns-connections", options.apnsConnections != nil),
        ("--apns-retry", options.apnsRetrySeconds != nil),
        ("--sender-lease", options.senderLeaseSeconds != nil),
      ]
      if let flag = idle.first(where: \.isGiven)?.flag {
        let store = hasRegistry ? "" : "'--registry', "
        throw .usage("'\(flag)' needs \(store)'--auth-key', '--auth-key-id' and '--team-id'")
      }
      return nil
    }
    guard hasRegistry else {
      throw .usage("'\(given)' needs '--registry', where notifications and campaigns are kept")
    }
    var keys: [SenderKey] = []
    if let authKey = parts[0].1, let identifier = parts[1].1, let team = parts[2].1 {
      keys.append(SenderKey(file: authKey, identifier: identifier, team: team))
    } else if parts.contains(where: { $0.1 != nil }) {
      let missing = parts.filter { $0.1 == nil }.map { "'\($0.0)'" }.joined(separator: " and ")
      throw .usage("'\(given)' needs \(missing), too")
    }
    keys += others
    try Self.refuseAmbiguous(keys)
    if authorities != nil, server == nil { throw .usage("'--apns-ca' needs '--apns'") }
    self.init(keys: keys, server: server, authorities: authorities)
    try refuseUnfit()
    leaseSeconds = options.senderLeaseSeconds ?? section.senderLeaseSeconds ?? leaseSeconds
    retrySeconds = options.apnsRetrySeconds ?? section.apnsRetrySeconds ?? retrySeconds
    connections = options.apnsConnections ?? section.apnsConnections ?? connections
  }

  /// A topic has one key in each environment, and a key has one place.
  private static func refuseAmbiguous(_ keys: [SenderKey]) throws(LinkspanError) {
    guard keys.count <= keyLimit else {
      throw .usage("there are \(keys.count) keys for provider tokens; expected \(keyLimit) at most")
    }
    for environment in PushEnvironment.allCases {
      var topics: [PushTopic: SenderKey] = [:]
      var identifiers: Set<String> = []
      for key in keys where key.isFor(environment) {
        guard identifiers.insert(key.identifier).inserted else {
          throw .usage(
            "the key \(key.identifier) is given twice for \(environment.rawValue); give it once, with all its topics"
          )
        }
        let own = Set(key.topics.flatMap(\.family)).sorted { $0.text < $1.text }
        for topic in own {
          if let other = topics.updateValue(key, forKey: topic) {
            throw .usage(
              "two keys are for \(topic.text) in \(environment.rawValue), \(other.identifier) and \(key.identifier);"
                + " APNs takes one key for a topic at a time")
          }
        }
      }
    }
  }

  /// Of the configuration's keys about sending, those in which two differ and that a reload does not apply.
  static func keysRequiringRestart(_ old: SenderSettings?, _ new: SenderSettings?) -> [(
    key: String, isSame: Bool
  )] {
    guard let old, let new else { return [("auth_key", (old == nil) == (new == nil))] }
    return [
      ("apns_connections", old.connections == new.connections),
      ("apns_retry_seconds", old.retrySeconds == new.retrySeconds),
      ("sender_lease_seconds", old.leaseSeconds == new.leaseSeconds),
    ]
  }
}

extension SenderKey {
  /// Reads `TOPIC[,TOPIC…][@ENVIRONMENT]=KEY_ID:TEAM_ID:FILE`.
  fileprivate init(flag text: String) throws(LinkspanError) {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = (sides.last ?? "").split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard sides.count == 2, parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
      throw .usage(
        "'--auth-key-for': expected TOPIC[,TOPIC…][@ENVIRONMENT]=KEY_ID:TEAM_ID:FILE, got '\(text)'")
    }
    self.init(file: String(parts[2]), identifier: String(parts[0]), team: String(parts[1]))
    let scope = sides[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    if scope.count == 2 {
      guard let environment = PushEnvironment(rawValue: String(scope[1])) else {
        throw .usage("'--auth-key-for': expected '@production' or '@sandbox', got '@\(scope[1])'")
      }
      self.environment = environment
    }
    for name in scope[0].split(separator: ",", omittingEmptySubsequences: false) {
      guard let topic = PushTopic(String(name)) else {
        throw .usage("'--auth-key-for': '\(name)' is not a bundle identifier")
      }
      topics.append(topic)
    }
  }
}
