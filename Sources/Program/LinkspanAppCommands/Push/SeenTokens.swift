internal import PushProvider

/// Remembers the device tokens that came last, so that one that stands twice in a list gets one push. Bounded: of a longer
/// list between ``generationCount`` and twice as many are remembered.
struct SeenTokens {
  /// Ours: 8 MB, and more than most lists have.
  static let generationCount = 524_288

  /// Fingerprints under a key that each process draws; two tokens of a million share one by a chance of 1 to 30 million.
  private var current: Set<Int> = []
  private var previous: Set<Int> = []

  /// - Returns: False for a token that came before.
  mutating func insert(_ token: DeviceToken) -> Bool {
    let fingerprint = token.hashValue
    guard !previous.contains(fingerprint), current.insert(fingerprint).inserted else { return false }
    if current.count == Self.generationCount { (previous, current) = (current, []) }
    return true
  }
}
