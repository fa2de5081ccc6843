import LinkspanCore
import Testing

@Suite struct SeededGeneratorTests {
  /// The first numbers of SplitMix64 with seed 0, as its authors' C code gives them.
  @Test func isSplitMix64() {
    var generator = SeededGenerator(seed: 0)
    let numbers = (0..<3).map { _ in generator.next() }
    #expect(numbers == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F])
  }

  @Test(arguments: [0...0, 0...1, -3...3, 1...1000, Int64.min...Int64.max, Int64.max - 1...Int64.max])
  func drawsInsideTheRange(_ range: ClosedRange<Int64>) {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<1000 { #expect(range.contains(generator.draw(range))) }
  }

  /// 60,000 draws of six: each lies within five standard deviations (91) of 10,000.
  @Test(arguments: 1...10 as ClosedRange<UInt64>) func drawsEvenly(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var counts = [Int](repeating: 0, count: 6)
    for _ in 0..<60_000 { counts[Int(generator.draw(0...5))] += 1 }
    for count in counts { #expect((9540...10_460).contains(count), "seed \(seed): \(counts)") }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>) func aChanceIsARatio(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = (0..<30_000).count { _ in generator.chance(1, in: 3) }
    #expect((9590...10_410).contains(count), "seed \(seed): \(count)")
    #expect((0..<100).allSatisfy { _ in generator.chance(3, in: 3) })
    #expect((0..<100).allSatisfy { _ in !generator.chance(0, in: 3) })
  }

  @Test func aForkDependsOnItsNameAndNotOnWhatIsDrawnLater() {
    let generator = SeededGenerator(seed: 5)
    var one = generator.fork("one")
    var again = generator.fork("one")
    var two = generator.fork("two")
    let first = one.next()
    #expect(first == again.next())
    #expect(first != two.next())
  }
}
