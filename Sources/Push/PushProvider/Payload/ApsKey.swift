internal import LinkspanCore

/// A key of `aps` and the type of its value.
struct ApsKey {
  enum Kind {
    case number, string, object, boolean, strings
    case stringOrObject

    func accepts(_ node: JSONNode) -> Bool {
      switch (self, node.value) {
      case (.number, .number), (.string, .string), (.object, .object), (.boolean, .bool),
        (.stringOrObject, .string), (.stringOrObject, .object):
        true
      case (.strings, .array): node.strings != nil
      default: false
      }
    }

    var name: String {
      switch self {
      case .number: "a number"
      case .string: "a string"
      case .object: "an object"
      case .boolean: "a boolean"
      case .strings: "an array of strings"
      case .stringOrObject: "a string or an object"
      }
    }
  }

  let name: String
  let kind: Kind
  /// Whether it is a flag whose only value is the number 1.
  var isFlag = false

  static let all = [
    ApsKey(name: "alert", kind: .stringOrObject), ApsKey(name: "badge", kind: .number),
    ApsKey(name: "sound", kind: .stringOrObject), ApsKey(name: "thread-id", kind: .string),
    ApsKey(name: "category", kind: .string),
    ApsKey(name: "content-available", kind: .number, isFlag: true),
    ApsKey(name: "mutable-content", kind: .number, isFlag: true),
    ApsKey(name: "target-content-id", kind: .string), ApsKey(name: "interruption-level", kind: .string),
    ApsKey(name: "relevance-score", kind: .number), ApsKey(name: "filter-criteria", kind: .string),
    ApsKey(name: "event", kind: .string), ApsKey(name: "timestamp", kind: .number),
    ApsKey(name: "content-state", kind: .object), ApsKey(name: "stale-date", kind: .number),
    ApsKey(name: "dismissal-date", kind: .number), ApsKey(name: "attributes-type", kind: .string),
    ApsKey(name: "attributes", kind: .object),
    ApsKey(name: "input-push-token", kind: .number, isFlag: true),
    ApsKey(name: "input-push-channel", kind: .string), ApsKey(name: "content-changed", kind: .boolean),
    ApsKey(name: "url-args", kind: .strings),
  ]

  /// The types of what an alert or a sound may be made of; arguments of localized texts and the volume have rules of their
  /// own.
  static func kinds(inside name: String, isLiveActivity: Bool) -> [String: Kind] {
    switch name {
    case "alert":
      // A Live Activity has its localized texts as objects.
      let text: Kind = isLiveActivity ? .stringOrObject : .string
      return [
        "title": text, "subtitle": text, "body": text, "launch-image": .string, "loc-key": .string,
        "title-loc-key": .string, "subtitle-loc-key": .string, "summary-arg": .string,
        "summary-arg-count": .number,
      ]
    case "sound": return ["name": .string, "critical": .number]
    default: return [:]
    }
  }

  /// Every key of an alert or of a sound, those included whose values have rules of their own.
  static func names(inside name: String, isLiveActivity: Bool) -> [String] {
    let more =
      switch name {
      case "alert":
        ["title-loc-args", "subtitle-loc-args", "loc-args", "action", "action-loc-key"]
          + (isLiveActivity ? ["sound"] : [])
      case "sound": ["volume"]
      default: [String]()
      }
    return kinds(inside: name, isLiveActivity: isLiveActivity).keys.sorted() + more
  }

  static func named(_ name: String) -> ApsKey? { all.first { $0.name == name } }

  /// The key that a name in another spelling stands for: `content_available` or `contentAvailable`.
  static func twin(of name: String) -> ApsKey? {
    let plain = folded(name)
    return all.first { $0.name != name && $0.name.contains("-") && folded($0.name) == plain }
  }

  /// A name without what tells its spellings apart.
  static func folded(_ name: String) -> String {
    ASCII.lowercased(name.filter { $0 != "-" && $0 != "_" })
  }
}
