internal import LinkspanCore
internal import LinkspanSystem
internal import Synchronization

/// What the loops of one server share: when to stop, and how many connections there are. Nothing in it is written for a
/// request.
final class ServerControl: Sendable {
  let wakeups: [Wakeup]
  let peers = PeerCounts()
  let workers: WorkerThreads
  let bodies: BodyBudget
  private let clock: ServerClock
  private let deadlines: ServerDeadlines
  private let whenStopping: (@Sendable () -> Void)?
  private let connections = Atomic(0)
  private let connectionNumbers = Atomic(0)
  private let stopTime = Atomic(Int64.max)
  private let stopCount = Atomic(0)
  private let refusing = Atomic(0)

  init(_ configuration: HTTPServerConfiguration, loops: Int) throws(HTTPServerError) {
    clock = configuration.clock
    deadlines = configuration.deadlines
    workers = WorkerThreads(configuration.offload)
    bodies = BodyBudget(limitBytes: configuration.connections.bodyBytes)
    whenStopping = configuration.whenStopping
    do throws(LinkspanError) {
      var wakeups: [Wakeup] = []
      for _ in 0..<loops { wakeups.append(try Wakeup()) }
      self.wakeups = wakeups
    } catch {
      throw HTTPServerError(error)
    }
  }

  /// Connections held by all loops together.
  var connectionCount: Int { connections.load(ordering: .relaxed) }

  /// Counts one more, unless there are `limit` already.
  func addConnection(limit: Int) -> Bool {
    if connections.add(1, ordering: .relaxed).oldValue < limit { return true }
    removeConnection()
    return false
  }

  /// The number of a new connection, which no other has; from 1.
  func nextConnectionNumber() -> Int { connectionNumbers.add(1, ordering: .relaxed).newValue }

  func removeConnection() { connections.subtract(1, ordering: .relaxed) }

  func wakeAll() {
    for wakeup in wakeups { wakeup.signal() }
  }

  // MARK: - The end

  /// When what is in flight is dropped, in monotonic nanoseconds; nil while nobody has asked to stop.
  var stopDeadline: Int64? {
    let time = stopTime.load(ordering: .acquiring)
    return time == .max ? nil : time
  }

  /// A second signal has come, and nobody waits any longer.
  var dropsEverything: Bool { stopCount.load(ordering: .relaxed) > 1 }

  /// Has every loop stop; the first call counts.
  ///
  /// - Parameter signals: How many signals asked for it, of which the second drops what is in flight.
  func stop(signals: Int = 0) {
    stopCount.add(signals, ordering: .relaxed)
    let (sum, overflow) = clock.monotonic().addingReportingOverflow(deadlines.stop.nanoseconds)
    let deadline = overflow ? Int64.max - 1 : sum
    let isFirst = stopTime.compareExchange(
      expected: .max, desired: deadline, ordering: .acquiringAndReleasing
    ).exchanged
    if isFirst { whenStopping?() }
    wakeAll()
  }

  /// Whether every loop refuses connections; only then do idle ones close, so that nobody who is sent away gets in
  /// elsewhere.
  var allRefuse: Bool { refusing.load(ordering: .acquiring) >= wakeups.count }

  /// One loop more has closed its listeners, or has ended.
  func refuses() {
    if refusing.add(1, ordering: .acquiringAndReleasing).newValue >= wakeups.count { wakeAll() }
  }
}
