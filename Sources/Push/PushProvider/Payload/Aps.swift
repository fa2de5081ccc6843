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

  private mutating func set<Value>(_ path: WritableKeyPath<Self, Value?>, _ value: Value?) -> Bool {
    guard let value else { return false }
    self[keyPath: path] = value
    return true
  }

  /// Apple's flags are the number 1; 0 says nothing, and stays as it is.
  private mutating func flag(_ path: WritableKeyPath<Self, Bool>, _ node: JSONNode) -> Bool {
    guard node.int == 1 else { return false }
    self[keyPath: path] = true
    return true
  }

  private mutating func takeShown(_ member: JSONMember) -> Bool {
    let value = member.value
    switch member.name {
    case "alert": return set(\.alert, PushAlert(value))
    case "badge": return set(\.badge, value.int)
    case "sound": return set(\.sound, PushSound(value))
    case "thread-id": return set(\.threadIdentifier, value.string)
    case "category": return set(\.category, value.string)
    case "content-available": return flag(\.isContentAvailable, value)
    case "mutable-content": return flag(\.isMutable, value)
    case "target-content-id": return set(\.targetContentIdentifier, value.string)
    case "interruption-level":
      return set(\.interruptionLevel, value.string.flatMap(InterruptionLevel.init(rawValue:)))
    case "relevance-score": return set(\.relevanceScore, value.double)
    case "filter-criteria": return set(\.filterCriteria, value.string)
    case "url-args": return set(\.urlArguments, value.strings)
    default: return false
    }
  }

  private mutating func takeActivity(_ member: JSONMember) -> Bool {
    let value = member.value
    let object: JSON? = value.object == nil ? nil : value.json
    switch member.name {
    case "event": return set(\.event, value.string.flatMap(ActivityEvent.init(rawValue:)))
    case "timestamp": return set(\.timestamp, value.int)
    case "content-state": return set(\.contentState, object)
    case "stale-date": return set(\.staleDate, value.int)
    case "dismissal-date": return set(\.dismissalDate, value.int)
    case "attributes-type": return set(\.attributesType, value.string)
    case "attributes": return set(\.attributes, object)
    case "input-push-token": return flag(\.asksForToken, value)
    case "input-push-channel": return set(\.channel, value.string)
    case "content-changed": return set(\.isContentChanged, value.bool)
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
