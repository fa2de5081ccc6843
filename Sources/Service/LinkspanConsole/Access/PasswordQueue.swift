internal import LinkspanCore

/// Passwords that wait to be hashed, each of which takes 64 MB and a tenth of a second of a processor or more.
///
/// Few are hashed at the same time and few wait. Strangers never have every worker, and a known browser goes before them;
/// so a flood of logins costs the people who use the console little.
final class PasswordQueue: Sendable {
  /// Threads that hash. Ours: 128 MB.
  static let workers = 2
  /// Of which work for strangers. Ours: at least one worker is left.
  private static let workersForStrangers = 1
  /// Ours: the last one waits about a second.
  private static let waitingStrangers = 8
  /// Ours: a team that logs in at the same time; the last one waits some seconds.
  private static let waitingKnown = 64
  /// What Retry-After says when there is no room. Ours: strangers who wait are done by then.
  static let retryAfterSeconds = 2

  typealias Work = @Sendable () -> Void

  private struct State: Sendable {
    var known: [Work] = []
    var strangers: [Work] = []
    var busyForStrangers = 0
    var hasEnded = false

    private var mayBeginForStranger: Bool {
      busyForStrangers < PasswordQueue.workersForStrangers && !strangers.isEmpty
    }

    var mayBegin: Bool { !known.isEmpty || mayBeginForStranger }

    /// The next work and whether a stranger asked for it; nil when there is none that may begin.
    mutating func take() -> (work: Work, isStranger: Bool)? {
      if !known.isEmpty { return (known.removeFirst(), false) }
      guard mayBeginForStranger else { return nil }
      busyForStrangers += 1
      return (strangers.removeFirst(), true)
    }
  }

  private let state = LockedState(State())

  /// - Parameter isStranger: Whether it came from a browser that is not known.
  /// - Returns: Whether there was room.
  func add(isStranger: Bool, _ work: @escaping Work) -> Bool {
    let hasRoom = state.withLock { state in
      if isStranger, state.strangers.count < Self.waitingStrangers {
        state.strangers.append(work)
      } else if !isStranger, state.known.count < Self.waitingKnown {
        state.known.append(work)
      } else {
        return false
      }
      return true
    }
    if hasRoom { state.signal(all: false) }
    return hasRoom
  }

  /// Waits until something may begin.
  ///
  /// - Returns: false after ``end()``.
  func wait() -> Bool {
    state.wait { state in state.hasEnded ? false : state.mayBegin ? true : nil }
  }

  /// Does what comes next, if there is something that may begin.
  func runNext() -> Bool {
    guard let (work, isStranger) = state.withLock({ $0.take() }) else { return false }
    work()
    finish(isStranger)
    return true
  }

  private func finish(_ isStranger: Bool) {
    guard isStranger else { return }
    state.withLock { $0.busyForStrangers -= 1 }
    // Another stranger may begin now, and a worker may have passed over that one.
    state.signal(all: false)
  }

  /// Has each worker return when it is done with what it has in hand.
  func end() {
    state.withLock { $0.hasEnded = true }
    state.signal(all: true)
  }
}
