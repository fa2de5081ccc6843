internal import LinkspanCore

/// Clients that read what the API lists.
extension ServiceWorld {
  /// What a list is expected to say.
  enum List: Hashable {
    /// Every device that is registered.
    case allDevices
    /// A rejection of before the device was registered, which changes nothing.
    case oldRejection
    /// It is kept for whoever asked.
    case kept
    /// Something that nobody compares with what was acknowledged.
    case other
  }

  /// Asks for something that the API lists, drawn.
  func survey(credential: Int) {
    let alias = aliases[Int(chance.draw(0...Int64(aliases.count - 1)))]
    let identifier = anyMessage() ?? "1"
    let targets: [(String, List)] = [
      ("/v1/devices", .allDevices), ("/v1/devices?active=true&limit=3", .other),
      ("/v1/devices?alias=\(alias)", .other),
      ("/v1/devices?topic=\(VirtualAPNs.topic)&environment=production", .other),
      ("/v1/notifications", .other), ("/v1/notifications/\(identifier)", .other), ("/v1/campaigns", .other),
      ("/v1/campaigns/\(identifier)", .other), ("/v1/deliveries", .other),
      ("/v1/deliveries?notification=\(identifier)", .other), ("/v1/channels", .other),
      ("/v1/activities", .other), ("/devices?page=1&per_page=5&q=person", .other),
      ("/push_notification/devices?limit=3&offset=1", .other), ("/feedback?since=0", .other),
    ]
    let (target, list) = targets[Int(chance.draw(0...Int64(targets.count - 1)))]
    send("GET", target, credential: credential, for: .survey(list))
    if list == .allDevices { rejectLate(credential) }
  }

  /// Another sender tells, years too late, what APNs answered to it about a device.
  private func rejectLate(_ credential: Int) {
    let body = JSON.object([
      ("topic", .string(VirtualAPNs.topic)), ("environment", .string("production")),
      ("reason", .string("Unregistered")), ("timestamp", .int(VirtualAPNs.longAgo)),
    ])
    let token = tokens[Int(time.uptimeMilliseconds) % tokens.count]
    send(
      "POST", "/v1/devices/\(token)/rejections", body, credential: credential, for: .survey(.oldRejection))
  }

  /// A message that was acknowledged, drawn; nil without any.
  func anyMessage() -> String? {
    let known = model.notes.values.compactMap(\.identifier).sorted()
    return known.isEmpty ? nil : known[Int(chance.draw(0...Int64(known.count - 1)))]
  }

  func checkSurvey(_ list: List, _ body: JSONNode?) {
    if list == .kept { model.listed = body }
    if list == .oldRejection {
      require(
        body?["unregistered"]?.bool == false, .registrationDurable,
        "a rejection of before a device was registered takes it away")
    }
    guard list == .allDevices else { return }
    let devices = body?["devices"]?.array ?? []
    guard body?["next"]?.string == nil else { return }
    for (index, token) in tokens.enumerated() where violation == nil {
      checkRead(index, devices.first { $0["token"]?.string == token })
    }
  }

  /// A list that is not answered, although the request is in order.
  func refuseSurvey(_ status: Int, _ text: String) {
    require(
      [404, 429, 500, 503].contains(status), .readsCurrent,
      "a list is answered with \(status): \(text.prefix(200))")
  }
}
