package import DeviceRegistry
internal import Glibc
package import LinkspanCore
internal import LinkspanFiles
package import RegistryRequests

/// A registry, and whether it takes changes: who reads the log is told that it is back as well, and `/readyz` knows.
package final class RegistryWatch: Sendable {
  private struct State {
    var isLost = false
    /// When it was asked, while the answer is awaited.
    var askedAt: WallTime?
    var lookedAt = WallTime(milliseconds: .min)
    /// Why the last change failed; nil when it did not.
    var problem: String?
    /// What the log last said went wrong, and when.
    var told: (message: String, at: WallTime)?
  }

  /// Ours: how often a store that failed is asked.
  package static let periodMilliseconds: Int64 = 1_000
  /// Ours: how often one is that works, since nobody may ask for anything for hours.
  private static let calmPeriod = Duration.seconds(5)
  /// Ours: without an answer for so long it counts as gone.
  private static let patience = Duration.seconds(5)

  /// Ours: what a change may need in the log of an SQLite file. While the log has room of its own, changes go on with less.
  private static let leastRoomBytes: UInt64 = 262_144

  /// Ours: how often the log says the same. Each sender meets a full disk every second, and the log may be on it.
  private static let silence = Duration.seconds(60)

  package let registry: Registry
  private let now: @Sendable () -> WallTime
  private let report: @Sendable (String) -> Void
  private let state = LockedState(State())

  /// - Parameter report: Takes the word that it is back.
  package init(
    _ registry: Registry, now: @escaping @Sendable () -> WallTime = { CurrentTime.now },
    report: @escaping @Sendable (String) -> Void
  ) {
    self.registry = registry
    self.now = now
    self.report = report
  }

  /// Takes what went wrong with the registry. Another program's lock is in the way of one table, and others take changes: the next
  /// look, which is due at once then, tells whether the store does.
  package func note(_ error: RegistryError) {
    guard Self.isAboutStore(error) else { return }
    state.withLock { state in
      if error.isLocked {
        state.lookedAt = WallTime(milliseconds: .min)
        return
      }
      if error.isDisconnected { state.isLost = true }
      state.problem = error.message
    }
  }

  /// Whether the log should say what went wrong: the same error once a minute, whichever sender met it.
  package func isNews(_ error: RegistryError) -> Bool {
    let now = now()
    return state.withLock { state in
      // A clock that was set back silences nothing.
      if let told = state.told, told.message == error.message, now >= told.at,
        now < told.at.advanced(by: Self.silence)
      {
        return false
      }
      state.told = (error.message, now)
      return true
    }
  }

  /// Whether the store is at fault, and not what it was asked.
  private static func isAboutStore(_ error: RegistryError) -> Bool {
    switch error.kind {
    case .unavailable, .uncertain, .overloaded, .damaged, .cannotOpen: true
    case .unusableAddress, .newerStore, .unfinishedErasure, .refused: error.isDisconnected
    }
  }

  /// Why it takes no changes; nil while it does.
  package var problem: String? {
    state.withLock { state in
      if let problem = state.problem { return problem }
      guard let asked = state.askedAt, asked.advanced(by: Self.patience) <= now() else {
        return nil
      }
      return "The registry's store does not answer."
    }
  }

  /// Has the store write something, without waiting for it: often while it fails, now and then while it works.
  package func look() {
    let now = now()
    let mayAsk = state.withLock { state in
      guard state.askedAt == nil else { return false }
      let isCalm = !state.isLost && state.problem == nil
      // A clock that was set back does not stop the looking.
      let isSoon = state.lookedAt.milliseconds != .min && now < state.lookedAt.advanced(by: Self.calmPeriod)
      if isCalm, isSoon, now >= state.lookedAt { return false }
      (state.askedAt, state.lookedAt) = (now, now)
      return true
    }
    guard mayAsk else { return }
    registry.change({ store throws(RegistryError) in try store.touch() }) { [self] answer in
      let isBack = state.withLock { state in
        state.askedAt = nil
        switch answer {
        case .success:
          defer { (state.isLost, state.problem) = (false, Self.roomProblem(registry.address)) }
          // What is lost after that is news, however soon.
          if state.isLost { state.told = nil }
          return state.isLost
        case .failure(let error):
          state.problem = error.message
          if error.isDisconnected { state.isLost = true }
          return false
        }
      }
      if isBack { report("the registry's PostgreSQL answers again") }
    }
  }

  /// Why the next changes will fail although the last one did not; nil for a server, which looks after its own disk.
  private static func roomProblem(_ address: RegistryAddress) -> String? {
    guard case .sqlite(let path) = address else { return nil }
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return nil }
    // Some blocks are for root alone.
    let blocks = UInt64(geteuid() == 0 ? disk.f_bfree : disk.f_bavail)
    let bytes = blocks * UInt64(disk.f_frsize)
    return bytes < leastRoomBytes ? "The disk of the registry's file is full: \(bytes) bytes are left." : nil
  }
}
