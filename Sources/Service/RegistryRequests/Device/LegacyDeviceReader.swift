package import LinkspanCore
internal import PushCampaigns
internal import PushProvider

/// Reads the body that the clients of 2013 send, as leniently as Rack::PushNotification did: an unknown key is ignored, a
/// number may be a string, and a value that cannot be used is passed over (push notes, 10.1 and 10.3).
package enum LegacyDeviceReader {
  /// - Parameters:
  ///   - node: nil for an empty body.
  ///   - key: With the topic and environment that the server is configured with, because these clients send none.
  /// - Throws: That the body is no object.
  package static func registration(
    _ node: JSONNode?, key: DeviceKey, ipAddress: String?, at time: WallTime
  ) throws(InputProblem) -> DeviceRegistration {
    var registration = DeviceRegistration(key: key, time: time)
    if let ipAddress {
      registration.attributes.ipAddress = ipAddress
      registration.given.insert(.ipAddress)
    }
    guard let node else { return registration }
    guard let members = node.object else {
      throw InputProblem("", "The body is \(node.typeName); expected an object.")
    }
    if let problem = DuplicateKeys.problem(in: node) { throw InputProblem("", problem) }
    for member in members {
      guard let attribute = names.first(where: { $0.name == member.name })?.attribute else { continue }
      try refuseUnstorable(member.value, member.name)
      if attribute == .alias, !clears(member.value), text(member.value) == nil {
        // Whose the device is now is not known, and it must not get what its last person is sent.
        throw InputProblem("/alias", "'alias' is not a text of 1 to \(DeviceReader.textLimit) characters.")
      }
      if set(attribute, member.value, in: &registration.attributes) { registration.given.insert(attribute) }
    }
    return registration
  }

  /// A text that could be taken for another one is not passed over: the device would lose what it had.
  private static func refuseUnstorable(_ node: JSONNode, _ name: String) throws(InputProblem) {
    for element in node.array ?? [node] {
      guard let text = words(element), !DeviceReader.isStorable(text) else { continue }
      throw InputProblem(
        "/\(name)",
        "'\(name)' has control characters, bidirectional controls, U+FFFD or half a surrogate pair.")
    }
  }

  private static let names: [(name: String, attribute: DeviceAttribute)] = [
    ("alias", .alias), ("badge", .badge), ("locale", .locale), ("language", .language),
    ("timezone", .timeZone), ("lat", .latitude), ("lng", .longitude), ("tags", .tags),
  ]

  /// - Returns: Whether the value can be used.
  private static func set(
    _ attribute: DeviceAttribute, _ node: JSONNode, in attributes: inout DeviceAttributes
  ) -> Bool {
    switch attribute {
    case .alias: return take(text(node), node, into: &attributes.alias)
    case .locale: return take(text(node), node, into: &attributes.locale)
    case .language: return take(text(node), node, into: &attributes.language)
    case .timeZone:
      let name = text(node).flatMap { TimeZoneRules.isName($0) ? $0 : nil }
      return take(name, node, into: &attributes.timeZone)
    case .badge:
      guard let badge = Int64(words(node) ?? "0"), (0...DeviceReader.badgeLimit).contains(badge) else {
        return false
      }
      attributes.badge = badge
    case .latitude:
      guard let number = degrees(node, 90) else { return false }
      attributes.latitude = number
    case .longitude:
      guard let number = degrees(node, 180) else { return false }
      attributes.longitude = number
    case .tags:
      guard node.object == nil else { return false }
      attributes.tags = tags(node)
    case .appVersion, .ipAddress: return false
    }
    return true
  }

  /// - Returns: Whether the text can be used, or takes away what was there.
  private static func take(_ text: String?, _ node: JSONNode, into place: inout String?) -> Bool {
    place = text
    return text != nil || clears(node)
  }

  /// Whether a value says that there is none.
  private static func clears(_ node: JSONNode) -> Bool {
    if case .null = node.value { return true }
    return node.string?.isEmpty ?? false
  }

  private static func words(_ node: JSONNode) -> String? {
    switch node.value {
    case .string(let text), .number(let text): text
    default: nil
    }
  }

  private static func text(_ node: JSONNode) -> String? {
    words(node).flatMap { DeviceReader.isPlain($0, limit: DeviceReader.textLimit) ? $0 : nil }
  }

  private static func degrees(_ node: JSONNode, _ limit: Double) -> Double? {
    words(node).flatMap { Double($0) }.flatMap { abs($0) <= limit ? $0 : nil }
  }

  /// One string stands for an array of one.
  private static func tags(_ node: JSONNode) -> [String] {
    let tags = (node.array ?? [node]).compactMap(text).filter {
      $0.unicodeScalars.count <= DeviceReader.tagLimit
    }
    return Array(tags.eachOnce.prefix(DeviceReader.tagLimit))
  }
}
