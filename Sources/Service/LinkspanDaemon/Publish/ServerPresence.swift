internal import Glibc
internal import LinkspanCore

/// A file that is locked while this process serves, so that others can tell whether a server works on the files beside it.
final class ServerPresence: Sendable {
  /// What another server beside this one means, for an operator.
  let words: String
  private let file: Int32
  private let isHeld = LockedState(false)

  /// - Parameter file: Belongs to this value from now on; negative where it could not be opened, so that nothing can be told.
  init(_ file: Int32, _ words: String) {
    self.file = file
    self.words = words
    for attempt in 0..<Self.attempts where !isAlone && attempt + 1 < Self.attempts {
      usleep(Self.pauseMicroseconds)
    }
  }

  /// Ours: a command that looks whether somebody serves has the lock for a moment.
  private static let attempts = 5
  private static let pauseMicroseconds: UInt32 = 5_000

  deinit { close(file) }

  /// Whether no other server has the lock; where one had it, this asks again.
  var isAlone: Bool {
    isHeld.withLock { isHeld in
      if !isHeld { isHeld = file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }
      return isHeld
    }
  }
}
