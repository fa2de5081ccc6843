package import LinkspanCore

/// The dictionary `aps` of every push type, typed.
///
/// Reading never fails and loses nothing: a key that is unknown, and a value that has another type than Apple's, is kept in ``other`` as it is.
///
/// - Source: Apple, "Generating a remote notification"; for Live Activities "Starting and updating Live Activities
///   with ActivityKit push notifications".
package struct Aps: Sendable {
  package enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
    case passive
    case active
    case timeSensitive = "time-sensitive"
    case critical
  }

  /// What a push does to a Live Activity.
  package enum ActivityEvent: String, Hashable, Sendable, CaseIterable {
    case start
    case update
    case end
  }

  package var alert: PushAlert?
  /// 0 removes the badge.
  package var badge: Int?
  package var sound: PushSound?
  package var threadIdentifier: String?
  package var category: String?
  /// Whether the app is woken in the background.
  package var isContentAvailable = false
  /// Whether the notification service extension may change the notification.
  package var isMutable = false
  package var targetContentIdentifier: String?
  package var interruptionLevel: InterruptionLevel?
  package var relevanceScore: Double?
  package var filterCriteria: String?
  package var event: ActivityEvent?
  /// Unix seconds; the newest update wins.
  package var timestamp: Int?
  package var contentState: JSON?
  /// Unix seconds.
  package var staleDate: Int?
  /// Unix seconds.
  package var dismissalDate: Int?
  package var attributesType: String?
  package var attributes: JSON?
  /// Whether a started activity asks for a token of its own (iOS 18).
  package var asksForToken = false
  /// The channel that a started activity subscribes to, in Base64 (iOS 18).
  package var channel: String?
  /// Of widgets.
  package var isContentChanged: Bool?
  /// Of Safari's legacy website pushes.
  package var urlArguments: [String]?
  package var other: [(String, JSON)] = []

  package init() {}

  /// - Returns: nil when the value is no object.
  package init?(_ node: JSONNode) {
    guard let members = node.object else { return nil }
    for member in members where !takeShown(member) && !takeActivity(member) {
      other.append((member.name, member.value.json))
    }
  }

  private mutating func set<Value>(_ value: Value?, _ store: (inout Self, Value) -> Void) -> Bool {
    guard let value else { return false }
    store(&self, value)
    return true
  }

  /// Apple's flags are the number 1; 0 says nothing, and stays as it is.
  private mutating func flag(_ node: JSONNode, _ raise: (inout Self) -> Void) -> Bool {
    guard node.wholeNumber == 1 else { return false }
    raise(&self)
    return true
  }

  private func whole(_ node: JSONNode) -> Int? { node.wholeNumber.flatMap { Int(exactly: $0) } }

  private mutating func takeShown(_ member: JSONMember) -> Bool {
    let value = member.value
    switch member.name {
    case "alert": return set(PushAlert(value)) { $0.alert = $1 }
    case "badge": return set(whole(value)) { $0.badge = $1 }
    case "sound": return set(PushSound(value)) { $0.sound = $1 }
    case "thread-id": return set(value.string) { $0.threadIdentifier = $1 }
    case "category": return set(value.string) { $0.category = $1 }
    case "content-available": return flag(value) { $0.isContentAvailable = true }
    case "mutable-content": return flag(value) { $0.isMutable = true }
    case "target-content-id": return set(value.string) { $0.targetContentIdentifier = $1 }
    case "interruption-level":
      return set(value.string.flatMap(InterruptionLevel.init(rawValue:))) { $0.interruptionLevel = $1 }
    case "relevance-score": return set(value.double) { $0.relevanceScore = $1 }
    case "filter-criteria": return set(value.string) { $0.filterCriteria = $1 }
    case "url-args": return set(value.strings) { $0.urlArguments = $1 }
    default: return false
    }
  }

  private mutating func takeActivity(_ member: JSONMember) -> Bool {
    let value = member.value
    let object: JSON? = value.object == nil ? nil : value.json
    switch member.name {
    case "event": return set(value.string.flatMap(ActivityEvent.init(rawValue:))) { $0.event = $1 }
    case "timestamp": return set(whole(value)) { $0.timestamp = $1 }
    case "content-state": return set(object) { $0.contentState = $1 }
    case "stale-date": return set(whole(value)) { $0.staleDate = $1 }
    case "dismissal-date": return set(whole(value)) { $0.dismissalDate = $1 }
    case "attributes-type": return set(value.string) { $0.attributesType = $1 }
    case "attributes": return set(object) { $0.attributes = $1 }
    case "input-push-token": return flag(value) { $0.asksForToken = true }
    case "input-push-channel": return set(value.string) { $0.channel = $1 }
    case "content-changed": return set(value.bool) { $0.isContentChanged = $1 }
    default: return false
    }
  }

  package var json: JSON {
    let shown: [(String, JSON?)] = [
      ("alert", alert?.json), ("badge", badge.map(JSON.int)), ("sound", sound?.json),
      ("thread-id", threadIdentifier.map(JSON.string)), ("category", category.map(JSON.string)),
      ("content-available", isContentAvailable ? .int(1) : nil),
      ("mutable-content", isMutable ? .int(1) : nil),
      ("target-content-id", targetContentIdentifier.map(JSON.string)),
      ("interruption-level", interruptionLevel.map { .string($0.rawValue) }),
      ("relevance-score", relevanceScore.map { .number("\($0)") }),
      ("filter-criteria", filterCriteria.map(JSON.string)), ("url-args", urlArguments.map(JSON.strings)),
    ]
    let activity: [(String, JSON?)] = [
      ("event", event.map { .string($0.rawValue) }), ("timestamp", timestamp.map(JSON.int)),
      ("content-state", contentState), ("stale-date", staleDate.map(JSON.int)),
      ("dismissal-date", dismissalDate.map(JSON.int)), ("attributes-type", attributesType.map(JSON.string)),
      ("attributes", attributes), ("input-push-token", asksForToken ? .int(1) : nil),
      ("input-push-channel", channel.map(JSON.string)), ("content-changed", isContentChanged.map(JSON.bool)),
    ]
    return .object((shown + activity).compactMap { name, value in value.map { (name, $0) } } + other)
  }
}
