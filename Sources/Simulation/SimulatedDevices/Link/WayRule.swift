package import LinkspanCore

/// What comes of one way to follow a link, and the rules that say so.
package struct WayRule: Hashable, Sendable, HasProvenance {
  /// Where the link goes whatever is installed; nil when an app may open. With ``LinkVerdict/Destination/unknown`` an
  /// app may open or not, and sources disagree or do not say.
  package var destination: LinkVerdict.Destination?
  /// A whole clause: "a tap in Messages may open the app".
  package var reason: String
  package var rules: [String]
  package var certainty: Certainty
  /// What to do instead, when no app may open.
  package var change: String?
}
