internal import Glibc

/// A curve driven at a server: one new TLS connection with one request for each device, at the moment it is due.
///
/// Nothing waits for a slow answer: the next device comes when it is due, and how long an answer took counts from then
/// on, so that a server that stalls is not forgiven for what it kept from being sent.
package struct Rehearsal {
  /// What to drive.
  package struct Plan: Hashable, Sendable {
    /// New connections in each second; spread evenly within it.
    package var connections: [Int]
    /// A device gives up when it has waited so long.
    package var patienceSeconds = 5.0
    /// Those that fail come again once, this many seconds later; nil when they do not.
    package var retrySeconds: Double?

    package init(connections: [Int]) { self.connections = connections }

    package var offered: Int { connections.reduce(0, +) }
  }

  /// What became of one second's devices.
  package struct Second: Hashable, Sendable {
    package var offered = 0
    /// Of them, those that had failed before.
    package var again = 0
    package var answered = 0
    package var failed = 0
  }

  /// What the server held.
  package struct Report: Sendable {
    package var seconds: [Second]
    package var failures: [String: Int] = [:]
    package var latencies = Latencies()
    /// Somebody ended it early.
    package var isInterrupted = false
    /// How long after its moment a connection was begun at the worst, in nanoseconds: lateness of this machine, which
    /// the latencies hold as well.
    package var lateness: Int64 = 0
    /// Processor time of this process, in nanoseconds.
    package var processorTime: Int64 = 0

    package var offered: Int { seconds.reduce(0) { $0 + $1.offered } }
    package var held: Int { latencies.count }
    /// New devices in the second that had the most.
    package var peakOffered: Int { seconds.map { $0.offered - $0.again }.max() ?? 0 }

    /// The first second of which more than one device in a hundred failed; nil when there is none.
    package var brokeAt: Int? {
      seconds.firstIndex { $0.offered > 0 && $0.failed * 100 > $0.offered }
    }
  }

  private let plan: Plan
  private let loop: LoadLoop
  private let request: [UInt8]
  private var report: Report
  /// Devices on their way, in the order in which their patience ends.
  private var waiting: ArraySlice<(connection: LoadConnection, due: Int64)> = []
  /// Devices that come again, by the moment they are due.
  private var returning: ArraySlice<Int64> = []

  /// - Throws: ``LoadError`` when TLS or the event loop cannot be set up.
  package init(_ plan: Plan, at target: LoadTarget) throws(LoadError) {
    self.plan = plan
    loop = try LoadLoop(target)
    request = target.request(closes: true)
    let extra = plan.retrySeconds.map { Int(($0 + plan.patienceSeconds).rounded(.up)) + 1 } ?? 0
    report = Report(seconds: Array(repeating: Second(), count: plan.connections.count + extra))
  }

  /// Drives the plan to its end.
  ///
  /// - Parameters:
  ///   - isStopped: Asked many times a second; once it says yes, the rehearsal ends with what it has.
  ///   - progress: Called about once a second with the second that begins, and what is known so far.
  /// - Throws: ``LoadError`` when connections cannot even be begun here, for want of ports or files.
  package mutating func run(
    until isStopped: () -> Bool = { false }, progress: (Int, Report) -> Void
  ) throws(LoadError) -> Report {
    let used = LoadLoop.processorTime()
    let start = LoadLoop.now() + 20_000_000
    let length = Int64(plan.connections.count) * 1_000_000_000
    var second = -1
    var schedule = Schedule(start: start, rate: 1, lasting: 0)
    while true {
      let now = LoadLoop.now()
      if isStopped() {
        report.isInterrupted = true
        report.seconds = Array(report.seconds.prefix(second + 1))
        break
      }
      let current = Int((now - start) / 1_000_000_000)
      if now >= start, current > second, schedule.next == .max {
        second += 1
        if plan.connections.indices.contains(second) {
          let begin = start + Int64(second) * 1_000_000_000
          schedule = Schedule(start: begin, rate: plan.connections[second], lasting: 1_000_000_000)
          if plan.connections[second] == 0 { schedule = Schedule(start: begin, rate: 1, lasting: 0) }
        }
        if second < report.seconds.count { progress(second, report) }
      }
      while let due = schedule.take(now) { try begin(due: due, start: start, isAgain: false) }
      while let due = returning.first, due <= now {
        returning.removeFirst()
        try begin(due: due, start: start, isAgain: true)
      }
      giveUp(now, start)
      let isDone = now >= start + length && waiting.isEmpty && returning.isEmpty && schedule.next == .max
      if isDone { break }
      try turn(until: min(schedule.next, returning.first ?? .max, now + 50_000_000), start)
    }
    for (connection, due) in waiting where connection.role != Self.doneRole {
      count(connection.timeout, due: due, start: start, comesBack: false)
    }
    report.processorTime = LoadLoop.processorTime() - used
    return report
  }

  private static let firstRole = 0
  private static let againRole = 1
  private static let doneRole = 2

  private func second(_ due: Int64, _ start: Int64) -> Int {
    min(report.seconds.count - 1, max(0, Int((due - start) / 1_000_000_000)))
  }

  private mutating func begin(due: Int64, start: Int64, isAgain: Bool) throws(LoadError) {
    report.lateness = max(report.lateness, LoadLoop.now() - due)
    let connection = try loop.open(role: isAgain ? Self.againRole : Self.firstRole, dueAt: due)
    waiting.append((connection, due))
    let index = second(due, start)
    report.seconds[index].offered += 1
    if isAgain { report.seconds[index].again += 1 }
  }

  private mutating func giveUp(_ now: Int64, _ start: Int64) {
    let patience = Int64(plan.patienceSeconds * 1e9)
    while let (connection, due) = waiting.first, connection.role == Self.doneRole || now - due > patience {
      waiting.removeFirst()
      if connection.role == Self.doneRole { continue }
      count(connection.timeout, due: due, start: start, comesBack: connection.role == Self.firstRole)
      connection.role = Self.doneRole
      loop.end(connection)
    }
  }

  private mutating func count(_ failure: LoadFailure, due: Int64, start: Int64, comesBack: Bool) {
    report.failures[failure.name, default: 0] += 1
    report.seconds[second(due, start)].failed += 1
    guard comesBack, let wait = plan.retrySeconds else { return }
    // In order: a device that fails later comes later, whatever it was due.
    returning.append(max(returning.last ?? 0, LoadLoop.now() + Int64(wait * 1e9)))
  }

  private mutating func turn(until limit: Int64, _ start: Int64) throws(LoadError) {
    var news: [(LoadConnection, LoadConnection.News)] = []
    try loop.turn(until: limit) { connection, item in
      if case .ready = item {
        let sent = connection.send(request)
        if case .failed = sent { news.append((connection, sent)) }
      } else {
        news.append((connection, item))
      }
    }
    for (connection, item) in news where connection.role != Self.doneRole {
      switch item {
      case .none, .ready: continue
      case .answered:
        report.latencies.add(LoadLoop.now() - connection.dueAt)
        report.seconds[second(connection.dueAt, start)].answered += 1
      case .failed(let failure):
        count(
          failure, due: connection.dueAt, start: start, comesBack: connection.role == Self.firstRole)
      }
      connection.role = Self.doneRole
      loop.end(connection)
    }
  }
}
