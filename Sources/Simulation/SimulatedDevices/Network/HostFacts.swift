internal import AppSiteAssociation
package import AssociationDelivery

/// How the network treats one host, as the story has it. The default is a healthy public host.
package struct HostFacts: Hashable, Sendable {
  /// Whom a filter keeps out.
  package enum Filter: String, Hashable, Sendable, CaseIterable {
    case nobody
    /// Apple's crawler, as a filter by address or a bot rule does (T5, T7).
    case crawler
    /// Every device, as a rule against their user agent does.
    case devices
    case everybody
  }

  /// How a filter by country keeps somebody out.
  package enum Fence: String, Hashable, Sendable, CaseIterable {
    case forbids
    case drops
  }

  /// The public DNS has no address for it.
  package var isUnresolvable = false
  /// The private address it resolves to: the crawler refuses it (T9), a device in that network reaches it.
  package var privateAddress: String?
  /// Whose packets vanish, so that they wait until their patience ends.
  package var drops = Filter.nobody
  /// Who is answered 403.
  package var forbids = Filter.nobody
  /// Nothing listens: connections are refused.
  package var isDown = false
  /// What is wrong with its certificate; nil when it is valid.
  package var certificate: FetchFailure.CertificateProblem?
  /// The regions from which it may be asked; nil is the whole world (T5: a filter by country keeps Apple out).
  package var regions: [String]?
  /// What happens to clients from elsewhere.
  package var elsewhere = Fence.forbids
  /// From question to answer, in milliseconds. The default is ours: a host in the same part of the world.
  package var latency_ms: ClosedRange<Int64> = 20...120

  /// Where a client is when the story does not say: our choice.
  package static let usualRegion = "US"

  package init() {}

  /// Whose packets vanish.
  func drops(_ client: FetchClient, from region: String) -> Bool {
    drops.keepsOut(client) || elsewhere == .drops && !answers(region)
  }

  /// Who is answered 403.
  func forbids(_ client: FetchClient, from region: String) -> Bool {
    forbids.keepsOut(client) || elsewhere == .forbids && !answers(region)
  }

  private func answers(_ region: String) -> Bool { regions.map { $0.contains(region) } ?? true }
}

extension HostFacts.Filter {
  func keepsOut(_ client: FetchClient) -> Bool {
    switch self {
    case .nobody: false
    case .crawler: client == .crawler
    case .devices: client != .crawler
    case .everybody: true
    }
  }
}
