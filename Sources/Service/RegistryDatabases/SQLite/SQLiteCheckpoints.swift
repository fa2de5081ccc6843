internal import LinkspanCore

/// Decides who copies the write-ahead log of an SQLite file into the file, and when: a thread with a connection of its own,
/// so that no commit waits for the copy.
///
/// SQLite begins the log anew when all of it is copied and a commit comes. While commits come all the time, the thread never
/// has all of it. So above a size the writer copies what is left, which is what was written since the thread's last
/// copy; the log stays bounded, also where the thread has no connection. On a disk without room for that the writer copies each
/// time, or the log would fill it.
package final class SQLiteCheckpoints: Sendable {
  /// Sizes of the log in pages of 4,096 bytes.
  package struct Sizes: Sendable {
    /// The thread copies when that much is new. SQLite's own default for a copy by the writer.
    var copiedByThread = 1_000
    /// From that size on the writer copies what is left. Ours: 64 MB.
    var copiedByWriter = 16_384

    /// Without a thread, and soon, so that a simulation sees copies.
    static let ofWriter = Sizes(copiedByThread: .max, copiedByWriter: 200)
  }

  /// What a commit leads to.
  package enum Step {
    case nothing
    /// The thread has been woken.
    case thread
    /// The writer copies, and calls ``end(copied:)``.
    case writer
  }

  private struct State {
    /// Pages of the log that are in the file, as far as is known.
    var copied = 0
    var isWanted = false
    /// One at a time: SQLite refuses a second one.
    var isUnderWay = false
    var isClosed = false
  }

  /// The thread's connection. `@unchecked Sendable`: only the thread uses it.
  private struct Confined: @unchecked Sendable {
    let database: SQLiteDatabase
  }

  private let sizes: Sizes
  private let copier: Confined?
  private let state = LockedState(State())

  /// - Parameter database: What the thread copies over; nil without a thread.
  package init(_ sizes: Sizes, _ database: SQLiteDatabase? = nil) {
    self.sizes = sizes
    copier = database.map(Confined.init)
  }

  /// Pages of the log that are in the file, as far as is known.
  package var copied: Int { state.withLock { $0.copied } }

  /// Notes a commit.
  ///
  /// - Parameters:
  ///   - pages: The log's length.
  ///   - isShort: Whether the disk has no room for the log to grow to its bound.
  package func committed(_ pages: Int, isShort: () -> Bool = { false }) -> Step {
    let step = state.withLock { state -> Step in
      // The log has begun anew.
      if pages < state.copied { state.copied = 0 }
      guard !state.isUnderWay else { return .nothing }
      if pages >= sizes.copiedByWriter {
        state.isUnderWay = true
        state.isWanted = false
        return .writer
      }
      guard pages - state.copied >= sizes.copiedByThread else { return .nothing }
      if isShort() {
        state.isUnderWay = true
        state.isWanted = false
        return .writer
      }
      state.isWanted = true
      return .thread
    }
    if case .thread = step { state.signal(all: true) }
    return step
  }

  /// Waits until no copy is under way, and begins one, which is the caller's.
  package func begin() {
    state.wait { state -> Void? in
      guard !state.isUnderWay else { return nil }
      state.isUnderWay = true
      state.isWanted = false
      return ()
    }
  }

  /// Ends the copy that is under way.
  ///
  /// - Parameter copied: Pages of the log that are in the file now; nil when the copy failed.
  package func end(copied: Int?) {
    state.withLock { state in
      state.isUnderWay = false
      if let copied { state.copied = copied }
    }
    state.signal(all: true)
  }

  /// The thread's work: copies when it is woken, until ``close()``.
  package func run() { while waitForWork() { end(copied: copier?.database.copyLog()) } }

  private func waitForWork() -> Bool {
    state.wait { state in
      if state.isClosed { return false }
      guard state.isWanted, !state.isUnderWay else { return nil }
      state.isWanted = false
      state.isUnderWay = true
      return true
    }
  }

  /// Ends the thread's work.
  package func close() {
    state.withLock { $0.isClosed = true }
    state.signal(all: true)
  }
}
