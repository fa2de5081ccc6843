internal import AppSiteAssociation
internal import HTTPEngine
internal import LinkspanCore

/// Carries single questions to real hosts: bounded, without following redirects, and not into private networks
/// unless that is allowed.
struct SiteFetcher: Sendable {
  var fixed: FixedAddresses
  var allowsPrivate: Bool
  var trust: TLSTrust
  /// For one question and its answer, without the lookup of the name.
  var timeout: Duration
  /// How much of an answer is read; a longer one is cut there, or refused.
  var bodyLimit = (bytes: AssociationLocation.readLimitBytes, cuts: true)
  /// Whether a host without a fixed address is looked up.
  var asksResolver = true

  /// Ours: security headers of large sites are long.
  private static let headerBytes = 65_536

  /// Finds the host's addresses once, looks at every one, and connects to what it looked at.
  ///
  /// - Throws: When the authorities to trust cannot be loaded, which is nobody's fault but the caller's.
  func send(_ request: HTTPRequest) throws(CommandError) -> FetchResult {
    var client = HTTPClient(trust: trust, deadline: timeout)
    client.limits.bodyBytes = bodyLimit.bytes
    client.limits.headerBytes = Self.headerBytes
    client.cutsBody = bodyLimit.cuts
    do throws(HTTPClientError) {
      guard let addresses = try addresses(for: request) else { return .failed(.unresolvable) }
      if !allowsPrivate, let hidden = addresses.first(where: { !$0.isPublic }) {
        return .failed(.privateAddress(hidden.host))
      }
      return FetchResult(try client.send(request, to: addresses))
    } catch {
      if error.kind == .unusableTrust {
        throw CommandError("the certificate authorities cannot be used: \(error.reason)")
      }
      return .failed(FetchFailure(error, limit: AssociationLocation.maximumFileBytes))
    }
  }

  /// The private addresses that `--allow-private` lets pass for a host.
  func privateAddress(of host: String) -> String? {
    guard allowsPrivate, let addresses = fixed[host, 443] else { return nil }
    return addresses.first { !$0.isPublic }?.host
  }

  private func addresses(for request: HTTPRequest) throws(HTTPClientError) -> [SocketAddress]? {
    var port: UInt16 = request.scheme == "https" ? 443 : 80
    let behind = request.authority.dropFirst(request.host.count)
    if behind.hasPrefix(":"), let own = UInt16(behind.dropFirst()) { port = own }
    if let addresses = fixed[request.host, port] { return addresses }
    guard asksResolver else { return nil }
    return try HostResolver.addresses(of: request.host, port: port)
  }
}
