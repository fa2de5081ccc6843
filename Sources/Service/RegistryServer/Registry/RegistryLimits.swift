internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryRequests

/// How many requests a client of the registry has left: of each credential, and of each address without one.
final class RegistryLimits: Sendable {
  static let window = Duration.seconds(60)
  /// Credentials that are kept apart. Ours: an operator makes far fewer.
  private static let credentials = 8_192
  /// Networks that are kept apart (``ClientNetwork``). Ours: 1.5 MB.
  private static let networks = 65_536

  private let byCredential: LockedState<RequestLimiter>
  /// nil where every client needs a credential.
  private let byNetwork: LockedState<RequestLimiter>?

  /// - Parameter secret: Of the limiters, from the system's generator for secrets.
  init(_ options: RegistryAPI.Options, secret: [UInt8]) {
    let limiter = { (limit, clients) in
      LockedState(RequestLimiter(limit: limit, window: Self.window, clients: clients, secret: secret))
    }
    #if PLANTED_BUGS
      let more = ServiceBug.quotaOffByOne.isPlanted ? 1 : 0
    #else
      let more = 0
    #endif
    byCredential = limiter(options.requestsPerMinute + more, Self.credentials)
    byNetwork =
      options.legacy?.isOpen == true ? limiter(options.openRequestsPerMinute, Self.networks) : nil
  }

  /// Counts a request with a credential.
  func count(_ token: AccessToken, at uptime: Duration) -> RequestLimiter.Standing {
    byCredential.withLock { $0.count(Array(token.identifier.utf8), at: uptime) }
  }

  /// Counts a request without one. Clients whose address nobody knows share a count.
  ///
  /// - Returns: nil where every client needs a credential.
  func count(_ address: SocketAddress?, at uptime: Duration) -> RequestLimiter.Standing? {
    let client = address.map { ClientNetwork($0).octets } ?? []
    return byNetwork?.withLock { $0.count(client, at: uptime) }
  }
}
