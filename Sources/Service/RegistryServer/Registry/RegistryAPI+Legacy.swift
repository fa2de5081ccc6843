internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import RegistryRequests

/// The routes of Rack::PushNotification and Helios, at both base addresses that people tried (push notes, 10.1 to 10.3).
extension RegistryAPI {
  static func addLegacyRoutes(to routes: inout Router<Route>) {
    func add(_ method: String, _ path: String, _ route: Route) {
      var route = route
      route.isLegacy = true
      // Rack took a slash at the end.
      for base in ["", "/push_notification"] {
        routes.add(method, base + path, route)
        routes.add(method, base + path + "/", route)
      }
    }
    let device = "/devices/{token}"
    add("PUT", device, Route(access: .legacy(.writeDevices)) { $0.putLegacyDevice($1, $2) })
    add("DELETE", device, Route(access: .legacy(.writeDevices)) { $0.deleteLegacyDevice($1, $2) })
    add("GET", device, Route(access: .scope(.readDevices)) { $0.getLegacyDevice($1, $2) })
    add("GET", "/devices", Route(access: .scope(.readDevices)) { $0.listLegacyDevices($1, $2) })
    add("GET", "/feedback", Route(access: .scope(.readDevices)) { $0.feedback($1, $2) })
  }

  private static func errors(_ status: Int, _ name: String, _ message: String) -> HTTPResponse {
    .json(status, .object([("errors", .object([(name, .array([.string(message)]))]))]))
  }

  /// The key of a path's device. The server says what these clients do not: topic and environment.
  private func key(_ call: Call, _ respond: Respond) -> DeviceKey? {
    guard let legacy = options.legacy, let topic = PushTopic(legacy.topic) else {
      preconditionFailure("the routes exist with a valid topic only")
    }
    do throws(DeviceTokenError) {
      let token = try DeviceToken(call.parameters["token"])
      return DeviceKey(token: token, topic: topic, environment: legacy.environment)
    } catch {
      respond(Self.errors(400, "token", error.message))
      return nil
    }
  }

  private var filter: DeviceFilter {
    var filter = DeviceFilter()
    filter.topic = options.legacy?.topic
    filter.environment = options.legacy?.environment
    return filter
  }

  // MARK: - One device

