import LinkspanCore
import Testing

@testable import PushProvider

/// The circuit breaker of one environment and key, on virtual time (push notes 3.1 and 4).
@Suite struct PushHealthTests {
  private struct Bench {
    var health = PushHealth()
    var now = WallTime("2026-09-14T08:00:00Z")!
    var changes: [PushHealth.Change] = []
    private var generator = SeededGenerator(seed: 1)
    private var count = 0

    init() {}

    /// Sends a push and tells what came of it.
    mutating func send(_ sign: PushHealth.Sign, message: String? = nil) {
      count += 1
      health.noteSent(count)
      tell(sign, count, message)
    }

    mutating func tell(_ sign: PushHealth.Sign, _ ticket: Int, _ message: String? = nil) {
      let change = health.note(sign, of: ticket, message ?? "\(ticket)", at: now, using: &generator)
      if let change { changes.append(change) }
    }

    mutating func wait(_ time: Duration) { now = now.advanced(by: time) }

    /// Waits for the next probe.
    mutating func waitForProbe() {
      while health.room(underWay: 0, at: now) == 0 { wait(.milliseconds(10)) }
    }

    var isOpen: Bool { health.outage == nil }
  }

  private static let failure = PushHealth.Sign.fails(reason: "503 ServiceUnavailable", retryAfter: nil)

  @Test func aLoneFailureIsAboutOnePush() {
    var bench = Bench()
    for _ in 0..<100 {
      bench.send(Self.failure)
      bench.send(.works)
      bench.send(.works)
    }
    // The same push once more is no other failure.
    for _ in 0..<20 { bench.send(Self.failure, message: "one") }
    #expect(bench.isOpen && bench.changes.isEmpty)
  }

  @Test func aBusySenderStopsAfterEightFailuresInARow() {
    var bench = Bench()
    bench.send(.works)
    for _ in 0..<7 { bench.send(Self.failure) }
    #expect(bench.isOpen)
    bench.send(Self.failure)
    #expect(bench.health.outage?.reason == "503 ServiceUnavailable")
    #expect(bench.health.outage?.cause == .service && bench.changes.count == 1)
    #expect(bench.health.room(underWay: 0, at: bench.now) == 0)
  }

  @Test func aQuietSenderStopsAfterTwo() {
    var bench = Bench()
    bench.send(.works)
    bench.wait(.seconds(1))
    bench.send(Self.failure)
    #expect(bench.isOpen)
    bench.send(Self.failure)
    #expect(!bench.isOpen)
  }

  @Test func halfOfTheAnswersAreEnough() {
    var bench = Bench()
    for _ in 0..<16 {
      bench.send(.works)
      bench.send(Self.failure)
    }
    #expect(!bench.isOpen)
  }

  /// While APNs fails for ten seconds, a probe comes about every quarter of the time that it has lasted.
  @Test func probesAreFewAndNoticeTheEndSoon() {
    var bench = Bench()
    let begin = bench.now
    bench.send(Self.failure)
    bench.send(Self.failure)
    var probes = 0
    while bench.now < begin.advanced(by: .seconds(10)) {
      bench.waitForProbe()
      probes += 1
      bench.send(bench.now < begin.advanced(by: .seconds(10)) ? Self.failure : .works)
    }
    #expect((4...12).contains(probes), "\(probes)")
    #expect(bench.isOpen && bench.now < begin.advanced(by: .seconds(14)), "\(bench.now)")
    guard case .ended(let outage) = bench.changes.last else {
      Issue.record("\(bench.changes)")
      return
    }
    #expect(outage.since == begin)
  }

  @Test func onlyOneProbeIsUnderWay() {
    var bench = Bench()
    bench.send(Self.failure)
    bench.send(Self.failure)
    bench.waitForProbe()
    bench.health.noteSent(100)
    #expect(bench.health.room(underWay: 1, at: bench.now) == 0 && bench.health.wakeUp == nil)
    // What was sent before the outage says nothing of now.
    bench.tell(.works, 1)
    #expect(!bench.isOpen)
    bench.tell(.isSilent, 100)
    #expect(!bench.isOpen && bench.health.room(underWay: 0, at: bench.now) == 0)
    bench.waitForProbe()
    bench.health.noteSent(101)
    bench.tell(.works, 101)
    #expect(bench.isOpen)
  }

