/// From where a URL reaches an app; a router names the ones that it serves.
public enum LinkSource: Sendable, Hashable {
  /// Web links of these hosts, with the associated domain `applinks:HOST`. `*.example.com` covers every subdomain.
  case universalLinks(hosts: [String])
  /// Invocations of an App Clip on these hosts, with the associated domain `appclips:HOST`.
  case appClip(hosts: [String])
  /// `recipes://recipes/5`; the name has no `://`. What stands where a host would is the first segment.
  case customScheme(String)
  /// A Handoff activity of one's own, whose `userInfo` carries the parameters of one route.
  case handoff(activityType: String, route: String)

  /// The kind of a source, by which routes and links name it.
  public enum Kind: String, Sendable, CaseIterable {
    case universalLink
    case appClip
    case customScheme
    case handoff
  }

  /// Which kind it is.
  public var kind: Kind {
    switch self {
    case .universalLinks: .universalLink
    case .appClip: .appClip
    case .customScheme: .customScheme
    case .handoff: .handoff
    }
  }
}
