/// How many of some times were at most how long.
package struct TimeHistogram: Sendable {
  /// The upper ends of its buckets in milliseconds, growing.
  package let bounds: [Int64]
  /// One for each bound, and one for everything above.
  package private(set) var counts: [Int]
  /// Of everything noted.
  package private(set) var sumMilliseconds: Int64 = 0

  package init(_ bounds: [Int64]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// - Parameter time: In milliseconds; less than none is none.
  package mutating func note(_ time: Int64) {
    let time = max(0, time)
    counts[bounds.firstIndex { time <= $0 } ?? bounds.count] += 1
    sumMilliseconds += time
  }
}