  /// After an outage few go out at first, and more with each answer.
  @Test func sendingBeginsSlowly() {
    var bench = Bench()
    bench.send(Self.failure)
    bench.send(Self.failure)
    bench.waitForProbe()
    bench.send(.works)
    #expect(bench.health.room(underWay: 0, at: bench.now) == 2)
    bench.send(.works)
    #expect(bench.health.room(underWay: 1, at: bench.now) == 2)
    for _ in 0..<1_100 { bench.send(.works) }
    #expect(bench.health.room(underWay: 100_000, at: bench.now) == .max)
  }

  @Test func aRelapseGoesOnWhereTheOutageWas() {
    var bench = Bench()
    let begin = bench.now
    bench.send(Self.failure)
    bench.send(Self.failure)
    bench.wait(.seconds(40))
    bench.send(.works)
    bench.send(Self.failure)
    bench.send(Self.failure)
    #expect(bench.health.outage?.since == begin)
    // A quarter of the 40 s.
    #expect((bench.health.outage?.probeAt ?? begin) >= begin.advanced(by: .seconds(50)))
  }

  @Test func aGivenRetryAfterIsFollowedByTheProbe() {
    var bench = Bench()
    let asked = PushHealth.Sign.fails(reason: "503 ServiceUnavailable", retryAfter: .seconds(20))
    bench.send(asked)
    bench.send(asked)
    #expect(bench.health.outage?.probeAt == bench.now.advanced(by: .seconds(20)))
    // No longer than what Apple asks after 5xx.
    bench.tell(.fails(reason: "503 ServiceUnavailable", retryAfter: .seconds(86_400)), 1)
    #expect(bench.health.outage?.probeAt == bench.now.advanced(by: .seconds(900)))
  }

  @Test func aRefusedKeyStopsAtOnceAndIsTriedSeldom() {
    var bench = Bench()
    bench.send(.works)
    bench.send(.refusesCredential(reason: "InvalidProviderToken", advice: "Check the key."))
    #expect(bench.health.outage?.cause == .credential && bench.health.outage?.advice == "Check the key.")
    var probes = 0
    let end = bench.now.advanced(by: .seconds(3_600))
    while bench.now < end {
      bench.waitForProbe()
      probes += 1
      bench.send(.refusesCredential(reason: "InvalidProviderToken", advice: ""))
    }
    #expect(probes < 30 && bench.changes.count == 1, "\(probes)")
    bench.waitForProbe()
    bench.send(.works)
    #expect(bench.isOpen)
  }

  /// Both lanes have pushes: most turns are the codes', and the campaign goes on; in a lane retries get a quarter.
  @Test func lanesAndRetriesTakeTurnsByWeight() {
    var ready = ReadyTickets()
    for number in 0..<1_000 {
      ready.append(number, to: .campaign, isRetry: true)
      ready.append(10_000 + number, to: .campaign, isRetry: false)
      ready.append(20_000 + number, to: .transactional, isRetry: false)
    }
    #expect(ready.count == 3_000)
    let first = (0..<160).compactMap { _ in ready.popFirst() }
    #expect(first.first == 20_000)
    #expect(first.filter { $0 >= 20_000 } == Array(20_000..<20_150))
    var rest: [Int] = []
    while let ticket = ready.popFirst() { rest.append(ticket) }
    #expect(Set(first + rest).count == 3_000 && ready.count == 0)
    let campaign = (first + rest).filter { $0 < 20_000 }
    #expect(campaign.prefix(400).count { $0 < 10_000 } == 100)
  }

  /// One failure of a sender that has just begun may be about that push.
  @Test func aNewSenderStopsAfterTwo() {
    var bench = Bench()
    bench.send(Self.failure)
    #expect(bench.isOpen && bench.health.room(underWay: 1_000, at: bench.now) == .max)
    bench.send(Self.failure)
    #expect(!bench.isOpen)
  }

