/// Which listeners of a loop may have somebody waiting, when accepting pauses, and whether the accept queue is deep.
struct Admission {
  /// Turns in a row that accepted as many as a turn may, after which the queue is deep. A guess; it costs no system call.
  static let crowdedTurns = 4

  private var waiting: [Int]
  /// When accepting is tried again after the process ran out of descriptors or memory.
  private var pausedUntil: Int64?
  private var fullTurns = 0

  /// - Parameter listeners: Their count; each may have somebody waiting.
  init(listeners: Int) { waiting = Array(0..<listeners) }

  /// Somebody may be waiting, and accepting does not pause.
  var isReady: Bool { !waiting.isEmpty && pausedUntil == nil }

  var isPaused: Bool { pausedUntil != nil }

  var isCrowded: Bool { fullTurns == Self.crowdedTurns }

  /// A listener has news.
  mutating func note(_ listener: Int) {
    if !waiting.contains(listener) { waiting.append(listener) }
  }

  /// Nobody waits at a listener any more.
  mutating func forget(_ listener: Int) { waiting.removeAll { $0 == listener } }

  mutating func pause(until time: Int64) { pausedUntil = time }

  /// A connection has gone, which may have freed what was missing.
  mutating func resume() { pausedUntil = nil }

  /// The listener to accept from.
  mutating func next(at now: Int64) -> Int? {
    if let pausedUntil {
      guard now >= pausedUntil else { return nil }
      self.pausedUntil = nil
    }
    return waiting.first
  }

  /// - Parameter isFull: As many were accepted as a turn may.
  mutating func endTurn(isFull: Bool) { fullTurns = isFull ? min(fullTurns + 1, Self.crowdedTurns) : 0 }
}
