import LoadGenerator

/// Requests at times fixed beforehand. Latency counts from the time a request was due, so that a server that stalls
/// is not forgiven for what it kept from being sent.
struct OpenLoop {
  private static let keptRole = 0
  private static let burstRole = 1
  /// Connections that carry the calm.
  private static let keptCount = 16
  /// For answers that are still owed when the schedule ends.
  private static let patienceNanoseconds: Int64 = 10_000_000_000

  private let options: LoadOptions
  private let loop: LoadLoop

  init(_ options: LoadOptions) throws(LoadError) {
    self.options = options
    loop = try LoadLoop(options.target)
  }

  /// `seconds` of calm, then the burst within one second while the calm goes on.
  func runStampede() throws(LoadError) {
    let calm = Int64(options.seconds * 1e9)
    let start = LoadLoop.now() + 50_000_000
    var schedule = Schedule(start: start, rate: options.rate, lasting: calm + 1_000_000_000)
    var burst = Schedule(start: start + calm, rate: options.burst, lasting: 1_000_000_000)
    var idle = try Kept.open(Self.keptCount, role: Self.keptRole, on: loop)
    var (before, during, crowd) = (Latencies(), Latencies(), Latencies())
    let kept = options.target.request()
    let once = options.target.request(closes: true)
    let end = start + calm + 1_000_000_000 + Self.patienceNanoseconds
    var processor: Int64?
    var reopened = 0
    while LoadLoop.now() < end {
      let now = LoadLoop.now()
      if processor == nil, now >= start + calm { processor = try loop.processor.nanoseconds() }
      while let due = burst.take(now) { try loop.open(role: Self.burstRole, dueAt: due) }
      while !idle.isEmpty, let due = schedule.take(now) {
        let connection = idle.removeFirst()
        connection.dueAt = due
        if case .failed(let failure) = connection.send(kept) { loop.fail(connection, failure) }
      }
      let answered = before.count + during.count + crowd.count
      if answered + loop.failures.values.reduce(0, +) >= schedule.count + burst.count { break }
      try loop.turn(until: min(schedule.next, burst.next, end)) { connection, news throws(LoadError) in
        switch (news, connection.role) {
        case (.ready, Self.burstRole):
          if case .failed(let failure) = connection.send(once) { loop.fail(connection, failure) }
        case (.answered, Self.burstRole):
          crowd.add(LoadLoop.now() - connection.dueAt)
          loop.end(connection)
        case (.answered, _):
          let latency = LoadLoop.now() - connection.dueAt
          if connection.dueAt < start + calm { before.add(latency) } else { during.add(latency) }
          if connection.isClosedByServer {
            // A server with a deep queue gives kept places away behind answers, and says so: the client comes again.
            reopened += 1
            loop.end(connection)
            try loop.open(role: Self.keptRole, dueAt: LoadLoop.now())
          } else {
            idle.append(connection)
          }
        case (.ready, _): idle.append(connection)
        case (.failed(let failure), _): loop.fail(connection, failure)
        case (.none, _): break
        }
      }
    }
    let used = try loop.processor.nanoseconds() - (processor ?? 0)
    let answered = before.count + during.count + crowd.count
    loop.countUnanswered(schedule.count + burst.count - answered - loop.failures.values.reduce(0, +)) {
      connection in !idle.contains { $0 === connection }
    }
    print(
      "{\"calm_requests\":\(before.count),\(before.json("calm_")),"
        + "\"kept_requests\":\(during.count),\(during.json("kept_")),"
        + "\"connections\":\(crowd.count),\(crowd.json()),\"kept_reopened\":\(reopened),"
        + "\"cpu_ms\":\(Decimal.text(Double(used) / 1e6)),\(loop.failuresJSON)}")
  }
}
