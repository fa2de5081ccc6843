internal import DeviceRegistry
internal import LinkspanCore
package import PushProvider
package import PushTerms
internal import RegistryRequests

/// `/v1/channels`: broadcast channels of APNs, from their creation to their deletion. Each change is APNs' first, and then the
/// registry's; `/v1/channel-sync` finds what a server that died in between left.
extension RegistryAPI {
  /// Asks APNs about an app's channels in an environment.
  package typealias ChannelRoute =
    @Sendable (
      ChannelRequest, _ app: String, PushEnvironment,
      @escaping @Sendable (Result<ChannelAnswer, ChannelFailure>) -> Void
    ) -> Void

  /// Why APNs was not asked, or gave no answer.
  package struct ChannelFailure: Error, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
  }

  static func addChannelRoutes(to routes: inout Router<Route>) {
    let path = "/v1/channels"
    routes.add("POST", path, Route(access: .scope(.writeCampaigns)) { $0.postChannel($1, $2) })
    routes.add("GET", path, Route(access: .scope(.readCampaigns)) { $0.listChannels($1, $2) })
    routes.add("POST", "/v1/channel-sync", Route(access: .scope(.writeCampaigns)) { $0.syncChannels($1, $2) })
    routes.add("GET", path + "/{id}", Route(access: .scope(.readCampaigns)) { $0.getChannel($1, $2) })
    routes.add("DELETE", path + "/{id}", Route(access: .scope(.writeCampaigns)) { $0.deleteChannel($1, $2) })
    routes.add(
      "POST", path + "/{id}/broadcasts", Route(access: .scope(.writeCampaigns)) { $0.postBroadcast($1, $2) })
  }

  static var unknownChannel: HTTPResponse { Problem(404, "There is no such channel.").response }
  static var deletedChannel: HTTPResponse {
    Problem(409, "The channel was deleted, so no activity hears it.").response
  }

  // MARK: - Asking APNs

  /// Asks APNs, and answers what failed; a refusal of APNs' is handed on to the client with its reason.
  func askAPNs(
    _ request: ChannelRequest, _ app: String, _ environment: PushEnvironment, _ respond: @escaping Respond,
    _ done: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    guard let ask = options.channels else {
      return respond(Problem(503, "This server has no key for APNs, which channels are kept by.").response)
    }
    ask(request, app, environment) { result in
      switch result {
      case .failure(let failure):
        respond(Problem(503, failure.message, fields: ["Retry-After": "10"]).response)
      case .success(let answer): done(answer)
      }
    }
  }

  /// APNs' refusal, for the client: 409 where the request has to change, 502 where APNs fails or refuses the key.
  static func refusal(_ answer: ChannelAnswer) -> HTTPResponse {
    guard case .refused(let refusal) = answer else {
      return Problem(502, "APNs answers something else than was asked.").response
    }
    let isOurs = refusal.reason?.isAboutCredential == true || refusal.isForeign || refusal.status >= 500
    var fields = HTTPFields()
    if refusal.status == 429 || refusal.status >= 500 {
      fields["Retry-After"] = "\(refusal.retryAfter.map { $0.components.seconds } ?? 60)"
    }
    return Problem(
      refusal.status == 429 ? 429 : isOurs ? 502 : 409,
      "APNs refuses it: \(refusal.status) \(refusal.words). \(refusal.channelAdvice)", fields: fields
    ).response
  }

  func change(
    _ respond: @escaping Respond,
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> HTTPResponse
  ) {
    registry.change(body) { result in
      switch result {
      case .success(let response): respond(response)
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  /// Reads something that a path names, if the credential may see it.
  func find<Found: Sendable>(
    _ call: Call, _ unknown: HTTPResponse, _ respond: @escaping Respond,
    _ read: @escaping @Sendable (RegistryStore, Int64) throws(RegistryError) -> (Found, topic: String)?,
    _ done: @escaping @Sendable (Found) -> Void
  ) {
    guard Query(call, names: [], respond) != nil else { return }
    guard let identifier = Self.identifier(call) else { return respond(unknown) }
    registry.ask({ store throws(RegistryError) in try read(store, identifier) }) { result in
      switch result {
      case .success(let found?) where call.allows(topic: found.topic): done(found.0)
      case .success: respond(unknown)
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  func findChannel(
    _ call: Call, _ respond: @escaping Respond, _ done: @escaping @Sendable (StoredChannel) -> Void
  ) {
    find(
      call, Self.unknownChannel, respond,
      { store, identifier throws(RegistryError) -> (StoredChannel, topic: String)? in
        guard let channel = try store.channel(identifier) else { return nil }
        return (channel, topic: channel.topic)
      }, done)
  }

  // MARK: - Channels

  private func order(_ call: Call, isNew: Bool, _ respond: @escaping Respond) -> ChannelOrder? {
    guard let body = Self.body(call, respond) else { return nil }
    var reader = MessageReader()
    guard let order = reader.channel(body, isNew: isNew) else {
      respond(Self.refused(reader, "The channel has errors."))
      return nil
    }
    guard call.allows(topic: order.topic) else {
      respond(refused(topic: order.topic))
      return nil
    }
    return order
  }

  private func postChannel(_ call: Call, _ respond: @escaping Respond) {
    guard let order = order(call, isNew: true, respond) else { return }
    once(call, respond) { [self] once in
      askAPNs(.create(order.storage), order.topic, order.environment, once.refuse) { answer in
        guard case .created(let channel) = answer else { return once.refuse(Self.refusal(answer)) }
        once.change { store throws(RegistryError) in
          let made = try store.addChannel(
            channel, of: order.topic, order.environment, order.storage, name: order.name, actor: call.actor,
            at: call.time)
          try store.audit([
            AuditEntry(
              time: call.time, actor: call.actor, action: "channel.create", subject: "\(made.identifier)")
          ])
          return .json(201, made.json)
        }
      }
    }
  }

  private func getChannel(_ call: Call, _ respond: @escaping Respond) {
    findChannel(call, respond) { respond(.json(200, $0.json)) }
  }

  private func listChannels(_ call: Call, _ respond: @escaping Respond) {
    guard let query = Query(call, names: ["limit", "after"], respond), let length = query.length(respond),
      let before = query.before(respond)
    else { return }
    registry.ask({ store throws(RegistryError) in
      try store.channels(topics: call.topics, before: before, limit: length + 1)
    }) { result in
      switch result {
      case .success(let channels):
        let page = channels.prefix(length)
        let next = channels.count > page.count ? page.last.map { "\($0.identifier)" } : nil
        respond(.json(200, .object([("channels", .array(page.map(\.json))), ("next", JSON(next))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  private func deleteChannel(_ call: Call, _ respond: @escaping Respond) {
    once(call, respond) { [self] once in
      findChannel(call, once.refuse) { [self] channel in
        guard channel.endedAt == nil else { return once.refuse(.json(200, channel.json)) }
        askAPNs(.delete(channel.channel), channel.topic, channel.environment, once.refuse) { answer in
          guard answer == .deleted || answer.isGone else { return once.refuse(Self.refusal(answer)) }
          once.change { store throws(RegistryError) in
            try store.endChannel(channel.identifier, at: call.time)
            try store.audit([
              AuditEntry(
                time: call.time, actor: call.actor, action: "channel.delete", subject: "\(channel.identifier)"
              )
            ])
            return try store.channel(channel.identifier).map { .json(200, $0.json) } ?? Self.unknownChannel
          }
        }
      }
    }
  }

  // MARK: - Broadcasts

  private func postBroadcast(_ call: Call, _ respond: @escaping Respond) {
    guard let body = Self.body(call, respond) else { return }
    once(call, respond) { [self] once in
      findChannel(call, once.refuse) { [self] channel in
        broadcast(body, call.request.body, on: channel, call, once) { _, identifier, warnings in
          .json(
            200,
            .object([("outcome", .string("accepted")), ("request_id", JSON(identifier)), warnings]))
        }
      }
    }
  }

  /// Sends a broadcast, and answers when APNs has: it is one request, and nothing waits in the registry.
  ///
  /// - Parameters:
  ///   - body: Of a broadcast; ``bytes`` is its text.
  ///   - isActivity: Whether the client asked for an update of a Live Activity.
  ///   - message: The message whose redaction takes the answer's words away, too.
  ///   - done: The answer, given `apns-request-id` and the member with warnings; it may change the store.
  func broadcast(
    _ body: JSONNode, _ bytes: [UInt8], on channel: StoredChannel, _ call: Call, _ once: Once,
    ofActivity isActivity: Bool = false, about message: Int64? = nil,
    _ done: @escaping @Sendable (RegistryStore, String?, (String, JSON)) throws(RegistryError) -> HTTPResponse
  ) {
    guard channel.endedAt == nil else {
      return once.refuse(Self.deletedChannel)
    }
    var reader = MessageReader(ofActivity: isActivity)
    guard let broadcast = reader.broadcast(body, bytes, to: channel.channel) else {
      return once.refuse(Self.refused(reader, "The \(isActivity ? "update" : "broadcast") has errors."))
    }
    let warnings = Self.warnings(reader, Int64(broadcast.expiration), at: call.time)
    askAPNs(.publish(broadcast), channel.topic, channel.environment, once.refuse) { [self] answer in
      guard case .published(let identifier) = answer else {
        if case .refused(let refusal) = answer, refusal.reason == .channelNotRegistered {
          registry.change({ store throws(RegistryError) in
            try store.endChannel(channel.identifier, at: call.time)
          }) { _ in once.refuse(Self.refusal(answer)) }
          return
        }
        return once.refuse(Self.refusal(answer))
      }
      once.change(about: message) { store throws(RegistryError) in
        try store.noteBroadcast(on: channel.identifier, at: call.time)
        try store.audit([
          AuditEntry(
            time: call.time, actor: call.actor, action: "channel.broadcast", subject: "\(channel.identifier)")
        ])
        return try done(store, identifier, ("warnings", Self.json(warnings)))
      }
    }
  }

  // MARK: - What APNs has

  /// Takes over channels that APNs has and the registry does not, and marks those that are gone.
  private func syncChannels(_ call: Call, _ respond: @escaping Respond) {
    guard let order = order(call, isNew: false, respond) else { return }
    // The registry first: what is made at APNs and stored in between would else count as gone.
    registry.ask({ store throws(RegistryError) in
      try store.channels(
        topics: nil, topic: order.topic, environment: order.environment, limit: .max)
    }) { [self] result in
      switch result {
      case .success(let stored):
        askAPNs(.list, order.topic, order.environment, respond) { [self] answer in
          guard case .channels(let channels) = answer else { return respond(Self.refusal(answer)) }
          let known = Set(stored.map(\.channel))
          let there = Set(channels)
          let gone = stored.filter { $0.endedAt == nil && !there.contains($0.channel) }
          adopt(
            channels.filter { !known.contains($0) }[...], [], gone.map(\.identifier), order, call, respond)
        }
      case .failure(let error): fail(error, respond)
      }
    }
  }

  /// Asks what APNs stores of each new channel, one after the other, and then stores all.
  private func adopt(
    _ new: ArraySlice<String>, _ found: [(String, ChannelRequest.Storage)], _ gone: [Int64],
    _ order: ChannelOrder,
    _ call: Call, _ respond: @escaping Respond
  ) {
    guard let channel = new.first else {
      return change(respond) { store throws(RegistryError) in
        for (channel, storage) in found {
          _ = try store.addChannel(
            channel, of: order.topic, order.environment, storage, name: nil, actor: call.actor, at: call.time)
        }
        for identifier in gone { try store.endChannel(identifier, at: call.time) }
        try store.audit([
          AuditEntry(
            time: call.time, actor: call.actor, action: "channel.sync", subject: order.topic,
            affected: found.count + gone.count)
        ])
        return .json(200, .object([("added", .int(found.count)), ("gone", .int(gone.count))]))
      }
    }
    askAPNs(.read(channel), order.topic, order.environment, respond) { [self] answer in
      switch answer {
      case .storage(let storage):
        adopt(new.dropFirst(), found + [(channel, storage)], gone, order, call, respond)
      case _ where answer.isGone: adopt(new.dropFirst(), found, gone, order, call, respond)
      default: respond(Self.refusal(answer))
      }
    }
  }
}
