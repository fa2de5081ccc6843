internal import AssociationDelivery
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer
internal import SiteInput

/// What Apple's CDN has of each host, asked one host a second and only where the operator says so.
final class CDNWatch: Sendable {
  /// Hosts that a notice names. Ours.
  private static let namedHosts = 3

  private struct State {
    /// The host that was asked last.
    var last = ""
    var differing: Set<String> = []
  }

  private let endpoint: CDNEndpoint
  private let fetcher: SiteFetcher
  private let state = LockedState(State())

  init(_ endpoint: CDNEndpoint, _ fetcher: SiteFetcher) {
    self.endpoint = endpoint
    self.fetcher = fetcher
  }

  /// Asks for the next host, in the order of their names; waits for the answer.
  func askNext(of sites: [AssociationSite]) {
    let known = sites.filter { $0.host != nil && $0.associationFile != nil }
    let last = state.withLock { $0.last }
    let order = known.sorted { ($0.host ?? "") < ($1.host ?? "") }
    guard let site = order.first(where: { ($0.host ?? "") > last }) ?? order.first, let host = site.host
    else {
      return
    }
    var differs: Bool?
    do throws(LinkspanError) {
      let check = CDNCheck(
        host: host, endpoint: endpoint, result: try fetcher.send(endpoint.request(for: host)))
      // A CDN that fails itself says nothing about the file.
      differs = check.isUnknown ? nil : check.copy?.body != site.associationFile
    } catch {
      differs = nil
    }
    state.withLock { state in
      state.last = host
      if let differs {
        if differs { state.differing.insert(host) } else { state.differing.remove(host) }
      }
      state.differing.formIntersection(known.compactMap(\.host))
    }
  }

  var notices: [ConsoleNotice] {
    let hosts = state.withLock { $0.differing }.sorted()
    guard let first = hosts.first else { return [] }
    let names = hosts.prefix(Self.namedHosts).joined(separator: ", ")
    let rest = hosts.count > Self.namedHosts ? " and \(hosts.count - Self.namedHosts) more" : ""
    return [
      ConsoleNotice(
        "\(endpoint.subject) has another file, or none, of \(names)\(rest).",
        link: "/sites/\(first)/cdn")
    ]
  }
}
