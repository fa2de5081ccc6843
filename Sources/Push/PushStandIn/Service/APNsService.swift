package import LinkspanCore
internal import PushProvider
internal import PushTerms

/// APNs as a function: a request, a connection and a moment in, an answer out (push notes, 1 to 4 and 6).
///
/// It reads requests by its own reading of Apple's documentation. What it refuses for the headers and the size alone is
/// decided by `PushHeaders.refusals`, which the lint asks as well, so that the lint tells of it before. All chance comes from
/// its seed: the same requests in the same order get the same answers.
package struct APNsService: Sendable {
  let configuration: APNsConfiguration
  package let start: WallTime
  var tokens: DeviceTokens
  var providerTokens: ProviderTokens
  var channels: BroadcastChannels
  private var rules: RuleBook
  private var rate = TokenRate()
  var generator: SeededGenerator
  /// Of ``APNsConfiguration/topics``.
  let topics: Set<String>
  /// Whether it drains: every connection is told to go at its next request.
  package var isDraining = false

  /// - Parameter start: Since when tokens that it was not told of count as unregistered, where it says so of them.
  package init(_ configuration: APNsConfiguration, start: WallTime) {
    self.configuration = configuration
    self.start = start
    tokens = configuration.tokens
    providerTokens = ProviderTokens(configuration.keys)
    rules = RuleBook(configuration.rules)
    channels = BroadcastChannels(seed: configuration.channelSeed)
    generator = SeededGenerator(seed: configuration.seed)
    topics = Set(configuration.topics)
  }

  /// Puts other rules in the place of its own, which begin to count anew.
  package mutating func replaceRules(_ rules: [APNsRule]) { self.rules = RuleBook(rules) }

  /// Tells of a device token, as an app does that registers or is removed.
  package mutating func set(_ entry: DeviceTokens.Entry, for token: String) {
    tokens.set(entry, for: ASCII.lowercased(token))
  }

  /// Tells of all tokens of a list; what it says of others is left alone. What the list has no time for happens now.
  package mutating func take(_ list: DeviceTokens, at now: WallTime) {
    for (token, entry) in list.all {
      var entry = entry
      entry.state = entry.state.known(since: now)
      tokens.set(entry, for: token)
    }
  }

  /// Answers one request.
  package mutating func reply(
    to request: HTTPRequest, over connection: inout APNsConnection, at now: WallTime
  ) -> APNsReply {
    let shared = connection.head(of: request.fields)
    var facts = RequestFacts(request, shared, over: connection.number, at: now)
    facts.isByCertificate = connection.certificate != nil
    if isDraining { return drained(facts, &connection, at: now) }
    if RequestPlace.begins(request.target, with: "/1/apps/") {
      return manage(request, shared.head, &facts, &connection, at: now)
    }
    let refusal = refusal(of: request, shared.head, &facts, &connection, at: now)
    var reply = finish(refusal, consume facts, &connection, at: now)
    if RequestPlace.isBroadcast(request.target) {
      reply.response.fields["apns-request-id"] = reply.facts.messageIdentifier
    }
    return reply
  }

  // MARK: - Pushes

  /// Checks in the order of the push notes, 4.1.
  private mutating func refusal(
    of request: HTTPRequest, _ head: RequestHead, _ facts: inout RequestFacts,
    _ connection: inout APNsConnection, at now: WallTime
  ) -> APNsRefusal? {
    // A broadcast may have either (push notes, 6).
    let isBroadcast = RequestPlace.isBroadcast(request.target)
    let named = isBroadcast ? head.requestIdentifier ?? head.messageIdentifier : head.messageIdentifier
    facts.messageIdentifier = named.flatMap { ASCII.isUUID($0) ? $0 : nil }
    guard request.method == "POST" else { return APNsRefusal(.methodNotAllowed) }
    let place: RequestPlace
    switch RequestPlace.read(request.target) {
    case .failure(let refusal): return refusal
    case .success(let found): place = found
    }
    if case .device(let token) = place { facts.token = ASCII.lowercased(token) }
    guard !head.hasDuplicates else { return APNsRefusal(.duplicateHeaders) }
    if let refusal = authenticate(head, &connection, at: now) { return refusal }
    guard named == nil || facts.messageIdentifier != nil else {
      return APNsRefusal(.badMessageId)
    }
    switch place {
    case .device:
      let judged = connection.judged ?? judge(head, connection)
      connection.judged = judged
      facts.topic = judged.topic
      return judged.refusal ?? deviceRefusal(request, facts, judged, at: now)
    case .broadcast(let app):
      return broadcastRefusal(request, head, app, &facts, connection, at: now)
    }
  }

  /// What the header fields say of a push to a device, which is the same for thousands of them.
  private func judge(_ head: RequestHead, _ connection: APNsConnection) -> APNsConnection.JudgedHead {
    var headers = head.headers
    headers.topic = headers.topic ?? connection.certificate.flatMap(defaultTopic).map { .init($0) }
    let refusal = headers.refusals(isStrict: configuration.profile == .strict).first
    let topic = headers.topic?.text
    return .init(
      refusal: refusal.map(APNsRefusal.init) ?? topic.flatMap { topicRefusal($0, connection) }, topic: topic,
      headers: headers)
  }

  /// Whether whoever asks may push to a topic.
  private func topicRefusal(_ topic: String, _ connection: APNsConnection) -> APNsRefusal? {
    let bundle = PushTopic.parts(of: topic).bundle
    guard topics.isEmpty || topics.contains(bundle) || topics.contains(topic) else {
      return APNsRefusal(.topicDisallowed)
    }
    if let certificate = connection.certificate {
      let isCovered = certificate.topics.isEmpty || certificate.topics.contains(topic)
      return isCovered ? nil : APNsRefusal(.topicDisallowed)
    }
    let keyTopics = connection.token?.token.key.topics
    return keyTopics?.contains(bundle) ?? true ? nil : APNsRefusal(.topicDisallowed)
  }

  /// The topic that a certificate stands for; the stand-in's only one, where the certificate names none at all.
  private func defaultTopic(_ certificate: ProviderCertificate) -> String? {
    if certificate.topics.isEmpty { return configuration.topics.count == 1 ? configuration.topics[0] : nil }
    return certificate.defaultTopic
  }

  private mutating func deviceRefusal(
    _ request: HTTPRequest, _ facts: RequestFacts, _ judged: APNsConnection.JudgedHead, at now: WallTime
  ) -> APNsRefusal? {
    if let refusal = judged.headers.payloadRefusal(bytes: request.body.count) { return APNsRefusal(refusal) }
    let topic = judged.topic ?? ""
    let known = facts.token ?? ""
    guard DeviceTokens.isToken(known) else { return APNsRefusal(.badDeviceToken) }
    let refusal = tokens.refusal(
      of: known, topic: topic, in: configuration.environment, at: now, lag: lag(of: known), start: start)
    if let refusal { return refusal }
    if let limit = configuration.limits.pushesPerTokenPerSecond,
      !rate.allows(known, limit: limit, at: now)
    {
      return APNsRefusal(.tooManyRequests)
    }
    return nil
  }

  /// How long a token outlives its app: drawn from the token itself, so that it does not depend on what came before.
  private func lag(of token: String) -> Duration {
    if let lag = configuration.limits.unregisterLag { return lag }
    guard configuration.profile == .field, !tokens.isEmpty else { return .zero }
    var generator = SeededGenerator(seed: configuration.seed).fork(token)
    return .seconds(generator.draw(3_600...28_800))
  }

  // MARK: - The answer

  /// Applies the rules to what would be accepted, and counts what was refused.
  mutating func finish(
    _ refusal: APNsRefusal?, _ facts: consuming RequestFacts, _ connection: inout APNsConnection,
    at now: WallTime, success: HTTPResponse = HTTPResponse(status: 200)
  ) -> APNsReply {
    let effect =
      refusal == nil && !rules.isEmpty ? rules.effect(on: facts, using: &generator) : APNsRule.Effect()
    let refusal = refusal ?? effect.answer
    let response = response(refusal, &facts, success, at: now)
    facts.status = response.status
    facts.reason = refusal?.reason
    var reply = APNsReply(response, consume facts)
    if let refusal { note(refusal, &reply, &connection) } else { noteAcceptance(&reply, &connection) }
    if let range = effect.latencyMilliseconds { reply.delay = .milliseconds(generator.draw(range)) }
    if let streams = effect.concurrentStreams {
      connection.concurrentStreams = streams
      connection.followsRules = true
      reply.concurrentStreams = streams
    }
    if let goAway = effect.goAway {
      reply.goAway = goAway
      connection.isLeaving = true
    }
    if let ending = effect.ending {
      reply.ending = ending
      reply.facts.ending = ending
      // Not acted upon.
      switch ending {
      case .reset, .requestLost, .silence:
        reply.facts.status = nil
        reply.facts.reason = nil
      case .answered, .answerLost: break
      }
    }
    return reply
  }

  private mutating func response(
    _ refusal: APNsRefusal?, _ facts: inout RequestFacts, _ success: HTTPResponse, at now: WallTime
  ) -> HTTPResponse {
    let identifier = facts.messageIdentifier ?? MessageIdentifier.draw(using: &generator)
    facts.messageIdentifier = identifier
    guard let refusal else {
      var response = success
      response.fields.append("apns-id", identifier)
      // The key to the delivery log, which production does not give (push notes, 2).
      if configuration.environment == .sandbox, facts.token != nil {
        let unique = MessageIdentifier.draw(using: &generator)
        facts.uniqueIdentifier = unique
        response.fields.append("apns-unique-id", unique)
      }
      return response
    }
    var response = HTTPResponse(status: refusal.status, body: refusal.body(at: now))
    response.fields.append("apns-id", identifier)
    if !response.body.isEmpty { response.fields.append("content-type", "application/json") }
    if let seconds = refusal.retryAfterSeconds { response.fields.append("retry-after", "\(seconds)") }
    return response
  }

  private func noteAcceptance(_ reply: inout APNsReply, _ connection: inout APNsConnection) {
    let streams = configuration.limits.streams
    guard connection.concurrentStreams < streams, !connection.isLeaving, !connection.followsRules else {
      return
    }
    connection.concurrentStreams = streams
    reply.concurrentStreams = streams
  }

  private func note(
    _ refusal: APNsRefusal, _ reply: inout APNsReply, _ connection: inout APNsConnection
  ) {
    // 410 does not count as an error (push notes, 1.12); neither do the server's own failures.
    guard (400..<500).contains(refusal.status), refusal.status != 410, !connection.isLeaving else { return }
    if configuration.profile == .field, connection.concurrentStreams > 1, !connection.followsRules {
      connection.concurrentStreams = 1
      reply.concurrentStreams = 1
    }
    let weight = refusal.reason == .badDeviceToken ? configuration.limits.badDeviceTokenWeight : 1
    connection.errorCount += weight
    guard connection.errorCount >= configuration.limits.errors else { return }
    connection.isLeaving = true
    reply.goAway = .init(reason: refusal.reason?.rawValue)
  }

  private mutating func drained(
    _ facts: RequestFacts, _ connection: inout APNsConnection, at now: WallTime
  ) -> APNsReply {
    var facts = facts
    if case .success(.device(let token)) = RequestPlace.read(facts.target) {
      facts.token = ASCII.lowercased(token)
    }
    let refusal = APNsRefusal(.shutdown)
    let response = response(refusal, &facts, HTTPResponse(status: 200), at: now)
    facts.status = response.status
    facts.reason = refusal.reason
    var reply = APNsReply(response, facts)
    if !connection.isLeaving {
      connection.isLeaving = true
      reply.goAway = .init(reason: APNsReason.shutdown.rawValue)
    }
    return reply
  }
}
