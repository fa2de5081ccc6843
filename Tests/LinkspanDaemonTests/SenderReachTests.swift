import LinkspanCore
import Testing

@testable import LinkspanDaemon
@testable import PushProvider
@testable import PushSending

/// One line when APNs cannot be reached any more, one when it can again.
@Suite struct SenderReachTests {
  private static let start = WallTime("2026-09-14T08:00:00Z")!
  private var reach = SenderReach()

  private mutating func take(
    _ outcome: PushOutcome, at second: Int64, sentBefore: Int64 = 0, isPossibleDuplicate: Bool = false
  ) throws -> SenderReach.Change? {
    let now = Self.start.advanced(by: .seconds(second))
    let result = PushResult(
      token: try DeviceToken(String(repeating: "ab", count: 32)), outcome: outcome,
      messageIdentifier: "1", attemptCount: 1, isPossibleDuplicate: isPossibleDuplicate)
    return reach.take(result, sentAt: now.advanced(by: .seconds(-sentBefore)), at: now)
  }

  private static func delay(_ status: Int?, _ reason: String) -> PushOutcome {
    .notNow(.init(status: status, reason: reason, retryAt: start))
  }

  @Test mutating func tellsEachChangeOnce() throws {
    let refused = Self.delay(nil, "connection refused")
    #expect(try take(refused, at: 0) == .unreachable(reason: "connection refused", needsFix: false))
    for second in 1..<40 { #expect(try take(refused, at: Int64(second)) == nil) }
    #expect(try take(.accepted(uniqueIdentifier: nil), at: 40) == .reachable)
    #expect(try take(.accepted(uniqueIdentifier: nil), at: 41) == nil)
    #expect(try take(refused, at: 60) == .unreachable(reason: "connection refused", needsFix: false))
    // Any answer is one.
    #expect(try take(Self.delay(429, "TooManyRequests"), at: 61) == .reachable)
  }

  @Test mutating func oneConnectionOfSeveralMayBreak() throws {
    #expect(try take(.accepted(uniqueIdentifier: nil), at: 0) == nil)
    #expect(try take(Self.delay(nil, "reset"), at: 1) == nil)
    #expect(try take(Self.delay(nil, "lost"), at: 20, isPossibleDuplicate: true) == nil)
  }

  @Test mutating func silenceForLongIsSure() throws {
    let silence = Self.delay(nil, "no answer")
    #expect(try take(silence, at: 20, sentBefore: 4, isPossibleDuplicate: true) == nil)
    #expect(
      try take(silence, at: 22, sentBefore: 6, isPossibleDuplicate: true)
        == .unreachable(reason: "no answer", needsFix: false))
  }

  /// Five seconds without an answer are enough, and not a second less.
  @Test(arguments: [(4, false), (5, true)])
  mutating func silenceCountsFromTheLastAnswer(second: Int64, isTold: Bool) throws {
    let refused = Self.delay(nil, "refused")
    let told = SenderReach.Change.unreachable(reason: "refused", needsFix: false)
    #expect(try take(.accepted(uniqueIdentifier: nil), at: 0) == nil)
    #expect(try take(refused, at: second) == (isTold ? told : nil))
    reach = SenderReach()
    #expect(
      try take(refused, at: 20, sentBefore: second, isPossibleDuplicate: true) == (isTold ? told : nil))
  }

  @Test mutating func aPersonHasToMendSomeConnections() throws {
    let refused = PushOutcome.notNow(
      .init(status: nil, reason: "not trusted", retryAt: Self.start, needsFix: true))
    #expect(try take(refused, at: 0) == .unreachable(reason: "not trusted", needsFix: true))
  }
}
