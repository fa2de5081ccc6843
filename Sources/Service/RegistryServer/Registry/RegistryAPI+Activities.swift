internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import RegistryRequests

/// `/v1/activities`: Live Activities from their start to their end. What devices are sent is a notification, a campaign or a
/// broadcast; this keeps them together.
extension RegistryAPI {
  static func addActivityRoutes(to routes: inout Router<Route>) {
    let path = "/v1/activities"
    routes.add(
      "POST", path,
      Route(access: .scope(.writeCampaigns), bodyLimitBytes: messageBodyLimitBytes) {
        $0.postActivity($1, $2)
      })
    routes.add("GET", path, Route(access: .scope(.readCampaigns)) { $0.listActivities($1, $2) })
    routes.add("GET", path + "/{id}", Route(access: .scope(.readCampaigns)) { $0.getActivity($1, $2) })
    routes.add(
      "POST", path + "/{id}/update", Route(access: .scope(.writeCampaigns)) { $0.update(.update, $1, $2) })
    routes.add("POST", path + "/{id}/end", Route(access: .scope(.writeCampaigns)) { $0.update(.end, $1, $2) })
  }

  private static var unknownActivity: HTTPResponse { Problem(404, "There is no such activity.").response }

  // MARK: - Start

  private func postActivity(_ call: Call, _ respond: @escaping Respond) {
    guard let body = Self.body(call, respond) else { return }
    once(call, respond) { [self] once in
      guard let number = body["channel"]?.string.flatMap({ Int64($0) }) else {
        return start(body, nil, call, once)
      }
      registry.ask({ store throws(RegistryError) in try store.channel(number) }) { [self] result in
        switch result {
        case .success(let channel):
          // Of a channel that the credential may not see nothing is said, not even that it is there.
          let channel = channel.flatMap { call.allows(topic: $0.topic) ? $0 : nil }
          if channel?.endedAt != nil { return once.refuse(Self.deletedChannel) }
          start(body, channel, call, once)
        case .failure(let error): fail(error, once.refuse)
        }
      }
    }
  }

  private func start(
    _ body: JSONNode, _ channel: StoredChannel?, _ call: Call, _ once: Once
  ) {
    let respond: Respond = once.refuse
    var reader = MessageReader(ofActivity: true)
    let read = reader.activity(body, at: call.time) { number in
      number == channel?.identifier ? channel?.channel : nil
    }
    guard let (order, text) = read else {
      return respond(Self.refused(reader, "The Live Activity has errors."))
    }
    guard call.allows(topic: order.topic) else { return respond(refused(topic: order.topic)) }
    if let channel, channel.topic != order.topic || channel.environment != order.environment {
      return respond(Problem(409, "The channel is another app's or environment's.").response)
    }
    guard order.isPushed else {
      return store(order, startedBy: nil, call, once, [("warnings", Self.json(reader.warnings))])
    }
    if let topic = refusedPushTopic(of: order.topic, call) { return respond(refused(topic: topic)) }
    let finish: Respond = { [self] response in
      let answer = JSONParser.parse(response.body).root
      guard (200..<300).contains(response.status), let message = answer?["id"]?.string.flatMap({ Int64($0) })
      else { return respond(response) }
      store(order, startedBy: message, call, once, Self.warnings(in: answer))
    }
    guard let node = JSONParser.parse(text).root else { preconditionFailure("what was written is read") }
    reader = MessageReader(ofActivity: true)
    if node["query"] != nil || node["audience"] != nil {
      guard let request = reader.campaign(node, text) else {
        return respond(Self.refused(reader, "The Live Activity has errors."))
      }
      start(request, reader.warnings, call, once.inner, finish)
    } else {
      guard call.allows(.writeNotifications) else { return respond(missing(.writeNotifications)) }
      guard let request = reader.notification(node, text) else {
        return respond(Self.refused(reader, "The Live Activity has errors."))
      }
      send(
        request, Self.warnings(reader, request.content.expiration, at: call.time), call, once.inner, finish)
    }
  }

