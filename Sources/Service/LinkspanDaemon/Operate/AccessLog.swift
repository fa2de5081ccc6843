internal import CLinkspanPlatform
internal import Glibc
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import LinkspanSystem
internal import Synchronization

/// The access log: loops put what they answered into a ring each, and one thread writes.
///
/// A loop never waits for the log: what finds its ring full is dropped and counted. Nothing is held back for a later
/// write: the thread sleeps only when all rings are empty.
final class AccessLog: Sendable {
  private let path: String
  private let format: AccessLogLine.Format
  private let clients: ForwardedClient
  private let tell: @Sendable (String) -> Void
  private let fail: @Sendable (LinkspanError) -> Void
  /// What stands for device tokens: the registry's, so that journal and logs of all its servers agree. Until it is open,
  /// and without one, a key of this process' own.
  let hash = LockedState(KeyedHash(key: (0..<32).map { _ in UInt8.random(in: 0...255) }))
  private let rings = LockedState<[AccessRing]>([])
  private let file = Atomic<Int32>(-1)
  private let wakeup: Wakeup
  private let sleeps = Atomic(false)
  private let wantsReopening = Atomic(false)
  private let isEnding = Atomic(false)
  private let ended = LockedState(false)
  private let lines = Atomic(0)
  private let lost = Atomic(0)
  private let pieces = LockedState(LinePieces())
  private let trouble = LockedState(Trouble())

  private struct Trouble: Sendable {
    /// Why the file cannot be opened again.
    var opening: String?
    /// Why the last lines could not be written.
    var writing: String?
    /// Whether standard error has the reason for ``writing`` since the file was opened: a disk may be full again and again.
    var isWritingTold = false
  }

  /// Ours: what is written at once.
  private static let pieceBytes = 1 << 16

  /// - Parameters:
  ///   - path: A file, which grows at its end, or `-` for standard output; opened by ``start()``.
  ///   - tell: Takes what an operator may want to know, on the thread that writes.
  ///   - fail: Takes what goes wrong later, on the thread that writes.
  /// - Throws: That the system has no event descriptor left.
  init(
    _ path: String, _ format: AccessLogLine.Format, _ clients: ForwardedClient,
    tell: @escaping @Sendable (String) -> Void = { _ in },
    fail: @escaping @Sendable (LinkspanError) -> Void
  ) throws(LinkspanError) {
    self.path = path
    self.format = format
    self.clients = clients
    self.tell = tell
    self.fail = fail
    wakeup = try Wakeup()
  }

  /// Opens the file and begins to write; to be called once, by whoever the file is to belong to.
  ///
  /// - Throws: Why it cannot be opened.
  func start() throws(LinkspanError) {
    file.store(try Self.open(path), ordering: .relaxed)
    try DetachedThread.start { [self] in write() }
  }

  var written: Int { lines.load(ordering: .relaxed) }

  /// Lines that found no room in a ring or could not be written.
  var dropped: Int {
    lost.load(ordering: .relaxed) + rings.withLock { $0.reduce(0) { $0 + $1.dropped } }
  }

  /// Why lines are missing, or go to a file with another name; nil while all is well.
  var problem: String? { trouble.withLock { $0.opening ?? $0.writing } }

  /// What one loop calls for everything it answered.
  func observer() -> ServerObserver {
    let ring = AccessRing()
    rings.withLock { $0.append(ring) }
    return { [self] exchange in
      var time = timespec()
      clock_gettime(CLOCK_REALTIME_COARSE, &time)
      ring.put(
        AccessRecord(
          exchange: exchange, time: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000))
      if sleeps.load(ordering: .sequentiallyConsistent) { wake() }
    }
  }

  /// Closes the file and opens it again, for a rotation that gave it another name. When that fails the file that was
  /// open goes on, and standard error says so.
  func reopen() {
    wantsReopening.store(true, ordering: .releasing)
    wake()
  }

  /// Writes what is there and returns, at the latest after five seconds: a reader that takes nothing holds up no end.
  /// The loops have ended.
  func end() {
    isEnding.store(true, ordering: .releasing)
    wake()
    for _ in 0..<5_000 where !ended.withLock({ $0 }) { poll(nil, 0, 1) }
  }

  private func wake() {
    if sleeps.exchange(false, ordering: .sequentiallyConsistent) { wakeup.signal() }
  }

  // MARK: - On the writer's thread

