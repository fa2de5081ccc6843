internal import AppSiteAssociation
internal import Dispatch
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanSimulator

/// Asks real hosts for a stand-in CDN, a bounded number at a time, on threads where waiting hurts nobody.
struct CrawledOrigins: Sendable {
  private let fetcher: SiteFetcher
  /// Hosts that may be at a private address; nil for all.
  private let privateHosts: Set<String>?
  private let clock: MovableClock
  private let record: ExchangeRecord
  private let slots = CrawlSlots()

  /// Ours: more than the 27 MB that the largest file told of has (R4).
  private static let bodyLimitBytes = 32 << 20

  init(_ arguments: Arguments, clock: MovableClock, record: ExchangeRecord) throws(CommandError) {
    let hosts = arguments.all("--allow-private").map { ASCII.lowercased($0) }
    privateHosts = hosts.contains("all") ? nil : Set(hosts)
    var fetcher = SiteFetcher(
      fixed: try FixedAddresses(origins: arguments.all("--origin")), allowsPrivate: false,
      trust: arguments.value("--ca").map { .authorities(file: $0) } ?? .system, timeout: .zero)
    fetcher.bodyLimit = (Self.bodyLimitBytes, false)
    fetcher.asksResolver = !arguments.has("--only-origins")
    self.fetcher = fetcher
    self.clock = clock
    self.record = record
  }

  var transport: Transport {
    { request, asker, options in
      var request = request
      request.fields["User-Agent"] = asker.userAgent
      await slots.take()
      let started = clock.now
      let result = await ask(request, within: options.timeout)
      record.add(
        Exchange(
          started: started, time: clock.now - started, party: asker.name,
          connection: "\(asker.name) to \(request.host)", version: .http1, request: request, result: result,
          cause: options.cause))
      await slots.give()
      return result
    }
  }

  private func ask(_ request: HTTPRequest, within timeout: Duration) async -> FetchResult {
    var fetcher = fetcher
    fetcher.timeout = timeout
    fetcher.allowsPrivate = privateHosts?.contains(request.host) ?? true
    return await withCheckedContinuation { [fetcher] continuation in
      DispatchQueue.global().async {
        do throws(CommandError) {
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
