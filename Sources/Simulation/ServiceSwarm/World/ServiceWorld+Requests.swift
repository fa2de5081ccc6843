internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryRequests
internal import RegistryServer
internal import SimulatedStores

/// What clients ask, and what they make of answers.
extension ServiceWorld {
  /// - Parameter secret: The text of a credential in place of the known one.
  func send(
    _ method: String, _ target: String, _ body: JSON? = nil, credential: Int = 0, secret: String? = nil,
    key: String? = nil, form: String? = nil, alias: String? = nil, for subject: Flight.Subject
  ) {
    var request = HTTPRequest(method: method, authority: "registry", target: target, body: body?.bytes ?? [])
    if body != nil { request.fields["Content-Type"] = "application/json" }
    if let form {
      request.body = Array(form.utf8)
      request.fields["Content-Type"] = "application/x-www-form-urlencoded"
    }
    if let key { request.fields["Idempotency-Key"] = key }
    send(request, credential: credential, secret: secret, alias: alias, for: subject)
  }

  /// - Parameter party: The place of the server that is asked; nil for one that is drawn.
  func send(
    _ request: HTTPRequest, credential: Int, secret: String? = nil, alias: String? = nil,
    to party: Int? = nil,
    for subject: Flight.Subject
  ) {
    guard let index = party ?? anyServer(), let server = running(index) else { return }
    var request = request
    request.fields["Authorization"] = "Bearer \(secret ?? credentials[credential].text)"
    request.fields["X-Forwarded-For"] = "203.0.113.\(credential + 1)"
    let number = nextFlight(
      Flight(
        request: request, subject: subject, server: index, credential: credential,
        sentAt: time.uptimeMilliseconds,
        process: server.process, alias: alias))
    var fields: [(String, JSON)] = [
      ("number", .int(number)), ("request", .string("\(request.method) \(request.target)")),
    ]
    if index > 0 { fields.append(("of", .string(self.party(index)))) }
    record("client", "ask", fields)
    let answers = answers
    answer(server.api.reply(to: request, from: Self.proxy), request) { answers.add(number, $0) }
  }

  /// Follows a reply to its end, as an engine does.
  func answer(
    _ reply: HTTPReply?, _ request: HTTPRequest, _ completion: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    switch reply {
    case .now(let response)?, .cacheable(let response)?: completion(response)
    case .offload(let work)?: completion(work())
    case .later(let start)?: start(completion)
    case .afterBody(let limit, let next)?:
      precondition(request.body.count <= limit, "a client of a simulation sends no more")
      answer(next(request), request, completion)
    case .stream, .readingBody, .disturbed, nil:
      preconditionFailure("the registry's API answers at once or by completion")
    }
  }

  // MARK: - Asking

  /// The alias of a person; a new person comes in the place of one that was erased.
  func alias(of person: Int) -> String {
    if erasedAliases.remove(person) != nil { aliases[person] = newWord("person") }
    return aliases[person]
  }

  func register(_ device: Int, _ person: Int) {
    defer { if model.mayBeDead.contains(device) { apns.install(tokens[device]) } }
    if isOld(device) { return registerOld(device, person) }
    let body = JSON.object(
      [
        ("topic", .string(VirtualAPNs.topic)), ("environment", .string("production")),
        ("alias", .string(alias(of: person))),
      ] + DeviceTraits(device).members)
    send(
      "PUT", "/v1/devices/\(tokens[device])", body,
      for: .change(.register(person: person), device: device, credential: 0))
  }

  func delete(_ device: Int) {
    if isOld(device) { return deleteOld(device) }
    send("DELETE", "/v1/devices/\(tokens[device])", for: .change(.delete, device: device, credential: 0))
  }

  func look(_ device: Int, credential: Int = 0) {
    if isOld(device) { return lookOld(device, credential: credential) }
    send("GET", "/v1/devices/\(tokens[device])", credential: credential, for: .look(device: device))
  }

  func intrude() { send("GET", "/v1/devices/\(tokens[0])", secret: forged, for: .intrude) }

  func burst(credential: Int, count: Int) {
    for number in 0..<count { look(number % tokens.count, credential: credential) }
  }