  private func write() {
    var bytes: [UInt8] = []
    while true {
      let isLast = isEnding.load(ordering: .acquiring)
      if wantsReopening.exchange(false, ordering: .acquiring) { openAgain() }
      let rings = rings.withLock { $0 }
      var count = 0
      for ring in rings {
        while bytes.count < Self.pieceBytes, let record = ring.take() {
          record.line(clients, hash.withLock { $0 }).write(to: &bytes, format)
          count += 1
        }
      }
      if count > 0 {
        put(bytes, lines: count)
        bytes.removeAll(keepingCapacity: true)
        continue
      }
      if isLast { break }
      sleeps.store(true, ordering: .sequentiallyConsistent)
      // What came between the last look and that word woke nobody.
      let isAwake =
        !rings.allSatisfy(\.isEmpty) || wantsReopening.load(ordering: .acquiring)
        || isEnding.load(ordering: .acquiring) || self.rings.withLock { $0.count } != rings.count
      if isAwake, sleeps.exchange(false, ordering: .sequentiallyConsistent) { continue }
      wakeup.wait()
      wakeup.drain()
    }
    ended.withLock { $0 = true }
  }

  private func put(_ bytes: [UInt8], lines count: Int) {
    guard isReadable() else {
      lost.add(count, ordering: .relaxed)
      return
    }
    let bytes = pieces.withLock { $0.bytes(bytes) }
    var rest = bytes[...]
    let descriptor = file.load(ordering: .relaxed)
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN {
          var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&entry, 1, -1)
          continue
        }
        // The disk is full, or the reader has gone.
        noteWriting(SystemError.text(errno))
        let whole = pieces.withLock { $0.note(bytes, out: bytes.count - rest.count) }
        lines.add(whole, ordering: .relaxed)
        lost.add(count - whole, ordering: .relaxed)
        return
      }
      rest = rest.dropFirst(written)
    }
    lines.add(pieces.withLock { $0.note(bytes, out: bytes.count) }, ordering: .relaxed)
    noteWriting(nil)
  }

  private func noteWriting(_ reason: String?) {
    let error = reason.map { LinkspanError("\(name) cannot be written", why: $0, help: Self.droppingHelp) }
    let isNews = trouble.withLock { trouble in
      trouble.writing = error?.message
      guard error != nil, !trouble.isWritingTold else { return false }
      trouble.isWritingTold = true
      return true
    }
    if isNews, let error { fail(error) }
  }

  /// Whether a reader can find the file: one whose name was removed is opened again, and lines are dropped until that
  /// succeeds.
  private func isReadable() -> Bool {
    guard isRemoved else { return true }
    let wasKnown = trouble.withLock { $0.opening != nil }
    guard let error = replaceFile() else {
      if !wasKnown { tell("\(name) was removed; a new file was opened in its place") }
      return true
    }
    if !wasKnown {
      fail(LinkspanError(error.message, helpLines: [error.help, Self.droppingHelp].compactMap { $0 }))
    }
    return false
  }

  private var isRemoved: Bool {
    var status = stat()
    return fstat(file.load(ordering: .relaxed), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_nlink == 0
  }

  private func openAgain() {
    guard path != "-", let error = replaceFile() else { return }
    let help =
      isRemoved
      ? Self.droppingHelp : "Logging continues to the open file; send SIGUSR1 once this is fixed."
    fail(LinkspanError(error.message, helpLines: [error.help, help].compactMap { $0 }))
  }

  /// - Returns: Why the file that was open goes on.
  private func replaceFile() -> LinkspanError? {
    do throws(LinkspanError) {
      let new = try Self.open(path)
      close(file.exchange(new, ordering: .relaxed))
      pieces.withLock { $0 = LinePieces() }
      trouble.withLock { $0 = Trouble() }
      return nil
    } catch {
      trouble.withLock { $0.opening = error.message }
      return error
    }
  }

  private static let droppingHelp = "Lines are dropped until it can."

  private var name: String { path == "-" ? "standard output" : "the access log '\(path)'" }

  private static func open(_ path: String) throws(LinkspanError) -> Int32 {
    guard path != "-" else { return 1 }
    do throws(LinkspanError) {
      return try GrowingFile.open(path, mode: 0o640)
    } catch {
      throw LinkspanError(
        "the access log '\(path)' cannot be opened", why: error.reason ?? error.what, help: error.help)
    }
  }
}
