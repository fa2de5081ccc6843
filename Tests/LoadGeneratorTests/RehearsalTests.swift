import LoadGenerator
import Testing

/// Against servers of the test's own, in clear text: what is offered does not depend on what becomes of it.
@Suite(.serialized) struct RehearsalTests {
  static func report(
    _ connections: [Int], retry: Double? = nil, isIPv6: Bool = false,
    _ treatment: @escaping @Sendable (Int) -> CountingServer.Treatment
  ) throws -> Rehearsal.Report? {
    guard let server = CountingServer(isIPv6: isIPv6, treatment) else { return nil }
    defer { server.stop() }
    var target = LoadTarget()
    target.port = server.port
    if isIPv6 { target.address = try #require(LoadAddress.resolve("::1").first) }
    var plan = Rehearsal.Plan(connections: connections)
    plan.retrySeconds = retry
    plan.patienceSeconds = 30
    var rehearsal = try Rehearsal(plan, at: target)
    return try rehearsal.run { _, _ in }
  }

  @Test func everythingIsHeld() throws {
    let report = try #require(try Self.report([40, 80]) { _ in .answer })
    #expect(report.offered == 120 && report.held == 120 && report.brokeAt == nil && report.failures.isEmpty)
  }

  /// A server that takes a tenth of the wave: the wave's second is where it breaks, and those that it refused come back.
  @Test func theBreakIsFoundAndTheWaveComesBack() throws {
    let report = try #require(
      try Self.report([20, 20, 400, 20, 20], retry: 2) { number in
        (40..<440).contains(number) && number % 10 != 0 ? .reset : .answer
      })
    #expect(report.brokeAt == 2)
    #expect(report.failures.values.reduce(0, +) == 360, "\(report.failures)")
    #expect(report.seconds[2].failed == 360)
    let again = report.seconds.map(\.again)
    #expect(again.reduce(0, +) == 360 && again[..<4].allSatisfy { $0 == 0 }, "\(again)")
    #expect(report.offered == 840 && report.held == 480)
  }

  /// Coordinated omission: devices that were due during the stall waited, though no request was slow to be written.
  @Test func aStallIsInTheLatencies() throws {
    let report = try #require(try Self.report([100, 100, 100]) { $0 == 100 ? .stall : .answer })
    #expect(report.held == 300)
    // Of 300, the third longest: one device in a hundred waited nearly the whole second.
    #expect(try #require(report.latencies.quantile(0.99)) > 900_000_000)
    #expect(try #require(report.latencies.quantile(0.8)) > 200_000_000)
  }

  /// A report names what was driven, not what was planned.
  @Test func anInterruptedRehearsalReportsWhatItDrove() throws {
    let server = try #require(CountingServer { _ in .answer })
    defer { server.stop() }
    var target = LoadTarget()
    target.port = server.port
    var rehearsal = try Rehearsal(Rehearsal.Plan(connections: [10, 20, 500, 10]), at: target)
    var isStopped = false
    let report = try rehearsal.run(until: { isStopped }) { second, _ in isStopped = second == 1 }
    #expect(report.isInterrupted)
    #expect(report.seconds.count == 2)
    #expect(report.seconds[0].offered == 10)
    #expect(report.peakOffered <= 20)
  }

  @Test func loopbackOfIPv6IsATarget() throws {
    guard let report = try Self.report([30], isIPv6: true, { _ in .answer }) else {
      print("skipped: this machine has no ::1")
      return
    }
    #expect(report.held == 30)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.8.9.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("localhost", true),
    ("192.0.2.1", false), ("2001:db8::1", false), ("::ffff:192.0.2.1", false), ("::2", false),
  ])
  func knowsThisMachine(name: String, isLoopback: Bool) {
    let addresses = LoadAddress.resolve(name)
    #expect(!addresses.isEmpty && addresses.allSatisfy { $0.isLoopback == isLoopback }, "\(addresses)")
  }
}
