import Testing

@testable import AppSiteAssociation

@Suite struct LongestRiseTests {
  @Test(
    arguments: [
      ([], []), ([1], [0]), ([1, 2, 3], [0, 1, 2]), ([3, 2, 1], [2]), ([1, 1, 1], [0]), ([2, 1, 3], [1, 2]),
      ([5, 1, 6, 2, 7, 3], [1, 3, 5]), ([1, 3, 2, 4], [0, 2, 3]), ([2, 2, 3, 1, 3], [0, 2]),
    ] as [([Int], [Int])])
  func aLongestRiseIsFound(numbers: [Int], places: [Int]) {
    let rise = numbers.longestRise
    #expect(rise.count == places.count)
    let values = rise.map { numbers[$0] }
    #expect(values == values.sorted() && Set(values).count == values.count && rise == rise.sorted())
  }
}
