internal import CLinkspanResources
internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryRequests

/// `/v1`.
extension RegistryAPI {
  /// Devices on a page. Ours.
  static let pageLimit = 1_000
  private static let usualPageLength = 100

  static func addDeviceRoutes(to routes: inout Router<Route>) {
    let device = "/v1/devices/{token}"
    routes.add("PUT", device, Route(access: .scope(.writeDevices)) { $0.putDevice($1, $2) })
    routes.add("GET", device, Route(access: .scope(.readDevices)) { $0.getDevice($1, $2) })
    routes.add("DELETE", device, Route(access: .scope(.writeDevices)) { $0.deleteDevice($1, $2) })
    routes.add("GET", "/v1/devices", Route(access: .scope(.readDevices)) { $0.listDevices($1, $2) })
    routes.add("POST", "/v1/erasures", Route(access: .scope(.writeDevices)) { $0.erase($1, $2) })
    routes.add(
      "GET", "/v1/openapi.json",
      Route(access: .everybody) { _, _, respond in respond(Self.description) })
  }

  private static let description: HTTPResponse = {
    let resource = linkspan_registry_openapi()
    let bytes = Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
    return HTTPResponse(status: 200, fields: ["Content-Type": "application/json"], body: bytes)
  }()

  // MARK: - One device

