internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryRequests

/// `/v1/notifications`: pushes to devices that are named.
extension RegistryAPI {
  static func addNotificationRoutes(to routes: inout Router<Route>) {
    let path = "/v1/notifications"
    routes.add(
      "POST", path,
      Route(access: .scope(.writeNotifications), bodyLimitBytes: messageBodyLimitBytes) {
        $0.postNotification($1, $2)
      })
    routes.add(
      "GET", path, Route(access: .scope(.readNotifications)) { $0.listMessages(.notification, $1, $2) })
    routes.add(
      "GET", path + "/{id}",
      Route(access: .scope(.readNotifications)) { $0.getMessage(.notification, $1, $2) })
  }

  private func postNotification(_ call: Call, _ respond: @escaping Respond) {
    guard let key = Self.requestKey(call, respond), let body = Self.body(call, respond) else { return }
    var reader = MessageReader()
    guard let request = reader.notification(body, call.request.body) else {
      return respond(Self.refused(reader, "The notification has errors."))
    }
    let topic = request.content.topic.text
    guard call.allows(topic: topic) else { return respond(refused(topic: topic)) }
    send(
      request, Self.warnings(reader, request.content.expiration, at: call.time), call, key, respond)
  }

  /// What a reader warns of, and an expiration that is over, which it does not know.
  static func warnings(_ reader: MessageReader, _ expiration: Int64?, at now: WallTime) -> [InputProblem] {
    let pointer = "/expiration"
    guard let expiration, ExpirationWarning.applies(to: expiration, at: now),
      !reader.warnings.contains(where: { $0.pointer == pointer })
    else { return reader.warnings }
    return reader.warnings + [InputProblem(pointer, ExpirationWarning.text)]
  }

  /// That this server sends, and nothing of this app.
  func keyless(_ content: MessageContent) -> [InputProblem] {
    guard !options.sends(content.topic, content.environment) else { return [] }
    return [
      InputProblem(
        "/topic",
        "This server has no key for '\(content.topic.text)' in '\(content.environment.rawValue)', so pushes wait for one that has."
      )
    ]
  }

  private static func warnings(_ message: Message, _ progress: MessageProgress) -> [InputProblem] {
    guard progress.isEmpty else { return [] }
    let content = message.content
    return [
      InputProblem(
        "/aliases",
        "No device of '\(content.topic.text)' in '\(content.environment.rawValue)' has one of the aliases, so nothing was sent."
      )
    ]
  }

  /// Stores a notification with its deliveries, and answers when that is durable.
  func send(
    _ request: NotificationRequest, _ warnings: [InputProblem], _ call: Call, _ key: RequestKey?,
    _ respond: @escaping Respond
  ) {
    let (limit, confirmed, keyless) = (audienceLimit, request.confirmed, keyless(request.content))
    let response = { @Sendable (result: NotificationOrder.Result) -> HTTPResponse? in
      switch result {
      case .stored(let message, let progress):
        .json(
          202,
          .object(
            Self.members(message, progress) + [
              ("warnings", Self.json(warnings + keyless + Self.warnings(message, progress)))
            ]))
      case .refused(let devices?): limit.refusal(of: devices, confirmed: confirmed, "notification")
      case .refused(nil):
        Problem(
          400,
          "The aliases have more than \(MessageReader.targetLimit) devices. A push to so many is a campaign."
        ).response
      case .replayed, .otherRequest: nil
      }
    }
    let order = NotificationOrder(
      request, actor: call.actor, at: call.time, key.map { .init(key: $0.key, request: $0.request) },
      isRefused: { limit.refusal(of: $0, confirmed: confirmed, "notification") != nil },
      kept: { result in
        // An audience that was not confirmed: nothing was stored, and the request comes again with its count.
        guard let response = response(result), response.status != 409 else { return nil }
        return .init(status: response.status, body: String(decoding: response.body, as: UTF8.self))
      })
    registry.notify(order) { result in
      switch result {
      case .success(.replayed(let replay)): self.answer(replay, respond)
      case .success(.otherRequest): respond(Self.usedKey.response)
      case .success(let stored):
        respond(response(stored) ?? Self.unknownMessage(.notification))
      case .failure(let error): self.fail(error, of: key, respond)
      }
    }
  }

  static func unknownMessage(_ kind: Message.Kind) -> HTTPResponse {
    Problem(404, "There is no such \(kind.rawValue).").response
  }

  // MARK: - Reading, for campaigns as well

  func getMessage(_ kind: Message.Kind, _ call: Call, _ respond: @escaping Respond) {
    guard Query(call, names: [], respond) != nil else { return }
    guard let identifier = Self.identifier(call) else { return respond(Self.unknownMessage(kind)) }
    registry.ask({ store throws(RegistryError) -> JSON? in
      guard let message = try store.message(identifier, kind, topics: call.topics) else { return nil }
      return try Self.json([message], in: store).first
    }) { result in
      switch result {
      case .success(let found?): respond(.json(200, found))
      case .success(nil): respond(Self.unknownMessage(kind))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  /// What is answered about messages, each with its progress.
  static func json(
    _ messages: some Collection<Message>, in store: RegistryStore
  ) throws(RegistryError) -> [JSON] {
    let reasons = try pauseReasons(of: messages, in: store)
    var list: [JSON] = []
    for message in messages {
      let progress = try store.progress(of: message.identifier)
      switch message.kind {
      case .notification: list.append(.object(members(message, progress)))
      case .campaign:
        list.append(.object(campaignMembers(message, progress, pauseReason: reasons[message.identifier])))
      }
    }
    return list
  }

  func listMessages(_ kind: Message.Kind, _ call: Call, _ respond: @escaping Respond) {
    guard let query = Query(call, names: ["state", "limit", "after"], respond),
      let length = query.length(respond), let before = query.before(respond)
    else { return }
    var state: Message.State?
    if let text = query.fields.first(where: { $0.name == "state" })?.value {
      state = Message.State(rawValue: text)
      guard state != nil else {
        let known = Message.State.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return respond(Problem(400, "'state' in the query: expected one of \(known).").response)
      }
    }
    registry.ask({ [state] store throws(RegistryError) -> (list: [JSON], next: String?) in
      let messages = try store.messages(
        kind, topics: call.topics, state: state, before: before, limit: length + 1)
      let page = messages.prefix(length)
      let list = try Self.json(page, in: store)
      return (list, messages.count > page.count ? page.last.map { String($0.identifier) } : nil)
    }) { result in
      switch result {
      case .success(let page):
        respond(
          .json(200, .object([(kind.rawValue + "s", .array(page.list)), ("next", JSON(page.next))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }
}
