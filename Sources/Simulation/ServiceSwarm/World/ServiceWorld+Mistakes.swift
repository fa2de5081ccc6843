internal import LinkspanCore

/// Clients that ask for things in wrong ways.
extension ServiceWorld {
  func err(_ number: Int, credential: Int) {
    let mistake = ClientMistake.all[number]
    let parts = mistake.request.split(separator: " ")
    let target = String(parts[1]).replacing("TOKEN", with: tokens[number % tokens.count])
      .replacing("HOST", with: Self.name(ofHost: 0)).replacing("NONE", with: "\(Int64.max)")
    var request = HTTPRequest(
      method: String(parts[0]), authority: "registry", target: target, body: Array(mistake.body.utf8))
    request.fields["Content-Type"] = mistake.type
    if let key = mistake.key { request.fields["Idempotency-Key"] = key }
    send(request, credential: credential, for: .mistake(number))
  }

  func checkMistake(_ number: Int, _ body: JSONNode?, _ response: HTTPResponse) {
    let mistake = ClientMistake.all[number]
    // The limit of requests, and a store that is away, come first.
    guard ![429, 500, 503].contains(response.status) else { return }
    let asked = "'\(mistake.request)' with \(mistake.body.isEmpty ? "no body" : mistake.body)"
    require(
      response.status == mistake.status, .mistakesRefused,
      "\(asked) is answered with \(response.status); expected \(mistake.status)")
    guard let pointer = mistake.pointer else { return }
    let places = body?["errors"]?.array?.compactMap { $0["pointer"]?.string } ?? []
    require(
      places.contains(pointer), .mistakesRefused,
      "\(asked) is refused for \(places.map { "'\($0)'" }.joined(separator: ", ")), and not for '\(pointer)'")
    for text in [body?["detail"]] + (body?["errors"]?.array?.map { $0["detail"] } ?? []) {
      require(text?.string?.isEmpty == false, .mistakesRefused, "\(asked) is refused without a reason")
    }
  }
}
