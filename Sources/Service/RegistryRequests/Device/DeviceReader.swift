package import LinkspanCore
internal import PushCampaigns
package import PushProvider
internal import PushTerms

/// Reads what a client says about a device, and collects everything that is wrong with it.
package struct DeviceReader {
  /// Of a text in Unicode scalars. Ours.
  package static let textLimit = 255
  /// Ours.
  package static let tagLimit = 64
  /// Ours: what `Int32` holds, since apps count badges in it.
  package static let badgeLimit: Int64 = 2_147_483_647

  package private(set) var problems: [InputProblem] = []

  /// Whether texts are taken that were stored before ``isStorable(_:)`` was asked, as in an export of a registry.
  private let keepsOldTexts: Bool

  package init(keepsOldTexts: Bool = false) { self.keepsOldTexts = keepsOldTexts }

  package mutating func report(_ pointer: String, _ message: String) {
    problems.append(InputProblem(pointer, message))
  }

  /// The attributes of `/v1`.
  private static let names: [(name: String, pointer: String, attribute: DeviceAttribute)] = [
    ("alias", "/alias", .alias), ("badge", "/badge", .badge), ("locale", "/locale", .locale),
    ("language", "/language", .language), ("time_zone", "/time_zone", .timeZone),
    ("app_version", "/app_version", .appVersion), ("latitude", "/latitude", .latitude),
    ("longitude", "/longitude", .longitude), ("tags", "/tags", .tags),
  ]

  /// Reads the body of `PUT /v1/devices/{token}`.
  ///
  /// - Returns: nil when something is wrong; ``problems`` says what.
  package mutating func registration(
    _ node: JSONNode, token: DeviceToken, at time: WallTime
  ) -> DeviceRegistration? {
    guard let members = node.object else {
      report("", "The body is \(node.typeName); expected an object.")
      return nil
    }
    reportRepeatedKeys(in: node)
    let key = key(node, token: token)
    var attributes = DeviceAttributes()
    var given: DeviceAttribute.Names = []
    for member in members {
      if member.name == "topic" || member.name == "environment" { continue }
      guard let place = Self.names.firstIndex(where: { $0.name == member.name }) else {
        reportUnknown(member.name)
        continue
      }
      given.insert(Self.names[place].attribute)
      set(Self.names[place].attribute, Self.names[place].pointer, member.value, in: &attributes)
    }
    guard problems.isEmpty, let key else { return nil }
    return DeviceRegistration(key: key, attributes: attributes, given: given, time: time)
  }

  /// Reads the topic and the environment; what else the object has is the caller's.
  package mutating func key(_ node: JSONNode, token: DeviceToken) -> DeviceKey? {
    let topic = topic(node["topic"])
    let environment = environment(node["environment"])
    guard let topic, let environment else { return nil }
    return DeviceKey(token: token, topic: topic, environment: environment)
  }

  /// Every body of the API: a key that occurs twice is refused, because two readers may take different ones.
  ///
  /// - Parameter isDocument: Whether a pointer leads into a document of its own, with rules of its own.
  package mutating func reportRepeatedKeys(
    in node: JSONNode, except isDocument: (String) -> Bool = { _ in false }
  ) {
    DuplicateKeys.each(in: node) { member, _, pointer in
      let place = pointer.description
      if !isDocument(place) { problems.append(InputProblem(place, "'\(member.name)' occurs twice.")) }
    }
  }

  private mutating func reportUnknown(_ name: String) {
    let known = Self.names.map(\.name) + ["topic", "environment"]
    let advice = Spelling.nearest(to: name, among: known).map { " Did you mean '\($0)'?" } ?? ""
    report(Self.pointer(name), "'\(name)' is not a key of a device.\(advice)")
  }

  private static func pointer(_ name: String) -> String { JSONPointer().appending(name).description }

  private mutating func topic(_ node: JSONNode?) -> PushTopic? {
    guard let node else {
      report("/topic", "'topic' is missing: the app's bundle identifier.")
      return nil
    }
    if let topic = node.string.flatMap({ PushTopic($0) }) { return topic }
    report("/topic", "'topic' \(Self.topicProblem)")
    return nil
  }

  private mutating func environment(_ node: JSONNode?) -> PushEnvironment? {
    if let environment = node?.string.flatMap({ PushEnvironment(rawValue: $0) }) { return environment }
    report(
      "/environment",
      "'environment' is \(node == nil ? "missing" : "unknown"): expected 'production' or 'sandbox'.")
    return nil
  }

  private mutating func set(
    _ attribute: DeviceAttribute, _ pointer: String, _ node: JSONNode, in attributes: inout DeviceAttributes
  ) {
    // null clears an attribute.
    if case .null = node.value { return }
    switch attribute {
    case .alias: attributes.alias = text(node, pointer)
    case .badge: attributes.badge = badge(node, pointer) ?? 0
    case .locale: attributes.locale = text(node, pointer)
    case .language: attributes.language = text(node, pointer)
    case .timeZone: attributes.timeZone = timeZone(node, pointer)
    case .appVersion: attributes.appVersion = text(node, pointer)
    case .ipAddress: break
    case .latitude: attributes.latitude = degrees(node, pointer, 90)
    case .longitude: attributes.longitude = degrees(node, pointer, 180)
    case .tags: attributes.tags = tags(node, pointer)
    }
  }

  // MARK: - Values

  /// A text of 1 to 255 characters that is stored or is part of an answer.
  package mutating func text(
    _ node: JSONNode, _ pointer: @autoclosure () -> String, limit: Int = textLimit
  ) -> String? {
    if let text = node.string, Self.isPlain(text, limit: limit), keepsOldTexts || Self.isStorable(text) {
      return text
    }
    report(
      pointer(),
      "Expected a string of 1 to \(limit) characters without "
        + (keepsOldTexts ? "control characters." : "\(Self.unstorable)."))
    return nil
  }

  /// A text that is compared with stored ones. Texts that were stored before ``isStorable(_:)`` was asked are found, so that
  /// they can be erased.
  package mutating func lookup(
    _ node: JSONNode, _ pointer: @autoclosure () -> String, limit: Int = textLimit
  ) -> String? {
    guard let problem = Self.lookupProblem(node.string, limit: limit) else { return node.string }
    report(pointer(), problem)
    return nil
  }

  /// Why no stored text can be like this one; nil where one can.
  package static func lookupProblem(_ text: String?, limit: Int = textLimit) -> String? {
    if let text, isPlain(text, limit: limit) { return nil }
    return "Expected a string of 1 to \(limit) characters without control characters."
  }

  package static func isPlain(_ text: String, limit: Int) -> Bool {
    var text = text
    // Most texts are ASCII, where a byte is a character.
    if text.withUTF8({ $0.allSatisfy { (0x20..<0x7F).contains($0) } }) {
      return (1...limit).contains(text.utf8.count)
    }
    return (1...limit).contains(text.unicodeScalars.count)
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// Whether a plain text may become somebody's alias, tag or name: no two look the same because of characters that nobody
  /// sees, and none came from input that could not be read, as the U+FFFD for half a surrogate pair does.
  package static func isStorable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { !$0.isControl && $0 != "\u{FFFD}" }
  }

  /// What ``isStorable(_:)`` does not take.
  static let unstorable = "control characters, bidirectional controls, U+FFFD and halves of surrogate pairs"

  package static func isTopic(_ text: String) -> Bool { PushTopic(text) != nil }

  /// What is true of a topic that is none.
  package static let topicProblem =
    "is not a bundle identifier: up to 255 letters, digits, '.', '-' and '_'."

  private mutating func timeZone(_ node: JSONNode, _ pointer: String) -> String? {
    if let text = node.string, TimeZoneRules.isName(text) { return text }
    report(pointer, "Expected the name of a time zone, such as \"Europe/Vienna\".")
    return nil
  }

  private mutating func badge(_ node: JSONNode, _ pointer: String) -> Int64? {
    if let number = node.wholeNumber, (0...Self.badgeLimit).contains(number) { return number }
    report(pointer, "Expected an integer from 0 to \(Self.badgeLimit).")
    return nil
  }

  private mutating func degrees(_ node: JSONNode, _ pointer: String, _ limit: Double) -> Double? {
    if case .number(let text) = node.value, let number = Double(text), abs(number) <= limit { return number }
    report(pointer, "Expected a number from \(-Int(limit)) to \(Int(limit)).")
    return nil
  }

  /// Tags in the order they come in, each once.
  package mutating func tags(_ node: JSONNode, _ pointer: String) -> [String] {
    guard let elements = node.array, elements.count <= Self.tagLimit else {
      report(pointer, "Expected an array of at most \(Self.tagLimit) strings.")
      return []
    }
    var tags: [String] = []
    for (index, element) in elements.enumerated() {
      if let tag = text(element, "\(pointer)/\(index)", limit: Self.tagLimit) { tags.append(tag) }
    }
    return tags.eachOnce
  }
}
