internal import AppSiteAssociation
package import AssociationDelivery
internal import HTTPClientEngine
internal import HTTPEngine
package import HTTPTransport
package import LinkspanCore

/// Carries questions to real hosts over one client: bounded, without following redirects, and not into private
/// networks unless that is allowed.
package struct SiteFetcher: Sendable {
  let fixed: FixedAddresses
  let allowsPrivate: Bool
  /// For one question and its answer, the lookup of the name included.
  let timeout: Duration
  private let asksResolver: Bool
  private let client: HTTPClient

  /// Ours: security headers of large sites are long.
  private static let headerBytes = 65_536

  /// - Parameters:
  ///   - bodyLimit: How much of an answer is read; a longer one is cut there, or refused.
  ///   - asksResolver: Whether a host without a fixed address is looked up; unresolvable otherwise.
  package init(
    fixed: FixedAddresses, allowsPrivate: Bool, trust: TLSTrust, timeout: Duration,
    bodyLimit: (bytes: Int, cuts: Bool) = (AssociationLocation.readLimitBytes, true),
    asksResolver: Bool = true
  ) {
    self.asksResolver = asksResolver
    self.fixed = fixed
    self.allowsPrivate = allowsPrivate
    self.timeout = timeout
    var configuration = HTTPClientConfiguration(trust: trust)
    configuration.demandsAsApple = true
    // Every address that was found is looked at before one is connected to.
    configuration.permits = { allowsPrivate || $0.isPublic }
    configuration.deadlines.request = timeout
    // The steps of a question may take as long as all of it: a longer timeout would mean nothing otherwise.
    configuration.deadlines.connect = max(configuration.deadlines.connect, timeout)
    configuration.deadlines.handshake = max(configuration.deadlines.handshake, timeout)
    configuration.messages.bodyBytes = bodyLimit.bytes
    configuration.messages.headerBytes = Self.headerBytes
    configuration.cutsBody = bodyLimit.cuts
    client = HTTPClient(configuration)
  }

  /// A question on its way.
  struct Question: Sendable {
    fileprivate let answer: PendingAnswer
    /// Whether what was read of a file may be its beginning only.
    fileprivate let isCut: Bool

    /// Waits for the answer.
    ///
    /// - Throws: When the authorities to trust cannot be loaded, which is nobody's fault but the caller's.
    func result() throws(LinkspanError) -> FetchResult {
      do throws(HTTPClientError) {
        let response = try answer.wait().response
        return isCut ? FetchResult(response) : .answered(response)
      } catch {
        if error.kind == .unusableTrust {
          throw LinkspanError("the certificate authorities cannot be used: \(error.reason)")
        }
        return .failed(FetchFailure(error, limit: AssociationLocation.maximumFileBytes))
      }
    }
  }

  /// Sends a question, so that others can be sent before its answer is there; nil when its host has no address.
  func begin(_ request: HTTPRequest) -> Question? {
    var port: UInt16 = request.scheme == "https" ? 443 : 80
    let behind = request.authority.dropFirst(request.host.count)
    if behind.hasPrefix(":"), let own = UInt16(behind.dropFirst()) { port = own }
    let addresses = fixed[request.host, port]
    guard addresses != nil || asksResolver else { return nil }
    return Question(
      answer: client.begin(request, to: addresses), isCut: client.configuration.cutsBody)
  }

  /// Sends a question and waits for its answer.
  ///
  /// - Throws: As ``Question/result()``.
  package func send(_ request: HTTPRequest) throws(LinkspanError) -> FetchResult {
    try begin(request)?.result() ?? .failed(.unresolvable)
  }

  /// The private addresses that `--allow-private` lets pass for a host.
  func privateAddress(of host: String) -> String? {
    guard allowsPrivate, let addresses = fixed[host, 443] else { return nil }
    return addresses.first { !$0.isPublic }?.host
  }
}
