import LinkspanCore

/// What a device reads in a payload: nothing but what decides whether a push shows something or wakes the app.
package struct ReceivedPayload: Hashable, Sendable {
  /// What `content-available` inside `aps` says.
  package enum ContentAvailable: Hashable, Sendable {
    case absent
    /// The number 1, as Apple documents it.
    case one
    /// `true`: read as 1 here, which nothing documents.
    case yes
    /// 0, a string or anything else; the text is the value as written.
    case other(String)
  }

  /// APNs refuses longer payloads of alerts and background pushes, in bytes (push 2.2, documented).
  package static let limitBytes = 4096

  package var contentAvailable = ContentAvailable.absent
  /// A key that was probably meant to be `content-available` inside `aps`, with its place: `content_available inside
  /// aps`, `content-available outside aps`.
  package var misplacedKey: String?
  /// The text of the alert: its body, else its title, else the key of its localized text. Nil when nothing is shown.
  package var alert: String?
  package var badge: Int?
  package var hasSound = false
  /// Whether `mutable-content` is 1, which asks for the notification service extension.
  package var isMutable = false
  /// The custom keys beside `aps`, each value as compact JSON.
  package var custom: [String: String] = [:]
  /// The app that Xcode's simulator would deliver to: `Simulator Target Bundle`.
  package var simulatorBundle: String?
  package var sizeBytes = 0

  package init() {}

  /// Whether there is an alert, a badge or a sound.
  package var isVisible: Bool { alert != nil || badge != nil || hasSound }

  /// Whether `content-available` asks for a wake.
  package var asksForWake: Bool { contentAvailable == .one || contentAvailable == .yes }

  /// The name of a custom key, which `.apns` files for Xcode's simulator hold.
  private static let simulatorKey = "Simulator Target Bundle"

  /// - Throws: When a device could not read the payload at all.
  package init(_ bytes: [UInt8]) throws(PayloadProblem) {
    sizeBytes = bytes.count
    var limits = JSONParser.Limits()
    limits.sizeBytes = 1 << 20
    limits.valueCount = 100_000
    let document = JSONParser.parse(bytes, limits: limits)
    if let error = document.errors.first {
      throw PayloadProblem(message: "the payload is not JSON: \(error.message)", help: error.help)
    }
    guard let root = document.root, let members = root.object else {
      throw PayloadProblem(
        message: "the payload is not an object", help: "Write {\"aps\":{\"content-available\":1}}.")
    }
    guard let aps = root["aps"], aps.object != nil else {
      throw PayloadProblem(
        message: "the payload has no dictionary 'aps'",
        help: "Put what the system reads inside it: {\"aps\":{\"content-available\":1}}.")
    }
    readSilent(aps, root)
    readVisible(aps)
    simulatorBundle = root[Self.simulatorKey]?.string
    for member in members where member.name != "aps" && member.name != Self.simulatorKey {
      custom[member.name] = member.value.json.text
    }
  }

  private mutating func readSilent(_ aps: JSONNode, _ root: JSONNode) {
    switch aps["content-available"]?.value {
    case nil: contentAvailable = .absent
    case .number(let text) where text == "1": contentAvailable = .one
    case .bool(true): contentAvailable = .yes
    case let value?: contentAvailable = .other(JSONNode(value, at: 0..<0).json.text)
    }
    let twin = "content_available"
    if aps[twin] != nil {
      misplacedKey = "'\(twin)' inside 'aps'"
    } else if root["content-available"] != nil || root[twin] != nil {
      misplacedKey = "'\(root[twin] == nil ? "content-available" : twin)' outside 'aps'"
    }
  }

  private mutating func readVisible(_ aps: JSONNode) {
    if let text = aps["alert"]?.string {
      alert = text.isEmpty ? nil : text
    } else if let dictionary = aps["alert"], dictionary.object != nil {
      let keys = ["body", "title", "loc-key", "title-loc-key", "subtitle"]
      alert = keys.lazy.compactMap { dictionary[$0]?.string }.first { !$0.isEmpty }
    }
    badge = aps["badge"]?.int
    isMutable = aps["mutable-content"]?.int == 1
    hasSound = aps["sound"].map { $0.string?.isEmpty != true } ?? false
  }
}

/// Why a payload is none.
package struct PayloadProblem: Error, Hashable, Sendable {
  /// One clause, without capital letter and full stop.
  package var message: String
  /// What to do, in whole sentences.
  package var help: String

  package init(message: String, help: String) {
    self.message = message
    self.help = help
  }
}
