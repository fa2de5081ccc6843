import LinkspanCore
import Testing

@testable import PushProvider

/// The table of answers (push notes, section 4, and section 6 for broadcasts).
@Suite struct PushOutcomeTests {
  @Test func everyReasonIsInTheTable() {
    #expect(RejectionReason.allCases.count == 32 + 9)
    for reason in RejectionReason.allCases {
      #expect((400...599).contains(reason.status), "\(reason)")
      #expect(reason.advice.hasSuffix("."), "\(reason)")
    }
  }

  /// Apple: never again for these six; 410 forgets the token; only 429 and 5xx are for later.
  @Test func stepsAreApples() {
    func reasons(_ steps: RejectionStep...) -> Set<String> {
      Set(RejectionReason.allCases.filter { steps.contains($0.step) }.map(\.rawValue))
    }
    #expect(reasons(.unregister) == ["ExpiredToken", "Unregistered"])
    #expect(reasons(.checkEnvironment) == ["BadDeviceToken"])
    #expect(
      reasons(.never) == ["DeviceTokenNotForTopic", "Forbidden", "PayloadTooLarge", "ChannelNotRegistered"])
    #expect(reasons(.retry) == ["TooManyRequests", "InternalServerError", "ServiceUnavailable"])
    #expect(reasons(.reconnect) == ["IdleTimeout", "UnrelatedKeyIdInToken", "Shutdown"])
    #expect(reasons(.renewToken) == ["ExpiredProviderToken"])
    #expect(reasons(.holdToken) == ["TooManyProviderTokenUpdates"])
  }

  private func answer(_ status: Int, _ body: String = "", _ fields: HTTPFields = [:]) -> PushAnswer {
    PushAnswer(HTTPResponse(status: status, fields: fields, body: Array(body.utf8)))
  }

  @Test func anAnswerIsRead() {
    let gone = answer(410, #"{"reason":"Unregistered","timestamp":1454402113000}"#)
    #expect(gone.reason == .unregistered && gone.step == .unregister)
    #expect(gone.timestamp == WallTime(milliseconds: 1_454_402_113_000))
    // Row 61.
    #expect(answer(400, #"{"reason":"BadTopic","timestamp":1}"#).timestamp == nil)
    let accepted = answer(200, "", ["apns-unique-id": "u"])
    #expect(accepted.step == nil && accepted.uniqueIdentifier == "u")
  }

  /// A reason that Apple adds tomorrow goes by its status.
  @Test(arguments: [
    (400, RejectionStep.fix), (403, .fix), (410, .unregister), (429, .retry), (500, .retry), (502, .retry),
  ])
  func anUnknownReasonGoesByItsStatus(status: Int, step: RejectionStep) {
    #expect(answer(status, #"{"reason":"Novelty"}"#).step == step)
    #expect(answer(status).step == step && answer(status, "<html>").reasonText == nil)
  }

  @Test func aDelayIsHonoured() {
    #expect(answer(429, "", ["retry-after": "7"]).retryAfter == .seconds(7))
    #expect(answer(429, "", ["retry-after": "-7"]).retryAfter == nil)
    #expect(answer(429, "", ["retry-after": "tomorrow"]).retryAfter == nil)
  }

  @Test func aGoAwaySaysWhy() {
    #expect(PushAnswer.reasonText(inGoAway: Array(#"{"reason":"Shutdown"}"#.utf8)) == "Shutdown")
    #expect(PushAnswer.reasonText(inGoAway: []) == nil)
    let padded = Array((#"{"reason":"Shutdown"}"# + String(repeating: " ", count: 4_075)).utf8)
    #expect(PushAnswer.reasonText(inGoAway: padded) == "Shutdown")
    #expect(PushAnswer.reasonText(inGoAway: padded + [0x20]) == nil)
  }

  /// Ours: a day at most.
  @Test(arguments: [("0", 0), ("86400", 86_400), ("86401", nil)] as [(String, Int?)])
  func aDelayHasALimit(text: String, seconds: Int?) {
    #expect(answer(503, "", ["retry-after": text]).retryAfter == seconds.map { .seconds($0) })
    #expect(answer(503).asking(for: .seconds(3)).retryAfter == .seconds(3))
  }

  @Test func aBodyHasALimit() {
    let text = #"{"reason":"Unregistered"}"#
    let padded = text + String(repeating: " ", count: 4_096 - text.utf8.count)
    #expect(answer(410, padded).reason == .unregistered)
    #expect(answer(410, padded + " ").reasonText == nil && answer(410, padded + " ").step == .unregister)
  }

  /// A proxy or a portal answers below 400, without a name of the push.
  @Test(arguments: [
    (200, true, RejectionStep.retry), (204, true, .retry), (302, true, .retry), (399, true, .retry),
    (400, false, .fix), (428, false, .fix), (429, false, .retry), (430, false, .fix), (499, false, .fix),
    (500, false, .retry), (599, false, .retry), (600, false, .fix), (409, false, .fix), (411, false, .fix),
  ])
  func aStatusSaysWhatToDo(status: Int, isForeign: Bool, step: RejectionStep) {
    #expect(answer(status).isForeign == isForeign && answer(status).step == step)
    #expect(
      answer(status).words
        == (isForeign
          ? "status \(status) without apns-id, which is not an answer of APNs" : "status \(status)"))
  }

  /// Of a 200 that is APNs' own, a page in its body takes the truth away.
  @Test(arguments: [
    ("", "apns-id", true), ("", "apns-unique-id", true), ("{}", "apns-id", true),
    ("<html>", "apns-id", false),
    ("", "x", false),
  ])
  func anAcceptanceNamesThePush(body: String, field: String, isAcceptance: Bool) {
    #expect(answer(200, body, [field: "a"]).isAcceptance == isAcceptance)
  }

  /// Each wait doubles up to the longest, and chance adds up to a half.
  @Test(
    arguments: [
      (1, 250, 375), (2, 500, 750), (7, 16_000, 24_000), (8, 30_000, 45_000), (21, 30_000, 45_000),
      (64, 30_000, 45_000),
    ] as [(Int, Int64, Int64)])
  func aWaitDoublesUpToTheLongest(attempt: Int, least: Int64, most: Int64) {
    var generator = SeededGenerator(seed: 3)
    let policy = PushRetryPolicy()
    let waits = (0..<200).map { _ in
      policy.connection.delay(after: attempt, using: &generator).wholeMilliseconds
    }
    #expect(waits.allSatisfy { (least...most).contains($0) })
    #expect(
      (waits.min() ?? 0) < least + (most - least) / 10 && (waits.max() ?? 0) > most - (most - least) / 10)
  }

  /// Apple asks for 15 minutes after 5xx; the others are ours.
  @Test func aPolicyHasUsualValues() {
    let policy = PushRetryPolicy()
    #expect(policy.connection == .init(first: .milliseconds(250), longest: .seconds(30)))
    #expect(policy.rate == .init(first: .seconds(2), longest: .seconds(300)))
    #expect(policy.server == .init(first: .seconds(900), longest: .seconds(7_200)))
    #expect(policy.attempts == 8 && policy.connectAttempts == 3)
  }
}
