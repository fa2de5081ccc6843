import Testing

@testable import LinkspanDaemon
@testable import PushSending

/// When a campaign is paused by itself.
@Suite struct CampaignGuardTests {
  @Test(arguments: [
    (499, 499, false), (500, 25, false), (500, 26, true), (10_000, 500, false), (10_000, 501, true),
  ])
  func aboveTheShareAfterEnoughAnswers(answers: Int, rejections: Int, isPaused: Bool) {
    var rule = CampaignGuard(percent: 5)
    let excess = rule.excess("1", .init(answers: answers, rejections: rejections))
    #expect((excess != nil) == isPaused)
  }

  @Test func whatAPersonResumedIsJudgedByWhatComesAfter() {
    var rule = CampaignGuard(percent: 5)
    #expect(rule.excess("1", .init(answers: 600, rejections: 100)) != nil)
    #expect(rule.excess("1", .init(answers: 1_099, rejections: 400)) == nil, "499 answers since")
    #expect(rule.excess("1", .init(answers: 1_100, rejections: 100)) == nil)
    #expect(rule.excess("1", .init(answers: 1_200, rejections: 140)) != nil)
  }

  /// Of several servers each has a guard, and one pause is enough.
  @Test func whatAnotherServerPausedIsKnownToThePersonAsWell() {
    var rule = CampaignGuard(percent: 5)
    rule.note("1", .init(answers: 600, rejections: 100))
    #expect(rule.excess("1", .init(answers: 1_099, rejections: 400)) == nil)
    rule.keep([])
    #expect(rule.excess("1", .init(answers: 1_099, rejections: 400)) != nil)
  }
}
