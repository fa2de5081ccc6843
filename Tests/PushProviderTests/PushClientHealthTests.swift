import LinkspanCore
import Testing

@testable import PushProvider

/// What a client does while APNs fails, refuses its key or falls silent (push notes 1.12, 3.1 and 4).
@Suite struct PushClientHealthTests {
  private typealias Bench = PushClientTests.Bench

  /// Plays APNs with a latency against a client that gets pushes at a steady rate.
  private struct Load {
    var bench: PushClientTests.Bench
    let begin: WallTime
    /// When each push was handed over.
    var submitted: [Int: WallTime] = [:]
    var delays: [Int64] = []
    /// Requests that failed and were sent after APNs had begun to fail.
    var wastedCount = 0
    var requestCount = 0
    private var answers: [(at: WallTime, ticket: Int, identifier: String, sentAt: WallTime)] = []

    init(change: (inout PushClient.Configuration) -> Void) throws {
      bench = try PushClientTests.Bench(certificate: true, change: change)
      begin = bench.now
    }

    /// Runs for a while.
    ///
    /// - Parameters:
    ///   - perSecond: Pushes that are handed over.
    ///   - failing: When APNs answers 503, in milliseconds since the beginning.
    mutating func run(
      seconds: Int, perSecond: Int, failing: Range<Int64>, retryAfter: String? = nil, latency: Duration
    ) throws {
      for millisecond in 0..<seconds * 1_000 {
        let count = (millisecond + 1) * perSecond / 1_000 - millisecond * perSecond / 1_000
        if count > 0 { for ticket in bench.submit(count) { submitted[ticket] = bench.now } }
        bench.wait(.milliseconds(1))
        collect(latency)
        while let first = answers.first, first.at <= bench.now {
          answers.removeFirst()
          let time = first.sentAt.milliseconds - begin.milliseconds
          var fields: HTTPFields = ["apns-id": first.identifier]
          guard failing.contains(time) else {
            bench.tell(.answered(first.ticket, HTTPResponse(status: 200, fields: fields)))
            collect(latency)
            continue
          }
          wastedCount += 1
          if let retryAfter { fields["retry-after"] = retryAfter }
          bench.tell(
            .answered(
              first.ticket,
              HTTPResponse(
                status: 503, fields: fields, body: Array(#"{"reason":"ServiceUnavailable"}"#.utf8))))
          collect(latency)
        }
        for (ticket, _) in bench.results {
          if let time = submitted.removeValue(forKey: ticket) {
            delays.append(bench.now.milliseconds - time.milliseconds)
          }
        }
        bench.results.removeAll(keepingCapacity: true)
      }
    }

    private mutating func collect(_ latency: Duration) {
      for (ticket, _, request) in bench.sent {
        requestCount += 1
        answers.append(
          (bench.now.advanced(by: latency), ticket, request.fields["apns-id"] ?? "", bench.now))
      }
      bench.sent = []
    }
  }

  @Test func aClockThatIsSetBackBringsTheNextProbe() throws {
    var bench = try PushClientTests.Bench(certificate: true)
    bench.submit(4)
    for _ in 0..<2 { bench.answer(503, "ServiceUnavailable", fields: ["retry-after": "900"]) }
    #expect(bench.client.health.outage != nil)
    bench.sent = []
    bench.submit(1)
    bench.wait(.seconds(1))
    #expect(bench.sent.isEmpty)
    bench.wait(.seconds(-3_600))
    #expect(bench.sent.count == 1)
  }

  /// 503 for ten seconds: 99 of 100 pushes are late by 30 s at most, and fewer than 100 requests are wasted.
  @Test(arguments: [1, 20, 1_000], [nil, "2"] as [String?])
  func tenSecondsOfFailureCostLittle(perSecond: Int, retryAfter: String?) throws {
    var load = try Load { $0.connections = 4 }
    try load.run(
      seconds: 60, perSecond: perSecond, failing: 5_000..<15_000, retryAfter: retryAfter,
      latency: .milliseconds(20))
    #expect(load.submitted.count <= perSecond, "\(load.submitted.count) have not ended")
    let delays = load.delays.sorted()
    #expect(try #require(delays.last) <= 30_000, "\(delays.suffix(5))")
    #expect(load.wastedCount < 100, "\(load.wastedCount)")
    #expect(load.bench.changes.count >= 2)
  }

  @Test func aRateLimitForOneDeviceStopsNothing() throws {
    var bench = try Bench(certificate: true)
    bench.submit(50)
    for _ in 0..<50 { bench.answer(429, "TooManyRequests") }
    #expect(bench.changes.isEmpty && bench.client.health.outage == nil)
    bench.submit()
    #expect(bench.sent.count == 1)
  }

  /// The failures before it was known that APNs fails are no longer lone ones; what was asked to wait waits.
  @Test func whatFailedAloneFallsDueWithTheOthers() throws {
    var bench = try Bench(certificate: true)
    bench.submit(4)
    bench.answer(503, "ServiceUnavailable", fields: ["retry-after": "600"])
    for _ in 0..<3 { bench.answer(503, "ServiceUnavailable") }
    #expect(bench.changes.count == 1 && bench.sent.isEmpty)
    let probe = bench.submit()[0]
    bench.wait(.seconds(899))
    #expect(bench.sent.map(\.ticket).contains(probe) || bench.sent.count == 1)
    bench.answer(200)
    while !bench.sent.isEmpty { bench.answer(200) }
    #expect(bench.results.count == 5 && bench.client.unfinishedCount == 0)
  }

  /// A store keeps what comes of each attempt; the first of an outage says that it failed alone, the others that all wait.
  @Test func aStoreIsToldWhyAPushWaits() throws {
    var bench = try Bench(certificate: true) { $0.retry.attempts = 1 }
    let tickets = bench.submit(3)
    for _ in 0..<3 { bench.answer(503, "ServiceUnavailable") }
    let waits = tickets.compactMap { ticket -> PushOutcome.Wait? in
      if case .notNow(let delay) = bench.results[ticket]?.outcome { delay.wait } else { nil }
    }
    #expect(waits == [.alone, .outage, .outage])
    let asked = try Bench.ended(503, "ServiceUnavailable", ["retry-after": "2"]) { $0.retry.attempts = 1 }
    #expect(asked.delay.wait == .usual && asked.delay.retryAt == asked.now.advanced(by: .seconds(2)))
  }

  // MARK: - The key

  @Test(arguments: [
    "InvalidProviderToken", "MissingProviderToken", "BadEnvironmentKeyIdInToken", "UnrelatedKeyIdInToken",
    "ExpiredProviderToken",
  ])
  func aRefusedKeyStopsAllThatWait(reason: String) throws {
    var bench = try Bench()
    let tickets = bench.submit(500)
    bench.answer(403, reason)
    #expect(bench.sent.isEmpty && bench.client.unfinishedCount == 0)
    guard case .rejected(let rejection) = bench.results[tickets[0]]?.outcome else {
      Issue.record("\(String(describing: bench.results[tickets[0]]))")
      return
    }
    #expect(rejection.reason == reason && rejection.step == .fix && !rejection.advice.isEmpty)
    for ticket in tickets.dropFirst() {
      guard case .notNow(let delay) = bench.results[ticket]?.outcome else {
        Issue.record("\(String(describing: bench.results[ticket]))")
        return
      }
      #expect(delay.needsFix && delay.status == 403 && delay.reason == "APNs refuses the key: \(reason)")
      #expect(bench.results[ticket]?.attemptCount == 0)
    }
  }

  /// A key that is revoked while pushes are under way costs those and no others.
  @Test func aRevokedKeyCostsWhatIsUnderWay() throws {
    var bench = try Bench()
    bench.submit(501)
    bench.answer(200)
    #expect(bench.sent.count == 100)
    while !bench.sent.isEmpty { bench.answer(403, "InvalidProviderToken") }
    #expect(bench.results.values.count { if case .rejected = $0.outcome { true } else { false } } == 100)
    #expect(bench.client.unfinishedCount == 0)
    // Later one push tries it, and none follows while it is refused.
    bench.submit(10)
    #expect(bench.sent.isEmpty)
    bench.wait(.seconds(13))
    #expect(bench.sent.count == 1)
    bench.answer(403, "InvalidProviderToken")
    #expect(bench.sent.isEmpty && bench.client.unfinishedCount == 0)
  }

  /// All pushes under way learn that the token has expired; one tries the new token before the others follow.
  @Test(arguments: [true, false]) func oneTriesTheNewToken(isTaken: Bool) throws {
    var bench = try Bench()
    bench.submit()
    bench.answer(200)
    bench.wait(.seconds(30 * 60))
    bench.submit(300)
    #expect(bench.sent.count == 100)
    for _ in 0..<100 { bench.answer(403, "ExpiredProviderToken") }
    #expect(bench.sent.count == 1)
    if isTaken {
      bench.answer(200)
      while !bench.sent.isEmpty { bench.answer(200) }
      #expect(bench.results.count == 301)
    } else {
      bench.answer(403, "ExpiredProviderToken")
      #expect(bench.sent.isEmpty && bench.client.unfinishedCount == 0)
    }
  }

  @Test func anUnrelatedKeyGetsANewConnectionOnce() throws {
    var bench = try Bench()
    bench.submit(40)
    bench.answer(200)
    for _ in 0..<39 { bench.answer(403, "UnrelatedKeyIdInToken") }
    #expect(bench.results.count == 1)
    bench.wait(.seconds(1))
    #expect(bench.sent.count == 1 && bench.sent[0].connection != 0)
    bench.answer(403, "UnrelatedKeyIdInToken")
    #expect(bench.client.unfinishedCount == 0 && bench.changes.count == 1)
  }

  // MARK: - Answers that are nobody's

  @Test(arguments: [("", false), ("<html><body>Welcome</body></html>", true)])
  func aForeignAnswerIsNoAcceptance(body: String, hasIdentifier: Bool) throws {
    var bench = try Bench(certificate: true) { $0.retry.attempts = 1 }
    let ticket = bench.submit()[0]
    let fields: HTTPFields = hasIdentifier ? ["apns-id": "x"] : [:]
    bench.tell(.answered(ticket, HTTPResponse(status: 200, fields: fields, body: Array(body.utf8))))
    guard case .notNow(let delay) = bench.results[ticket]?.outcome else {
      Issue.record("\(bench.results)")
      return
    }
    #expect(delay.reason == "status 200 without apns-id, which is not an answer of APNs")
    #expect(bench.results[ticket]?.isPossibleDuplicate == true)
  }

  // MARK: - Silence

  @Test func aMuteConnectionIsReplaced() throws {
    var bench = try Bench(certificate: true)
    bench.tell(.streamLimit(100, on: 0))
    bench.submit(3)
    bench.tell(.streamLimit(100, on: 0))
    // An answer after four seconds is slow.
    bench.wait(.seconds(4))
    bench.answer(200)
    bench.wait(.milliseconds(7_999))
    bench.submit()
    #expect(bench.sent.map(\.connection) == [0, 0, 0])
    bench.wait(.milliseconds(1))
    bench.submit()
    #expect(bench.sent.map(\.connection) == [0, 0, 0, 1])
    // What is under way there may still be answered.
    bench.answer(200)
    #expect(bench.results.count == 2)
  }
}

extension PushClientTests.Bench {
  /// A push that ends with its first answer.
  fileprivate static func ended(
    _ status: Int, _ reason: String, _ fields: HTTPFields, change: (inout PushClient.Configuration) -> Void
  ) throws -> (delay: PushOutcome.Delay, now: WallTime) {
    var bench = try Self(certificate: true, change: change)
    let ticket = bench.submit()[0]
    bench.answer(status, reason, fields: fields)
    guard case .notNow(let delay) = bench.results[ticket]?.outcome else {
      throw PushClient.Failure(.lost, "the push did not end as not now")
    }
    return (delay, bench.now)
  }
}
