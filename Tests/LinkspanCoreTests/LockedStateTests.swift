import LinkspanCore
import Testing

/// Waiting for a shared value with an end.
@Suite("Locked state", .timeLimit(.minutes(10)))
struct LockedStateTests {
  @Test(arguments: [Duration.zero, .nanoseconds(1), .milliseconds(1_001)])
  func givesUpWhenTheTimeIsOver(_ limit: Duration) {
    #expect(LockedState(1).wait(atMost: limit) { $0 == 2 ? true : nil } == nil)
  }

  @Test func hasTheResultThatIsThereAlready() {
    #expect(LockedState(1).wait(atMost: .zero) { $0 == 1 ? "one" : nil } == "one")
  }

  @Test func isWokenBeforeTheTimeIsOver() async {
    let state = LockedState(1)
    async let answer = state.wait(atMost: .seconds(3_600)) { $0 == 2 ? "two" : nil }
    state.withLock { $0 = 2 }
    state.signal(all: true)
    #expect(await answer == "two")
  }
}
