import LinkspanCore
import PushConnections
import Testing

/// Pauses that servers ask for, together with what their answers take.
@Suite struct AskedPatienceTests {
  @Test(arguments: [
    (1, 0, true), (20, 0, true), (21, 0, false), (1, 19, true), (1, 20, false), (0, 0, false),
  ])
  func endsAfterTwentySeconds(_ asked: Int, _ passed: Int, _ isAllowed: Bool) {
    let patience = AskedPatience(from: .seconds(100))
    #expect(patience.allows(.seconds(asked), at: .seconds(100 + passed)) == isAllowed)
  }
}
