import LinkspanCore
import PushDelivery
internal import PushProvider
internal import PushTerms

/// Pushes: what apps say of them, and the steps about them.
extension StoryParser {
  /// The keys that each verb takes besides itself.
  static let pushExtras: [String: [String]] = [
    "push": [
      "app", "type", "priority", "expires", "collapse", "topic", "server", "devices", "expect",
    ],
    "app_state": [
      "to", "taps_notification", "notifications", "background_refresh", "handler", "devices",
    ],
    "device_state": ["devices"],
  ]

  private static let appExample =
    "push: { environment: \"production\", modes: [\"remote-notification\"] }"
  private static let pushExample =
    "{ push: { aps: { \"content-available\": 1 } }, app: \"shop\", devices: \"iphone\" }"
  private static let handlerExample = "handler: { takes: \"4s\", result: \"newData\", badge: 1 }"
  private static let stateExample = "{ app_state: \"shop\", to: \"force-quit\" }"

  private enum Environment: String, CaseIterable {
    case production, development, sandbox, none
  }

  /// What an app says of pushes: in the story, else in its files.
  mutating func appPush(_ node: JSONNode, claims: StoryReader.Claims?) -> AppPush? {
    var push = AppPush()
    push.environment = claims?.apsEnvironment.flatMap(PushEnvironment.init)
    push.modes = claims?.backgroundModes ?? []
    guard let value = node["push"] else { return claims?.apsEnvironment == nil ? nil : push }
    let keys = [
      "environment", "modes", "handler", "notifications", "fetch", "fetch_handler", "service_extension",
    ]
    guard context.members(value, "the pushes of an app", keys: keys, example: Self.appExample) != nil else {
      return push
    }
    if let word = value["environment"].flatMap({ context.word($0, "environment", Environment.allCases) }) {
      push.environment = PushEnvironment(rawValue: word.rawValue)
    }
    if let modes = value["modes"] {
      push.modes = context.strings(modes, "modes", example: Self.appExample).map(\.0)
    }
    if let plan = value["handler"].flatMap({ handler($0) }) { push.plan = plan }
    if let word = value["notifications"].flatMap({
      context.word($0, "notifications", PushApp.Permission.allCases)
    }) {
      push.permission = word
    }
    if let fetch = value["fetch"] {
      expectDuration(fetch, or: "minimum")
      push.fetchInterval = fetch.string == "minimum" ? .zero : duration(fetch, "fetch")
    }
    push.fetchPlan = value["fetch_handler"].flatMap { handler($0) }
    push.service = value["service_extension"].flatMap { serviceExtension($0) }
    return push
  }

  private mutating func serviceExtension(_ node: JSONNode) -> ServicePlan? {
    let example = "service_extension: { takes: \"5s\", text: \"Anna: Hello\" }"
    guard
      context.members(
        node, "a notification service extension", keys: ["takes", "text"], example: example) != nil
    else { return nil }
    guard let text = node["text"] else {
      context.report(
        "missing-key", node, "The extension has no 'text'.", "Write what it shows: \(example).")
      return nil
    }
    guard let text = context.string(text, "text", example: example) else { return nil }
    var plan = ServicePlan(text: text)
    if let takes = node["takes"] {
      expectDuration(takes, or: "forever")
      plan.duration_ms =
        takes.string == "forever" ? nil : duration(takes, "takes")?.wholeMilliseconds ?? plan.duration_ms
    }
    return plan
  }

  private mutating func handler(_ node: JSONNode) -> HandlerPlan? {
    let keys = ["takes", "result", "badge", "notification"]
    guard context.members(node, "a handler", keys: keys, example: Self.handlerExample) != nil else {
      return nil
    }
    var plan = HandlerPlan()
    if let takes = node["takes"] {
      expectDuration(takes, or: "forever")
      if takes.string == "forever" {
        plan.duration_ms = nil
      } else if let duration = duration(takes, "takes") {
        plan.duration_ms = duration.wholeMilliseconds
      }
    }
    if let word = node["result"].flatMap({ context.word($0, "result", HandlerPlan.Result.allCases) }) {
      plan.result = word
    }
    plan.badge = node["badge"].flatMap { context.int($0, "badge", in: 0...1_000_000) }
    plan.notification = node["notification"].flatMap {
      context.string($0, "notification", example: "notification: \"New photos\"")
    }
    return plan
  }

  /// Says for a schema that a duration stands there, or a word.
  private mutating func expectDuration(_ node: JSONNode, or word: String? = nil) {
    context.expects(.form((word.map { "^\($0)$|" } ?? "") + StoryDuration.form), at: node.range)
  }

