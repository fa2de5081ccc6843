internal import CLinkspanPlatform
internal import Glibc

/// The epoll loop of the driver, with what it counts.
package final class LoadLoop {
  package let target: LoadTarget
  package let processor: ServerProcessor
  private let security: LoadSecurity
  private let poller: CInt
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: LoadLoop.eventLimit)
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var connections: [LoadConnection?] = []
  private var opened = 0
  package private(set) var failures: [LoadFailure: Int] = [:]

  /// Addresses that connections come from, in turn: one has 28,000 ports and, at a server, a limit of its own.
  private static let sourceCount = 32
  private static let eventLimit = 1_024

  package init(_ target: LoadTarget) throws(LoadError) {
    self.target = target
    processor = ServerProcessor(processes: target.serverProcesses)
    security = try LoadSecurity(target)
    poller = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard poller >= 0 else { throw .system("epoll") }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  package static func now() -> Int64 { time(of: CLOCK_MONOTONIC) }

  /// Nanoseconds that this process has used of its processors.
  static func processorTime() -> Int64 { time(of: CLOCK_PROCESS_CPUTIME_ID) }

  private static func time(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  @discardableResult
  package func open(role: Int = 0, dueAt: Int64) throws(LoadError) -> LoadConnection {
    let connection = try LoadConnection(
      target, security, source: UInt8(opened % Self.sourceCount + 1),
      verifies: opened == 0 && target.verify != nil)
    opened += 1
    connection.role = role
    connection.dueAt = dueAt
    let descriptor = Int(connection.descriptor)
    while connections.count <= descriptor { connections.append(nil) }
    connections[descriptor] = connection
    guard linkspan_epoll_watch(poller, connection.descriptor, 1) == 0 else { throw .system("epoll") }
    return connection
  }

  package func end(_ connection: LoadConnection) {
    connections[Int(connection.descriptor)] = nil
    connection.end()
  }

  package func fail(_ connection: LoadConnection, _ failure: LoadFailure) {
    failures[failure, default: 0] += 1
    end(connection)
  }

  /// Counts what is still owed: each connection by what it waits for, and requests that found none to go over.
  ///
  /// - Parameter number: Requests without an answer or a failure so far.
  package func countUnanswered(_ number: Int, where owes: (LoadConnection) -> Bool) {
    var rest = number
    for connection in connections.compactMap({ $0 }) where rest > 0 && owes(connection) {
      failures[connection.timeout, default: 0] += 1
      rest -= 1
    }
    if rest > 0 { failures[LoadFailure(stage: .request, cause: .timeout), default: 0] += rest }
  }

  /// Waits for news, at most until `limit`, and hands it out.
  package func turn(
    until limit: Int64, _ body: (LoadConnection, LoadConnection.News) throws(LoadError) -> Void
  )
    throws(LoadError)
  {
    let wait = min(max(0, limit - Self.now()), 100_000_000)
    let count = linkspan_epoll_wait(poller, events, CInt(Self.eventLimit), wait)
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      let descriptor = Int(events[index].data.fd)
      guard connections.indices.contains(descriptor), let connection = connections[descriptor] else {
        continue
      }
      let news = connection.go(memory)
      if case .none = news { continue }
      try body(connection, news)
    }
  }

  /// Members of a JSON object: errors by kind, and how many.
  package var failuresJSON: String {
    let kinds = failures.map { "\"\($0.key.name)\":\($0.value)" }.sorted()
    return "\"errors\":\(failures.values.reduce(0, +)),\"errors_by_kind\":{\(kinds.joined(separator: ","))}"
  }
}
