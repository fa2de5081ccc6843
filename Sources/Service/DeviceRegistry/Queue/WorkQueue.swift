internal import LinkspanCore

/// Jobs for one or more threads: a bounded queue that threads take from, all that is there at once if they like.
package final class WorkQueue<Job: Sendable>: Sendable {
  private struct Entry {
    var job: Job
    var since: ContinuousClock.Instant
  }

  private struct State {
    var jobs: [Entry] = []
    var first = 0
    var isClosed = false
    /// With that many jobs a thread that waits is woken.
    var wakingCount = 1

    var count: Int { jobs.count - first }

    /// - Parameter form: A key path of a generic type would be made anew at each call.
    mutating func take<Taken>(_ count: Int, _ form: (Entry) -> Taken) -> [Taken] {
      let end = min(jobs.count, first + count)
      let taken = jobs[first..<end].map(form)
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

    /// Takes those that came before a moment and may be taken out of their order; they are the first ones.
    mutating func takeThose(since end: ContinuousClock.Instant, where mayBeTaken: (Job) -> Bool) -> [Job] {
      let old = jobs[first...].prefix { $0.since <= end }
      guard old.contains(where: { mayBeTaken($0.job) }) else { return [] }
      jobs.replaceSubrange(old.indices, with: old.filter { !mayBeTaken($0.job) })
      return old.map { $0.job }.filter(mayBeTaken)
    }
  }

  private let limit: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = LockedState(State())

  /// - Parameters:
  ///   - limit: The most jobs that wait.
  ///   - now: By which ``takeOld(_:where:)`` goes.
  package init(limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.limit = limit
    self.now = now
  }

  var count: Int { state.withLock { $0.count } }

  /// - Returns: Whether the job is taken; it is not when the queue is full or closed.
  package func add(_ job: Job) -> Bool {
    let entry = Entry(job: job, since: now())
    let (isTaken, isAwaited) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed, state.count < limit else { return (false, false) }
      state.jobs.append(entry)
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
      return state.take(count) { $0.job }
    }
  }

  /// Takes jobs that have waited at least that long, and waits for nothing.
  func takeOld(_ age: Duration, where mayBeTaken: (Job) -> Bool) -> [Job] {
    let end = now() - age
    return state.withLock { $0.takeThose(since: end, where: mayBeTaken) }
  }

  /// Takes what is there, and waits for nothing.
  func takeNow(_ count: Int) -> [Job] { state.withLock { $0.take(count) { $0.job } } }

  /// Takes what is there, and waits for nothing.
  ///
  /// - Returns: Each with since when it has waited, for ``age(since:)``.
  func takeTimed(_ count: Int) -> [(job: Job, since: ContinuousClock.Instant)] {
    state.withLock { $0.take(count) { ($0.job, $0.since) } }
  }

  func age(since instant: ContinuousClock.Instant) -> Duration { now() - instant }

  /// Forgets what is there.
  func removeAll() {
    // Outside of the lock, since what a job held may end with it.
    _ = state.withLock { state in state.take(state.count) { $0.job } }
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
