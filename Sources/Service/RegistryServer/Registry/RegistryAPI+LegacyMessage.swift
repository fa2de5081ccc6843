internal import DeviceRegistry
internal import LinkspanCore
internal import PushTerms
internal import RegistryRequests

/// `/message` and `OPTIONS /`, by which Helios sent pushes and told its clients what it has (push notes, 10.2).
extension RegistryAPI {
  static func addLegacyMessageRoutes(to routes: inout Router<Route>) {
    for base in ["", "/push_notification"] {
      for path in [base + "/message", base + "/message/"] {
        // As `OPTIONS /`, it tells clients without a credential what the server has.
        routes.add(
          "HEAD", path, Route(access: .everybody, isLegacy: true) { $0.announceMessages($1, $2) })
        routes.add(
          "POST", path,
          Route(
            access: .scope(.writeNotifications), isLegacy: true, bodyLimitBytes: messageBodyLimitBytes
          ) { $0.postLegacyMessage($1, $2) })
      }
    }
    routes.add(
      "OPTIONS", "/",
      Route(access: .everybody) { _, _, respond in
        respond(
          HTTPResponse(
            status: 206, fields: ["Link": "</push_notification>; rel=\"Helios::Backend::PushNotification\""]))
      })
  }

  private static func error(_ status: Int, _ text: String) -> HTTPResponse {
    .json(status, .object([("error", .string(text))]))
  }

  private static let notReady =
    "This server has no key for APNs: start it with --auth-key, --auth-key-id and --team-id."

  private func announceMessages(_ call: Call, _ respond: Respond) {
    respond(options.canSend ? HTTPResponse(status: 204) : Self.error(503, Self.notReady))
  }

  /// The form's `payload` goes out as it is. Helios took missing `tokens` for every device; this takes `audience=all`.
  /// More devices than the limit want their number in `confirm`, as in `/v1`.
  private func postLegacyMessage(_ call: Call, _ respond: @escaping Respond) {
    guard options.canSend, let legacy = options.legacy else { return respond(Self.error(503, Self.notReady)) }
    guard let form = FormFields(String(decoding: call.request.body, as: UTF8.self)),
      let payload = form.values("payload").last
    else { return respond(Self.error(400, "'payload' is missing in the form: the push's JSON.")) }
    let tokens = (form.values("tokens") + form.values("tokens[]")).flatMap {
      $0.split(separator: ",").map(String.init)
    }
    let isForAll = form.values("audience").last == "all"
    guard tokens.isEmpty == isForAll else {
      return respond(
        Self.error(400, "Name devices in 'tokens'. A push to every device takes 'audience=all' instead."))
    }
    let confirmed = form.values("confirm").last.map { Int($0) }
    if case .some(nil) = confirmed {
      return respond(Self.error(400, "'confirm' is not a number of devices."))
    }
    let head = JSON.object(
      [("topic", .string(legacy.topic)), ("environment", .string(legacy.environment.rawValue))]
        + (isForAll
          ? [("audience", .string("all"))] : [("tokens", .array(tokens.map(JSON.string)))])
        + [("confirm", JSON(confirmed ?? nil))]
    ).bytes
    let bytes = head.dropLast() + Array(#","payload":"#.utf8) + Array(payload.utf8) + [UInt8(ascii: "}")]
    // By itself, so that nothing else can be put in with it.
    guard JSONParser.parse(Array(payload.utf8)).isWellFormed, let node = JSONParser.parse(bytes).root else {
      return respond(Self.error(400, "'payload' is not JSON."))
    }
    let finish: Respond = { response in
      respond((200..<300).contains(response.status) ? HTTPResponse(status: 204) : response)
    }
    var reader = MessageReader()
    if isForAll, let request = reader.campaign(node, bytes) {
      start(request, [], call, nil, finish)
    } else if !isForAll, let request = reader.notification(node, bytes) {
      send(request, [], call, nil, finish)
    } else {
      let problems = (reader.problems + reader.conflicts).map { "\($0.pointer): \($0.message)" }
      respond(Self.error(400, problems.joined(separator: " ")))
    }
  }
}
