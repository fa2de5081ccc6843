package import LinkspanCore
package import SimulatedDevices

/// What the script of a story, or the weather, did.
package enum StoryHappening: Happening {
  case deployed(SiteChange)
  case changedNetwork(host: String, HostFacts)
  /// A link was followed on a device.
  case tapped(url: String, WayOfFollowing, LinkVerdict)
  /// Apple's CDN has forgotten everything.
  case restartedEdge

  package var kind: String {
    switch self {
    case .deployed: "deploy"
    case .changedNetwork: "network"
    case .tapped: "tap"
    case .restartedEdge: "restart"
    }
  }

  package var fields: [(String, JSON)] {
    switch self {
    case .deployed(let change):
      [("host", .string(change.host)), ("documents", .int(change.after.documents.count))]
    case .changedNetwork(let host, let facts):
      [("host", .string(host)), ("state", .string(facts.words))]
    case .tapped(let url, let way, let verdict):
      [
        ("url", .string(url.withoutUserInformation)), ("from", .string(way.name)),
        ("opens", .string(verdict.app ?? verdict.destination.rawValue)),
        ("step", .string(verdict.step.rawValue)), ("rule", .init(verdict.ruleName)),
        ("reason", .string(verdict.reason)),
      ]
    case .restartedEdge: []
    }
  }
}

/// What one step changed about one host.
package struct SiteChange: Sendable {
  package var host: String
  /// What the host published before; nil when the story had given it nothing.
  package var before: Site?
  package var after: Site
}
