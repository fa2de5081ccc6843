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
    /// What failed in a part of the store, of which the looks tell nothing, and when it last did.
    var partial: (problem: String, at: WallTime)?
    /// What the log has said went wrong, and when. While PostgreSQL is away several errors come in turn.
    var told: [String: WallTime] = [:]
    /// Whether the log has said so since it was last told that the store takes changes.
    var isTold = false

    /// What failed in a part of the store within the last minute: who asks for that part meets it again.
    func partialProblem(at now: WallTime) -> String? {
      // A clock that was set back makes none last longer.
      partial.flatMap { now >= $0.at && now < $0.at.advanced(by: RegistryWatch.silence) ? $0.problem : nil }
    }

    /// Whether an answer is overdue.
    func isSilent(at now: WallTime) -> Bool {
      askedAt.map { $0.advanced(by: RegistryWatch.patience) <= now } ?? false
    }
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

  /// Ours: far more than a store has to say within that time.
  private static let rememberedCount = 100

  package let registry: Registry
  private let now: @Sendable () -> WallTime
  private let fail: @Sendable (RegistryError) -> Void
  private let report: @Sendable (String) -> Void
  private let state = LockedState(State())
  /// The file that is open, as it was when this began.
  private let file: FileIdentity?

  /// - Parameters:
  ///   - fail: Takes what a look has found, since nobody else may ask for anything.
  ///   - report: Takes the word that it is back.
  package init(
    _ registry: Registry, now: @escaping @Sendable () -> WallTime = { CurrentTime.now },
    fail: @escaping @Sendable (RegistryError) -> Void = { _ in },
    report: @escaping @Sendable (String) -> Void
  ) {
    self.registry = registry
    self.now = now
    self.fail = fail
    file = Self.file(registry.address)
    self.report = report
  }

  /// Takes what went wrong with the registry. Another program's lock is in the way of one table, and others take changes: the next
  /// look, which is due at once then, tells whether the store does.
  package func note(_ error: RegistryError) {
    guard Self.isAboutStore(error) else { return }
    let now = now()
    state.withLock { state in
      if error.isLocked {
        state.lookedAt = WallTime(milliseconds: .min)
        return
      }
      if error.isPartial {
        state.partial = (error.message, now)
        return
      }
      if error.isDisconnected { state.isLost = true }
      state.problem = error.message
    }
  }

  /// Whether the log should say what went wrong: the same error once a minute, whoever met it.
  package func isNews(_ error: RegistryError) -> Bool {
    let now = now()
    return state.withLock { state in
      // A clock that was set back silences nothing.
      state.told = state.told.filter { now >= $0.value && now < $0.value.advanced(by: Self.silence) }
      if state.told[error.message] != nil { return false }
      if state.told.count < Self.rememberedCount { state.told[error.message] = now }
      state.isTold = true
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
    let now = now()
    return state.withLock { state in
      state.problem ?? state.partialProblem(at: now) ?? (state.isSilent(at: now) ? Self.silent.message : nil)
    }
  }

  private static let silent = RegistryError(
    .unavailable, "The registry's store does not answer.",
    help: "Its server, its disk or the network hangs; nothing that was acknowledged is lost.")

  /// Has the store write something, without waiting for it: often while it fails, now and then while it works.
  package func look() {
    let now = now()
    let isSilent = state.withLock { state in
      guard state.isSilent(at: now) else { return false }
      // Its next answer is news.
      state.problem = Self.silent.message
      return true
    }
    if isSilent, isNews(Self.silent) { fail(Self.silent) }
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
      switch answer {
      case .success: noteSuccess(but: fileProblem ?? Self.roomProblem(registry.address))
      case .failure(let error):
        state.withLock { state in
          state.askedAt = nil
          state.problem = error.message
          if error.isDisconnected { state.isLost = true }
        }
        if error.isPartial { note(error) }
        if isNews(error) { fail(error) }
      }
    }
  }

  /// - Parameter problem: Why changes are no use although this one was made: the next ones will fail, or all are lost.
  func noteSuccess(but problem: RegistryError?) {
    let now = now()
    let (before, isPartial) = state.withLock { state in
      let before = state
      let isPartial = state.partialProblem(at: now) != nil
      if !isPartial { state.partial = nil }
      (state.askedAt, state.isLost, state.problem) = (nil, false, problem?.message)
      if problem == nil, !isPartial { state.isTold = false }
      // What is lost after that is news, however soon.
      if before.isLost { state.told = [:] }
      return (before, isPartial)
    }
    if let problem, before.problem == nil, isNews(problem) { fail(problem) }
    guard problem == nil else { return }
    if before.isLost { return report("the registry's PostgreSQL answers again") }
    guard before.isTold, !isPartial else { return }
    if before.problem != nil {
      report("the registry's store takes changes again")
    } else if before.partial != nil {
      report("no change of the registry has failed for a minute")
    }
  }

  /// That a file is gone or another one under its name: SQLite goes on with the one that it has open, as long as this process lives.
  private var fileProblem: RegistryError? {
    guard let file, case .sqlite(let path) = registry.address, Self.file(registry.address) != file else {
      return nil
    }
    return RegistryError(
      .unavailable,
      "The registry's file '\(path)' was removed or replaced while this server uses it: what it stores is lost when it ends.",
      help: "If the file was moved, move it back. Else read the devices over the API before the server ends."
        + " Before a start with another file remove '\(path)-wal' and '\(path)-shm', which would damage it.")
  }

  /// What tells a file from all others; nil for a server, and where there is no file.
  private static func file(_ address: RegistryAddress) -> FileIdentity? {
    var status = stat()
    guard case .sqlite(let path) = address, stat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  private struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
  }

  /// Why the next changes will fail although the last one did not; nil for a server, which looks after its own disk.
  package static func roomProblem(_ address: RegistryAddress) -> RegistryError? {
    guard case .sqlite(let path) = address, let bytes = DiskRoom.bytes(of: path), bytes < leastRoomBytes
    else { return nil }
    return RegistryError(
      .unavailable, "The disk of the registry's file is full: \(bytes) bytes are left.",
      help: "Make room on it; nothing that was acknowledged is lost.")
  }
}
