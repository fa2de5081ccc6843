package import LinkspanCore

/// What a notification shows: `aps.alert`.
package enum PushAlert: Sendable {
  /// A string is the body.
  case body(String)
  case parts(Parts)

  package struct Parts: Sendable {
    package var title: PushText?
    package var subtitle: PushText?
    package var body: PushText?
    package var launchImage: String?
    package var titleKey: String?
    package var titleArguments: [String]?
    package var subtitleKey: String?
    package var subtitleArguments: [String]?
    package var bodyKey: String?
    package var bodyArguments: [String]?
    /// Of a Live Activity.
    package var sound: PushSound?
    /// Keys and values that are none of these, as they are.
    package var other: [(String, JSON)] = []

    package init() {}
  }

  /// - Returns: nil when the value is neither a string nor an object.
  package init?(_ node: JSONNode) {
    if let text = node.string {
      self = .body(text)
      return
    }
    guard let members = node.object else { return nil }
    var parts = Parts()
    for member in members where !parts.take(member) { parts.other.append((member.name, member.value.json)) }
    self = .parts(parts)
  }

  var json: JSON {
    switch self {
    case .body(let text): .string(text)
    case .parts(let parts): parts.json
    }
  }
}

extension PushAlert.Parts {
  /// Reads one member; false when it is unknown or has a value of another type.
  fileprivate mutating func take(_ member: JSONMember) -> Bool {
    let value = member.value
    func set<Value>(_ value: Value?, _ store: (inout Self, Value) -> Void) -> Bool {
      guard let value else { return false }
      store(&self, value)
      return true
    }
    switch member.name {
    case "title": return set(PushText(value)) { $0.title = $1 }
    case "subtitle": return set(PushText(value)) { $0.subtitle = $1 }
    case "body": return set(PushText(value)) { $0.body = $1 }
    case "launch-image": return set(value.string) { $0.launchImage = $1 }
    case "title-loc-key": return set(value.string) { $0.titleKey = $1 }
    case "title-loc-args": return set(value.strings) { $0.titleArguments = $1 }
    case "subtitle-loc-key": return set(value.string) { $0.subtitleKey = $1 }
    case "subtitle-loc-args": return set(value.strings) { $0.subtitleArguments = $1 }
    case "loc-key": return set(value.string) { $0.bodyKey = $1 }
    case "loc-args": return set(value.strings) { $0.bodyArguments = $1 }
    case "sound": return set(PushSound(value)) { $0.sound = $1 }
    default: return false
    }
  }

  fileprivate var json: JSON {
    let members: [(String, JSON?)] = [
      ("title", title?.json), ("subtitle", subtitle?.json), ("body", body?.json),
      ("launch-image", launchImage.map(JSON.string)), ("title-loc-key", titleKey.map(JSON.string)),
      ("title-loc-args", titleArguments.map(JSON.strings)),
      ("subtitle-loc-key", subtitleKey.map(JSON.string)),
      ("subtitle-loc-args", subtitleArguments.map(JSON.strings)), ("loc-key", bodyKey.map(JSON.string)),
      ("loc-args", bodyArguments.map(JSON.strings)), ("sound", sound?.json),
    ]
    return .object(members.compactMap { name, value in value.map { (name, $0) } } + other)
  }
}

/// A text, or in Live Activities also the key of a localized one with its arguments.
package enum PushText: Sendable {
  case plain(String)
  case localized(key: String, arguments: [String])

  init?(_ node: JSONNode) {
    if let text = node.string {
      self = .plain(text)
      return
    }
    guard let members = node.object, let key = node["loc-key"]?.string else { return nil }
    let arguments = node["loc-args"]
    guard members.count == (arguments == nil ? 1 : 2), let texts = arguments.map({ $0.strings }) ?? [] else {
      return nil
    }
    self = .localized(key: key, arguments: texts)
  }

  var json: JSON {
    switch self {
    case .plain(let text): .string(text)
    case .localized(let key, let arguments):
      .object([("loc-key", .string(key))] + (arguments.isEmpty ? [] : [("loc-args", .strings(arguments))]))
    }
  }
}

/// What a notification plays: a file's name, or a dictionary for critical alerts.
package enum PushSound: Sendable {
  case name(String)
  case critical(isCritical: Bool, name: String?, volume: Double?)

  init?(_ node: JSONNode) {
    if let name = node.string {
      self = .name(name)
      return
    }
    guard let members = node.object, Set(members.map({ $0.name })).count == members.count else { return nil }
    var (isCritical, name, volume) = (false, String?.none, Double?.none)
    for member in members {
      switch (member.name, member.value.wholeNumber, member.value.string, member.value.double) {
      case ("critical", 0?, _, _): isCritical = false
      case ("critical", 1?, _, _): isCritical = true
      case ("name", _, let text?, _): name = text
      case ("volume", _, _, let number?): volume = number
      default: return nil
      }
    }
    guard node["critical"] != nil else { return nil }
    self = .critical(isCritical: isCritical, name: name, volume: volume)
  }

  var json: JSON {
    switch self {
    case .name(let name): .string(name)
    case .critical(let isCritical, let name, let volume):
      .object(
        [("critical", .int(isCritical ? 1 : 0))] + (name.map { [("name", .string($0))] } ?? [])
          + (volume.map { [("volume", .number("\($0)"))] } ?? []))
    }
  }
}

extension JSON {
  static func strings(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
}

extension JSONNode {
  /// The array when all its elements are strings.
  var strings: [String]? {
    guard let array else { return nil }
    let texts = array.compactMap { $0.string }
    return texts.count == array.count ? texts : nil
  }

  /// The number, when it is finite.
  package var double: Double? {
    guard case .number(let text) = value, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// The number when its value is whole and fits: to a reader of JSON, 1, 1.0 and 1e0 are one number.
  package var wholeNumber: Int64? { int64 ?? double.flatMap { Int64(exactly: $0) } }
}