  private func putDevice(_ call: Call, _ respond: @escaping Respond) {
    guard let token = Self.token(call, respond), let body = Self.body(call, respond) else { return }
    var reader = DeviceReader()
    guard let registration = reader.registration(body, token: token, at: call.time) else {
      return respond(Problem(400, "The device has errors.", errors: reader.problems).response)
    }
    let topic = registration.key.topic.text
    guard call.allows(topic: topic) else { return respond(refused(topic: topic)) }
    registry.register(registration, actor: call.actor) { result in
      switch result {
      case .success(let device):
        self.counters.count(device.isNew ? .registeredNew : .registeredKnown)
        respond(.json(device.isNew ? 201 : 200, device.device.json))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  private func getDevice(_ call: Call, _ respond: @escaping Respond) {
    guard let filter = filterOfOne(call, respond) else { return }
    registry.ask({ store throws(RegistryError) in try store.devices(filter, limit: Self.pageLimit) }) {
      result in
      switch result {
      case .success(let devices): respond(Self.response(devices))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  /// The device that was seen last, and where else its token is registered.
  private static func response(_ devices: [Device]) -> HTTPResponse {
    let latest = devices.max { ($0.lastSeenAt, $0.identifier) < ($1.lastSeenAt, $1.identifier) }
    guard let latest, case .object(let members) = latest.json else { return unknownDevice }
    let others = devices.filter { $0.identifier != latest.identifier }.map { other in
      JSON.object([
        ("topic", .string(other.topic)), ("environment", .string(other.environment.rawValue)),
      ])
    }
    return .json(200, .object(members + [("other_registrations", .array(others))]))
  }

  private static var unknownDevice: HTTPResponse {
    Problem(404, "No such device is registered.").response
  }

  private func deleteDevice(_ call: Call, _ respond: @escaping Respond) {
    guard call.request.body.isEmpty else {
      let detail =
        "A deletion has no body: name 'topic' and 'environment' in the query, as in '?topic=com.example.app'."
      return respond(Problem(400, detail).response)
    }
    guard let filter = filterOfOne(call, respond) else { return }
    remove(filter, call) { result in
      switch result {
      case .success(0): respond(Self.unknownDevice)
      case .success(let count): respond(.json(200, .object([("deleted", .int(count))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  /// Devices of one deletion that the audit log names. Ours: a token has one in each environment.
  static let namedLimit = 16

  /// Removes devices, and writes the audit log if there were any.
  func remove(
    _ filter: DeviceFilter, _ call: Call, _ completion: @escaping Registry.Completion<Int>
  ) {
    registry.change(
      isAwaited: true,
      { store throws(RegistryError) in
        // By number: a token would be left there when the person's data is erased.
        let numbers = try store.devices(filter, limit: Self.namedLimit).map { "\($0.identifier)" }
        let count = try store.remove(filter, at: call.time)
        let entry = AuditEntry(
          time: call.time, actor: call.actor, action: "device.delete",
          subject: numbers.joined(separator: " "), affected: count)
        if count > 0 { try store.audit([entry]) }
        return count
      },
      { result in
        if case .success(let count) = result { self.counters.count(.removed, by: count) }
        completion(result)
      })
  }

  /// The devices that path and query name.
  private func filterOfOne(_ call: Call, _ respond: Respond) -> DeviceFilter? {
    guard let token = Self.token(call, respond),
      var filter = filter(call, names: ["topic", "environment"], respond)
    else { return nil }
    filter.token = token.text
    return filter
  }

  static func token(_ call: Call, _ respond: Respond) -> DeviceToken? {
    do throws(DeviceTokenError) {
      return try DeviceToken(call.parameters["token"])
    } catch {
      respond(Problem(400, "The path has no device token: \(error.message).").response)
      return nil
    }
  }

  /// Whether a body is refused since it is compressed, or coded in another way (RFC 9110, 8.4.1).
  static func refusesCoding(_ call: Call, _ respond: Respond) -> Bool {
    guard let coding = call.request.fields["Content-Encoding"],
      !ASCII.lowercased(coding).utf8.elementsEqual("identity".utf8)
    else { return false }
    let detail = "The body has the Content-Encoding '\(coding)'; send it as it is, without compression."
    respond(Problem(415, detail, fields: ["Accept-Encoding": "identity"]).response)
    return true
  }

  /// The body as JSON.
  static func body(
    _ call: Call, limitBytes: Int = messageBodyLimitBytes, _ respond: Respond
  ) -> JSONNode? {
    guard Query(call, names: [], respond) != nil, !refusesCoding(call, respond) else { return nil }
    guard isJSON(call.request.fields["Content-Type"] ?? "application/json") else {
      respond(Problem(415, "The body's Content-Type is not application/json.").response)
      return nil
    }
    var limits = JSONParser.Limits()
    limits.sizeBytes = limitBytes
    let document = JSONParser.parse(call.request.body, limits: limits)
    if let error = document.errors.first {
      respond(Problem(400, notJSON(error, call.request.body)).response)
      return nil
    }
    return document.root
  }

  /// What is wrong with a body, and where.
  static func notJSON(_ error: JSONSyntaxError, _ body: [UInt8]) -> String {
    let place = SourceText(name: "the body", bytes: body).position(at: error.range.lowerBound)
    return "The body is not JSON: \(error.message), at line \(place.line), column \(place.column)."
  }

  private static func isJSON(_ contentType: String) -> Bool {
    if contentType == "application/json" { return true }
    let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }
    return type.elementsEqual("application/json".utf8) { ASCII.lowercased($0) == $1 }
  }

  // MARK: - Many devices

  /// Of a page of devices with a tag, which no index finds: such a page may be short, and have a next one. Ours: some forty
  /// milliseconds.
  private static let searchedIdentifiers: Int64 = 200_000

  private func listDevices(_ call: Call, _ respond: @escaping Respond) {
    let names = ["topic", "environment", "alias", "tag", "active", "limit", "after"]
    guard let filter = filter(call, names: names, respond),
      let length = Self.number(
        call, "limit", 1...Int64(Self.pageLimit), Int64(Self.usualPageLength), respond),
      let after = Self.number(call, "after", 0...999_999_999_999_999_999, 0, respond)
    else { return }
    let span = filter.audience.tags.isEmpty || filter.alias != nil ? Int64.max / 2 : Self.searchedIdentifiers
    registry.ask({ store throws(RegistryError) in
      try store.devices(filter, after: after, limit: Int(length), within: span)
    }) { result in
      switch result {
      case .success(let page):
        let next = page.next.map { String($0) }
        respond(
          .json(200, .object([("devices", .array(page.devices.map(\.json))), ("next", JSON(next))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  private static func number(
    _ call: Call, _ name: String, _ range: ClosedRange<Int64>, _ usual: Int64, _ respond: Respond
  ) -> Int64? {
    guard let text = FormFields(call.request.query)?.values(name).last else { return usual }
    if let number = Int64(text), range.contains(number), text.utf8.allSatisfy(ASCII.isDigit) { return number }
    respond(
      Problem(
        400, "'\(name)' in the query is not an integer from \(range.lowerBound) to \(range.upperBound)."
      ).response)
    return nil
  }

  /// What the query says about devices, within what the credential may see.
  private func filter(_ call: Call, names: [String], _ respond: Respond) -> DeviceFilter? {
    func refuse(_ what: String) -> DeviceFilter? {
      respond(Problem(400, what).response)
      return nil
    }
    guard let query = FormFields(call.request.query) else {
      return refuse("The query is not percent-encoded UTF-8, or has too many fields.")
    }
    var filter = DeviceFilter()
    filter.visibleTopics = call.topics
    var seen: Set<String> = []
    for (name, value) in query.list {
      guard names.contains(name) else {
        return refuse("'\(name)' is not a field of this query: \(names.joined(separator: ", ")).")
      }
      guard name == "tag" || seen.insert(name).inserted else { return refuse("'\(name)' occurs twice.") }
      switch name {
      case "topic":
        guard PushTopic(value) != nil else {
          return refuse("'topic' in the query is not a bundle identifier.")
        }
        filter.topic = value
      case "environment":
        guard let environment = PushEnvironment(rawValue: value) else {
          return refuse("'environment' in the query: expected 'production' or 'sandbox'.")
        }
        filter.environment = environment
      case "alias", "tag":
        let limit = name == "tag" ? DeviceReader.tagLimit : DeviceReader.textLimit
        guard DeviceReader.isPlain(value, limit: limit) else {
          return refuse("'\(name)' in the query: expected 1 to \(limit) characters, no control characters.")
        }
        if name == "tag" { filter.audience.tags.append(value) } else { filter.alias = value }
        guard filter.audience.tags.count <= DeviceReader.tagLimit else {
          return refuse("There are too many tags.")
        }
      case "active":
        guard ["true", "false"].contains(value) else {
          return refuse("'active' in the query: expected 'true' or 'false'.")
        }
        filter.isActive = value == "true"
      default: continue
      }
    }
    if let topic = filter.topic, !call.allows(topic: topic) {
      respond(refused(topic: topic))
      return nil
    }
    return filter
  }

  // MARK: - Erasure

  private func erase(_ call: Call, _ respond: @escaping Respond) {
    guard let body = Self.body(call, respond) else { return }
    var reader = DeviceReader()
    reader.reportRepeatedKeys(in: body)
    for member in body.object ?? [] where member.name != "alias" {
      let pointer = JSONPointer().appending(member.name).description
      reader.report(pointer, "'\(member.name)' is not a key of an erasure; expected 'alias'.")
    }
    let alias = body["alias"].flatMap { reader.lookup($0, "/alias") }
    guard let alias, reader.problems.isEmpty, body.object?.count == 1 else {
      if body["alias"] == nil { reader.report("/alias", "'alias' is missing.") }
      return respond(Problem(400, "The erasure has errors.", errors: reader.problems).response)
    }
    let entry = AuditEntry(time: call.time, actor: call.actor, action: "alias.erase")
    registry.erase(alias: alias, topics: call.topics, entry) { result in
      switch result {
      case .success(let receipt):
        self.counters.count(.erased, by: receipt.erased)
        respond(.json(200, .object(receipt.members)))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }
}
