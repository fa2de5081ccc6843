import LinkspanCore
import Testing

@Suite struct WorkBudgetTests {
  @Test func isExhaustedOnceMoreIsAskedThanWasLeft() {
    var work = WorkBudget(steps: 10)
    #expect(work.spend(10) && !work.isExhausted)
    #expect(!work.spend(1) && work.isExhausted)
  }

  /// As `Documentation/limits.md` and the help of the commands have them.
  @Test func commandsHaveTheLimitsThatAreWritten() {
    #expect(WorkBudget.answer.steps == 200_000_000 && WorkBudget.decision.steps == 50_000_000)
    #expect(WorkLimits.comparison == 100_000_000 && WorkLimits.correction == 150_000_000)
    #expect(WorkLimits.generation == 100_000_000 && WorkLimits.review == 400_000_000)
    #expect(WorkLimits.states == 150_000 && WorkLimits.associationBytes == 524_288)
    #expect(WorkLimits.routes == 10_000 && WorkLimits.requestBytes == 1_048_576)
  }

  @Test func aShareSpendsOfTheWholeAndMayRunOutAlone() {
    var work = WorkBudget(steps: 100)
    let isShareExhausted = work.withShare(of: 30) { share in
      _ = share.spend(31)
      return share.isExhausted
    }
    #expect(isShareExhausted && !work.isExhausted && work.steps == 69)
  }

  @Test func aShareIsNoLargerThanWhatIsLeft() {
    var work = WorkBudget(steps: 5, stateLimit: 7)
    #expect(work.withShare(of: 100, stateLimit: 100) { $0.steps == 5 && $0.stateLimit == 7 })
  }

  @Test func nothingIsLeftAfterTheEnd() {
    var work = WorkBudget(steps: 5)
    _ = work.spend(9)
    #expect(work.withShare(of: 3) { $0.steps } == 0)
  }
}
