internal import LinkspanCore

/// Passwords that wait to be hashed, each of which takes 64 MB and a tenth of a second of a processor or more.
///
/// Few are hashed at the same time and few wait. Browsers that are known have a worker of their own; so a flood of logins
/// costs the people who use the console little.
final class PasswordQueue: Sendable {
  /// A thread that hashes. Ours: one of each kind, which is 128 MB.
  enum Worker: Sendable {
    /// Only for browsers that are known.
    case known
    /// For strangers; while none waits, for browsers that are known if several wait. Its thread yields to all others.
    case strangers
  }

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
    var hasEnded = false

    /// What a worker does next; nil when there is nothing for it.
    mutating func take(_ worker: Worker) -> Work? {
      if worker == .strangers, !strangers.isEmpty { return strangers.removeFirst() }
      // A single one is soon done by the worker that does not yield.
      return known.count > (worker == .known ? 0 : 1) ? known.removeFirst() : nil
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
    // Both wait on one condition, and the work may be for one of them only.
    if hasRoom { state.signal(all: true) }
    return hasRoom
  }

  /// Works until ``end()``; for a thread of its own.
  func run(_ worker: Worker) {
    while state.wait(for: { state in
      var copy = state
      return state.hasEnded ? false : copy.take(worker).map { _ in true }
    }) {
      _ = runNext(worker)
    }
  }

  /// Does what comes next, if there is something for the worker.
  func runNext(_ worker: Worker) -> Bool {
    guard let work = state.withLock({ $0.take(worker) }) else { return false }
    work()
    return true
  }

  /// Has each worker return when it is done with what it has in hand.
  func end() {
    state.withLock { $0.hasEnded = true }
    state.signal(all: true)
  }
}
