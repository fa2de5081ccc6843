import LoadGenerator

/// As many requests as the server answers, each connection's next one after its last.
struct ClosedLoop {
  private let options: LoadOptions
  private let loop: LoadLoop

  init(_ options: LoadOptions) throws(LoadError) {
    self.options = options
    loop = try LoadLoop(options.target)
  }

  /// Before the counting begins: the server's tables grow, the processor wakes up.
  private static let warmUpNanoseconds: Int64 = 200_000_000

  func runConnectionPerRequest() throws(LoadError) {
    let request = options.target.request(closes: true)
    for _ in 0..<options.connections { try loop.open(dueAt: LoadLoop.now()) }
    try measure { connection, news, latencies throws(LoadError) in
      switch news {
      case .none: return
      case .ready:
        if case .failed(let failure) = connection.send(request) {
          loop.fail(connection, failure)
        } else {
          return
        }
      case .answered:
        latencies?.add(LoadLoop.now() - connection.dueAt)
        loop.end(connection)
      case .failed(let failure): loop.fail(connection, failure)
      }
      try loop.open(dueAt: LoadLoop.now())
    }
  }

  func runKept() throws(LoadError) {
    let request = options.target.request()
    let connections = try Kept.open(options.connections, on: loop)
    func ask(_ connection: LoadConnection) {
      connection.dueAt = LoadLoop.now()
      if case .failed(let failure) = connection.send(request) { loop.fail(connection, failure) }
    }
    for connection in connections { ask(connection) }
    try measure { connection, news, latencies throws(LoadError) in
      switch news {
      case .none: break
      // In the place of one that the server closed behind its answer.
      case .ready: ask(connection)
      case .answered:
        latencies?.add(LoadLoop.now() - connection.dueAt)
        guard connection.isClosedByServer else { return ask(connection) }
        loop.end(connection)
        try loop.open(dueAt: LoadLoop.now())
      case .failed(let failure): loop.fail(connection, failure)
      }
    }
  }

  /// - Parameter body: Gets the latencies while it counts, nil before.
  private func measure(
    _ body: (LoadConnection, LoadConnection.News, inout Latencies?) throws(LoadError) -> Void
  ) throws(LoadError) {
    var latencies: Latencies?
    let warm = LoadLoop.now() + Self.warmUpNanoseconds
    while LoadLoop.now() < warm {
      try loop.turn(until: warm) { connection, news throws(LoadError) in
        try body(connection, news, &latencies)
      }
    }
    latencies = Latencies()
    let processorBefore = try loop.processor.nanoseconds()
    let start = LoadLoop.now()
    let end = start + Int64(options.seconds * 1e9)
    while LoadLoop.now() < end {
      try loop.turn(until: end) { connection, news throws(LoadError) in try body(connection, news, &latencies)
      }
    }
    let elapsed = LoadLoop.now() - start
    let used = try loop.processor.nanoseconds() - processorBefore
    let counted = latencies!
    let rate = Double(counted.count) * 1e9 / Double(elapsed)
    let cost = counted.count > 0 ? Double(used) / 1e3 / Double(counted.count) : 0
    print(
      "{\"requests\":\(counted.count),\"requests_per_s\":\(Decimal.text(rate)),"
        + "\"cpu_us_per_request\":\(Decimal.text(cost)),"
        + "\"cpu_share\":\(Decimal.text(Double(used) / Double(elapsed))),"
        + "\(counted.json()),\(loop.failuresJSON)}")
  }
}

/// Connections that stay.
enum Kept {
  /// Opens connections, so many at a time that no queue overflows, and waits until all are ready.
  ///
  /// - Parameter request: Sent on each and waited for: a server may give a connection that says nothing less time.
  static func open(
    _ count: Int, role: Int = 0, asking request: [UInt8]? = nil, on loop: LoadLoop, atOnce: Int = 64
  ) throws(LoadError) -> [LoadConnection] {
    var ready: [LoadConnection] = []
    var waiting = 0
    var left = count
    let patience = LoadLoop.now() + 60_000_000_000
    while ready.count < count {
      while waiting < atOnce, left > 0 {
        try loop.open(role: role, dueAt: LoadLoop.now())
        waiting += 1
        left -= 1
      }
      guard LoadLoop.now() < patience else {
        throw LoadError("\(ready.count) of \(count) connections were ready after a minute")
      }
      var failed: LoadFailure?
      try loop.turn(until: patience) { connection, news in
        switch news {
        case .none: break
        case .ready where request != nil:
          if case .failed(let failure) = connection.send(request!) { failed = failure }
        case .ready, .answered:
          waiting -= 1
          ready.append(connection)
        case .failed(let failure): failed = failure
        }
      }
      if let failed { throw LoadError("connection \(ready.count) of \(count) failed: \(failed.name)") }
    }
    return ready
  }
}
