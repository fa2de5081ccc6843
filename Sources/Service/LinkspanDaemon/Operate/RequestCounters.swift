internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer
internal import Synchronization

/// Hosts that requests are counted for one by one: those that are or were published, up to a limit, so that nobody
/// outside decides how many series there are.
final class HostLabels: Sendable {
  /// Ours: above it hosts share the label `other`, like those that are not published.
  static let limitCount = 1_000
  static let other = 0

  private let numbers = LockedState<[String: Int]>([:])
  private let changes = Atomic(0)

  /// Changes when there are new hosts.
  var version: Int { changes.load(ordering: .acquiring) }

  /// The number of each host, from 1.
  var table: [String: Int] { numbers.withLock { $0 } }

  /// A host keeps its number when it is withdrawn: its counts only grow.
  func add(_ hosts: [String]) {
    numbers.withLock { numbers in
      for host in hosts where numbers[host] == nil && numbers.count < Self.limitCount {
        numbers[host] = numbers.count + 1
      }
    }
    changes.add(1, ordering: .releasing)
  }
}

/// What one loop counted of its requests, written by its thread alone and read by any. A host has cells from its first request
/// on: some 3 kB, so 3 MB for as many hosts as there are labels.
///
/// `@unchecked Sendable`: the memory is freed in `deinit` and holds nothing but atomics, and what the loop's thread adds to it is
/// published by an atomic pointer; the rest is touched by that thread only.
final class RequestCounters: @unchecked Sendable {
  /// The statuses that handlers give, those of the API among them; others are counted together.
  static let statuses = [
    200, 201, 202, 204, 303, 304,
    400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 414, 415, 421, 422, 429, 431,
    500, 501, 502, 503, 504,
  ]
  /// The place of each status from 0 to 599 among them.
  private static let places: [UInt8] = {
    var places = [UInt8](repeating: UInt8(statuses.count), count: 600)
    for (place, status) in statuses.enumerated() { places[status] = UInt8(place) }
    return places
  }()
  static let versions: [HTTPVersion] = [.http10, .http11, .http2]
  /// Upper ends of the buckets, in nanoseconds, and the same in seconds. Finer where an answer that was made beforehand
  /// lies; one that is worked for takes as long as it takes.
  static let bounds = [
    1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000,
  ]
  static let boundTexts = [
    "1e-06", "2.5e-06", "5e-06", "1e-05", "2.5e-05", "5e-05", "0.0001", "0.001", "0.01", "0.1", "1", "10",
  ]

  private static let cellsPerHost = ClientClass.allCases.count * (statuses.count + 1) * versions.count
  private static let hostCount = HostLabels.limitCount + 1
  private static let timeCount = bounds.count + 2
  /// The cells of each host; nil before its first request.
  private let cells = UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>.allocate(capacity: hostCount)
  /// How many answers took how long, and how long all took.
  private let times = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: timeCount)
  private let labels: HostLabels

  private var hosts: [String: Int] = [:]
  private var version = -1
  /// The last authority and its number: clients of one connection ask for one host.
  private var lastAuthority = ""
  private var lastHost = HostLabels.other

  init(_ labels: HostLabels) {
    self.labels = labels
    for index in 0..<Self.hostCount { (cells + index).initialize(to: Atomic(nil)) }
    for index in 0..<Self.timeCount { (times + index).initialize(to: Atomic(0)) }
  }

  deinit {
    for host in 0..<Self.hostCount {
      guard let cells = self.cells(of: host) else { continue }
      cells.deinitialize(count: Self.cellsPerHost)
      cells.deallocate()
    }
    cells.deinitialize(count: Self.hostCount)
    cells.deallocate()
    times.deinitialize(count: Self.timeCount)
    times.deallocate()
  }

  private func cells(of host: Int) -> UnsafeMutablePointer<Atomic<Int>>? {
    cells[host].load(ordering: .acquiring)?.assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// Only on the loop's thread.
  private func madeCells(of host: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    if let known = cells(of: host) { return known }
    let made = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: Self.cellsPerHost)
    for index in 0..<Self.cellsPerHost { (made + index).initialize(to: Atomic(0)) }
    cells[host].store(UnsafeMutableRawPointer(made), ordering: .releasing)
    return made
  }

  /// Only on the loop's thread. Allocates nothing for a host that is asked for again.
  func note(_ exchange: ServerExchange) {
    let kind: Int =
      switch ClientClass(userAgent: exchange.request.fields["User-Agent"]) {
      case .crawler: 0
      case .device: 1
      case .browser: 2
      case .other: 3
      }
    let version: Int =
      switch exchange.version {
      case .http10: 0
      case .http11: 1
      case .http2: 2
      }
    let status =
      Self.places.indices.contains(exchange.status) ? Int(Self.places[exchange.status]) : Self.statuses.count
    Self.add(1, to: madeCells(of: host(exchange.request)), Self.cell(kind, status, version))
    let nanoseconds = Int(exchange.durationNanoseconds)
    var bucket = 0
    while bucket < Self.bounds.count, nanoseconds > Self.bounds[bucket] { bucket += 1 }
    Self.add(1, to: times, bucket)
    Self.add(nanoseconds, to: times, Self.timeCount - 1)
  }

  private func host(_ request: HTTPRequest) -> Int {
    let current = labels.version
    if current != version {
      version = current
      hosts = labels.table
    } else if request.authority == lastAuthority {
      return lastHost
    }
    lastAuthority = request.authority
    lastHost = hosts[HostName.withoutFinalDot(request.host)] ?? HostLabels.other
    return lastHost
  }

  private static func cell(_ client: Int, _ status: Int, _ version: Int) -> Int {
    (client * (statuses.count + 1) + status) * versions.count + version
  }

  private static func add(_ amount: Int, to words: UnsafeMutablePointer<Atomic<Int>>, _ index: Int) {
    words[index].store(words[index].load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }

  // MARK: - Reading

  /// Adds two families to a page, all loops together: requests, and how long their answers took.
  static func write(_ loops: [RequestCounters], _ labels: HostLabels, to page: inout MetricsPage) {
    page.family(
      "linkspan_requests_total", .counter,
      "Requests that were answered, by published host, class of client, status and protocol.")
    let hosts = [("other", HostLabels.other)] + labels.table.sorted { $0.value < $1.value }
    for (name, host) in hosts {
      let cells = loops.compactMap { $0.cells(of: host) }
      if cells.isEmpty { continue }
      for (client, kind) in ClientClass.allCases.enumerated() {
        for status in 0...statuses.count {
          for (number, version) in versions.enumerated() {
            let index = cell(client, status, number)
            let count = cells.reduce(0) { $0 + $1[index].load(ordering: .relaxed) }
            guard count > 0 else { continue }
            page.sample(
              "linkspan_requests_total",
              [
                ("host", name), ("client", kind.rawValue),
                ("status", status < statuses.count ? String(statuses[status]) : "other"),
                ("protocol", version.rawValue),
              ], count)
          }
        }
      }
    }
    let counts = (0...bounds.count).map { bucket in
      loops.reduce(0) { $0 + $1.times[bucket].load(ordering: .relaxed) }
    }
    let sum = loops.reduce(0) { $0 + $1.times[timeCount - 1].load(ordering: .relaxed) }
    page.histogram(
      "linkspan_request_duration_seconds",
      "Time from a whole request to its answer, without sending.", bounds: boundTexts,
      counts: counts, sum: MetricsReport.seconds(nanoseconds: sum))
  }
}