  private func putLegacyDevice(_ call: Call, _ respond: @escaping Respond) {
    guard let key = key(call, respond) else { return }
    let registration: DeviceRegistration
    do throws(InputProblem) {
      registration = try LegacyDeviceReader.registration(
        try Self.legacyBody(call.request), key: key, ipAddress: call.address, at: call.time)
    } catch {
      return respond(Self.errors(400, "body", error.message))
    }
    registry.register(registration, actor: call.actor) { result in
      switch result {
      case .success(let device):
        self.counters.count(device.isNew ? .registeredNew : .registeredKnown)
        respond(.json(device.isNew ? 201 : 200, .object([("device", Self.legacyJSON(device.device))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  /// JSON or a form; nil for an empty body.
  private static func legacyBody(_ request: HTTPRequest) throws(InputProblem) -> JSONNode? {
    guard !request.body.isEmpty else { return nil }
    let type = ASCII.lowercased(request.fields["Content-Type"] ?? "")
    if type.hasPrefix("application/x-www-form-urlencoded"), request.body.first != UInt8(ascii: "{") {
      guard let form = FormFields(String(decoding: request.body, as: UTF8.self)) else {
        throw InputProblem("", "The body is not a form.")
      }
      return node(form)
    }
    let document = JSONParser.parse(request.body)
    if let error = document.errors.first { throw InputProblem("", notJSON(error, request.body)) }
    return document.root
  }

  /// A form as JSON: a name that ends in `[]` makes an array.
  private static func node(_ form: FormFields) -> JSONNode {
    func string(_ text: String) -> JSONNode { JSONNode(.string(text), at: 0..<0) }
    var members: [JSONMember] = []
    for (name, value) in form.list {
      if name.hasSuffix("[]") {
        guard !members.contains(where: { $0.name + "[]" == name }) else { continue }
        let array = JSONNode(.array(form.values(name).map(string)), at: 0..<0)
        members.append(JSONMember(name: String(name.dropLast(2)), nameRange: 0..<0, value: array))
      } else {
        members.append(JSONMember(name: name, nameRange: 0..<0, value: string(value)))
      }
    }
    return JSONNode(.object(members), at: 0..<0)
  }

  /// The keys of 2013 (push notes, 10.1).
  private static func legacyJSON(_ device: Device) -> JSON {
    let attributes = device.attributes
    return .object([
      ("token", .string(device.token)), ("alias", JSON(attributes.alias)),
      ("badge", .int(Int(attributes.badge))), ("locale", JSON(attributes.locale)),
      ("language", JSON(attributes.language)), ("timezone", .string(attributes.timeZone ?? "UTC")),
      ("ip_address", JSON(attributes.ipAddress)), ("lat", Device.json(attributes.latitude)),
      ("lng", Device.json(attributes.longitude)), ("tags", .array(attributes.tags.map(JSON.string))),
    ])
  }

  private func deleteLegacyDevice(_ call: Call, _ respond: @escaping Respond) {
    guard let key = key(call, respond) else { return }
    var filter = filter
    filter.token = key.token.text
    remove(filter, call) { result in
      switch result {
      case .success(let count): respond(.json(count > 0 ? 200 : 404, .object([])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  private func getLegacyDevice(_ call: Call, _ respond: @escaping Respond) {
    guard let key = key(call, respond) else { return }
    var filter = filter
    filter.token = key.token.text
    registry.ask({ [filter] store throws(RegistryError) in try store.devices(filter, limit: 1) }) { result in
      switch result {
      case .success(let devices):
        guard let device = devices.first else { return respond(.json(404, .object([]))) }
        respond(.json(200, .object([("device", Self.legacyJSON(device))])))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  // MARK: - Many devices

  private func listLegacyDevices(_ call: Call, _ respond: @escaping Respond) {
    guard let query = FormFields(call.request.query) else {
      return respond(Self.errors(400, "query", "it is not percent-encoded UTF-8"))
    }
    /// nil for a value outside the range.
    func number(_ name: String, _ range: ClosedRange<Int>, _ usual: Int) -> Int? {
      guard let text = query.values(name).last else { return usual }
      if !text.hasPrefix("+"), let number = Int(text), range.contains(number) { return number }
      respond(Self.errors(400, name, "expected an integer from \(range.lowerBound) to \(range.upperBound)"))
      return nil
    }
    let countsPages = !query.values("page").isEmpty || !query.values("per_page").isEmpty
    guard let page = number("page", 1...10_000_000, 1), let perPage = number("per_page", 1...100, 100),
      let limit = number("limit", 1...100, 100), let offset = number("offset", 0...1_000_000_000, 0)
    else { return }
    var filter = filter
    filter.search = query.values("q").last
    let length = countsPages ? perPage : limit
    let skipped = countsPages ? (page - 1) * perPage : offset
    registry.ask({ [filter] store throws(RegistryError) in
      (
        devices: try store.devices(filter, limit: length, skipping: skipped),
        total: countsPages ? try store.count(filter) : 0
      )
    }) { result in
      switch result {
      case .success(let found):
        var members: [(String, JSON)] = [("devices", .array(found.devices.map(Self.legacyJSON)))]
        if countsPages { members += [("page", .int(page)), ("total", .int(Int(found.total)))] }
        respond(.json(200, .object(members)))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }

  /// Dead tokens as Houston's feedback service listed them (push notes, 10.5).
  private func feedback(_ call: Call, _ respond: @escaping Respond) {
    let text = FormFields(call.request.query)?.values("since").last ?? "0"
    let seconds = (text.hasPrefix("+") ? nil : Int64(text)).flatMap {
      (0...99_999_999_999).contains($0) ? $0 * 1_000 : nil
    }
    guard let since = seconds ?? WallTime(text)?.milliseconds else {
      return respond(
        Self.errors(400, "since", "expected Unix seconds, or a time such as 2026-09-14T08:00:00Z"))
    }
    let filter = filter
    registry.ask({ store throws(RegistryError) in
      try store.unregistered(filter, since: WallTime(milliseconds: since), limit: Self.pageLimit)
    }) { result in
      switch result {
      case .success(let devices):
        let list = devices.map { device in
          JSON.object([
            ("token", .string(device.token)),
            ("timestamp", .int(Int((device.unregisteredAt?.milliseconds ?? 0) / 1_000))),
          ])
        }
        respond(.json(200, .array(list)))
      case .failure(let error): self.fail(error, respond)
      }
    }
  }
}
