internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles

/// A file that is locked while this process serves, so that others can tell whether a server works on the files beside it.
final class ServerPresence: Sendable {
  /// What another server beside this one means, for an operator.
  let words: String
  /// Why another server would not be noticed; nil where it would.
  let problem: String?
  private let file: Int32
  private let isHeld = LockedState(false)

  /// Opens the file, and makes it where there is none.
  ///
  /// Root does it with the rights of the user that owns the folder. A file of root's would keep that user's server from ever
  /// noticing another one.
  ///
  /// - Parameters:
  ///   - name: Of the file in the folder.
  ///   - path: Of the file, for messages.
  convenience init(_ name: String, in folder: OpenFolder, _ path: String, mode: mode_t, _ words: String) {
    var (file, reason): (Int32, String?) = (-1, nil)
    do throws(LinkspanError) {
      (file, reason) = try Privileges.asOwner(of: folder) {
        let file = Self.opened(name, in: folder, mode: mode)
        // Before anything else can set it, such as becoming root again.
        return (file, file < 0 ? String(cString: strerror(errno)) : nil)
      }
    } catch {
      reason = error.message
    }
    self.init(file, words, reason.map { Self.problem(path, $0) })
  }

  /// The file beside a database, in whose folder it belongs: closing the database's own would end the locks that SQLite has.
  convenience init(beside database: String, _ words: String) {
    let path = database + Self.ending
    let (folder, name) = FileReader.place(of: path)
    do throws(LinkspanError) {
      self.init(name, in: try OpenFolder(folder), path, mode: 0o600, words)
    } catch {
      self.init(-1, words, Self.problem(path, error.message))
    }
  }

  /// - Parameters:
  ///   - file: Belongs to this value from now on; negative where it could not be opened, so that nothing can be told.
  ///   - problem: Why it could not be opened.
  init(_ file: Int32, _ words: String, _ problem: String? = nil) {
    self.file = file
    self.words = words
    self.problem = problem
    for attempt in 0..<Self.attempts where !isAlone && attempt + 1 < Self.attempts {
      usleep(Self.pauseMicroseconds)
    }
  }

  /// A file that may only be read, as on a disk that takes nothing, can be locked as well.
  ///
  /// - Returns: Negative where it cannot be opened; `errno` says why.
  static func opened(_ name: String, in folder: OpenFolder, mode: mode_t) -> Int32 {
    let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = openat(folder.descriptor, name, O_RDWR | O_CREAT | flags, mode)
    guard file < 0, [EACCES, EROFS].contains(errno) else { return file }
    let reason = errno
    let readable = openat(folder.descriptor, name, O_RDONLY | flags)
    if readable < 0 { errno = reason }
    return readable
  }

  private static let ending = "-serving"

  private static func problem(_ path: String, _ reason: String) -> String {
    "whether another server has the same files cannot be told, because '\(path)' cannot be opened: \(reason). Stop all of them,"
      + " remove that file, and start one."
  }

  /// Ours: a command that looks whether somebody serves has the lock for a moment.
  private static let attempts = 5
  private static let pauseMicroseconds: UInt32 = 5_000

  deinit { if file >= 0 { close(file) } }

  /// Whether no other server has the lock; where one had it, this asks again.
  var isAlone: Bool {
    isHeld.withLock { isHeld in
      if !isHeld { isHeld = file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }
      return isHeld
    }
  }
}
