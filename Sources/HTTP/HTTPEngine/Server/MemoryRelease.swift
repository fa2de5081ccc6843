/// Decides when a loop gives memory that was freed back to the system.
///
/// The allocator keeps what connections and bodies have freed for the next ones. When many of them have gone for a while,
/// it is given back, once for each halving: a loop that is busy all the time pays nothing for it.
struct MemoryRelease {
  /// Crowds below these are not worth the call; guesses.
  static let connections = 32
  static let bodyBytes = 4_194_304
  /// How long a crowd has to be gone, in nanoseconds; a guess.
  static let delay: Int64 = 1_000_000_000

  private var mostConnections = 0
  private var mostBodyBytes = 0
  private var dueAt: Int64?

  /// Takes note of a turn.
  ///
  /// - Returns: Whether memory is to be given back now.
  mutating func isDue(connections: Int, bodyBytes: Int, now: Int64) -> Bool {
    mostConnections = max(mostConnections, connections)
    mostBodyBytes = max(mostBodyBytes, bodyBytes)
    let isLow =
      mostConnections >= Self.connections && connections <= mostConnections / 2
      || mostBodyBytes >= Self.bodyBytes && bodyBytes <= mostBodyBytes / 2
    guard isLow else {
      dueAt = nil
      return false
    }
    guard let dueAt else {
      self.dueAt = now + Self.delay
      return false
    }
    guard now >= dueAt else { return false }
    self.dueAt = nil
    (mostConnections, mostBodyBytes) = (connections, bodyBytes)
    return true
  }

  /// How long the loop may wait for news; nil is for ever.
  func timeoutMilliseconds(now: Int64) -> Int32? {
    dueAt.map { Int32(clamping: max(0, $0 - now) / 1_000_000 + 1) }
  }
}