  /// What the message that carries a Live Activity warns of, for the activity's own answer.
  private static func warnings(in answer: JSONNode?) -> [(String, JSON)] {
    [("warnings", answer?["warnings"]?.json ?? .array([]))]
  }

  /// The topic that an app's Live Activities have, if the credential may not push to it.
  private func refusedPushTopic(of bundle: String, _ call: Call) -> String? {
    let topic = PushTopic(bundle)?.expected(for: .liveactivity) ?? bundle
    return call.allows(topic: topic) ? nil : topic
  }

  private func store(
    _ order: ActivityOrder, startedBy message: Int64?, _ call: Call, _ once: Once,
    _ more: [(String, JSON)]
  ) {
    once.change(about: message) { store throws(RegistryError) in
      let activity = try store.addActivity(
        of: order.topic, order.environment, name: order.name, channel: order.channel, startedBy: message,
        actor: call.actor, at: call.time)
      try store.audit([
        AuditEntry(
          time: call.time, actor: call.actor, action: "activity.start", subject: "\(activity.identifier)")
      ])
      return .json(201, .object(activity.members + more))
    }
  }

  // MARK: - Reading

  private func findActivity(
    _ call: Call, _ respond: @escaping Respond,
    _ done: @escaping @Sendable (StoredActivity, StoredChannel?) -> Void
  ) {
    find(
      call, Self.unknownActivity, respond,
      { store, identifier throws(RegistryError) -> ((StoredActivity, StoredChannel?), topic: String)? in
        guard let activity = try store.activity(identifier) else { return nil }
        let channel = try activity.channel.flatMap { number throws(RegistryError) in try store.channel(number)
        }
        return ((activity, channel), activity.topic)
      }, { found in done(found.0, found.1) })
  }

  private func getActivity(_ call: Call, _ respond: @escaping Respond) {
    findActivity(call, respond) { activity, _ in respond(.json(200, .object(activity.members))) }
  }

