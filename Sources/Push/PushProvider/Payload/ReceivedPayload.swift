internal import LinkspanCore

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

  /// As it goes out.
  package let bytes: [UInt8]
  package private(set) var contentAvailable = ContentAvailable.absent
  /// A key that was probably meant to be `content-available` inside `aps`, with its place: `content_available inside
  /// aps`, `content-available outside aps`.
  package private(set) var misplacedKey: String?
  /// The text of the alert: its body, else its title, else the key of its localized text. Nil when nothing is shown.
  package private(set) var alert: String?
  package private(set) var badge: Int?
  package private(set) var hasSound = false
  /// Whether `alert`, `badge` or `sound` is there, whatever its value.
  package private(set) var namesVisible = false
  /// Whether `mutable-content` is 1, which asks for the notification service extension.
  package private(set) var isMutable = false
  /// The custom keys beside `aps`, each value as compact JSON.
  package private(set) var custom: [String: String] = [:]
  /// The app that Xcode's simulator would deliver to: `Simulator Target Bundle`.
  package private(set) var simulatorBundle: String?
  /// What the payload looks like: the push type that is sent, explained and judged where no header says one.
  package private(set) var type = PushType.alert

  package var sizeBytes: Int { bytes.count }

  /// Whether there is an alert, a badge or a sound.
  package var isVisible: Bool { alert != nil || badge != nil || hasSound }

  /// Whether `content-available` asks for a wake.
  package var asksForWake: Bool { contentAvailable == .one || contentAvailable == .yes }

  /// The name of a custom key, which `.apns` files for Xcode's simulator hold.
  static let simulatorKey = "Simulator Target Bundle"

  /// - Parameters:
  ///   - root: The payload, whatever it is; nil for none.
  ///   - bytes: Its text.
  init(_ root: JSONNode?, _ bytes: [UInt8]) {
    self.bytes = bytes
    let aps = root?["aps"].flatMap { $0.object == nil ? nil : $0 }
    if let root, let aps {
      readSilent(aps, root)
      readVisible(aps)
    }
    simulatorBundle = root?[Self.simulatorKey]?.string
    for member in root?.object ?? [] where member.name != "aps" && member.name != Self.simulatorKey {
      custom[member.name] = member.value.json.text
    }
    type = inferred(aps, root)
  }

  /// A push that asks for a wake and shows nothing is a background push; one whose sound is empty shows nothing.
  private func inferred(_ aps: JSONNode?, _ root: JSONNode?) -> PushType {
    guard let aps else { return root?["mdm"] == nil ? .alert : .mdm }
    if aps["event"] != nil || aps["content-state"] != nil { return .liveactivity }
    if aps["content-changed"] != nil { return .widgets }
    return contentAvailable != .absent && !isVisible ? .background : .alert
  }

  private mutating func readSilent(_ aps: JSONNode, _ root: JSONNode) {
    let name = "content-available"
    switch aps[name] {
    case nil: contentAvailable = .absent
    case let node? where node.wholeNumber == 1: contentAvailable = .one
    case let node? where node.bool == true: contentAvailable = .yes
    case let node?: contentAvailable = .other(node.json.text)
    }
    guard aps[name] == nil else { return }
    func meant(in node: JSONNode?) -> String? {
      node?.object?.first { $0.name == name || ApsKey.twin(of: $0.name)?.name == name }?.name
    }
    let places = [(aps, "inside 'aps'"), (root, "outside 'aps'"), (aps["alert"], "inside 'alert'")]
    misplacedKey = places.lazy.compactMap { node, place in meant(in: node).map { "'\($0)' \(place)" } }.first
  }

  private mutating func readVisible(_ aps: JSONNode) {
    namesVisible = ["alert", "badge", "sound"].contains { aps[$0] != nil }
    if let text = aps["alert"]?.string {
      alert = text.isEmpty ? nil : text
    } else if let dictionary = aps["alert"], dictionary.object != nil {
      let keys = ["body", "title", "loc-key", "title-loc-key", "subtitle", "subtitle-loc-key"]
      alert = keys.lazy.compactMap { dictionary[$0]?.string }.first { !$0.isEmpty }
    }
    badge = aps["badge"]?.wholeNumber.flatMap { Int(exactly: $0) }
    isMutable = aps["mutable-content"]?.wholeNumber == 1
    hasSound = aps["sound"].map { $0.string?.isEmpty == false || $0.object != nil } ?? false
  }
}

/// Why a payload is none.
package struct PayloadProblem: Error, Hashable, Sendable {
  /// One clause, without capital letter and full stop.
  package var message: String
  /// What to do, in whole sentences.
  package var help: String
}
