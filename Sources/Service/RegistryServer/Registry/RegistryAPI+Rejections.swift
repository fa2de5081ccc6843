internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import RegistryRequests

/// `POST /v1/devices/{token}/rejections`: what APNs answered to a push that somebody else has sent.
extension RegistryAPI {
  static func addRejectionRoutes(to routes: inout Router<Route>) {
    routes.add(
      "POST", "/v1/devices/{token}/rejections",
      Route(access: .scope(.writeDevices)) { $0.takeRejection($1, $2) })
  }

  /// The last moment of the year 9999, in milliseconds.
  private static let lastMoment: Int64 = 253_402_300_799_999

  /// What APNs says about a device, in its own words.
  private struct Rejection {
    /// The answers that are about the token (push notes, 4).
    static let reasons: [RejectionReason] = [
      .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered,
    ]

    var key: DeviceKey
    var reason: RejectionReason
    var time: WallTime
  }

  private func takeRejection(_ call: Call, _ respond: @escaping Respond) {
    guard let token = Self.token(call, respond), let body = Self.body(call, respond) else { return }
    var reader = DeviceReader()
    guard let rejection = Self.rejection(body, token, call, &reader) else {
      return respond(Problem(400, "The rejection has errors.", errors: reader.problems).response)
    }
    let topic = rejection.key.topic.text
    guard call.allows(topic: topic) else { return respond(refused(topic: topic)) }
    registry.change(
      isAwaited: true,
      { store throws(RegistryError) in
        let isDead =
          rejection.reason == .badDeviceToken
          ? try store.suspect(rejection.key, at: rejection.time)
          : try store.invalidate(
            rejection.key, since: rejection.time, reason: rejection.reason.rawValue)
        let entry = AuditEntry(
          time: call.time, actor: call.actor, action: "device.reject", subject: rejection.reason.rawValue,
          affected: isDead ? 1 : 0)
        try store.audit([entry])
        return isDead
      },
      { result in
        switch result {
        case .success(let isDead): respond(.json(200, .object([("unregistered", .bool(isDead))])))
        case .failure(let error): self.fail(error, respond)
        }
      })
  }

  private static func rejection(
    _ body: JSONNode, _ token: DeviceToken, _ call: Call, _ reader: inout DeviceReader
  ) -> Rejection? {
    guard let members = body.object else {
      reader.report("", "The body is \(body.typeName); expected an object.")
      return nil
    }
    reader.reportRepeatedKeys(in: body)
    let ours = ["reason", "timestamp"]
    for member in members where !(ours + ["topic", "environment"]).contains(member.name) {
      reader.report(
        JSONPointer().appending(member.name).description, "'\(member.name)' is not a key of a rejection.")
    }
    let reason = body["reason"]?.string.flatMap { text in Rejection.reasons.first { $0.rawValue == text } }
    if reason == nil {
      let known = Rejection.reasons.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      reader.report("/reason", "'reason' is not one of \(known).")
    }
    var time = call.time
    if let node = body["timestamp"] {
      if let number = node.wholeNumber, (0...lastMoment).contains(number) {
        time = WallTime(milliseconds: number)
      } else {
        reader.report("/timestamp", "'timestamp' is not a number of milliseconds since 1970.")
      }
    }
    guard let key = reader.key(body, token: token), let reason, reader.problems.isEmpty else { return nil }
    return Rejection(key: key, reason: reason, time: time)
  }
}
