internal import LinkspanCore

/// Jobs for one or more threads: a bounded queue that threads take from, all that is there at once if they like.
package final class WorkQueue<Job: Sendable>: Sendable {
  private struct State {
    var jobs: [Job] = []
    var first = 0
    var isClosed = false
    /// With that many jobs a thread that waits is woken.
    var wakingCount = 1

    var count: Int { jobs.count - first }

    mutating func take(_ count: Int) -> [Job] {
      let end = min(jobs.count, first + count)
      let taken = Array(jobs[first..<end])
      first = end
      if first == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        first = 0
      } else if first > 4_096 {
        jobs.removeFirst(first)
        first = 0
      }
      return taken
    }
  }

  private let limit: Int
  private let state = LockedState(State())

  /// - Parameter limit: The most jobs that wait.
  package init(limit: Int) { self.limit = limit }

  var count: Int { state.withLock { $0.count } }

  /// - Returns: Whether the job is taken; it is not when the queue is full or closed.
  package func add(_ job: Job) -> Bool {
    let (isTaken, isAwaited) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed, state.count < limit else { return (false, false) }
      state.jobs.append(job)
      return (true, state.count >= state.wakingCount)
    }
    if isAwaited { state.signal(all: false) }
    return isTaken
  }

  /// Waits for a job.
  ///
  /// - Returns: False when the queue is closed and empty.
  func wait() -> Bool {
    state.wait { state in
      if state.count > 0 { return true }
      return state.isClosed ? false : nil
    }
  }

  /// Waits for jobs.
  ///
  /// - Parameter count: The most that are taken.
  /// - Returns: At least one in the order they came; nil when the queue is closed and empty.
  package func take(_ count: Int) -> [Job]? {
    state.wait { state -> [Job]?? in
      guard state.count > 0 else { return state.isClosed ? .some(nil) : nil }
      return state.take(count)
    }
  }

  /// Takes what is there, and waits for nothing.
  func takeNow(_ count: Int) -> [Job] { state.withLock { $0.take(count) } }

  /// Forgets what is there.
  func removeAll() {
    // Outside of the lock, since what a job held may end with it.
    _ = state.withLock { $0.take($0.count) }
  }

  /// Waits while more jobs come, for the one thread of a queue that does many of them as cheaply as one.
  ///
  /// - Parameters:
  ///   - count: With that many it waits no longer.
  ///   - pauses: How many pauses there are at most.
  ///   - pause: When no job has come in a pause, it waits no longer.
  func gather(_ count: Int, pauses: Int, of pause: Duration) {
    var before = state.withLock { state in
      state.wakingCount = count
      return state.count
    }
    for _ in 0..<pauses {
      let isOver = state.wait(atMost: pause) { $0.count >= count || $0.isClosed ? true : nil }
      let now = self.count
      if isOver != nil || now == before { break }
      before = now
    }
    state.withLock { $0.wakingCount = 1 }
  }

  /// Lets threads finish what waits; nothing more is taken in.
  func close() {
    state.withLock { $0.isClosed = true }
    state.signal(all: true)
  }
}
