package import AppClips
package import LinkspanCore
package import LinkspanStories
internal import SimulatedDevices

/// What happened to App Clips and to what they keep. Clips and apps are named by their identifiers.
package enum ClipHappening: Happening {
  case invoked(Invoked)
  /// Its app was installed in its place.
  case replaced(clip: String, app: String, keptGroups: [String])
  case removed(clip: String)
  /// - Parameter reason: Why it was not kept.
  case saved(ClipData, by: String, isKept: Bool, reason: String?)
  case read(ClipData, by: String, isFound: Bool, reason: String)

  /// A person came by an entrance.
  package struct Invoked: Sendable {
    package var clip: String
    package var url: String?
    package var entrance: Entrance
    /// What the story calls it.
    package var opens: String
    /// The URL that the code received.
    package var received: String?
    /// The title of the card.
    package var card: String?
    package var reason: String
  }

  package var kind: String {
    switch self {
    case .invoked: "invoke"
    case .replaced: "clip-replaced"
    case .removed: "clip-removed"
    case .saved: "save"
    case .read: "read"
    }
  }

  package var fields: [(String, JSON)] {
    switch self {
    case .invoked(let invoked):
      [
        ("clip", .string(invoked.clip)), ("url", .init(invoked.url?.withoutUserInformation)),
        ("from", .string(invoked.entrance.rawValue)), ("opens", .string(invoked.opens)),
        ("received", .init(invoked.received?.withoutUserInformation)), ("card", .init(invoked.card)),
        ("reason", .string(invoked.reason)),
      ]
    case .replaced(let clip, let app, let groups):
      [
        ("clip", .string(clip)), ("app", .string(app)), ("kept", .array(groups.map(JSON.string))),
      ]
    case .removed(let clip): [("clip", .string(clip))]
    case .saved(let data, let owner, let isKept, let reason):
      Self.fields(data, owner) + [("kept", .bool(isKept)), ("reason", .init(reason))]
    case .read(let data, let owner, let isFound, let reason):
      Self.fields(data, owner) + [("found", .bool(isFound)), ("reason", .string(reason))]
    }
  }

  private static func fields(_ data: ClipData, _ owner: String) -> [(String, JSON)] {
    [("data", .string(data.key)), ("by", .string(owner)), ("in", .string(data.store.text))]
  }
}
