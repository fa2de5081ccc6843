internal import LinkspanCore
internal import LinkspanSystem

/// The threads that do the work of ``HTTPReply/offload(_:)`` for all loops, and the requests that wait for one of them.
///
/// A loop offloads what one of its turns brought in one go: one lock, one signal.
final class WorkerThreads: Sendable {
  private struct State: Sendable {
    private(set) var waiting: [OffloadedWork] = []
    /// Those before it are taken already.
    private var first = 0
    var threadCount = 0
    var busyCount = 0
    var hasEnded = false

    var count: Int { waiting.count - first }

    mutating func append(_ batch: some Sequence<OffloadedWork>) { waiting.append(contentsOf: batch) }

    mutating func takeFirst() -> OffloadedWork? {
      guard first < waiting.count else { return nil }
      defer {
        first += 1
        if first == waiting.count || first >= 256 {
          waiting.removeFirst(first)
          first = 0
        }
      }
      return waiting[first]
    }

    mutating func takeAll() -> [OffloadedWork] {
      defer {
        waiting = []
        first = 0
      }
      return Array(waiting[first...])
    }

    mutating func dropForgotten() { waiting = takeAll().filter { !$0.isForgotten } }
  }

  private let limits: OffloadLimits
  private let state = LockedState(State())

  init(_ limits: OffloadLimits) {
    precondition(limits.workers > 0 && limits.waiting >= 0, "work needs a worker")
    self.limits = limits
  }

  /// - Returns: Those that are not taken on: there is no room for them, or no thread.
  func take(_ batch: [OffloadedWork]) -> [OffloadedWork] {
    var (refused, missing) = state.withLock { state -> ([OffloadedWork], Int) in
      guard !state.hasEnded else { return (batch, 0) }
      let most = limits.waiting + limits.workers - state.busyCount
      // Work for somebody who has gone leaves its place to others.
      if state.count + batch.count > most { state.dropForgotten() }
      let room = max(0, most - state.count)
      state.append(batch.prefix(room))
      let missing = max(0, min(limits.workers, state.busyCount + state.count) - state.threadCount)
      state.threadCount += missing
      return (Array(batch.dropFirst(room)), missing)
    }
    state.signal(all: batch.count - refused.count > 1)
    while missing > 0 {
      missing -= 1
      do throws(LinkspanError) {
        try DetachedThread.start { self.work() }
      } catch {
        refused += state.withLock { state in
          state.threadCount -= 1
          // Without any thread nobody would ever do it.
          return state.threadCount == 0 ? state.takeAll() : []
        }
      }
    }
    return refused
  }

  /// Has each thread go when it is done with what it has in hand; what waits is dropped.
  func end() {
    state.withLock { state in
      state.hasEnded = true
      _ = state.takeAll()
    }
    state.signal(all: true)
  }

  private func work() {
    var isBusy = false
    while let next = next(&isBusy) { next.run() }
  }

  /// The next piece of work, as soon as there is one; nil at the end.
  private func next(_ isBusy: inout Bool) -> OffloadedWork? {
    state.wait { state -> OffloadedWork?? in
      if isBusy { state.busyCount -= 1 }
      isBusy = false
      if state.hasEnded { return .some(nil) }
      guard let next = state.takeFirst() else { return nil }
      state.busyCount += 1
      isBusy = true
      return next
    }
  }
}
