internal import AppSiteAssociation
internal import AssociationDelivery
internal import Dispatch
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSimulator
import SimulatedDevices
internal import SiteInput

/// Asks real hosts for a stand-in CDN, a bounded number at a time, on threads where waiting hurts nobody.
final class CrawledOrigins: Sendable {
  private let fixed: FixedAddresses
  private let trust: TLSTrust
  private let asksResolver: Bool
  private let fetchers = LockedState<[Conditions: SiteFetcher]>([:])
  /// Hosts that may be at a private address; nil for all.
  private let privateHosts: Set<String>?
  private let clock: MovableClock
  private let record: ExchangeRecord
  private let slots = CrawlSlots()

  /// Ours: more than the 27 MB that the largest file told of has (R4).
  private static let bodyLimitBytes = 32 << 20

  init(_ options: StandInCDN.Options, clock: MovableClock, record: ExchangeRecord) throws(LinkspanError) {
    let hosts = options.privateHosts.map { IDNA.named($0) }
    privateHosts = hosts.contains("all") ? nil : Set(hosts)
    fixed = try FixedAddresses(origins: options.origins)
    trust = options.trust
    asksResolver = !options.knowsOnlyOrigins
    self.clock = clock
    self.record = record
  }

  var transport: SimulatedDevices.Transport {
    { [self] request, client, options in
      var request = request
      request.fields["User-Agent"] = client.userAgent
      await slots.take()
      let started = clock.now
      let result = await ask(request, within: options.timeout)
      record.add(
        Exchange(
          started: started, time: clock.now - started, party: client.name,
          connection: "\(client.name) to \(request.host)", version: .unknown, request: request,
          result: result,
          cause: options.cause))
      await slots.give()
      return result
    }
  }

  /// What differs from crawl to crawl.
  private struct Conditions: Hashable {
    var timeout: Duration
    var allowsPrivate: Bool
  }

  private func fetcher(_ conditions: Conditions) -> SiteFetcher {
    fetchers.withLock { known in
      if let fetcher = known[conditions] { return fetcher }
      let fetcher = SiteFetcher(
        fixed: fixed, allowsPrivate: conditions.allowsPrivate, trust: trust, timeout: conditions.timeout,
        bodyLimit: (Self.bodyLimitBytes, false), asksResolver: asksResolver)
      known[conditions] = fetcher
      return fetcher
    }
  }

  private func ask(_ request: HTTPRequest, within timeout: Duration) async -> FetchResult {
    let fetcher = fetcher(
      Conditions(timeout: timeout, allowsPrivate: privateHosts?.contains(request.host) ?? true))
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        do throws(LinkspanError) {
          continuation.resume(returning: try fetcher.send(request))
        } catch {
          continuation.resume(returning: .failed(.unreachable(error.message)))
        }
      }
    }
  }
}

/// So many crawls at once and no more; the others wait in the order they came.
private actor CrawlSlots {
  /// Ours.
  private var free = 32
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
