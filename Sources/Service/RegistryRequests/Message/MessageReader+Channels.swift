package import LinkspanCore
package import PushProvider
package import PushTerms

/// A broadcast channel that a client wants.
package struct ChannelOrder: Sendable {
  /// The app's bundle identifier.
  package var topic: String
  package var environment: PushEnvironment
  package var storage: ChannelRequest.Storage
  package var name: String?
}

/// A Live Activity that a client starts.
package struct ActivityOrder: Sendable {
  package var topic: String
  package var environment: PushEnvironment
  package var name: String?
  /// The number of its channel.
  package var channel: Int64?
  /// Whether devices are sent a start; else the app starts it.
  package var isPushed: Bool
}

extension MessageReader {
  /// Reads the body of `POST /v1/channels` and of `POST /v1/channels/sync`.
  package mutating func channel(_ node: JSONNode, isNew: Bool) -> ChannelOrder? {
    let names = ["topic", "environment"] + (isNew ? ["storage", "name"] : [])
    guard check(node, names: names, "a channel") else { return nil }
    let place = place(node)
    let name = given(node, "name").flatMap { values.text($0, "/name") }
    var storage = ChannelRequest.Storage.none
    if let value = given(node, "storage") {
      if let known = value.string.flatMap(ChannelRequest.Storage.init(rawValue:)) {
        storage = known
      } else {
        values.report("/storage", "Expected \"none\" or \"newest\".")
      }
    }
    guard problems.isEmpty, let place else { return nil }
    return ChannelOrder(topic: place.topic, environment: place.environment, storage: storage, name: name)
  }

  /// The app and the environment; a suffix for Live Activities is left out.
  private mutating func place(_ node: JSONNode) -> (topic: String, environment: PushEnvironment)? {
    guard let key = values.key(node, token: .none) else { return nil }
    guard key.topic.impliedType == nil || key.topic.impliedType == .liveactivity else {
      values.report("/topic", "Expected the app's bundle identifier, without a suffix.")
      return nil
    }
    return (key.topic.bundleIdentifier, key.environment)
  }

  /// Reads the body of `POST /v1/channels/{id}/broadcasts`.
  ///
  /// - Parameter bytes: The body that the node was read from.
  package mutating func broadcast(
    _ node: JSONNode, _ bytes: [UInt8], to channel: String
  ) -> ChannelRequest.Broadcast? {
    guard check(node, names: ["payload", "priority", "expiration"], "a broadcast") else { return nil }
    let payload = payload(node)
    let priority = priority(node) ?? .immediate
    let expiration = Int(number(node, "expiration", 0...Self.expirationLimit) ?? 0)
    guard problems.isEmpty, let payload else { return nil }
    let text = Array(bytes[payload.node.range])
    judge(text, priority, expiration, payload.pointer)
    guard conflicts.isEmpty else { return nil }
    return .init(channel: channel, priority: priority, expiration: expiration, payload: text)
  }

  private mutating func judge(
    _ payload: [UInt8], _ priority: PushPriority, _ expiration: Int, _ place: String
  ) {
    let source = SourceText(name: "payload", bytes: payload)
    for finding in BroadcastCheck.findings(in: source, priority: priority, expiration: expiration) {
      note(finding, inPayloadAt: place)
    }
  }

  // MARK: - Live Activities

  private static let stateNames = [
    "content_state", "alert", "stale_at", "relevance_score", "timestamp", "priority", "expiration", "confirm",
  ]
  private static let audienceNames = ["tokens", "aliases", "query", "audience"]

  /// Reads the body of `POST /v1/activities`.
  ///
  /// - Parameter channelName: APNs' name of the channel with a number; nil where there is none.
  /// - Returns: The activity, and the notification or campaign that starts it, as the body of one.
  package mutating func activity(
    _ node: JSONNode, at now: WallTime, channelName: (Int64) -> String?
  ) -> (order: ActivityOrder, message: [UInt8])? {
    let names =
      Self.stateNames + Self.audienceNames + [
        "topic", "environment", "name", "channel", "attributes_type", "attributes",
      ]
    guard check(node, names: names, "a Live Activity") else { return nil }
    let place = place(node)
    let name = given(node, "name").flatMap { values.text($0, "/name") }
    var push = state(node, .start, timestamp: now.milliseconds / 1_000)
    var channel: Int64?
    if let value = given(node, "channel") {
      channel = value.string.flatMap { Int64($0) }
      push.channel = channel.flatMap(channelName)
      if push.channel == nil { values.report("/channel", "There is no channel with this 'id'.") }
    } else {
      push.asksForToken = true
    }
    push.attributesType = given(node, "attributes_type").flatMap { values.text($0, "/attributes_type") }
    push.attributes = object(node, "attributes")
    let isPushed = Self.audienceNames.contains { node[$0] != nil }
    if node["query"] != nil || node["audience"] != nil {
      for name in ["tokens", "aliases"] where node[name] != nil {
        values.report("/" + name, "'\(name)' goes with neither 'query' nor 'audience'.")
      }
    }
    guard problems.isEmpty, let place else { return nil }
    let order = ActivityOrder(
      topic: place.topic, environment: place.environment, name: name, channel: channel, isPushed: isPushed)
    return (order, Self.message(node, push, place.topic, place.environment, Self.audienceNames))
  }

