internal import LinkspanCore
internal import Synchronization

/// What answers the requests of one loop, which another thread may replace. The loop asks once a turn whether there is
/// something new, so a request costs no lock.
final class ReplaceableHandler: Sendable {
  private let latest: LockedState<RequestAnswering>
  private let isNew = Atomic(false)

  init(_ answering: RequestAnswering) { latest = LockedState(answering) }

  func replace(_ answering: RequestAnswering) {
    latest.withLock { $0 = answering }
    isNew.store(true, ordering: .releasing)
  }

  var current: RequestAnswering { latest.withLock { $0 } }

  /// The new one, once for each that was put here; nil otherwise.
  func takeNew() -> RequestAnswering? {
    guard isNew.load(ordering: .relaxed), isNew.exchange(false, ordering: .acquiring) else { return nil }
    return current
  }
}
