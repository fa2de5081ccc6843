// A small sort. Embedded Swift compiles the standard library's anew for each type, and that one is large; this one sorts places, so
// only the comparison differs.

extension Sequence {
  /// The elements in an order, those that are alike as before.
  public func sorted(by precedes: (Element, Element) -> Bool) -> [Element] {
    let all = Array(self)
    return order(of: all.count) { precedes(all[$0], all[$1]) }.map { all[$0] }
  }
}

extension Sequence where Element: Comparable {
  /// The elements from the least to the greatest.
  public func sorted() -> [Element] { sorted { $0 < $1 } }
}

extension Array {
  /// Puts the elements in an order, those that are alike as before.
  public mutating func sort(by precedes: (Element, Element) -> Bool) { self = sorted(by: precedes) }
}

extension Array where Element: Comparable {
  /// Puts the elements in order from the least to the greatest.
  public mutating func sort() { self = sorted { $0 < $1 } }
}

/// The places below a count in an order, by merging ever longer runs.
@inline(never) private func order(of count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
  var places = Array(0..<count)
  var merged = places
  var width = 1
  while width < count {
    var start = 0
    while start < count {
      let (middle, end) = (min(start + width, count), min(start + 2 * width, count))
      var (left, right, place) = (start, middle, start)
      while place < end {
        let takesRight = right < end && (left == middle || precedes(places[right], places[left]))
        merged[place] = takesRight ? places[right] : places[left]
        if takesRight { right += 1 } else { left += 1 }
        place += 1
      }
      start = end
    }
    swap(&places, &merged)
    width *= 2
  }
  return places
}