  private mutating func duration(_ node: JSONNode, _ name: String) -> Duration? {
    guard let text = context.string(node, name, example: "\(name): \"4s\"") else { return nil }
    if let duration = StoryDuration.read(text) { return duration }
    context.report(
      "duration", node, "'\(text)' is not a duration.",
      "Write seconds, minutes, hours or days: 90s, 15m, 3h, 5d.")
    return nil
  }

  // MARK: - Steps

  mutating func push(_ verb: JSONMember, _ node: JSONNode) -> PushStep? {
    switch verb.name {
    case "push": return sending(verb, node).map { .send($0) }
    case "app_state": return appChange(verb, node).map { .app($0) }
    case "device_state": return deviceChange(verb.value, node).map { .device($0) }
    default: return .expect(pushExpectations(verb.value))
    }
  }

  private mutating func sending(_ verb: JSONMember, _ node: JSONNode) -> PushSending? {
    guard let app = node["app"].flatMap({ appPlaces($0, "app").first }) ?? onlyPushApp else {
      if node["app"] == nil {
        context.report(
          "missing-key", at: verb.nameRange, "The push has no 'app'.",
          "Add the name of an app: \(Self.pushExample).")
      }
      return nil
    }
    guard let (read, payload, file) = readPush(verb.value, headers(node)) else { return nil }
    var push = read
    if let server = node["server"].flatMap({ context.word($0, "server", PushEnvironment.allCases) }) {
      push.server = server
    } else if let environment = apps[app].push?.environment {
      push.server = environment
    }
    pushedApp = app
    pushedDevices = devicePlaces(node["devices"])
    pushCount += pushedDevices.count
    if pushCount > context.limits.taps, pushCount - pushedDevices.count <= context.limits.taps {
      context.report(
        "too-many", node, "The story sends more than \(context.limits.taps) pushes.", "Use fewer devices.")
    }
    return PushSending(
      file: file, payload: payload, app: app, devices: pushedDevices, push: push,
      lifetime: node["expires"].flatMap { readLifetime($0) },
      expectations: node["expect"].map { pushExpectations($0) } ?? [])
  }

  /// The app, where the story leaves no choice.
  private var onlyPushApp: Int? {
    let places = apps.indices.filter { apps[$0].push != nil }
    return places.count == 1 ? places[0] : nil
  }

  /// The headers that the step says.
  private mutating func headers(_ node: JSONNode) -> PushHeaders {
    var headers = PushHeaders()
    headers.type = node["type"].flatMap { context.word($0, "type", PushType.allCases) }.map {
      .init($0.rawValue)
    }
    headers.priority = node["priority"].flatMap { readPriority($0) }.map { .init("\($0.rawValue)") }
    headers.collapseIdentifier = node["collapse"].flatMap {
      context.string($0, "collapse", example: "collapse: \"score\"")
    }.map { .init($0) }
    headers.topic = node["topic"].flatMap {
      context.string($0, "topic", example: "topic: \"com.example.app\"")
    }.map { .init($0) }
    return headers
  }

  /// A payload in the story, or the path of a file with one; either may be a recorded request, whose headers fill the gaps.
  ///
  /// - Returns: The push, its payload, and the file.
  private mutating func readPush(_ node: JSONNode, _ headers: PushHeaders) -> (SentPush, JSON, String?)? {
    var bytes = node.json.bytes
    if let path = node.string {
      do {
        guard let found = try context.reader.file(path) else {
          context.report(
            "no-file", node, "'\(path)' does not exist.", "Paths are relative to the story's folder.")
          return nil
        }
        bytes = found
      } catch {
        context.report(
          "unreadable-file", node, "'\(path)' cannot be read: \(error.reason).",
          "Fix the file, or name another.")
        return nil
      }
    } else if node.object != nil {
      context.expects(.names, at: node.range)
    } else {
      context.wrongType(node, "push", wanted: "a payload or the path of a file", example: Self.pushExample)
      return nil
    }
    let source = PayloadSource(SourceText(name: node.string ?? "payload", bytes: bytes), headers: headers)
    do throws(PayloadProblem) {
      let payload = try ReceivedPayload(source)
      guard let root = JSONParser.parse(payload.bytes).root else { return nil }
      return (SentPush(payload, headers: source.headers), root.json, node.string)
    } catch {
      let message = error.message.prefix(1).uppercased() + error.message.dropFirst()
      context.report("payload", node, message + ".", error.help)
      return nil
    }
  }

