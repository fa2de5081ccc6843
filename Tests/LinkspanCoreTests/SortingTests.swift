import Testing

@testable import LinkspanCore

/// The sort that stands in for the standard library's.
@Suite struct SortingTests {
  private struct Item: Equatable {
    let key: Int
    let place: Int
  }

  /// Random keys of which many are alike, sorted runs and reversed ones, of every length around the powers of two.
  private static let lists: [[Int]] = (0..<70).flatMap { count -> [[Int]] in
    var generator = SeededGenerator(seed: UInt64(count))
    let random = (0..<count).map { _ in Int.random(in: 0...(count / 2), using: &generator) }
    return [random, Array(0..<count), (0..<count).reversed(), Array(repeating: 7, count: count)]
  }

  @Test(arguments: lists)
  func isOrderedAndKeepsWhatIsAlikeAsItWas(_ keys: [Int]) {
    let items = keys.enumerated().map { Item(key: $1, place: $0) }
    let sorted = items.sorted { $0.key < $1.key }
    #expect(sorted.count == items.count && Set(sorted.map(\.place)) == Set(0..<items.count))
    for (first, second) in zip(sorted, sorted.dropFirst()) {
      #expect((first.key, first.place) < (second.key, second.place))
    }
    var changed = items
    changed.sort { $0.key < $1.key }
    #expect(changed == sorted)
    var plain = keys
    plain.sort()
    #expect(plain == sorted.map(\.key) && Set(keys).sorted() == keys.sorted().uniqued())
  }

  /// A hundred in order already cost less than two comparisons each.
  @Test func whatIsInOrderCostsLittle() {
    var comparisons = 0
    let sorted = Array(0..<100).sorted {
      comparisons += 1
      return $0 < $1
    }
    #expect(sorted == Array(0..<100) && comparisons < 200)
  }
}

extension [Int] {
  /// Without neighbours that are alike.
  fileprivate func uniqued() -> [Int] { reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
}
