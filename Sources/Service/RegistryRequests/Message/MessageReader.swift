package import LinkspanCore
internal import PushCampaigns
package import PushProvider

/// What a client asks to be sent, read and checked; collects everything that is wrong with it.
package struct MessageReader {
  /// Device tokens and aliases of one notification. Ours; more are a campaign.
  package static let targetLimit = 10_000
  /// Of a list in a campaign's query. Ours.
  package static let listLimit = 64
  /// In seconds; a larger number is one of milliseconds.
  static let expirationLimit: Int64 = 100_000_000_000
  /// Pushes a second. Ours.
  package static let throttleRange: ClosedRange<Int64> = 1...1_000_000
  /// Devices that a client confirms. Ours: more than there are.
  static let confirmRange: ClosedRange<Int64> = 0...1_000_000_000_000

  /// What the rules about payloads found, warnings included; the pointers begin at the request.
  package private(set) var warnings: [InputProblem] = []
  /// What is wrong with the payload and its headers by those rules; without it a request has none of these.
  package private(set) var conflicts: [InputProblem] = []
  package var problems: [InputProblem] { values.problems }
  var values = DeviceReader()
  /// Whether payloads have places for what is known of a device.
  var isTemplate = false

  /// Whether the client asked for a Live Activity or an update of one, and wrote no payload itself.
  private let isActivity: Bool

  package init(ofActivity isActivity: Bool = false) { self.isActivity = isActivity }

  /// How many devices the client expects at most, see ``AudienceLimit``.
  private static let confirmName = "confirm"

  /// A request's bytes without the count that it confirms: with and without it, or with another one, it is the same
  /// request.
  package static func withoutConfirmation(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.firstRange(of: Array("\"\(confirmName)\"".utf8)) != nil,
      let members = JSONParser.parse(bytes).root?.object,
      let place = members.firstIndex(where: { $0.name == confirmName })
    else { return bytes }
    let (start, end) =
      if place > 0 {
        // From the comma on: the blanks before it stand in the request without the count as well.
        (
          bytes[members[place - 1].value.range.upperBound...].firstIndex(of: UInt8(ascii: ","))
            ?? bytes.endIndex,
          members[place].value.range.upperBound
        )
      } else {
        (
          members[place].nameRange.lowerBound,
          members.count > 1 ? members[1].nameRange.lowerBound : members[place].value.range.upperBound
        )
      }
    return Array(bytes[..<start] + bytes[end...])
  }

  private static let contentNames = [
    "topic", "environment", "payload", "push_type", "priority", "expiration", "collapse_id", "name",
  ]

  /// Reads the body of `POST /v1/notifications`.
  ///
  /// - Parameter bytes: The body that the node was read from.
  package mutating func notification(_ node: JSONNode, _ bytes: [UInt8]) -> NotificationRequest? {
    guard check(node, names: Self.contentNames + ["tokens", "aliases", Self.confirmName], "a notification")
    else {
      return nil
    }
    let content = content(node, payload(node), bytes)
    let aliases = texts(node, "aliases", limit: Self.targetLimit, DeviceReader.textLimit)
    var tokens: [DeviceToken] = []
    for (index, element) in (list(node, "tokens", limit: Self.targetLimit) ?? []).enumerated() {
      do throws(DeviceTokenError) {
        tokens.append(try DeviceToken(element.string ?? "?"))
      } catch {
        values.report("/tokens/\(index)", "It is not a device token: \(error.message).")
      }
    }
    let confirmed = number(node, Self.confirmName, Self.confirmRange)
    if tokens.isEmpty, aliases.isEmpty, problems.isEmpty {
      values.report("", "No recipient: give 'tokens' or 'aliases'. A push to every device is a campaign.")
    }
    guard problems.isEmpty, let content else { return nil }
    return NotificationRequest(content: content, tokens: tokens, aliases: aliases, confirmed: confirmed)
  }

  /// Reads the body of `POST /v1/campaigns`.
  package mutating func campaign(_ node: JSONNode, _ bytes: [UInt8]) -> CampaignRequest? {
    let names =
      Self.contentNames + [
        "audience", "query", "local_time", "throttle_per_second", "paused", Self.confirmName,
      ] + Self.optionNames
    guard check(node, names: names, "a campaign") else { return nil }
    isTemplate = flag(node, "template")
    let payloads = campaignPayloads(node, bytes)
    let content = content(node, payloads.main, others: payloads.others, bytes)
    let options = options(node, payloads, expiration: content?.expiration)
    let audience = audience(node)
    let clock = given(node, "local_time")
    let localTime = clock?.string.flatMap(ClockTime.minutes)
    if clock != nil, localTime == nil {
      values.report("/local_time", "Expected a time such as \"09:00\".")
    }
    let throttle = number(node, "throttle_per_second", Self.throttleRange)
    let pause = given(node, "paused")
    if let pause, pause.bool == nil { values.report("/paused", "Expected true or false.") }
    let confirmed = number(node, Self.confirmName, Self.confirmRange)
    guard problems.isEmpty, let content else { return nil }
    var request = CampaignRequest(
      content: content, audience: audience, isPaused: pause?.bool ?? false, options: options)
    request.localTime = localTime
    request.throttle = throttle
    request.confirmed = confirmed
    return request
  }

  // MARK: - Parts

  mutating func check(_ node: JSONNode, names: [String], _ what: String) -> Bool {
    guard let members = node.object else {
      values.report("", "The body is \(node.typeName); expected an object.")
      return false
    }
    // The rules about payloads judge the payloads' own.
    values.reportRepeatedKeys(in: node) { $0.contains("/payload/") || $0.contains("/payloads/") }
    for member in members {
      let pointer = JSONPointer().appending(member.name).description
      guard !names.contains(member.name) else { continue }
      #if PLANTED_BUGS
        if ServiceBug.unknownKeyTaken.isPlanted { continue }
      #endif
      let advice = Spelling.nearest(to: member.name, among: names).map { " Did you mean '\($0)'?" } ?? ""
      values.report(pointer, "'\(member.name)' is not a key of \(what).\(advice)")
    }
    return true
  }

  /// A value that is there and not null.
  func given(_ node: JSONNode, _ name: String) -> JSONNode? {
    guard let value = node[name] else { return nil }
    if case .null = value.value { return nil }
    return value
  }

  /// A payload of a request, and where it is.
  struct PlacedPayload {
    var node: JSONNode
    var pointer: String
  }

  /// - Returns: nil without one, or for what is no object; that is reported.
  mutating func payload(_ node: JSONNode, at base: String = "") -> PlacedPayload? {
    guard let payload = given(node, "payload"), payload.object != nil else {
      values.report(
        base + "/payload",
        "'payload' is missing, or is not an object such as {\"aps\":{\"alert\":\"Hi\"}}.")
      return nil
    }
    return PlacedPayload(node: payload, pointer: base + "/payload")
  }

  /// - Parameters:
  ///   - payload: The one that the push type is found by.
  ///   - others: What some devices get instead, by the same rules.
  private mutating func content(
    _ node: JSONNode, _ payload: PlacedPayload?, others: [PlacedPayload] = [], _ bytes: [UInt8]
  ) -> MessageContent? {
    let key = values.key(node, token: .none)
    let name = given(node, "name").flatMap { values.text($0, "/name") }
    guard let payload else { return nil }
    let text = Array(bytes[payload.node.range])
    var headers = PushHeaders()
    if let type = given(node, "push_type") { headers.type = .init(type.string ?? "?") }
    if let collapse = given(node, "collapse_id") {
      headers.collapseIdentifier = collapseIdentifier(collapse).map { .init($0) }
    }
    let expiration = number(node, "expiration", 0...Self.expirationLimit)
    headers.expiration = expiration.map { .init("\($0)") }
    let priority = priority(node)
    let type = PayloadSource(SourceText(name: "payload", bytes: text), headers: headers, isBody: true).type
    guard let type else {
      let known = PushType.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      values.report("/push_type", "'push_type' is not one of \(known).")
      return nil
    }
    headers.type = .init(type.rawValue)
    headers.priority = .init("\((priority ?? type.usualPriority).rawValue)")
    let bundle = key?.topic
    let topic = bundle.map { $0.impliedType == nil ? $0.expected(for: type) : $0.text }.flatMap {
      PushTopic($0)
    }
    if bundle != nil, topic == nil {
      values.report("/topic", "'topic' is too long for the suffix of its push type.")
    }
    headers.topic = topic.map { .init($0.text) }
    lintBranches(text, headers, payload.pointer)
    for other in others {
      lintBranches(Array(bytes[other.node.range]), headers, other.pointer, isMain: false)
    }
    guard let topic, let environment = key?.environment, problems.isEmpty, conflicts.isEmpty
    else { return nil }
    return MessageContent(
      name: name, topic: topic, environment: environment, type: type,
      priority: priority ?? type.usualPriority, expiration: expiration,
      collapseIdentifier: headers.collapseIdentifier?.text, payload: String(decoding: text, as: UTF8.self))
  }

  /// Where rules about a header, not about the payload, find their value.
  private static let headerPointers = [
    "push.collapse-id": "/collapse_id", "push.expiration": "/expiration",
    "push.past-expiration": "/expiration", "push.priority": "/priority",
    "push.background-priority": "/priority",
    "push.push-type": "/push_type", "push.topic": "/topic",
  ]

  mutating func lint(
    _ payload: [UInt8], _ headers: PushHeaders, _ place: String, isMain: Bool = true
  ) {
    let source = PayloadSource(SourceText(name: "payload", bytes: payload), headers: headers, isBody: true)
    // What is wrong with a header is said once.
    for finding in PushDecision(source).findings where isMain || Self.headerPointers[finding.rule] == nil {
      note(finding, inPayloadAt: place)
    }
  }

  mutating func note(_ finding: Finding, inPayloadAt place: String) {
    let pointer = finding.location.pointer ?? ""
    note(
      finding,
      Self.headerPointers[finding.rule] ?? (isActivity ? Self.activityPointer(pointer) : place + pointer))
  }

  mutating func warn(_ pointer: String, _ message: String) {
    let problem = InputProblem(pointer, message)
    if !warnings.contains(problem) { warnings.append(problem) }
  }

  mutating func note(_ finding: Finding, _ pointer: String) {
    let message = "\(finding.message) [\(finding.rule)]" + (finding.help.map { " " + $0 } ?? "")
    let problem = InputProblem(pointer, message)
    if finding.severity == .error {
      if !conflicts.contains(problem) { conflicts.append(problem) }
    } else {
      warn(pointer, message)
    }
  }

  /// How many bytes it has is counted by a rule.
  private mutating func collapseIdentifier(_ node: JSONNode) -> String? {
    if let text = node.string, DeviceReader.isPlain(text, limit: .max), DeviceReader.isStorable(text) {
      return text
    }
    values.report(
      "/collapse_id", "Expected a string of 1 to 64 bytes without \(DeviceReader.unstorable).")
    return nil
  }

  mutating func priority(_ node: JSONNode) -> PushPriority? {
    guard let value = given(node, "priority") else { return nil }
    let priority = value.wholeNumber.flatMap { PushPriority(rawValue: Int(clamping: $0)) }
    if priority == nil { values.report("/priority", "Expected 1, 5 or 10.") }
    return priority
  }

  mutating func number(
    _ node: JSONNode, _ name: String, _ range: ClosedRange<Int64>, at base: String = ""
  ) -> Int64? {
    guard let value = given(node, name) else { return nil }
    if let number = value.wholeNumber, range.contains(number) { return number }
    let isMilliseconds =
      range.upperBound == Self.expirationLimit && (value.wholeNumber ?? 0) > Self.expirationLimit
    values.report(
      base + "/" + name,
      isMilliseconds
        ? "'\(name)' is in milliseconds. Write Unix seconds."
        : "Expected an integer from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }

  private mutating func list(_ node: JSONNode, _ name: String, limit: Int, at base: String = "")
    -> [JSONNode]?
  {
    guard let value = node[name] else { return nil }
    if let elements = value.array, elements.count <= limit { return elements }
    values.report("\(base)/\(name)", "Expected an array of at most \(limit) strings.")
    return nil
  }

  /// Texts in the order they come in, each once.
  mutating func texts(
    _ node: JSONNode, _ name: String, limit: Int, _ length: Int, at base: String = ""
  ) -> [String] {
    var texts: [String] = []
    for (index, element) in (list(node, name, limit: limit, at: base) ?? []).enumerated() {
      if let text = values.lookup(element, "\(base)/\(name)/\(index)", limit: length) { texts.append(text) }
    }
    return texts.eachOnce
  }
}

/// A push to devices that are named.
package struct NotificationRequest: Sendable {
  package var content: MessageContent
  package var tokens: [DeviceToken]
  package var aliases: [String]
  /// How many devices the client expects at most; nil where it does not say.
  package var confirmed: Int64?
}

/// A push to the devices that fit a query.
package struct CampaignRequest: Sendable {
  package var content: MessageContent
  package var audience: Audience
  /// Minutes after midnight in each device's time zone; nil for at once.
  package var localTime: Int?
  /// Pushes a second; nil for as many as possible.
  package var throttle: Int64?
  package var isPaused: Bool
  package var options: CampaignOptions
  /// How many devices the client expects at most; nil where it does not say.
  package var confirmed: Int64?

  package init(
    content: MessageContent, audience: Audience, isPaused: Bool = false,
    options: CampaignOptions = CampaignOptions()
  ) {
    self.content = content
    self.audience = audience
    self.isPaused = isPaused
    self.options = options
  }
}
