internal import LinkspanCore
internal import PushProvider

/// Broadcast channels: their management, and publishing to them (push notes, 6).
extension APNsService {
  // MARK: - Publishing

  func broadcastRefusal(
    _ request: HTTPRequest, _ head: RequestHead, _ app: Substring, _ facts: inout RequestFacts,
    _ connection: APNsConnection, at now: WallTime
  ) -> APNsRefusal? {
    facts.topic = String(app)
    guard let type = head.type else { return APNsRefusal(.missingPushType) }
    guard type == PushType.liveactivity.rawValue else { return APNsRefusal(.invalidPushType) }
    let headers = head.headers
    if let refusal = headers.priorityRefusal ?? headers.expirationRefusal { return APNsRefusal(refusal) }
    if let refusal = appRefusal(app, connection) { return refusal }
    switch channel(head, of: String(app)) {
    case .failure(let refusal): return refusal
    case .success(let channel):
      // Nothing is stored for it, so there is nothing that could expire.
      if channel.storagePolicy == 0, let expiration = head.expiration.flatMap({ Int64($0) }), expiration != 0
      {
        return APNsRefusal(.badExpirationDate)
      }
    }
    guard !request.body.isEmpty else { return APNsRefusal(.payloadEmpty) }
    return request.body.count <= 5_120 ? nil : APNsRefusal(.payloadTooLarge)
  }

  /// Whether channels of an app may be used by whoever asks.
  private func appRefusal(_ app: Substring, _ connection: APNsConnection) -> APNsRefusal? {
    guard PushTopic.parts(of: String(app)).implied == nil else { return APNsRefusal(.topicDisallowed) }
    guard topics.isEmpty || topics.contains(String(app)) else { return APNsRefusal(.topicMismatch) }
    if let own = connection.token?.token.key.topics, !own.contains(String(app)) {
      return APNsRefusal(.topicMismatch)
    }
    if let own = connection.certificate?.topics, !own.isEmpty, !own.contains(String(app)) {
      return APNsRefusal(.topicMismatch)
    }
    return configuration.hasBroadcast ? nil : APNsRefusal(.featureNotEnabled)
  }

  private func channel(
    _ head: RequestHead, of app: String
  ) -> Result<BroadcastChannels.Channel, APNsRefusal> {
    guard let identifier = head.channelIdentifier, !identifier.isEmpty else {
      return .failure(APNsRefusal(.missingChannelId))
    }
    guard Base64.bytes(of: identifier.utf8) != nil else { return .failure(APNsRefusal(.badChannelId)) }
    guard let channel = channels.channel(identifier, of: app) else {
      return .failure(APNsRefusal(.channelNotRegistered))
    }
    return .success(channel)
  }

  // MARK: - Management

  mutating func manage(
    _ request: HTTPRequest, _ head: RequestHead, _ facts: inout RequestFacts,
    _ connection: inout APNsConnection, at now: WallTime
  ) -> APNsReply {
    facts.messageIdentifier = head.requestIdentifier.flatMap { ASCII.isUUID($0) ? $0 : nil }
    facts.isManagement = true
    var reply: APNsReply
    switch managed(request, head, &facts, &connection, at: now) {
    case .success(let response):
      reply = finish(nil, facts, &connection, at: now, success: response)
    case .failure(let refusal):
      reply = finish(refusal, facts, &connection, at: now)
    }
    // The same identifier under its own name.
    let identifier = reply.facts.messageIdentifier
    reply.response.fields["apns-id"] = nil
    reply.response.fields["apns-request-id"] = identifier
    return reply
  }

  private mutating func managed(
    _ request: HTTPRequest, _ head: RequestHead, _ facts: inout RequestFacts,
    _ connection: inout APNsConnection, at now: WallTime
  ) -> Result<HTTPResponse, APNsRefusal> {
    let parts = request.target.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, !parts[3].isEmpty, ["channels", "all-channels"].contains(parts[4]) else {
      return .failure(APNsRefusal(.badPath))
    }
    let app = String(parts[3])
    facts.topic = app
    let methods = parts[4] == "channels" ? ["POST", "GET", "DELETE"] : ["GET"]
    guard methods.contains(request.method) else { return .failure(APNsRefusal(.methodNotAllowed)) }
    guard !head.hasDuplicates else { return .failure(APNsRefusal(.duplicateHeaders)) }
    if let refusal = authenticate(head, &connection, at: now) { return .failure(refusal) }
    guard head.requestIdentifier == nil || facts.messageIdentifier != nil else {
      return .failure(APNsRefusal(.badMessageId))
    }
    if let refusal = appRefusal(parts[3], connection) { return .failure(refusal) }
    switch (request.method, parts[4]) {
    case ("GET", "all-channels"):
      let all = channels.identifiers(of: app).map(JSON.string)
      return .success(Self.json(.object([("channels", .array(all))])))
    case ("POST", _): return created(request.body, for: app, &facts)
    case ("GET", _):
      return channel(head, of: app).map { channel in
        Self.json(
          .object([
            ("message-storage-policy", .int(channel.storagePolicy)), ("push-type", .string("LiveActivity")),
          ]))
      }
    default: return removed(head, of: app)
    }
  }

  private mutating func removed(
    _ head: RequestHead, of app: String
  ) -> Result<HTTPResponse, APNsRefusal> {
    switch channel(head, of: app) {
    case .success(let channel):
      _ = channels.remove(channel.identifier, of: app)
      return .success(HTTPResponse(status: 204))
    case .failure(let refusal):
      // Observed: a channel that is gone answers 404 (push notes, 6).
      let isGone = refusal.reason == .channelNotRegistered && configuration.profile == .field
      return .failure(isGone ? APNsRefusal(.badPath) : refusal)
    }
  }

  private mutating func created(
    _ body: [UInt8], for app: String, _ facts: inout RequestFacts
  ) -> Result<HTTPResponse, APNsRefusal> {
    let document = JSONParser.parse(body)
    guard document.isWellFormed, let root = document.root, let members = root.object else {
      return .failure(APNsRefusal(.badRequestPayload))
    }
    let isKnown = members.allSatisfy { ["message-storage-policy", "push-type"].contains($0.name) }
    guard isKnown, let policy = root["message-storage-policy"]?.int, (0...1).contains(policy) else {
      return .failure(APNsRefusal(.badRequestParams))
    }
    guard let type = root["push-type"] else { return .failure(APNsRefusal(.missingPushType)) }
    guard type.string.map(ASCII.lowercased) == "liveactivity" else {
      return .failure(APNsRefusal(.invalidPushType))
    }
    guard
      let identifier = channels.create(
        for: app, storagePolicy: policy, limit: configuration.limits.channels, using: &generator)
    else { return .failure(APNsRefusal(.cannotCreateChannelConfig)) }
    facts.channelIdentifier = identifier
    return .success(HTTPResponse(status: 201, fields: ["apns-channel-id": identifier]))
  }

  private static func json(_ value: JSON) -> HTTPResponse {
    HTTPResponse(status: 200, fields: ["content-type": "application/json"], body: value.bytes)
  }
}
