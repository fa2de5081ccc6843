internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryRequests

/// What notifications and campaigns have in common: their journal, keys of requests that may be repeated, forms of answers.
extension RegistryAPI {
  /// Of the body of a notification or a campaign. Ours: 10,000 device tokens, or 256 payloads.
  static let messageBodyLimitBytes = 1 << 20

  static func addDeliveryRoutes(to routes: inout Router<Route>) {
    routes.add(
      "GET", "/v1/deliveries", Route(access: .scope(.readNotifications)) { $0.listDeliveries($1, $2) })
  }

  // MARK: - Requests that may be repeated

  /// A request's `Idempotency-Key`.
  struct RequestKey: Sendable {
    /// SHA-256 of the key, and of the request.
    var key: String
    var request: String
  }

  /// - Returns: nil inside where the request has no key; nil where the key cannot be used, which is answered.
  static func requestKey(_ call: Call, _ respond: Respond) -> RequestKey?? {
    let values = call.request.fields.values(of: "Idempotency-Key")
    guard let key = values.first else { return .some(nil) }
    guard values.count == 1, (1...DeviceReader.textLimit).contains(key.utf8.count),
      key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      respond(
        Problem(400, "'Idempotency-Key' is not one text of 1 to 255 visible ASCII characters.").response)
      return nil
    }
    let target = Array("\(call.request.method) \(call.request.path)\n".utf8)
    return RequestKey(
      key: SHA256.hexDigest(of: Array(key.utf8)),
      request: SHA256.hexDigest(of: target + MessageReader.withoutConfirmation(call.request.body)))
  }

  /// What a change with a key came to.
  enum Keyed: Sendable {
    case done(HTTPResponse)
    /// The same request was answered before.
    case replayed(HTTPResponse)
    /// The key belongs to another request.
    case otherRequest
  }

  /// Makes a change that has an answer, once for each key; an answer 409 leaves the key free.
  func changeOnce(
    _ call: Call, _ key: RequestKey?, _ respond: @escaping Respond,
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> HTTPResponse
  ) {
    registry.change(
      isAwaited: true,
      { store throws(RegistryError) -> Keyed in
        guard let key else { return .done(try body(store)) }
        if let replay = try store.replay(call.actor, key: key.key) {
          guard replay.request == key.request else { return .otherRequest }
          return .replayed(try Self.response(replay, store))
        }
        let response = try body(store)
        // An audience that was not confirmed: nothing was stored, and the request comes again with its count.
        guard response.status != 409 else { return .done(response) }
        let replay = RegistryStore.Replay(
          request: key.request, status: response.status, body: String(decoding: response.body, as: UTF8.self),
          message: Self.messageIdentifier(response))
        try store.keep(replay, call.actor, key: key.key, at: call.time)
        return .done(response)
      },
      { result in
        switch result {
        case .success(.done(let response)): respond(response)
        case .success(.replayed(var response)):
          response.fields["Idempotency-Replayed"] = "true"
          respond(response)
        case .success(.otherRequest): respond(Self.usedKey.response)
        case .failure(let error): self.fail(error, of: key, respond)
        }
      })
  }

  static var usedKey: Problem {
    Problem(409, "The 'Idempotency-Key' was used for another request. Use a new key.")
  }

  /// Answers that the store has refused a request, which may have a key that another one uses just now.
  func fail(_ error: RegistryError, of key: RequestKey?, _ respond: @escaping Respond) {
    guard key != nil, error.kind == .refused else { return fail(error, respond) }
    respond(Self.isUnderWay.response)
  }

  /// Answers a request that was answered before.
  func answer(_ replay: RegistryStore.Replay, _ respond: @escaping Respond) {
    registry.ask({ store throws(RegistryError) in try Self.response(replay, store) }) { result in
      switch result {
      case .success(var response):
        response.fields["Idempotency-Replayed"] = "true"
        respond(response)
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  var audienceLimit: AudienceLimit { AudienceLimit(askAbove: options.askAbove) }

  /// The message that an answer describes; nil for a refusal.
  private static func messageIdentifier(_ response: HTTPResponse) -> Int64? {
    guard (200..<300).contains(response.status) else { return nil }
    return JSONParser.parse(response.body).root?["id"]?.string.flatMap { Int64($0) }
  }

  /// The answer that was given before, or what is left of the message that it described.
  static func response(
    _ replay: RegistryStore.Replay, _ store: RegistryStore
  ) throws(RegistryError) -> HTTPResponse {
    if let body = replay.body { return .json(replay.status, text: body) }
    guard let identifier = replay.message, let message = try store.message(identifier) else {
      return unknownMessage(.notification)
    }
    return .json(replay.status, try json([message], in: store)[0])
  }

  // MARK: - Forms

  /// The members of a message that both kinds have.
  static func members(_ message: Message, _ progress: MessageProgress) -> [(String, JSON)] {
    let content = message.content
    var reasons: [String: Int64] = [:]
    for outcome in progress.outcomes.values {
      for (reason, count) in outcome where !reason.isEmpty { reasons[reason, default: 0] += count }
    }
    let ends = DeliveryState.final.map { ($0.rawValue, JSON.int(Int(progress.count($0)))) }
    return [
      ("id", .string("\(message.identifier)")), ("name", JSON(content.name)),
      ("state", .string(message.state.rawValue)), ("topic", .string(content.topic.text)),
      ("environment", .string(content.environment.rawValue)),
      ("push_type", .string(content.type.rawValue)), ("priority", .int(content.priority.rawValue)),
      ("expiration", JSON(content.expiration.map { Int($0) })),
      ("collapse_id", JSON(content.collapseIdentifier)), ("redacted", .bool(message.isRedacted)),
      ("created_at", .string("\(message.createdAt)")),
      ("finished_at", JSON(message.finishedAt.map { "\($0)" })),
      (
        "deliveries",
        .object(
          [("open", .int(Int(progress.open)))] + ends + [("maybe_twice", .int(Int(progress.maybeTwice)))])
      ),
      ("reasons", .object(reasons.sorted { $0.key < $1.key }.map { ($0.key, .int(Int($0.value))) })),
    ]
  }

  /// What is wrong with a request, or with a payload that nobody would see the push of.
  static func refused(_ reader: MessageReader, _ what: String) -> HTTPResponse {
    if !reader.problems.isEmpty { return Problem(400, what, errors: reader.problems).response }
    return Problem(
      409, "Payload and headers break rules of APNs, so devices would not act upon the push.",
      errors: reader.conflicts
    ).response
  }

  static func json(_ warnings: [InputProblem]) -> JSON {
    .array(
      warnings.map { .object([("pointer", .string($0.pointer)), ("detail", .string($0.message))]) })
  }

  /// The number in a path; a text that is none names nothing.
  static func identifier(_ call: Call) -> Int64? {
    let text = call.parameters["id"]
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return Int64(text)
  }

  // MARK: - The journal

  private func listDeliveries(_ call: Call, _ respond: @escaping Respond) {
    let names = [
      "notification", "campaign", "topic", "state", "reason", "token", "maybe_twice", "limit", "after",
    ]
    guard let query = Query(call, names: names, respond), let length = query.length(respond),
      let before = query.before(respond), let filter = deliveryFilter(call, query, respond)
    else { return }
    registry.ask({ store throws(RegistryError) in
      try store.deliveries(filter, before: before, limit: length + 1)
    }) { result in
      switch result {
      case .success(let deliveries):
        let page = deliveries.prefix(length)
        let next = deliveries.count > page.count ? page.last.map { String($0.identifier) } : nil
        respond(.json(200, .object([("deliveries", .array(page.map(\.json))), ("next", JSON(next))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  private func deliveryFilter(_ call: Call, _ query: Query, _ respond: Respond) -> DeliveryFilter? {
    func refuse(_ what: String) -> DeliveryFilter? {
      respond(Problem(400, what).response)
      return nil
    }
    var filter = DeliveryFilter()
    filter.visibleTopics = call.topics
    for (name, value) in query.fields {
      switch name {
      case "notification", "campaign":
        guard let identifier = Query.number(value) else {
          return refuse("'\(name)' in the query is not the identifier of a \(name).")
        }
        if name == "campaign" { filter.campaign = identifier } else { filter.notification = identifier }
      case "topic":
        guard DeviceReader.isTopic(value) else {
          return refuse("'topic' in the query is not a bundle identifier.")
        }
        guard call.allows(topic: value) else {
          respond(refused(topic: value))
          return nil
        }
        filter.topic = value
      case "state":
        guard let state = DeliveryState(rawValue: value) else {
          let known = DeliveryState.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
          return refuse("'state' in the query: expected one of \(known).")
        }
        filter.state = state
      case "reason":
        guard DeviceReader.isPlain(value, limit: DeviceReader.textLimit) else {
          return refuse("'reason' in the query: expected a reason such as 'Unregistered'.")
        }
        filter.reason = value
      case "token":
        guard let token = KeyedHash.isHash(value) ? value : Query.token(value) else {
          return refuse("'token' in the query is neither a device token nor the keyed hash of one.")
        }
        filter.token = token
      case "maybe_twice":
        guard ["true", "false"].contains(value) else {
          return refuse("'maybe_twice' in the query: expected 'true' or 'false'.")
        }
        filter.isMaybeTwice = value == "true"
      default: continue
      }
    }
    return filter
  }
}
