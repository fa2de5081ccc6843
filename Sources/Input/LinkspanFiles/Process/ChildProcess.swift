internal import CLinkspanPlatform
internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// This program started again for one piece of work, with a deadline and a bound on what it prints.
package final class ChildProcess {
  private let identifier: pid_t
  /// Standard output and standard error of the child; -1 at their ends.
  package private(set) var streams: [Int32]
  /// What it printed so far, of each.
  package private(set) var printed: [[UInt8]] = [[], []]
  private let limits: [Int]
  /// Whether it printed more to standard output than it may.
  package private(set) var isTooLong = false
  private var isReaped = false

  /// - Parameters:
  ///   - arguments: The words behind the program's name.
  ///   - input: What it reads from standard input.
  ///   - outputLimitBytes: How much it may print to standard output.
  package init(
    _ arguments: [String], input: [UInt8], outputLimitBytes: Int
  ) throws(LinkspanError) {
    limits = [outputLimitBytes, 1 << 16]
    let file = linkspan_memory_file("input")
    defer { if file >= 0 { close(file) } }
    guard file >= 0, write(file, input, input.count) == input.count, lseek(file, 0, SEEK_SET) == 0 else {
      throw Self.failed()
    }
    var pipes: [Int32] = []
    defer { for index in [1, 3] where index < pipes.count { close(pipes[index]) } }
    for _ in 0..<2 {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw Self.failed() }
      pipes += ends
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    streams = [pipes[0], pipes[2]]
    for stream in streams { _ = fcntl(stream, F_SETFL, O_NONBLOCK) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (from, to) in [(file, 0), (pipes[1], 1), (pipes[3], 2)] as [(Int32, Int32)] {
      posix_spawn_file_actions_adddup2(&actions, from, to)
    }
    var words: [UnsafeMutablePointer<CChar>?] = (["linkspan"] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    // Nothing of the environment: neither secrets nor settings.
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, "/proc/self/exe", &actions, nil, &words, &environment)
    guard code == 0 else {
      for stream in streams { close(stream) }
      throw LinkspanError("the program cannot be started again", errno: code)
    }
    self.identifier = identifier
  }

  deinit {
    for stream in streams where stream >= 0 { close(stream) }
    stop()
  }

  private static func failed() -> LinkspanError {
    LinkspanError("no pipe to another process", errno: errno)
  }

  /// Whether it has closed both streams.
  package var isAtEnd: Bool { streams.allSatisfy { $0 < 0 } }

  /// Takes what can be read of a stream.
  package func take(_ index: Int) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while streams[index] >= 0 {
      let count = read(streams[index], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else {
        close(streams[index])
        streams[index] = -1
        return
      }
      let room = limits[index] - printed[index].count
      printed[index] += buffer[..<min(count, room)]
      if count > room, index == 0 { isTooLong = true }
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: Its exit status; 128 and the signal's number for one that ended it.
  package func status() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    isReaped = true
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Ends it at once.
  package func stop() {
    guard !isReaped else { return }
    kill(identifier, SIGKILL)
    _ = status()
  }

  /// Bounds this process, where it is such a child itself: it ends with its parent, and has only so much processor time.
  package static func restrictOneself(seconds: Int) { linkspan_restrict_work(Int32(clamping: seconds)) }
}
