/// Runs ordinary async code on one thread, in an order that a seed decides, on a clock that waits for nobody.
///
/// Of the jobs that could run the next is drawn by chance, so every run with a seed interleaves alike and
/// another seed explores another order. When none can run, time leaps to the earliest sleeper; of two at the
/// same moment the one that went to sleep first is woken first. Task groups, `async let` and default actors
/// stay on it; `Task { }`, detached tasks and actors with an executor of their own leave it.
package final class SeededExecutor: TaskExecutor, Sendable {
  private struct Sleeper {
    var deadline: Duration
    var sequence: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var ready: [UnownedJob] = []
    /// Kept in the order they wake: by (time, sequence), the next one last.
    var sleepers: [Sleeper] = []
    /// Sleepers that have a number and have not lain down yet, and whether they were cancelled meanwhile.
    var arriving: [Int: Bool] = [:]
    var elapsed: Duration = .zero
    var nextSequence = 0
    var generator: SeededGenerator
  }

  private let state: LockedState<State>

  /// - Parameter elapsed: Where the virtual clock begins, for a piece of work inside a longer story.
  package init(seed: UInt64, elapsed: Duration = .zero) {
    state = LockedState(State(elapsed: elapsed, generator: SeededGenerator(seed: seed).fork("executor")))
  }

  /// Time since the beginning, on the virtual clock.
  package var elapsed: Duration { state.withLock { $0.elapsed } }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.ready.append(job) }
  }

  /// Runs a piece of work to its end and gives back what it made.
  ///
  /// - Returns: nil when the work waits for something that will never happen: nothing is ready, nobody
  ///   sleeps, and it has not ended.
  package func run<Success: Sendable>(_ work: @escaping @Sendable () async -> Success) -> Success? {
    let box = Box<Success>()
    Task(executorPreference: self) {
      let success = await work()
      box.result.withLock { $0 = success }
    }
    while box.result.withLock({ $0 == nil }), step() {}
    return box.result.withLock { $0 }
  }

  private final class Box<Success: Sendable>: Sendable {
    let result = LockedState<Success?>(nil)
  }

  /// Runs one job, or wakes one sleeper; false when there is neither.
  private func step() -> Bool {
    let job: UnownedJob? = state.withLock { state in
      guard !state.ready.isEmpty else { return nil }
      let index = Int(state.generator.draw(0...Int64(state.ready.count - 1)))
      return state.ready.remove(at: index)
    }
    if let job {
      job.runSynchronously(on: asUnownedTaskExecutor())
      return true
    }
    let sleeper: Sleeper? = state.withLock { state in
      guard let sleeper = state.sleepers.popLast() else { return nil }
      state.elapsed = max(state.elapsed, sleeper.deadline)
      return sleeper
    }
    sleeper?.continuation.resume()
    return sleeper != nil
  }

  // MARK: - For the clock

  func makeSleeper() -> Int {
    state.withLock { state in
      state.nextSequence += 1
      state.arriving[state.nextSequence] = false
      return state.nextSequence
    }
  }

  func park(_ sequence: Int, until deadline: Duration, _ continuation: CheckedContinuation<Void, Never>) {
    let isCancelled = state.withLock { state in
      if state.arriving.removeValue(forKey: sequence) == true { return true }
      let sleeper = Sleeper(deadline: deadline, sequence: sequence, continuation: continuation)
      var low = 0
      var high = state.sleepers.count
      while low < high {
        let middle = (low + high) / 2
        let other = state.sleepers[middle]
        if (other.deadline, other.sequence) > (deadline, sequence) { low = middle + 1 } else { high = middle }
      }
      state.sleepers.insert(sleeper, at: low)
      return false
    }
    if isCancelled { continuation.resume() }
  }

  func wake(_ sequence: Int) {
    let sleeper: Sleeper? = state.withLock { state in
      guard let index = state.sleepers.firstIndex(where: { $0.sequence == sequence }) else {
        // One that was woken already has nothing left to cancel.
        if state.arriving[sequence] != nil { state.arriving[sequence] = true }
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    sleeper?.continuation.resume()
  }
}
