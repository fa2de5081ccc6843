// One sort for all types, in place of the standard library's, which the compiler makes anew for each of them: that was a tenth of
// what it had to optimise. It sorts places, so only the comparison differs.

extension Sequence {
  /// The elements in an order, those that are alike as before.
  @inlinable package func sorted(by less: (Element, Element) -> Bool) -> [Element] {
    let all = Array(self)
    return placesInOrder(of: all.count) { less(all[$0], all[$1]) }.map { all[$0] }
  }
}

extension Sequence where Element: Comparable {
  /// The elements from the least to the greatest, those that are alike as before.
  @inlinable package func sorted() -> [Element] { sorted { $0 < $1 } }
}

extension Array {
  /// Puts the elements in an order, those that are alike as before.
  @inlinable package mutating func sort(by less: (Element, Element) -> Bool) { self = sorted(by: less) }
}

extension Array where Element: Comparable {
  /// Puts the elements in order from the least to the greatest, those that are alike as before.
  @inlinable package mutating func sort() { self = sorted { $0 < $1 } }
}

/// The places below a count in an order, by merging ever longer runs.
@inline(never) @usableFromInline
package func placesInOrder(of count: Int, _ less: (Int, Int) -> Bool) -> [Int] {
  var (places, merged) = (Array(0..<count), Array(0..<count))
  var width = 1
  while width < count {
    for start in stride(from: 0, to: count, by: 2 * width) {
      let (middle, end) = (min(start + width, count), min(start + 2 * width, count))
      // What is in order already costs one comparison.
      let isInOrder = middle < end && !less(places[middle], places[middle - 1])
      var (left, right, place) = (start, middle, start)
      while place < end {
        let takesRight = right < end && (left == middle || !isInOrder && less(places[right], places[left]))
        merged[place] = takesRight ? places[right] : places[left]
        if takesRight { right += 1 } else { left += 1 }
        place += 1
      }
    }
    swap(&places, &merged)
    width *= 2
  }
  return places
}
