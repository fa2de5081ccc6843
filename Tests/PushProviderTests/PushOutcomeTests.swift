import LinkspanCore
import PushProvider
import Testing

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
}
