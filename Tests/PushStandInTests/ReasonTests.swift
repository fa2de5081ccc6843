import LinkspanCore
import PushProvider
import Testing

@testable import PushStandIn

/// Every reason of the push notes, 4 and 6, can be had from the stand-in.
@Suite struct ReasonTests {
  @Test func thereAreThirtyTwoAndNine() {
    #expect(APNsReason.allCases.count == 32 + 9)
    let statuses = Dictionary(grouping: APNsReason.allCases, by: \.status).mapValues(\.count)
    #expect(statuses == [400: 14 + 8, 403: 8 + 1, 404: 1, 405: 1, 410: 2, 413: 1, 429: 2, 500: 1, 503: 2])
  }

  /// By rule, and a sender reads it as what it is.
  @Test(arguments: APNsReason.allCases)
  func aRuleGivesIt(_ reason: APNsReason) throws {
    let text =
      #"{rules: [{token: "\#(Exchange.token)", answer: {status: \#(reason.status), reason: "\#(reason.rawValue)"}}]}"#
    guard case .document(let document) = RulesDocument.parse(SourceText(name: "rules.json5", text)) else {
      Issue.record("the rule is refused")
      return
    }
    var exchange = try Exchange { document.apply(to: &$0) }
    let reply = try exchange.push()
    #expect(reply.verdict == "\(reason.status) \(reason.rawValue)")
    let answer = PushAnswer(reply.response)
    #expect(answer.reasonText == reason.rawValue)
    #expect((answer.timestamp != nil) == (reason.status == 410))
    #expect(
      exchange.service.reply(to: try exchange.base, over: &exchange.connection, at: exchange.now).facts.reason
        == reason)
  }

  /// The stand-in and the sender read the same table, each for itself.
  @Test func theSenderKnowsTheSameReasons() {
    let standIn = APNsReason.allCases.map { "\($0.status) \($0.rawValue)" }
    #expect(standIn.sorted() == RejectionReason.allCases.map { "\($0.status) \($0.rawValue)" }.sorted())
  }
}
