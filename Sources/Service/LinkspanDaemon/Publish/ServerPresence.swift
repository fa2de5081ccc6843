internal import CLinkspanPlatform
internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSystem

/// A file that is locked while this process serves, so that others can tell whether a server works on the files beside it. A
/// server that comes later queues up at the same file, so that the first one can tell as well.
final class ServerPresence: Sendable {
  /// What another server means, for an operator: by the log of the first server, and by that of a later one.
  struct Words: Sendable {
    var first: String
    var later: String
    /// That the file is gone, or another one is under its name: with the folder, as a rule.
    var gone: String
  }

  let words: Words
  /// Why the file could not be opened.
  private let obstacle: String?
  private let file: Int32
  private let path: String
  private let isHeld = LockedState(false)

  /// Opens the file, and makes it where there is none.
  ///
  /// Root does it with the rights of the user that owns the folder. A file of root's would keep that user's server from ever
  /// noticing another one.
  ///
  /// - Parameters:
  ///   - name: Of the file in the folder.
  ///   - path: Of the file, for messages.
  convenience init(_ name: String, in folder: OpenFolder, _ path: String, mode: mode_t, _ words: Words) {
    var (file, reason): (Int32, String?) = (-1, nil)
    do throws(LinkspanError) {
      (file, reason) = try Privileges.asOwner(of: folder) {
        let file = Self.opened(name, in: folder, mode: mode)
        // Before anything else can set it, such as becoming root again.
        return (file, file < 0 ? SystemError.text(errno) : nil)
      }
    } catch {
      reason = error.message
    }
    self.init(file, path, words, reason.map { Self.problem(path, $0) })
  }

  /// The file beside a database, in whose folder it belongs: closing the database's own would end the locks that SQLite has.
  convenience init(beside database: String, _ words: Words) {
    let path = database + Self.ending
    let (folder, name) = FileReader.place(of: path)
    do throws(LinkspanError) {
      self.init(name, in: try OpenFolder(folder), path, mode: 0o600, words)
    } catch {
      self.init(-1, path, words, Self.problem(path, error.message))
    }
  }

  /// - Parameters:
  ///   - file: Belongs to this value from now on; negative where it could not be opened, so that nothing can be told.
  ///   - obstacle: Why it could not be opened.
  init(_ file: Int32, _ path: String, _ words: Words, _ obstacle: String? = nil) {
    self.file = file
    self.path = path
    self.words = words
    self.obstacle = obstacle
    for attempt in 0..<Self.attempts where !isFirst && attempt + 1 < Self.attempts {
      usleep(Self.pauseMicroseconds)
    }
    // Where that fails, as on some network file systems, the first server does not learn of this one.
    if !isFirst { _ = linkspan_queue_up(file) }
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

  /// Whether this server has the lock; where another one had it, this asks again.
  var isFirst: Bool {
    isHeld.withLock { isHeld in
      if isHeld { return true }
      isHeld = file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
      if isHeld, file >= 0 { linkspan_queue_leave(file) }
      return isHeld
    }
  }

  /// Why another server would not be noticed; nil where it would.
  var problem: String? { obstacle ?? (isGone ? words.gone : nil) }

  /// Whether the file that is open is not the one under its name any more. A folder that may not be searched tells nothing.
  private var isGone: Bool {
    var (open, named) = (stat(), stat())
    guard file >= 0, fstat(file, &open) == 0 else { return false }
    guard lstat(path, &named) == 0 else { return errno == ENOENT || errno == ENOTDIR }
    return open.st_dev != named.st_dev || open.st_ino != named.st_ino
  }

  /// What an operator should know of another server now; nil while this is the only one.
  var neighbour: String? {
    guard isFirst else { return words.later }
    return file >= 0 && linkspan_queue_has_others(file) != 0 ? words.first : nil
  }
}
