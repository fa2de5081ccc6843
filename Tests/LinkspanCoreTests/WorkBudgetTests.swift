import LinkspanCore
import Testing

@Suite struct WorkBudgetTests {
  @Test func isExhaustedOnceMoreIsAskedThanWasLeft() {
    var work = WorkBudget(steps: 10)
    #expect(work.spend(10) && !work.isExhausted)
    #expect(!work.spend(1) && work.isExhausted)
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