  func erase(_ person: Int) {
    send(
      "POST", "/v1/erasures", .object([("alias", .string(aliases[person]))]), alias: aliases[person],
      for: .change(.erase(person: person), device: nil, credential: 0))
  }

  func notify(_ person: Int, credential: Int, key: Int?) {
    let alias = alias(of: person)
    // The same key and person make the same request; the payload says for whom.
    let day = dayCount == 0 ? "" : " \(dayCount)"
    let word = key.map { self.word("note", "\(credential) \($0) \(alias)\(day)") } ?? newWord("note")
    if model.notes[word] == nil {
      model.notes[word] = .init(
        word: word, person: person, alias: alias, credential: credential, key: key, earliest: time.now)
    }
    let body = JSON.object([
      ("payload", payload(word)), ("topic", .string(VirtualAPNs.topic)),
      ("environment", .string("production")),
      ("aliases", .array([.string(alias)])),
    ])
    send(
      "POST", "/v1/notifications", body, credential: credential, key: key.map { "key-\($0)" },
      for: .notify(word: word))
  }

  func control(_ action: String) {
    let campaigns = model.notes.values.filter { $0.person == nil && $0.identifier != nil }.sorted {
      $0.word < $1.word
    }
    guard let identifier = campaigns.last?.identifier else { return }
    send("POST", "/v1/campaigns/\(identifier)/\(action)", for: .control("campaign.\(action)"))
  }

  func payload(_ word: String) -> JSON {
    .object([("aps", .object([("alert", .string(word))]))])
  }

  // MARK: - Answers

  /// Takes the answers that have come.
  func hear() {
    apns.advance()
    for request in apns.takeRequests() {
      record(
        "apns", "get",
        [
          ("device", .int(tokens.firstIndex(of: request.token) ?? -1)), ("push", .string(request.identifier)),
          ("fate", .string(request.fate)),
        ])
    }
    for accepted in apns.takeAccepted() { take(accepted) }
    noteRefusals()
    noteGuard()
    for server in servers { server?.channels.deliver() }
    for text in apns.early { require(false, .retryAfterKept, text) }
    for (number, response) in answers.takeAll() {
      guard let flight = flights.removeValue(forKey: number) else { continue }
      record("client", "answer", [("number", .int(number)), ("status", .int(response.status))])
      reached.insert("answer \(response.status)")
      if let server = servers[flight.server], server.process == flight.process {
        log(flight.request, response, of: server)
      }
      let text = String(decoding: response.body, as: UTF8.self)
      checkSecrets(response.body, "the answer to request \(number)")
      checkQuota(flight, response, text)
      let body = JSONParser.parse(response.body).root
      if (200..<300).contains(response.status) {
        acknowledge(flight, body, response)
      } else {
        refuse(flight, response, text, body)
      }
    }
  }

  private func acknowledge(_ flight: Flight, _ body: JSONNode?, _ response: HTTPResponse) {
    if flight.isChange, response.fields["Idempotency-Replayed"] == nil { model.noteStored() }
    switch flight.subject {
    case .change(let change, let device, _): acknowledge(change, device, body, flight)
    case .look(let device): checkRead(device, isOld(device) ? body?["device"] : body)
    case .message(_, let isForAll):
      model.audit(isForAll ? "campaign.create" : "notification.create", isCertain: true)
    case .notify(let word), .campaign(let word):
      if let person = model.notes[word]?.person { overlapErasures(of: person) }
      acknowledgeNote(word, body, response)
    case .control(let action): model.audit(action, isCertain: true)
    case .survey(let list): checkSurvey(list, body)
    case .channel(let ask): acknowledge(ask, body, response)
    case .upload(let host): acknowledgeUpload(host, body, response.status)
    case .mistake(let number): checkMistake(number, body, response)
    case .intrude: require(false, .secretsHidden, "a forged credential is let in")
    }
  }

  /// Notes that erasures which wait for their receipts may have come before or after something about their person.
  func overlapErasures(of person: Int) {
    for (number, flight) in flights where flight.alias == aliases[person] {
      if case .change(.erase(person), _, _) = flight.subject { flights[number]?.isOverlapped = true }
    }
  }

