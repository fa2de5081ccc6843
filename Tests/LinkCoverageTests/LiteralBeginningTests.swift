import LinkspanCore
import Testing

@testable import LinkLanguages

/// The literal scalars that a pattern begins with are counted; what stands behind them is found out set by set.
struct LiteralBeginningTests {
  @Test(arguments: 0..<200)
  func countingCoversTheSameTextsAsSets(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let letters: [UInt32] = [0x61, 0x62, 0x2F, 0xE9]
    let others: [PatternElement] = [
      .any, .run, .segment, .set(ScalarSet([0x61, 0x2F])), .scalar(0x61), .scalar(0xE9),
    ]
    let elements =
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        PatternElement.scalar(letters.randomElement(using: &random) ?? 0x61)
      }
      + (0..<Int.random(in: 0...3, using: &random)).map { _ in
        others.randomElement(using: &random) ?? .any
      }
    let otherEnd = Bool.random(using: &random) ? Int.random(in: 0...elements.count, using: &random) : nil
    let counted = TextAutomaton(elements, otherEnd: otherEnd)
    let sets = SetAutomaton(elements, otherEnd: otherEnd)

    for _ in 0..<100 {
      var own = counted.start
      var other = sets.start
      for _ in 0..<Int.random(in: 0...8, using: &random) where own != TextAutomaton.dead {
        let scalar = letters.randomElement(using: &random) ?? 0x61
        own = counted.step(own, scalar)
        other = sets.step(other, scalar)
      }
      try #require((own == TextAutomaton.dead) == (other == TextAutomaton.dead))
      guard own != TextAutomaton.dead else { continue }
      let state = sets.states[Int(other)]
      #expect(counted.accepts(own) == state.accepts)
      #expect(counted.acceptsWhole(own) == state.acceptsWhole)
      #expect(counted.isUniversal(own) == state.isUniversal)
      #expect(counted.distinguished(at: own) == state.distinguished)
    }
  }

  @Test
  func countingTakesNoWork() {
    let letters = Array(repeating: PatternElement.scalar(0x61), count: 1_000)
    let automaton = TextAutomaton(letters + [.segment, .scalar(0x2F), .run])
    var state = automaton.start
    for _ in 0..<999 { state = automaton.step(state, 0x61) }
    #expect(automaton.takeWork() == 0)

    state = automaton.step(automaton.step(state, 0x61), 0x62)
    #expect(state != TextAutomaton.dead)
    #expect((1...20).contains(automaton.takeWork()))
  }

  @Test
  func charactersThatLeadToOnePlaceAreFoundOutOnce() {
    let automaton = SetAutomaton([.scalar(0x61), .run], otherEnd: nil)
    let start = automaton.start
    _ = automaton.takeWork()
    #expect(automaton.step(start, 0x62) == TextAutomaton.dead)
    #expect(automaton.takeWork() > 0)
    for scalar in UInt32(0x63)..<0x7F { #expect(automaton.step(start, scalar) == TextAutomaton.dead) }
    #expect(automaton.takeWork() == 0)
    #expect(automaton.step(start, 0x61) != TextAutomaton.dead)
    #expect(automaton.takeWork() > 0)
  }
}
