internal import LinkspanCore

/// Counts the pushes to each token within one second.
struct TokenRate: Sendable {
  /// Ours: so that the counts of a long run do not grow without end.
  private static let tokenLimit = 100_000

  private var counts: [String: (second: Int64, count: Int)] = [:]

  /// Counts one more.
  ///
  /// - Returns: False, with nothing counted, when there were `limit` in this second already.
  mutating func allows(_ token: String, limit: Int, at now: WallTime) -> Bool {
    let second = now.milliseconds / 1000
    if counts.count >= Self.tokenLimit { counts = counts.filter { $0.value.second == second } }
    let entry = counts[token] ?? (second, 0)
    let count = entry.second == second ? entry.count : 0
    guard count < limit else { return false }
    counts[token] = (second, count + 1)
    return true
  }
}
