package import DeviceRegistry
package import LinkspanCore
internal import PushTerms
package import RegistryRequests

/// What a person does at the console: the same routes, in that person's name.
extension RegistryAPI {
  /// Answers a request as `/v1` would with a credential that allows everything.
  ///
  /// The caller has made sure who asks.
  ///
  /// - Parameter actor: For the audit log.
  package func answer(
    _ request: HTTPRequest, as actor: String, _ completion: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    switch outcome(for: request) {
    case .found(let route, let parameters):
      let time = currentTime
      let token = AccessToken(
        identifier: actor, secretHash: "", scopes: Set(AccessScope.allCases), topics: [], createdAt: time)
      let call = Call(request: request, parameters: parameters, address: nil, token: token, time: time)
      route.answer(self, call, completion)
    case let other: completion(other.refusal ?? .text(404, "not found"))
    }
  }

  /// Answers a request as ``answer(_:as:_:)`` does, and waits for it.
  ///
  /// - Returns: nil where the registry takes no more work.
  package func answerAndWait(_ request: HTTPRequest, as actor: String) -> HTTPResponse? {
    registry.waiting { done in answer(request, as: actor, done) }
  }

  /// The names of credentials that have one, by identifier, whether or not they are revoked; waits for the store.
  package func credentialNames() throws(RegistryError) -> [String: String] {
    let tokens = try registry.askAndWait { store throws(RegistryError) in try store.accessTokens() }
    let named = tokens.compactMap { token in token.name.map { (token.identifier, $0) } }
    return Dictionary(named) { first, _ in first }
  }

  /// The last lines of the audit log, the newest first; waits for the store.
  package func auditLog(
    limit: Int, search: String? = nil, hasRejections: Bool = true
  ) throws(RegistryError) -> [AuditEntry] {
    try registry.askAndWait { store throws(RegistryError) in
      try store.auditLog(limit: limit, search: search, hasRejections: hasRejections)
    }
  }
}

extension RegistryAPI {
  /// What a message says, and who made it: for people at the console, who may send any.
  ///
  /// - Returns: nil where there is no such message; no payload where its only recipient was erased.
  package func origin(of message: Int64) throws(RegistryError) -> (payload: String?, author: String)? {
    try registry.askAndWait { store throws(RegistryError) in
      guard let found = try store.message(message), let author = try store.author(of: message) else {
        return nil
      }
      return (found.isRedacted ? nil : found.content.payload, author)
    }
  }

  /// The number by which the audit log names a device, as ``answer(_:as:_:)`` described it; nil where there is none.
  package func deviceNumber(_ device: JSONNode) throws(RegistryError) -> Int64? {
    var filter = DeviceFilter()
    filter.token = device["token"]?.string
    filter.topic = device["topic"]?.string
    filter.environment = device["environment"]?.string.flatMap { PushEnvironment(rawValue: $0) }
    guard filter.token != nil, filter.topic != nil, filter.environment != nil else { return nil }
    return try registry.askAndWait { [filter] store throws(RegistryError) in
      try store.devices(filter, limit: 1).first?.identifier
    }
  }

  /// Minutes that ``counts(ofMinutes:campaign:)`` knows.
  package static let keptMinutes = RegistryStore.minuteDays * 1_440

  /// What came of pushes, by minute since 1970; waits for the store.
  package func counts(
    ofMinutes minutes: Range<Int64>, campaign: Int64? = nil
  ) throws(RegistryError) -> [MinuteCount] {
    try registry.askAndWait { store throws(RegistryError) in
      try store.counts(ofMinutes: minutes, campaign: campaign)
    }
  }

  /// Ours: a push that is due for longer is late.
  private static let latenessThreshold = Duration.seconds(300)

  /// For how long the oldest push has been due, where that is too long; waits for the store.
  package func lateness(at now: WallTime) throws(RegistryError) -> Duration? {
    let oldest = try registry.askAndWait { store throws(RegistryError) in
      try store.oldestUnfinishedDue(at: now)
    }
    guard let oldest else { return nil }
    let late = Duration.milliseconds(now.milliseconds - oldest.milliseconds)
    return late > Self.latenessThreshold ? late : nil
  }
}
