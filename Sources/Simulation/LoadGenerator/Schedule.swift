/// Times at equal distances.
package struct Schedule {
  let start: Int64
  package let count: Int
  private let interval: Double
  private var taken = 0

  /// - Parameter rate: A second.
  package init(start: Int64, rate: Int, lasting nanoseconds: Int64) {
    self.start = start
    interval = 1e9 / Double(max(1, rate))
    count = Int((Double(nanoseconds) / interval).rounded())
  }

  /// When the next one is due; the end of time when there is none.
  package var next: Int64 { taken < count ? start + Int64(Double(taken) * interval) : .max }

  /// The next time that has come, or nil.
  package mutating func take(_ now: Int64) -> Int64? {
    guard next <= now else { return nil }
    defer { taken += 1 }
    return next
  }
}
