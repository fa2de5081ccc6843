internal import CLinkspanPlatform
internal import Glibc
internal import LinkspanCore
internal import LinkspanSystem

/// Opens what a person named for reading, so that nothing waits for ever.
///
/// A pipe that a program writes to is read as the program writes, as with a shell's `<(…)`. A named pipe without a
/// writer, and a device, are refused: opening the one waits for a writer, and the other may never end.
enum InputFile {
  /// Ours: two programs started together, such as a generator and this one, open their ends within this time.
  private static let writerWait_ms: Int32 = 2_000

  /// - Parameter path: A path, or `-` for standard input, which is taken as it is.
  /// - Returns: An open descriptor; the caller closes it unless it is 0.
  /// - Throws: Why the file cannot be read, or what it is instead of one.
  static func open(_ path: String) throws(LinkspanError) -> Int32 {
    if path == "-" {
      var status = stat()
      // A shell gives a folder, too.
      if fstat(0, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw folder("standard input") }
      return 0
    }
    try ReadingPlaces.refuseOutside(path)
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      let error = LinkspanError("cannot be read", at: path, errno: errno)
      throw .urlForFile(path) ?? .secretForFile(path) ?? error
    }
    do throws(LinkspanError) {
      try refuseEndless(descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
    return descriptor
  }

  /// Reads some bytes. Where another program that shares the pipe made it non-blocking, this waits for them.
  ///
  /// - Returns: How many there are, 0 at the end, -1 where `errno` says why there are none.
  static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, -1)
      default: return -1
      }
    }
  }

  private static func refuseEndless(_ descriptor: Int32, _ path: String) throws(LinkspanError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw LinkspanError("cannot be read", at: path, errno: errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFIFO:
      // What the writer of a pipe without a name wrote is still there when it has ended, and then the end.
      if linkspan_is_nameless_pipe(descriptor) == 0, !hasWriter(descriptor) {
        throw .silentPipe(path)
      }
    case S_IFCHR:
      // Somebody may type, and the null device ends at once.
      if isatty(descriptor) == 1 || isNullDevice(status) { return }
      throw .device(path)
    case S_IFBLK: throw .device(path)
    case S_IFDIR: throw folder("'\(path)'")
    default: return
    }
  }

  private static func folder(_ name: String) -> LinkspanError {
    LinkspanError("\(name) is a directory; expected a file.")
  }

  /// Whether a program has the other end of a named pipe open, or opens it soon.
  private static func hasWriter(_ descriptor: Int32) -> Bool {
    if linkspan_pipe_has_writer(descriptor) != 0 { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, writerWait_ms) > 0 || linkspan_pipe_has_writer(descriptor) != 0
  }

  private static func isNullDevice(_ status: stat) -> Bool {
    var null = stat()
    return stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev
  }
}
