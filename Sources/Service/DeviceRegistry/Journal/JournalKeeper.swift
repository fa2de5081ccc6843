internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// Removes the journal whose time is over, a part at a time, on a thread of its own: on PostgreSQL over a connection of its own,
/// on SQLite between other changes.
final class JournalKeeper: Sendable {
  /// Lines that are removed at a time, and the pause after them. Ours: up to 10,000 lines a second, and other changes keep
  /// most of the store's time.
  private static let lines = 1_000
  private static let busyPause = Duration.milliseconds(100)
  /// Between two looks, and after a failure. Ours.
  private static let idlePause = Duration.seconds(10)

  private struct State {
    var isClosed = false
    var oldest: WallTime?
  }

  private let state = LockedState(State())

  /// When the oldest message was stored whose journal is kept.
  var oldest: WallTime? { state.withLock { $0.oldest } }

  /// The thread's work, until ``close()``.
  ///
  /// - Parameters:
  ///   - change: Makes a change and returns whether there may be more to remove; nil where the store does not answer now.
  func run(
    _ retention: RegistryStore.Retention, now: () -> WallTime,
    _ change: (@escaping @Sendable (RegistryStore) throws(RegistryError) -> Kept) -> Kept?
  ) {
    while true {
      let time = now()
      let kept = change { store throws(RegistryError) in try Self.look(retention, store, at: time) }
      if let kept { state.withLock { $0.oldest = kept.oldest } }
      let pause = kept?.hasMore == true ? Self.busyPause : Self.idlePause
      if state.wait(atMost: pause, for: { $0.isClosed ? true : nil }) != nil { return }
    }
  }

  /// Removes what is due, a part of it.
  static func look(
    _ retention: RegistryStore.Retention, _ store: RegistryStore, at time: WallTime
  ) throws(RegistryError) -> Kept {
    let hasMore = try store.prune(retention, limit: lines, at: time)
    try store.forgetFormerAliases(
      before: time.advanced(by: .zero - retention.longest), limit: lines, at: time)
    try store.pruneCampaigns(limit: lines, at: time)
    return Kept(hasMore: hasMore, oldest: try store.oldestJournal())
  }

  /// What one look came to.
  struct Kept: Sendable {
    var hasMore: Bool
    var oldest: WallTime?
  }

  func close() {
    state.withLock { $0.isClosed = true }
    state.signal(all: true)
  }
}
