/// How many campaigns a person gets at most in a time.
package struct FrequencyCap: Hashable, Sendable {
  package let count: Int64
  package let seconds: Int64

  /// Ours: the journal's usual retention.
  package static let longestSeconds: Int64 = 30 * 86_400
  /// Ours.
  package static let largestCount: Int64 = 1_000

  /// - Returns: nil outside 1 to ``largestCount`` and 1 to ``longestSeconds``.
  package init?(count: Int64, seconds: Int64) {
    guard (1...Self.largestCount).contains(count), (1...Self.longestSeconds).contains(seconds) else {
      return nil
    }
    self.count = count
    self.seconds = seconds
  }

  /// Whether one more is allowed.
  ///
  /// - Parameter others: Other campaigns that the person got in that time.
  package func allows(afterOthers others: Int64) -> Bool { others < count }
}
