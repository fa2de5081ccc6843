internal import LinkspanCore
internal import Synchronization

/// What answers the requests of one loop, which another thread may replace. The loop asks once a turn whether there is
/// something new, so a request costs no lock.
final class ReplaceableResponder: Sendable {
  private let latest: LockedState<HTTPResponder>
  private let isNew = Atomic(false)

  init(_ responder: @escaping HTTPResponder) { latest = LockedState(responder) }

  func replace(_ responder: @escaping HTTPResponder) {
    latest.withLock { $0 = responder }
    isNew.store(true, ordering: .releasing)
  }

  var current: HTTPResponder { latest.withLock { $0 } }

  /// The new one, once for each that was put here; nil otherwise.
  func takeNew() -> HTTPResponder? {
    guard isNew.load(ordering: .relaxed), isNew.exchange(false, ordering: .acquiring) else { return nil }
    return current
  }
}
