internal import LinkspanCommand
internal import LinkspanCore
internal import PushProvider
internal import PushTerms

/// What a person asks `apn push` to send, read from Houston's flags and checked.
struct ApnPushInput {
  let notifications: [PushNotification]
  let server: PushServer

  init(_ arguments: Arguments, topic named: String?, _ console: Console) throws(LinkspanError) {
    let text = SourceText(name: "payload", bytes: try Self.payload(arguments))
    server = try Self.server(arguments)
    var headers = PushHeaders()
    let type = PayloadSource(text, isBody: true).type ?? .alert
    headers.type = .init(type.rawValue)
    headers.priority = .init("\(type.usualPriority.rawValue)")
    var topic: PushTopic?
    if let named {
      let read = try arguments.topic(named)
      topic = read.impliedType == nil ? PushTopic(read.expected(for: type)) : read
      headers.topic = topic.map { .init($0.text) }
    }
    let findings = PushDecision(PayloadSource(text, headers: headers, isBody: true)).findings
    for finding in findings { console.note(finding.text()) }
    guard findings.count(of: .error) == 0 || arguments.has("--force") else {
      throw PushReport.refusal(of: "push", findings, arguments, console)
    }
    var notifications: [PushNotification] = []
    var seen = SeenTokens()
    for operand in arguments.operands {
      do throws(DeviceTokenError) {
        let token = try DeviceToken(operand)
        guard seen.insert(token) else { continue }
        notifications.append(
          PushNotification(
            token: token, topic: topic, type: type, priority: type.usualPriority,
            payload: text.bytes))
      } catch {
        throw LinkspanError(
          "'\(operand)' is not a device token: \(error.message).", help: "Write it in hexadecimal digits.")
      }
    }
    self.notifications = notifications
  }

  /// `--payload` byte for byte, unless other flags add to it; else what the flags say.
  static func payload(_ arguments: Arguments) throws(LinkspanError) -> [UInt8] {
    let adds = ["--alert", "--badge", "--sound", "--category", "--background", "--newsstand"].contains {
      arguments.has($0)
    }
    guard adds || arguments.has("--payload") || arguments.has("--data") else {
      throw arguments.usage(
        "there is nothing to send; name an '--alert', '--badge', '--sound', '--background' or '--payload'")
    }
    var payload = PushPayload(aps: Aps())
    if let text = arguments.value("--payload") {
      guard adds else { return Array(text.utf8) }
      let root = try SourceText(name: "--payload", text).json(
        "a payload", help: "For example: --payload '{\"aps\":{\"alert\":\"Hello\"}}'.")
      let members = root.object?.filter { $0.name == "aps" } ?? []
      // What the other flags say would take the place of what is there.
      guard members.count < 2, members.allSatisfy({ $0.value.object != nil }) else {
        throw LinkspanError(
          "'aps' of '--payload' \(members.count < 2 ? "is not an object" : "occurs twice"), so nothing can be added.",
          help: "For example: --payload '{\"aps\":{\"alert\":\"Hello\"}}'.")
      }
      payload = PushPayload(root) ?? PushPayload(aps: Aps(), custom: custom(root))
    } else if let data = arguments.value("--data") {
      payload.custom = try custom(data, arguments)
    }
    if let text = arguments.value("--alert") { payload.aps.alert = .body(text) }
    if let badge = try arguments.number("--badge", atLeast: 0) { payload.aps.badge = badge }
    if let name = arguments.value("--sound") { payload.aps.sound = .name(name) }
    if let category = arguments.value("--category") { payload.aps.category = category }
    if arguments.has("--background") || arguments.has("--newsstand") { payload.aps.isContentAvailable = true }
    return payload.json.bytes
  }

  private static func custom(_ root: JSONNode) -> [(String, JSON)] {
    (root.object ?? []).filter { $0.name != "aps" }.map { ($0.name, $0.value.json) }
  }

  /// `key=value,key=value`; a value may hold further equals signs.
  private static func custom(
    _ text: String, _ arguments: Arguments
  ) throws(LinkspanError) -> [(String, JSON)] {
    var members: [(String, JSON)] = []
    for part in text.split(separator: ",") {
      guard let equals = part.firstIndex(of: "="), equals > part.startIndex else {
        throw arguments.usage("'--data': expected KEY=VALUE, got '\(part)'")
      }
      let key = String(part[..<equals])
      guard key != "aps" else { throw arguments.usage("'--data' cannot set 'aps'; '--payload' can") }
      members.append((key, .string(String(part[part.index(after: equals)...]))))
    }
    return members
  }

  /// Apple's host for the environment, of which the beginning is enough, unless `--server` names another.
  private static func server(_ arguments: Arguments) throws(LinkspanError) -> PushServer {
    let environment = arguments.value("--environment") ?? PushEnvironment.sandbox.rawValue
    let known = PushEnvironment.allCases.filter {
      // Houston's word for the sandbox is that of the entitlement.
      !environment.isEmpty
        && [$0.rawValue, $0.entitlement].contains { $0.hasPrefix(ASCII.lowercased(environment)) }
    }
    guard known.count == 1 else {
      throw arguments.usage(
        "'--environment': expected \(PushEnvironment.names.alternatives), got '\(environment)'")
    }
    return try PushServer(known[0], arguments)
  }
}
