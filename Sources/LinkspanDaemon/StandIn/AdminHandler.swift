internal import LinkspanCore

/// What is common to the admin listeners of all stand-ins: whom they answer, and in what form.
///
/// The listener is on loopback, which keeps other machines out. Pages that a browser on this machine shows are
/// kept out as well: they send an Origin, or the name of their own host.
struct AdminHandler: Sendable {
  /// - Returns: nil for a path that is not known.
  typealias Action = @Sendable (_ method: String, _ path: String, _ body: JSONNode?) async -> HTTPResponse?

  /// What may be asked, for whoever asks something else.
  let paths: String
  let action: Action

  private static let hosts = ["127.0.0.1", "localhost", "[::1]"]

  func response(to request: HTTPRequest) async -> HTTPResponse {
    guard Self.hosts.contains(request.host), request.fields["Origin"] == nil else {
      return Self.refusal(403, "only programs of this machine are answered, and no web pages")
    }
    guard ["GET", "POST"].contains(request.method) else { return Self.refusal(405, "use GET or POST") }
    var body: JSONNode?
    if request.method == "POST" {
      let document = JSONParser.parse(request.body.isEmpty ? Array("{}".utf8) : request.body)
      guard document.errors.isEmpty, document.root?.object != nil else {
        return Self.refusal(400, "the body is not a JSON object")
      }
      body = document.root
    }
    return await action(request.method, String(request.path), body)
      ?? Self.refusal(404, "there is no such call; expected one of \(paths)")
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