  private func listActivities(_ call: Call, _ respond: @escaping Respond) {
    guard let query = Query(call, names: ["limit", "after"], respond), let length = query.length(respond),
      let before = query.before(respond)
    else { return }
    registry.ask({ store throws(RegistryError) in
      try store.activities(topics: call.topics, before: before, limit: length + 1)
    }) { result in
      switch result {
      case .success(let activities):
        let page = activities.prefix(length)
        let next = activities.count > page.count ? page.last.map { "\($0.identifier)" } : nil
        respond(
          .json(
            200, .object([("activities", .array(page.map { .object($0.members) })), ("next", JSON(next))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  // MARK: - Update and end

  private func update(_ event: Aps.ActivityEvent, _ call: Call, _ respond: @escaping Respond) {
    guard let body = Self.body(call, respond) else { return }
    once(call, respond) { [self] once in
      findActivity(call, once.refuse) { [self] activity, channel in
        if channel?.endedAt != nil { return once.refuse(Self.deletedChannel) }
        guard activity.endedAt == nil else { return once.refuse(Self.endedActivity) }
        if let timestamp = body["timestamp"]?.wholeNumber {
          let last = activity.updatedAt.milliseconds / 1_000
          guard timestamp > last else { return once.refuse(Self.olderState(timestamp, than: last)) }
          return update(activity, channel, event, body, timestamp, call, once)
        }
        // A body that is refused reserves none.
        let second = call.time.milliseconds / 1_000
        guard text(activity, channel, event, body, second, once) != nil else { return }
        reserve(activity, call, once) { [self] in
          update(activity, channel, event, body, $0, call, once)
        }
      }
    }
  }

  /// Devices pass over a state that is not newer than the one they show (push notes, 5.1).
  private static func olderState(_ timestamp: Int64, than last: Int64) -> HTTPResponse {
    let problem = InputProblem(
      "/timestamp",
      "\(timestamp) is not after the last state, of \(last), so every device would ignore it."
        + " Write Unix seconds, not seconds since 2001, or leave 'timestamp' out.")
    return Problem(409, "The update comes too late.", errors: [problem]).response
  }

  private static var endedActivity: HTTPResponse {
    Problem(409, "The activity has ended, so it stays as it is.").response
  }

  /// The request has no query that could be wrong: its devices are those with the activity's tag.
  private static func noListener(_ activity: StoredActivity) -> JSON {
    .object([
      ("pointer", .string("")),
      ("detail", .string("No device has the tag '\(activity.tag)' now, so nothing would be sent.")),
    ])
  }

  /// A timestamp for an update without one, which no other update has, whichever server sends it.
  private func reserve(
    _ activity: StoredActivity, _ call: Call, _ once: Once, _ done: @escaping @Sendable (Int64) -> Void
  ) {
    registry.change({ store throws(RegistryError) in
      try store.reserveTimestamp(of: activity.identifier, at: call.time)
    }) { [self] result in
      switch result {
      case .success(let timestamp?): done(timestamp)
      case .success: once.refuse(Self.endedActivity)
      case .failure(let error): fail(error, once.refuse)
      }
    }
  }

  /// The body of the campaign or the broadcast that an update is; nil once its errors are answered.
  private func text(
    _ activity: StoredActivity, _ channel: StoredChannel?, _ event: Aps.ActivityEvent, _ body: JSONNode,
    _ timestamp: Int64, _ once: Once
  ) -> [UInt8]? {
    var reader = MessageReader(ofActivity: true)
    let tag = channel == nil ? activity.tag : nil
    let text = reader.update(
      body, event, topic: activity.topic, activity.environment, tag: tag, timestamp: timestamp)
    if text == nil { once.refuse(Self.refused(reader, "The update has errors.")) }
    return text
  }

  private func update(
    _ activity: StoredActivity, _ channel: StoredChannel?, _ event: Aps.ActivityEvent, _ body: JSONNode,
    _ timestamp: Int64, _ call: Call, _ once: Once
  ) {
    guard
      let text = text(activity, channel, event, body, timestamp, once),
      let node = JSONParser.parse(text).root
    else { return }
    let (identifier, isEnd) = (activity.identifier, event == .end)
    // Not before what its devices were told, by the client's timestamp or by ours: the next one is counted from there.
    let told = WallTime(milliseconds: timestamp * 1_000)
    let time = max(call.time, told)
    let note = {
      @Sendable (store: RegistryStore, more: [(String, JSON)]) throws(RegistryError) -> HTTPResponse in
      guard let now = try store.noteUpdate(of: identifier, isEnd: isEnd, at: time) else {
        return Self.unknownActivity
      }
      try store.audit([
        AuditEntry(
          time: call.time, actor: call.actor, action: "activity.\(event.rawValue)", subject: "\(identifier)")
      ])
      return .json(200, .object(now.members + more))
    }
    if let channel {
      return broadcast(node, text, on: channel, call, once, ofActivity: true, about: activity.message) {
        store, _, warnings throws(RegistryError) in try note(store, [warnings])
      }
    }
    if let topic = refusedPushTopic(of: activity.topic, call) { return once.refuse(refused(topic: topic)) }
    var reader = MessageReader(ofActivity: true)
    guard let request = reader.campaign(node, text) else {
      return once.refuse(Self.refused(reader, "The update has errors."))
    }
    start(request, reader.warnings, call, once.inner) { response in
      guard response.status == 201 else { return once.refuse(response) }
      let answer = JSONParser.parse(response.body).root
      let warnings = (answer?["warnings"]?.array ?? []).map { warning in
        warning["detail"]?.string == Self.noDevice ? Self.noListener(activity) : warning.json
      }
      let more = [("campaign", JSON(answer?["id"]?.string)), ("warnings", .array(warnings))]
      // Here for the first time, even where a server has stored the campaign before and died.
      once.change(about: activity.message) { store throws(RegistryError) in
        try note(store, more)
      }
    }
  }
}
