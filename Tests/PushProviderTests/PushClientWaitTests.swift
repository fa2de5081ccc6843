import LinkspanCore
import PushProvider
import Testing

/// Deadlines of their own, and connections that do not come about (push notes 1.14 to 1.18).
@Suite struct PushClientWaitTests {
  /// A client that outlives a run has pushes of many runs: each ends at its own deadline.
  @Test func eachPushHasItsDeadline() throws {
    var bench = try PushClientTests.Bench()
    let early = bench.submit(by: .seconds(10))
    let late = bench.submit(by: .seconds(30))
    bench.fail(.notProcessed)
    bench.wait(.seconds(10))
    #expect(bench.results[early] != nil && bench.results[late] == nil)
    bench.wait(.seconds(20))
    #expect(bench.results[late] != nil && bench.client.unfinishedCount == 0)
    #expect(bench.client.wakeUp == nil)
  }

  /// A push that could be sent again at its deadline would end there: it ends at once (push notes 1.15).
  @Test(arguments: [(6, false), (7, true), (8, true)]) func aRetryAfterThatLeavesNoTimeEndsAPush(
    seconds: Int, hasEnded: Bool
  ) throws {
    var bench = try PushClientTests.Bench(certificate: true)
    let ticket = bench.submit(by: .seconds(7))
    bench.answer(429, "TooManyRequests", fields: ["Retry-After": "\(seconds)"])
    #expect((bench.results[ticket] != nil) == hasEnded)
    bench.wait(.seconds(6))
    #expect(bench.sent.count == (hasEnded ? 0 : 1))
  }

  @Test func aCallersIdentifierIsKept() throws {
    var bench = try PushClientTests.Bench()
    let identifier = "123e4567-e89b-12d3-a456-426655440000"
    bench.submit(by: .seconds(10), identifier: identifier)
    bench.fail(.lost)
    bench.wait(.seconds(1))
    #expect(bench.sent.map { $0.request.fields["apns-id"] } == [identifier])
  }

  /// Four connections that are refused together are one try: the next comes later, the one after it later still.
  @Test func connectionsThatAreRefusedTogetherAreOneTry() throws {
    var bench = try PushClientTests.Bench(certificate: true) {
      $0.connections = 4
      $0.streams = 1
    }
    bench.submit(4)
    var waits: [Int64] = []
    for round in 1...3 {
      #expect(bench.sent.count == 4, "round \(round)")
      for _ in 0..<4 { bench.fail(.cannotConnect) }
      let begin = bench.now
      guard round < 3 else { break }
      #expect(bench.results.isEmpty && bench.sent.isEmpty)
      while bench.sent.count < 4, bench.now < begin.advanced(by: .seconds(10)) {
        bench.wait(.milliseconds(1))
      }
      waits.append(bench.now.milliseconds - begin.milliseconds)
    }
    // Ours: 250 ms, then twice that, and up to a half more by chance.
    #expect((250...375).contains(waits[0]) && (500...750).contains(waits[1]), "\(waits)")
    #expect(bench.results.count == 4, "the third try is the last")
  }

  /// Else nothing would go out until the clock has caught up.
  @Test func aClockThatIsSetBackEndsAPause() throws {
    var bench = try PushClientTests.Bench(certificate: true)
    bench.submit(1)
    bench.fail(.cannotConnect)
    bench.submit(1)
    #expect(bench.sent.isEmpty)
    bench.wait(.seconds(-3_600))
    #expect(bench.sent.count == 1)
  }

  /// What waits for a connection whose certificate is refused ends at once; what another carries goes on.
  @Test func aRefusedCertificateEndsWhatWaits() throws {
    var bench = try PushClientTests.Bench(certificate: true) {
      $0.connections = 2
      $0.streams = 2
    }
    bench.submit(4)
    #expect(Set(bench.sent.map(\.connection)) == [0, 1])
    let proven = bench.sent[0].connection
    bench.answer(200)
    bench.submit(3)
    bench.tell(
      .failed(
        try #require(bench.sent.first { $0.connection != proven }?.ticket),
        .init(.certificateRefused, "the certificate's issuer is not trusted")))
    let open = bench.sent.filter { $0.connection == proven }.map(\.ticket)
    let ended = bench.results.values.filter { $0.outcome != .accepted(uniqueIdentifier: nil) }
    #expect(ended.count + open.count == 6 && bench.client.unfinishedCount == open.count)
    for result in ended {
      #expect(!result.isPossibleDuplicate)
      guard case .notNow(let delay) = result.outcome else {
        Issue.record("\(result)")
        continue
      }
      #expect(delay.needsFix && delay.reason == "the certificate's issuer is not trusted")
    }
  }

  /// Behind a balancer one server's certificate may be good and the other's not.
  @Test func aRefusedCertificateSaysNothingAboutOtherConnections() throws {
    var bench = try PushClientTests.Bench(certificate: true) {
      $0.connections = 2
      $0.streams = 2
    }
    bench.submit(4)
    let refused = bench.sent[0]
    let other = bench.sent.filter { $0.connection != refused.connection }.map(\.ticket)
    #expect(!other.isEmpty)
    bench.tell(.failed(refused.ticket, .init(.certificateRefused, "the certificate's issuer is not trusted")))
    // They have no answer yet, and may be on their way.
    #expect(bench.client.unfinishedCount == other.count)
    #expect(other.allSatisfy { bench.results[$0] == nil })
  }

  /// Senders that were refused together do not come back together.
  @Test func theWaitHasJitter() throws {
    let waits = try (1...20 as ClosedRange<UInt64>).map { seed in
      var bench = try PushClientTests.Bench(seed)
      bench.submit()
      bench.fail(.cannotConnect)
      let begin = bench.now
      while bench.sent.isEmpty { bench.wait(.milliseconds(1)) }
      return bench.now.milliseconds - begin.milliseconds
    }
    #expect(Set(waits).count > 10 && waits.allSatisfy { (250...375).contains($0) }, "\(waits)")
  }
}