  private mutating func readPriority(_ node: JSONNode) -> PushPriority? {
    if let priority = node.int.flatMap(PushPriority.init) { return priority }
    context.report(
      "number", node, "'priority' is not 10, 5 or 1.", "Write priority: 5 for a background push.")
    return nil
  }

  /// `0`, or how long from the moment it is sent.
  private mutating func readLifetime(_ node: JSONNode) -> Duration? {
    context.expects(.integer(0...0), at: node.range)
    expectDuration(node)
    return node.int == 0 ? .zero : duration(node, "expires")
  }

  private mutating func appChange(_ verb: JSONMember, _ node: JSONNode) -> PushAppChange? {
    guard let app = appPlaces(verb.value, verb.name).first else { return nil }
    var change = PushAppChange(app: app, devices: devicePlaces(node["devices"]))
    if let to = node["to"] {
      let lives: [PushApp.Life] = [.foreground, .background, .suspended, .terminated, .forceQuit]
      change.life = context.word(to, "to", lives)
    }
    change.tapsNotification =
      node["taps_notification"].flatMap { context.bool($0, "taps_notification") } ?? false
    change.permission = node["notifications"].flatMap {
      context.word($0, "notifications", PushApp.Permission.allCases)
    }
    change.allowsBackgroundRefresh = node["background_refresh"].flatMap {
      context.bool($0, "background_refresh")
    }
    change.plan = node["handler"].flatMap { handler($0) }
    if Self.pushExtras["app_state"]?.dropLast().contains(where: { node[$0] != nil }) != true {
      context.report(
        "missing-key", at: verb.nameRange, "The step changes nothing about the app.",
        "Add 'to', 'taps_notification', 'notifications', 'background_refresh' or 'handler': \(Self.stateExample)."
      )
    }
    return change
  }

  private mutating func deviceChange(_ value: JSONNode, _ node: JSONNode) -> PushDeviceChange? {
    let keys = ["online", "power", "in_use", "debugger"]
    let example = "device_state: { online: false, power: \"low\" }"
    guard context.members(value, "the state of a device", keys: keys, example: example) != nil else {
      return nil
    }
    return PushDeviceChange(
      devices: devicePlaces(node["devices"]),
      isOnline: value["online"].flatMap { context.bool($0, "online") },
      power: value["power"].flatMap { context.word($0, "power", DeviceConditions.Power.allCases) },
      isInUse: value["in_use"].flatMap { context.bool($0, "in_use") },
      hasDebugger: value["debugger"].flatMap { context.bool($0, "debugger") })
  }

  // MARK: - Expectations

  private static let expectExample = "expect_push: { fate: \"dropped\", reason: \"force-quit\" }"

  private mutating func pushExpectations(_ node: JSONNode) -> [PushExpectation] {
    guard let last = pushedApp else {
      if context.findings.isEmpty {
        context.report(
          "contradiction", node, "No push has been sent yet, so nothing can be expected.",
          "Add a 'push' before it.")
      }
      return []
    }
    return cases(node).compactMap { pushExpectation($0, last) }
  }

  private mutating func pushExpectation(_ node: JSONNode, _ last: Int) -> PushExpectation? {
    var expectation = PushExpectation(
      app: last, devices: pushedDevices, location: .init(context.source, node.range))
    if node.string != nil {
      guard let fate = context.word(node, "expect", PushExpectation.Fate.allCases) else { return nil }
      expectation.fate = fate
      return expectation
    }
    let keys = ["app", "devices", "fate", "reason", "shown", "badge", "notification", "content"]
    guard context.members(node, "an expectation about a push", keys: keys, example: Self.expectExample) != nil
    else { return nil }
    if let app = node["app"].flatMap({ appPlaces($0, "app").first }) { expectation.app = app }
    if let devices = node["devices"] { expectation.devices = devicePlaces(devices) }
    expectation.fate = node["fate"].flatMap { context.word($0, "fate", PushExpectation.Fate.allCases) }
    expectation.reason = node["reason"].flatMap { context.word($0, "reason", DeliveryReason.allCases) }
    expectation.isShown = node["shown"].flatMap { context.bool($0, "shown") }
    expectation.badge = node["badge"].flatMap { context.int($0, "badge", in: 0...1_000_000) }
    expectation.notification = node["notification"].flatMap {
      context.string($0, "notification", example: "notification: \"New photos\"")
    }
    if let content = node["content"] {
      let members = context.named(content, "content", example: "content: { steps: 4021 }") ?? []
      expectation.content = Dictionary(
        members.map { ($0.name, $0.value.json.text) }, uniquingKeysWith: { first, _ in first })
    }
    return expectation
  }
}