  @Test(arguments: [(999, true), (1_000, false)]) func aSecondWithoutSuccessIsQuiet(
    milliseconds: Int, isOpen: Bool
  ) {
    var bench = Bench()
    bench.send(.works)
    bench.wait(.milliseconds(milliseconds))
    for _ in 0..<2 { bench.send(Self.failure) }
    #expect(bench.isOpen == isOpen)
  }

  /// 16 failures among 32 answers, and not among 31.
  @Test func halfOfTheAnswersIsExact() {
    var bench = Bench()
    for _ in 0..<15 {
      bench.send(.works)
      bench.send(Self.failure)
    }
    bench.send(Self.failure)
    #expect(bench.isOpen, "31 answers, 16 failures")
    bench.send(.works)
    #expect(bench.isOpen, "32 answers: a success begins nothing")
    bench.send(Self.failure)
    #expect(!bench.isOpen)
    var other = Bench()
    for _ in 0..<14 {
      other.send(.works)
      other.send(Self.failure)
    }
    for _ in 0..<4 { other.send(.works) }
    other.send(Self.failure)
    #expect(other.isOpen, "32 answers, 15 failures")
  }

  /// A probe goes out at its moment, not a millisecond before it; a quarter of the outage has passed, and up to a quarter
  /// of that by chance.
  @Test func aProbeHasItsMoment() throws {
    var bench = Bench()
    for _ in 0..<2 { bench.send(Self.failure) }
    let waits: [(Int, ClosedRange<Int64>)] = [
      (0, 1_000...1_250), (40, 10_000...12_500), (120, 30_000...37_500),
    ]
    for (pause, range) in waits {
      if pause > 0 {
        bench.wait(.seconds(pause))
        bench.send(Self.failure)
      }
      let due = try #require(bench.health.outage?.probeAt)
      #expect(range.contains(due.milliseconds - bench.now.milliseconds), "\(pause)")
      #expect(bench.health.room(underWay: 0, at: due) == 1 && bench.health.wakeUp == due)
      #expect(bench.health.room(underWay: 0, at: due.advanced(by: .milliseconds(-1))) == 0)
    }
  }

  /// Below 16 under way another failure belongs to the same outage.
  @Test(arguments: [(13, true), (14, false)]) func aLateRelapseIsAnotherOutage(answers: Int, isSame: Bool) {
    var bench = Bench()
    let begin = bench.now
    for _ in 0..<2 { bench.send(Self.failure) }
    bench.wait(.seconds(40))
    bench.send(.works)
    for _ in 0..<answers { bench.send(.works) }
    #expect(bench.health.room(underWay: 0, at: bench.now) == answers + 2)
    for _ in 0..<2 { bench.send(Self.failure) }
    #expect(bench.health.outage?.since == (isSame ? begin : bench.now))
  }

  @Test func aRelapseOfAnotherCauseIsAnotherOutage() {
    var bench = Bench()
    for _ in 0..<2 { bench.send(Self.failure) }
    bench.wait(.seconds(40))
    bench.send(.works)
    bench.send(.refusesCredential(reason: "InvalidProviderToken", advice: ""))
    #expect(bench.health.outage?.since == bench.now && bench.health.outage?.cause == .credential)
  }

  @Test func atAThousandUnderWayNothingIsHeldBack() {
    var bench = Bench()
    for _ in 0..<2 { bench.send(Self.failure) }
    bench.waitForProbe()
    for _ in 0..<1_022 { bench.send(.works) }
    #expect(bench.health.room(underWay: 0, at: bench.now) == 1_023)
    #expect(bench.health.room(underWay: 1_023, at: bench.now) == 0)
    #expect(bench.health.room(underWay: 1_024, at: bench.now) == 0)
    bench.send(.works)
    #expect(bench.health.room(underWay: 1_024, at: bench.now) == .max)
  }

  @Test func anEmptyQueueHasNobody() {
    var ready = ReadyTickets()
    #expect(ready.popFirst() == nil && ready.count == 0)
    for lane in [PushLane.transactional, .campaign] {
      for isRetry in [false, true] {
        ready.append(1, to: lane, isRetry: isRetry)
        #expect(ready.count == 1 && ready.popFirst() == 1 && ready.popFirst() == nil && ready.count == 0)
      }
    }
  }
}