  /// Reads the body of `POST /v1/activities/{id}/update` and `end`.
  ///
  /// - Parameters:
  ///   - tag: What the activity's devices are registered with; nil where a channel reaches them.
  ///   - timestamp: Where the body has none.
  /// - Returns: The campaign that tells them, or the broadcast, as the body of one.
  package mutating func update(
    _ node: JSONNode, _ event: Aps.ActivityEvent, topic: String, _ environment: PushEnvironment, tag: String?,
    timestamp: Int64
  ) -> [UInt8]? {
    let names = Self.stateNames + (event == .end ? ["dismiss_at"] : [])
    guard check(node, names: names, "an update of a Live Activity") else { return nil }
    let push = state(node, event, timestamp: timestamp)
    guard problems.isEmpty else { return nil }
    guard let tag else {
      let members = ["priority", "expiration"].compactMap { name in node[name].map { (name, $0.json) } }
      return JSON.object([("payload", push.payload.json)] + members).bytes
    }
    let query = JSON.object([("tags", .array([.string(tag)]))])
    return Self.message(node, push, topic, environment, [], [("query", query)])
  }

  /// Where a client wrote what is somewhere in the payload of a Live Activity; the whole body where it wrote nothing of it.
  static func activityPointer(_ pointer: String) -> String {
    let steps = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard steps.count > 1, steps.first == "aps",
      let name = activityNames[String(steps.dropFirst().first ?? "")]
    else { return "" }
    return (["", name] + steps.dropFirst(2).map(String.init)).joined(separator: "/")
  }

  private static let activityNames = [
    "content-state": "content_state", "alert": "alert", "stale-date": "stale_at",
    "dismissal-date": "dismiss_at", "relevance-score": "relevance_score", "timestamp": "timestamp",
    "attributes": "attributes", "attributes-type": "attributes_type", "input-push-channel": "channel",
  ]

  private mutating func state(
    _ node: JSONNode, _ event: Aps.ActivityEvent, timestamp: Int64
  ) -> LiveActivityPush {
    let range = 0...Self.expirationLimit
    var push = LiveActivityPush(event, timestamp: Int(number(node, "timestamp", range) ?? timestamp))
    push.contentState = object(node, "content_state")
    push.staleDate = number(node, "stale_at", range).map { Int($0) }
    push.dismissalDate = number(node, "dismiss_at", range).map { Int($0) }
    if let score = given(node, "relevance_score") {
      push.relevanceScore = score.double
      if push.relevanceScore == nil { values.report("/relevance_score", "Expected a number, such as 50.") }
    }
    push.alert = given(node, "alert").flatMap { activityAlert($0) }
    return push
  }

  /// Push notes, 5.1: title and body may each be a key of the app's texts, and the sound is inside the alert.
  private mutating func activityAlert(_ node: JSONNode) -> PushAlert.Parts? {
    guard let members = node.object, case .parts(let parts)? = PushAlert(node) else {
      values.report("/alert", "Expected an object such as {\"title\":\"Kick-off\",\"body\":\"A-B\"}.")
      return nil
    }
    let strange = parts.other.map(\.0)
    for member in members {
      let place = "/alert" + JSONPointer().appending(member.name).description
      if !["title", "body", "sound"].contains(member.name) {
        values.report(place, "A Live Activity's alert has 'title', 'body' and 'sound'.")
      } else if strange.contains(member.name) {
        values.report(
          place,
          member.name == "sound"
            ? "Expected the name of a sound, such as \"default\"."
            : "Expected a text, or an object such as {\"loc-key\":\"GOAL\",\"loc-args\":[\"A\"]}.")
      }
    }
    return parts
  }

  private mutating func object(_ node: JSONNode, _ name: String) -> JSON? {
    guard let value = given(node, name) else { return nil }
    if value.object != nil { return value.json }
    values.report("/" + name, "'\(name)' is \(value.typeName); expected an object.")
    return nil
  }

  /// The body of a notification or a campaign.
  private static func message(
    _ node: JSONNode, _ push: LiveActivityPush, _ topic: String, _ environment: PushEnvironment,
    _ names: [String],
    _ more: [(String, JSON)] = []
  ) -> [UInt8] {
    let own: [(String, JSON)] = [
      ("topic", .string(topic)), ("environment", .string(environment.rawValue)),
      ("push_type", .string(PushType.liveactivity.rawValue)), ("payload", push.payload.json),
    ]
    let given = (names + ["name", "priority", "expiration", "confirm"]).compactMap { name in
      node[name].map { (name, $0.json) }
    }
    return JSON.object(own + given + more).bytes
  }
}
