/// The way by which something comes into an app.
package enum Entrance: String, Hashable, Sendable, CaseIterable {
  case universalLink = "universal-link"
  case customScheme = "scheme"
  /// A result of the app's own in Spotlight.
  case spotlight
  /// An activity of another device; a page handed off has the type of a universal link.
  case handoff
  /// What an App Clip is invoked with.
  case clip

  /// As the subject of a sentence.
  package var words: String {
    switch self {
    case .universalLink: "a universal link"
    case .customScheme: "a URL of a custom scheme"
    case .spotlight: "a result of Spotlight"
    case .handoff: "an activity from another device"
    case .clip: "an App Clip's invocation"
    }
  }

  /// The `activityType` it has; nil for a custom scheme, which is no activity, and for Handoff, where it is the sender's.
  ///
  /// - Source: Apple, "NSUserActivityTypeBrowsingWeb" and "CSSearchableItemActionType".
  package var activityType: String? {
    switch self {
    case .universalLink, .clip: "NSUserActivityTypeBrowsingWeb"
    case .spotlight: "com.apple.corespotlightitem"
    case .customScheme, .handoff: nil
    }
  }

  /// Whether the payload is an `NSUserActivity`.
  var isActivity: Bool { self != .customScheme }
}
