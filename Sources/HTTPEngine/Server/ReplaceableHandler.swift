internal import LinkspanCore
internal import Synchronization

/// The handler of one loop, which another thread may replace. The loop asks once a turn whether there is a new one, so
/// a request costs no lock.
final class ReplaceableHandler: Sendable {
  private let latest: Mutex<HTTPHandler>
  private let isNew = Atomic(false)

  init(_ handler: @escaping HTTPHandler) { latest = Mutex(handler) }

  func replace(_ handler: @escaping HTTPHandler) {
    latest.withLock { $0 = handler }
    isNew.store(true, ordering: .releasing)
  }

  var current: HTTPHandler { latest.withLock { $0 } }

  /// The new handler, once for each that was put here; nil otherwise.
  func takeNew() -> HTTPHandler? {
    guard isNew.load(ordering: .relaxed), isNew.exchange(false, ordering: .acquiring) else { return nil }
    return current
  }
}
