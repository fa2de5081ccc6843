internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// What the registry's API answered to the console.
struct APIAnswer: Sendable {
  let status: Int
  let body: JSONNode?

  /// The devices of a push whose number has to be confirmed; nil where that is not the question.
  var unconfirmedCount: Int? { status == 409 ? body?["count"]?.int : nil }

  /// How often each device gets a push in its first 24 hours.
  var timesInDay: Int { body?["times_in_day"]?.int ?? 1 }

  var isGood: Bool { (200..<300).contains(status) }

  /// What went wrong, for a person: with the labels of the forms in place of the API's names.
  var problem: String {
    var detail = body?["detail"]?.string ?? "The registry answered with status \(status)."
    for (name, label) in PushForm.labels {
      detail = detail.replacing("'\(name)' in the query", with: "“\(label)”")
    }
    for (asked, done) in Self.remedies { detail = detail.replacing(asked, with: done) }
    return ([detail] + problems.prefix(12).map { Self.words($0.pointer, $0.text) }).joined(separator: " ")
  }

  /// What is wrong with single members, by their pointers, in the same words.
  var problems: [(pointer: String, text: String)] {
    (body?["errors"]?.array ?? []).map { error in
      let pointer = error["pointer"]?.string ?? ""
      return (pointer, Self.spoken(error["detail"]?.string ?? "", at: pointer))
    }
  }

  /// What clients of the API are told to do, and what a person does.
  private static let remedies = [
    ("send the request again later", "try again later"), ("Send the request again later", "Try again later"),
    ("Send the same request again", "Do the same again"),
  ]

  /// A sentence about a member, with the labels of that and of others that it goes with. A payload is shown as it is written, so
  /// what is in it is said as it is.
  private static func spoken(_ sentence: String, at pointer: String) -> String {
    let labels =
      pointer.hasPrefix("/payload") ? PushForm.labels.filter { $0.key == "payload" } : PushForm.labels
    return labels.reduce(sentence) { $0.replacing("'\($1.key)'", with: "“\($1.value)”") }
  }

  /// An error of one member of a request; what is wrong with the whole request has no place in it.
  private static func words(_ pointer: String, _ detail: String) -> String {
    let parts = pointer.split(separator: "/")
    // A payload is shown as it is written, so places in it are said as they are.
    guard let part = parts.first == "payload" ? parts.first : parts.last(where: { Int($0) == nil }) else {
      return detail
    }
    guard let label = PushForm.labels[String(part)] else { return "\(pointer): \(detail)" }
    let place = parts.first == "payload" && parts.count > 1 ? ", \(pointer.dropFirst("/payload".count))" : ""
    return "“\(label)”\(place): \(detail)"
  }
}

extension Console {
  static let noRegistry = "This server has no device registry: start it with --registry sqlite:registry.db."

  /// Asks the registry's API in the name of the person, and waits for the answer.
  ///
  /// - Returns: nil without a registry.
  func api(_ method: String, _ target: String, _ body: JSON? = nil, as actor: String) -> APIAnswer? {
    guard let api = system.registry() else { return nil }
    var request = HTTPRequest(method: method, authority: "console", target: target)
    if let body {
      request.fields["Content-Type"] = "application/json"
      request.body = body.bytes
    }
    guard let response = api.answerAndWait(request, as: actor) else { return nil }
    return APIAnswer(status: response.status, body: JSONParser.parse(response.body).root)
  }

  /// A query of the fields that have a value.
  static func query(_ fields: [(name: String, value: String)]) -> String {
    let parts = fields.filter { !$0.value.isEmpty }.map { "\($0.name)=\(URLText.encoded($0.value))" }
    return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
  }

  /// A page that says why there is nothing.
  static func failed(_ title: String, _ place: Place, _ answer: APIAnswer?) -> Page {
    Page(
      title, place, status: answer?.status ?? 200,
      "<h1>\(title)</h1>\(Piece.notice(answer?.problem ?? noRegistry, answer == nil ? "" : "bad"))")
  }
}