  private func acknowledge(
    _ change: DeviceChange, _ device: Int?, _ body: JSONNode?, _ flight: Flight
  ) {
    let now = time.uptimeMilliseconds
    // Of a person that has gone before, nothing was left.
    let isOld = if case .erase(let person) = change { flight.alias != aliases[person] } else { false }
    if flight.isOverlapped {
      model.mayTake(change, of: device, at: now)
    } else if !isOld {
      model.take(change, of: device, at: now)
    }
    switch change {
    case .register(let person):
      overlapErasures(of: person)
      model.audit("device.register device.update", isCertain: true)
    case .delete: model.audit("device.delete", isCertain: true)
    case .erase(let person):
      model.audit("alias.erase", isCertain: true)
      if !flight.isOverlapped, !isOld { checkErasure(of: person, body, sentAt: flight.sentAt) }
    }
  }

  /// A request that was not done, as far as its answer says.
  private func refuse(_ flight: Flight, _ response: HTTPResponse, _ text: String, _ body: JSONNode?) {
    let isCertain = [400, 401, 403, 404, 409, 429].contains(response.status)
    switch flight.subject {
    case .change(.delete, let device?, _) where response.status == 404: acknowledgeAbsence(of: device)
    case .look(let device) where response.status == 404: checkRead(device, nil)
    case .change(let change, let device, _) where !isCertain:
      lose(change, device)
      // A database server has made it or not; of a file no one knows until something else is written.
      if postgres == nil, text.contains("It is not known whether") { model.leaveOpen(change, of: device) }
    case .survey: refuseSurvey(response.status, text)
    case .channel(let ask): refuse(ask, response.status)
    case .upload(let host): refuseUpload(host, response.status, text)
    case .mistake(let number): checkMistake(number, body, response)
    case .intrude: break
    case .notify, .campaign, .message, .control, .look, .change:
      if case .notify(let word) = flight.subject, response.status == 409 { checkConflict(word, text) }
      if case .control(let action) = flight.subject, !isCertain { model.audit(action, isCertain: false) }
      if !isCertain { loseNote(flight.subject) }
    }
  }

  /// A device that somebody wanted to delete is not there.
  func acknowledgeAbsence(of device: Int) {
    // An erasure that is not answered yet may have taken the device.
    let isErasing = flights.values.contains { $0.isErasure }
    require(
      isErasing || model.devices[device].mayBe(nil), .registrationDurable,
      "a deletion answers 404 for device \(device), which is registered")
    model.take(.delete, of: device, at: time.uptimeMilliseconds)
  }

  /// Nobody knows whether a change was made.
  func lose(_ change: DeviceChange, _ device: Int?) {
    model.mayTake(change, of: device, at: time.uptimeMilliseconds)
    // Whether stored or not, its bytes came to the log after an erasure that waits.
    if case .register(let person) = change { overlapErasures(of: person) }
    let line =
      switch change {
      case .register: "device.register device.update"
      case .delete: "device.delete"
      case .erase: "alias.erase"
      }
    model.audit(line, isCertain: false)
  }

  private func loseNote(_ subject: Flight.Subject) {
    if case .notify(let word) = subject, let person = model.notes[word]?.person {
      overlapErasures(of: person)
    }
    switch subject {
    case .notify: model.audit("notification.create", isCertain: false)
    case .campaign, .message(_, isForAll: true): model.audit("campaign.create", isCertain: false)
    case .message: model.audit("notification.create", isCertain: false)
    default: break
    }
  }

  /// Nobody will answer what was under way at a server.
  func loseFlights(of index: Int) {
    hear()
    for flight in flights.values.filter({ $0.server == index }).sorted(by: { $0.number < $1.number }) {
      flights[flight.number] = nil
      switch flight.subject {
      case .change(let change, let device, _): lose(change, device)
      case .notify, .campaign, .message: loseNote(flight.subject)
      case .control(let action): model.audit(action, isCertain: false)
      case .channel(let ask): lose(ask)
      case .upload: loseUpload()
      case .look, .intrude, .survey, .mistake: break
      }
    }
  }
}
