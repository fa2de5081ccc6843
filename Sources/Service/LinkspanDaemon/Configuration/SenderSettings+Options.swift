internal import LinkspanCore

extension SenderSettings {
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
    guard let given = parts.first(where: { $0.1 != nil }) else {
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
      throw .usage("'\(given.0)' needs '--registry', where notifications and campaigns are kept")
    }
    guard let authKey = parts[0].1, let identifier = parts[1].1, let team = parts[2].1 else {
      let missing = parts.filter { $0.1 == nil }.map { "'\($0.0)'" }.joined(separator: " and ")
      throw .usage("sending needs \(missing), too")
    }
    if authorities != nil, server == nil { throw .usage("'--apns-ca' needs '--apns'") }
    self.init(
      authKey: authKey, keyIdentifier: identifier, team: team, server: server, authorities: authorities)
    leaseSeconds = options.senderLeaseSeconds ?? section.senderLeaseSeconds ?? leaseSeconds
    retrySeconds = options.apnsRetrySeconds ?? section.apnsRetrySeconds ?? retrySeconds
    connections = options.apnsConnections ?? section.apnsConnections ?? connections
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
