package import LinkspanCore

/// The body of a push: `aps` and the app's own keys beside it.
package struct PushPayload: Sendable {
  package var aps: Aps
  /// The app's own keys.
  package var custom: [(String, JSON)]

  package init(aps: Aps, custom: [(String, JSON)] = []) {
    self.aps = aps
    self.custom = custom
  }

  /// - Returns: nil when the value is no object with an object `aps`.
  package init?(_ node: JSONNode) {
    guard let members = node.object, let aps = node["aps"].flatMap(Aps.init) else { return nil }
    self.aps = aps
    custom = members.filter { $0.name != "aps" }.map { ($0.name, $0.value.json) }
  }

  /// Wakes the app in the background and shows nothing; goes with push type `background` and priority 5.
  ///
  /// - Source: Apple, "Pushing background updates to your app".
  package static var silent: PushPayload {
    var aps = Aps()
    aps.isContentAvailable = true
    return PushPayload(aps: aps)
  }

  /// Shows a text.
  package static func alert(_ text: String) -> PushPayload {
    var aps = Aps()
    aps.alert = .body(text)
    return PushPayload(aps: aps)
  }

  package var json: JSON { .object([("aps", aps.json)] + custom) }
}
