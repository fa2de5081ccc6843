internal import LinkspanCore

/// What is common to the admin listeners of all stand-ins: whom they answer, and in what form.
///
/// The listener is on loopback, which keeps other machines out. Pages that a browser on this machine shows are
/// kept out as well: they send an Origin, or the name of their own host.
struct AdminHandler: Sendable {
  /// Answers one call; the body of a POST is an object in JSON5, and nil for other methods.
  typealias Action = @Sendable (_ body: JSONNode?) async -> HTTPResponse

  typealias Route = (method: String, path: String, action: Action)

  /// What may be asked, for whoever asks something else.
  private let calls: String
  private let router: Router<Action>

  /// - Parameter routes: By method and path.
  init(_ routes: [Route]) {
    calls = routes.map { "\($0.method) \($0.path)" }.joined(separator: ", ")
    var router = Router<Action>()
    for route in routes { router.add(route.method, route.path, route.action) }
    self.router = router
  }

  private static let hosts = ["127.0.0.1", "localhost", "[::1]"]

  func response(to request: HTTPRequest) async -> HTTPResponse {
    guard Self.hosts.contains(request.host), request.fields["Origin"] == nil else {
      return Self.refusal(403, "only programs of this machine are answered, and no web pages")
    }
    let outcome = router.outcome(for: request)
    guard case .found(let action, _) = outcome else { return refusal(outcome) }
    var body: JSONNode?
    if request.method == "POST" {
      // JSON5, as the files are that say the same at the start.
      let document = JSONParser.parse(request.body.isEmpty ? Array("{}".utf8) : request.body, dialect: .json5)
      guard document.errors.isEmpty, document.root?.object != nil else {
        return Self.refusal(400, "the body is not a JSON object")
      }
      if let problem = document.root.flatMap({ DuplicateKeys.problem(in: $0) }) {
        return Self.refusal(400, problem)
      }
      body = document.root
    }
    let response = await action(body)
    return request.method == "HEAD" ? response.withoutBody : response
  }

  /// The router's own refusal, in the form of this listener.
  private func refusal(_ outcome: Router<Action>.Outcome) -> HTTPResponse {
    guard let plain = outcome.refusal, plain.status != 404 else {
      return Self.refusal(404, "there is no such call; expected one of \(calls)")
    }
    guard plain.status != 204 else { return plain }
    // The body of the plain answer is a line, and the message is none.
    let message = plain.body.prefix { $0 != 0x0A }
    var refusal = Self.refusal(plain.status, String(decoding: message, as: UTF8.self))
    refusal.fields["Allow"] = plain.fields["Allow"]
    return refusal
  }

  /// To read a clock, and to move it.
  static func calls(of clock: MovableClock) -> [Route] {
    [
      ("GET", "/clock", { _ in AdminHandler.answer(clock.json) }),
      (
        "POST", "/clock",
        { body in
          if let refusal = AdminHandler.refusal(of: body, knowing: "advance_s") { return refusal }
          guard let seconds = body?["advance_s"]?.int, seconds >= 0 else {
            return AdminHandler.refusal(400, "'advance_s': expected an integer of seconds ≥ 0")
          }
          guard clock.advance(by: .seconds(seconds)) else {
            return AdminHandler.refusal(
              400, "'advance_s': the clock moves at most \(MovableClock.farthest.components.seconds) s in all"
            )
          }
          return AdminHandler.answer(clock.json)
        }
      ),
    ]
  }

  static func answer(_ json: JSON) -> HTTPResponse {
    HTTPResponse(status: 200, fields: ["Content-Type": "application/json"], body: json.bytes + [0x0A])
  }

  /// The refusal of a body with a key that the call does not know, or with one twice: a slip of the pen must not
  /// mean something larger, as forgetting all hosts for one.
  static func refusal(of body: JSONNode?, knowing key: String) -> HTTPResponse? {
    let names = (body?.object ?? []).map(\.name)
    if let other = names.first(where: { $0 != key }) {
      return refusal(400, "'\(other)' is not a key of this call; expected '\(key)'")
    }
    return names.count > 1 ? refusal(400, "'\(key)' is given twice") : nil
  }

  static func refusal(_ status: Int, _ message: String) -> HTTPResponse {
    var response = answer(.object([("type", .string("error")), ("message", .string(message))]))
    response.status = status
    return response
  }
}
