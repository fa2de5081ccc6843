internal import AppLifecycle
internal import Handoff
import LinkspanCore
import SimulatedDevices

/// Steps about activities, arrivals and screens, and what apps and devices have for them.
extension StoryWriter {
  static func members(_ app: AppContinuity) -> [(String, JSON)] {
    let usual = AppContinuity()
    var members: [(String, JSON)] = []
    if !app.activityTypes.isEmpty {
      members.append(("activity_types", .array(app.activityTypes.map(JSON.string))))
    }
    if let routes = app.routes {
      members.append(
        (
          "routes",
          .object(
            routes.rows.map { row in
              (
                row.name,
                row.activityType.map {
                  .object([("path", .string(row.template)), ("activity", .string($0))])
                } ?? .string(row.template)
              )
            })
        ))
      if !routes.schemes.isEmpty { members.append(("schemes", .array(routes.schemes.map(JSON.string)))) }
    }
    if let signer = app.signer { members.append(("signed_by", .string(signer))) }
    var code: [(String, JSON)] = []
    func add(_ name: String, _ value: String, _ usual: String) {
      if value != usual { code.append((name, .string(value))) }
    }
    add("life_cycle", app.shape.lifeCycle.rawValue, usual.shape.lifeCycle.rawValue)
    if app.shape.sdk != usual.shape.sdk { code.append(("sdk", .int(app.shape.sdk))) }
    add("forwarding", app.code.forwarding.rawValue, usual.code.forwarding.rawValue)
    add("readiness", app.code.readiness.rawValue, usual.code.readiness.rawValue)
    add("unroutable", app.code.unroutable.rawValue, usual.code.unroutable.rawValue)
    add("page", app.code.page.rawValue, usual.code.page.rawValue)
    add("cover", app.cover.rawValue, usual.cover.rawValue)
    for (name, path) in AppContinuity.flags where app[keyPath: path] != usual[keyPath: path] {
      code.append((name, .bool(app[keyPath: path])))
    }
    return code.isEmpty ? members : members + [("code", .object(code))]
  }

  static func members(_ switches: HandoffDevice.Switches) -> [(String, JSON)] {
    let usual = HandoffDevice.Switches()
    var members: [(String, JSON)] = []
    if switches.account != usual.account { members.append(("account", .string(switches.account))) }
    if let limit = switches.userInfoLimitBytes { members.append(("user_info_limit_bytes", .int(limit))) }
    for key in HandoffDevice.Switches.keys where switches[keyPath: key.path] != key.usual {
      members.append((key.name, .bool(switches[keyPath: key.path])))
    }
    return members.isEmpty ? [] : [("handoff", .object(members))]
  }

  func members(_ step: ContinuityStep) -> [(String, JSON)] {
    switch step {
    case .handoff(let move):
      var members: [(String, JSON)] = [
        ("handoff", json(move.activity, ofApp: move.app != nil)),
        ("from", .string(story.devices[move.from].name)),
        ("to", .array(move.devices.map { .string(story.devices[$0].name) })),
      ]
      if let app = move.app { members.append(("app", .string(story.apps[app].name))) }
      if let start = move.start { members.append(("start", .string(start.rawValue))) }
      if let trouble = move.trouble { members.append(("trouble", .string(trouble.rawValue))) }
      if move.restores > 0 { members.append(("restores", .int(move.restores))) }
      if move.updates > 0 { members.append(("updates", .int(move.updates))) }
      return members + expectations(move.expectations)
    case .arrive(let move):
      return [("arrive", .string(move.entrance.rawValue)), ("app", .string(story.apps[move.app].name))]
        + (move.start.map { [("start", .string($0.rawValue))] } ?? [])
        + (move.link.map { [("link", .string($0))] } ?? []) + [on(move.devices)]
        + expectations(move.expectations)
    case .screen(let move):
      return [
        ("screen", .array(move.events.map { .string($0.rawValue) })),
        ("app", .string(story.apps[move.app].name)),
        on(move.devices),
      ] + expectations(move.expectations)
    }
  }

  private func json(_ activity: UserActivity, ofApp: Bool) -> JSON {
    if !ofApp, let url = activity.webpageURL { return .string(url) }
    var members: [(String, JSON)] = [("type", .string(activity.type))]
    if let url = activity.webpageURL { members.append(("webpage_url", .string(url))) }
    if activity.userInfo != .dictionary([]) { members.append(("user_info", Self.json(activity.userInfo))) }
    if let bytes = activity.streamBytes { members.append(("stream_bytes", .int(bytes))) }
    if activity.needsSave { members.append(("needs_save", .bool(true))) }
    if !activity.isEligibleForHandoff { members.append(("eligible", .bool(false))) }
    if let expires = activity.expires { members.append(("expires", .string(expires.description))) }
    return .object(members)
  }

  private static func json(_ value: ActivityValue) -> JSON {
    switch value {
    case .string(let text): .string(text)
    case .integer(let number): .int(number)
    case .real(let number): .number("\(number)")
    case .bool(let flag): .bool(flag)
    case .null: .null
    case .date: .object([("$date", .null)])
    case .data(let count): .object([("$data_bytes", .int(count))])
    case .url(let text): .object([("$url", .string(text))])
    case .uuid(let text): .object([("$uuid", .string(text))])
    case .array(let elements): .array(elements.map(json))
    case .set(let elements): .object([("$set", .array(elements.map(json)))])
    case .dictionary(let entries): .object(entries.map { ($0.key, json($0.value)) })
    case .other(let className): .object([("$class", .string(className))])
    }
  }

  private func expectations(_ expectations: [ContinuityExpectation]) -> [(String, JSON)] {
    guard !expectations.isEmpty else { return [] }
    let list = expectations.map { expectation in
      JSON.object(expectation.facts.map { ($0.name.rawValue, $0.json) } + [on(expectation.devices)])
    }
    return [("expect", .array(list))]
  }
}

extension ContinuityFact {
  /// As a story writes it.
  fileprivate var json: JSON {
    switch name {
    case .exposes: .bool(value == "true")
    case .deliveries, .handled, .error: Int(value).map { .int($0) } ?? .string(value)
    default: .string(value)
    }
  }
}
