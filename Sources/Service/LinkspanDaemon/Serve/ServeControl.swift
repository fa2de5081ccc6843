internal import CLinkspanPlatform
internal import Glibc
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanSystem

/// Runs a server on threads of its own, so that this one has time for what no loop may wait for: reading files again
/// when they changed or when a signal says so.
package enum ServeControl {
  enum News: Hashable {
    /// SIGHUP: read files and certificates again, and open the log again.
    case hangUp
    /// SIGUSR1: open the log again.
    case reopenLog
    /// Files changed, and were quiet since.
    case filesChanged
    /// Checks ended, or run for a while.
    case checked
    /// Somebody wants something done.
    case ordered
  }

  /// Ours: how long files have to be quiet, so that a whole folder being copied is read once.
  private static let quietMilliseconds: Int64 = 10
  /// Ours: the same where something is gone, since many programs remove a file before they write the one that replaces it, and
  /// devices that hear 404 in between keep that for days.
  private static let absenceMilliseconds: Int64 = 200
  /// Ours: and how long news waits at most where they never are.
  private static let patienceMilliseconds: Int64 = 500

  /// Something to be done again and again on the control thread.
  struct Timer {
    let periodMilliseconds: Int64
    let action: () -> Void
  }

  /// Has SIGHUP and SIGUSR1 wait from now on until a server is run, which takes them. One that came before that would end
  /// the process, and whoever hears that it is ready may send one at once.
  static func holdSignals() {
    var held = sigset_t()
    sigemptyset(&held)
    for signal in [SIGHUP, SIGUSR1] { sigaddset(&held, signal) }
    pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// Returns when the server has stopped.
  ///
  /// - Parameters:
  ///   - stopSignals: The server's own, which no other thread may take.
  ///   - orders: What people want done.
  ///   - checks: What is checked beside this thread, which looks after it while it is busy.
  ///   - act: Called on this thread; news of one kind that come while it runs are one.
  /// - Throws: What the server throws, or that there is no thread to be had.
  static func run(
    _ server: HTTPServer, stopSignals: [Int32], watch: FolderWatch?, checks: PublicationChecks? = nil,
    orders: PublicationOrders? = nil, timers: [Timer], act: (News) -> Void
  ) throws(LinkspanError) {
    var previous = sigset_t()
    let signals = linkspan_signal_descriptor([SIGHUP, SIGUSR1], 2, &previous)
    guard signals >= 0 else {
      throw LinkspanError("no signal descriptor", errno: errno)
    }
    defer { close(signals) }
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for signal in stopSignals { sigaddset(&blocked, signal) }
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    // Under nohup it is ignored, and would wake nobody.
    signal(SIGHUP, SIG_DFL)
    let ended = try Wakeup()
    let thread = try Self.thread(of: server, ended)
    var quiet = Quiet()
    var due = timers.map { now() + $0.periodMilliseconds }
    while true {
      let isChecking = checks?.isBusy ?? false
      let watched = [signals, ended.descriptor, watch?.descriptor ?? -1, checks?.descriptor ?? -1]
      var descriptors = (watched + (orders?.descriptors ?? [])).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let patience = timeout(quiet, due, now: now())
      let moment = PublicationChecks.momentMilliseconds
      poll(
        &descriptors, nfds_t(descriptors.count),
        isChecking ? (patience < 0 ? moment : min(patience, moment)) : patience)
      if descriptors[1].revents != 0 { return try Self.join(thread) }
      for (index, timer) in timers.enumerated() where now() >= due[index] {
        due[index] = now() + timer.periodMilliseconds
        timer.action()
      }
      var taken: Set<Int32> = []
      while case let signal = linkspan_signal_take(signals), signal != 0 { taken.insert(signal) }
      if taken.contains(SIGUSR1) { act(.reopenLog) }
      if taken.contains(SIGHUP) {
        quiet.clear()
        act(.hangUp)
      }
      if descriptors.dropFirst(watched.count).contains(where: { $0.revents != 0 }) { act(.ordered) }
      if isChecking { act(.checked) }
      if let watch, watch.take() { quiet.note(now: now(), isAbsence: watch.hasAbsence) }
      if quiet.isOver(now: now()) {
        quiet.clear()
        act(.filesChanged)
      }
    }
  }

  private static func thread(of server: HTTPServer, _ ended: Wakeup) throws(LinkspanError) -> LoopThread {
    do throws(HTTPServerError) {
      return try LoopThread { () throws(HTTPServerError) in
        defer { ended.signal() }
        try server.run()
      }
    } catch {
      throw LinkspanError(error)
    }
  }

  private static func join(_ thread: LoopThread) throws(LinkspanError) {
    do throws(HTTPServerError) { try thread.join() } catch { throw LinkspanError(error) }
  }

  private static func timeout(_ quiet: Quiet, _ due: [Int64], now: Int64) -> Int32 {
    let timer = due.min().map { Int32(clamping: max(0, $0 - now)) } ?? -1
    let files = quiet.timeout(now: now)
    return timer < 0 || files < 0 ? max(timer, files) : min(timer, files)
  }

  /// When news of files is old enough to act on.
  struct Quiet {
    private var first: Int64?
    private var last: Int64 = 0
    private var isAbsence = false

    /// - Parameter isAbsence: Whether something is gone, and has not only changed.
    mutating func note(now: Int64, isAbsence: Bool) {
      first = first ?? now
      last = now
      self.isAbsence = isAbsence
    }

    mutating func clear() { first = nil }

    func isOver(now: Int64) -> Bool { due.map { now >= $0 } ?? false }

    /// For poll(2): -1 waits without end.
    func timeout(now: Int64) -> Int32 { due.map { Int32(clamping: max(0, $0 - now)) } ?? -1 }

    private var due: Int64? {
      let period = isAbsence ? absenceMilliseconds : quietMilliseconds
      return first.map { min(last + period, $0 + patienceMilliseconds) }
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
