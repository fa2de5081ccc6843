internal import CLinkspanPlatform
internal import Glibc
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import LinkspanSystem

/// Checks hosts' files on threads of their own, each host alone and within a limit of processor time, so that no file
/// holds up anything but its own publication.
///
/// What a good host is to publish is written on the same thread (``PublicationHistory/prepare(_:at:as:)``). A check above the
/// limit cannot be interrupted: its thread is given up, its verdict ignored, and another one takes its place.
final class PublicationChecks: Sendable {
  struct Done: Sendable {
    var check: PublicationCheck
    var verdict: PublicationVerdict
    /// What the history has of it, so that publishing it takes no time; nil where it is not to be kept.
    var prepared: PublicationHistory.Prepared?
  }

  /// Ours: checking a file of legal size takes at most one second; on a slow machine, a little more. Processor time, so
  /// that a busy machine refuses nothing.
  static let limitMilliseconds: Int64 = 5_000
  /// Ours: hosts that are checked at the same time; with each thread that was given up there is one less.
  static let threadLimit = 4

  private struct Running {
    var check: PublicationCheck
    let clock: Int32
    let beganMilliseconds: Int64
    var isKeeping = false
  }

  private struct Job {
    var check: PublicationCheck
    var history: PublicationHistory?
    /// Counts up.
    var number: Int
  }

  private struct State {
    /// What waits, from `next` on.
    var queue: [Job] = []
    var jobs = 0
    var next = 0
    var running: [Int: Running] = [:]
    var done: [Done] = []
    var nextThread = 0
    /// Threads that there are, those given up among them.
    var threads = 0
    var givenUp = 0
    /// Processor time of the checks that ended.
    var spentMilliseconds: Int64 = 0

    var waiting: Int { queue.count - next }
    /// Threads that have not begun yet.
    var starting: Int { threads - givenUp - running.count }
  }

  private let state = LockedState(State())
  private let limitMilliseconds: Int64
  private let verdict: @Sendable (PublicationCheck) -> PublicationVerdict
  /// The time of a simulation, which has ``step()`` do the work; nil for threads.
  private let steppedTime: (@Sendable () -> WallTime)?

  /// Signalled while there are verdicts that nobody took, and at no other time: it changes with ``State/done``, under the lock.
  /// Whoever polls it would never sleep again for a verdict that was taken before it was told of.
  private let wakeup: Wakeup

  /// - Parameters:
  ///   - limitMilliseconds: Processor time of one check.
  ///   - verdict: The check itself.
  ///   - stepping: The time of a simulation, where ``step()`` makes the checks.
  init(
    limitMilliseconds: Int64 = PublicationChecks.limitMilliseconds,
    verdict: @escaping @Sendable (PublicationCheck) -> PublicationVerdict = { $0.verdict() },
    stepping: (@Sendable () -> WallTime)? = nil
  ) throws(LinkspanError) {
    self.limitMilliseconds = limitMilliseconds
    self.verdict = verdict
    steppedTime = stepping
    wakeup = try Wakeup()
  }

  /// Readable while there are verdicts to be taken.
  var descriptor: Int32 { wakeup.descriptor }

  /// Has a host checked, and its publication prepared in the history when it is good.
  func add(_ check: PublicationCheck, keepingIn history: PublicationHistory?) {
    state.withLock { state in
      state.jobs += 1
      state.queue.append(Job(check: check, history: history, number: state.jobs))
    }
    startThreads()
  }

  /// Whether there are checks that wait or run, or verdicts nobody took.
  var isBusy: Bool {
    state.withLock { $0.waiting > 0 || !$0.running.isEmpty || !$0.done.isEmpty }
  }

  /// Processor time of all checks until now.
  var spentMilliseconds: Int64 {
    state.withLock { state in
      state.running.values.reduce(state.spentMilliseconds) { $0 + Self.spent(on: $1) }
    }
  }

  /// What has ended since the last call; the checks above the limit among it.
  func take() -> [Done] {
    let done = state.withLock { state in
      for (thread, running) in state.running where !running.isKeeping {
        guard Self.spent(on: running) > limitMilliseconds else { continue }
        state.running[thread] = nil
        state.givenUp += 1
        state.done.append(Done(check: running.check, verdict: tooSlow(running.check)))
      }
      let done = Array(state.done.prefix(Self.takenAtOnce))
      state.done.removeFirst(done.count)
      if state.done.isEmpty { wakeup.drain() }
      return done
    }
    startThreads()
    return done
  }

  /// Ours: publications that are kept one after the other before the thread that does it looks at anything else.
  private static let takenAtOnce = 256

  /// Returns when a check has ended, or after a moment.
  func wait() { wakeup.wait(atMost: Self.momentMilliseconds) }

  /// Ours: how often running checks are looked at.
  static let momentMilliseconds: Int32 = 20

  private func tooSlow(_ check: PublicationCheck) -> PublicationVerdict {
    let name =
      check.candidate.associationFileName ?? check.candidate.assetLinksName ?? check.candidate.site.host
      ?? "?"
    return .tooSlow(
      "checking '\(name)' took more than \(limitMilliseconds) ms of processor time, and was given up. "
        + "Give it fewer rules; 'linkspan check' says more about it.")
  }

  private static func spent(on running: Running) -> Int64 {
    max(0, linkspan_thread_milliseconds(running.clock) - running.beganMilliseconds)
  }

  // MARK: - Threads

  /// Makes one check that waits, as a thread does.
  ///
  /// - Returns: Whether there was one.
  func step() -> Bool {
    let thread = state.withLock { state in
      state.threads += 1
      state.nextThread += 1
      return state.nextThread
    }
    defer { state.withLock { $0.threads -= 1 } }
    guard let job = begin(thread, linkspan_thread_clock()) else { return false }
    _ = make(job, thread)
    return true
  }

  private func startThreads() {
    guard steppedTime == nil else { return }
    while true {
      let thread: Int? = state.withLock { state in
        guard state.waiting > state.starting, state.threads < Self.threadLimit else { return nil }
        state.threads += 1
        state.nextThread += 1
        return state.nextThread
      }
      guard let thread else { return }
      do throws(LinkspanError) {
        try DetachedThread.start { self.work(thread) }
      } catch {
        // With no thread to be had now, the next turn tries again.
        state.withLock { $0.threads -= 1 }
        return
      }
    }
  }

  private func work(_ thread: Int) {
    let clock = linkspan_thread_clock()
    var isGivenUp = false
    while let job = begin(thread, clock) {
      isGivenUp = !make(job, thread)
      if isGivenUp { break }
    }
    let wasGivenUp = isGivenUp
    state.withLock { state in
      state.threads -= 1
      if wasGivenUp { state.givenUp -= 1 }
    }
  }

  /// Makes a check, and prepares what is good.
  ///
  /// - Returns: False where the check has been given up meanwhile.
  private func make(_ job: Job, _ thread: Int) -> Bool {
    var done = Done(check: job.check, verdict: verdict(job.check))
    if !done.verdict.isRefused, let history = job.history {
      guard beginKeeping(thread) else { return false }
      do throws(LinkspanError) {
        done.prepared = try history.prepare(
          job.check.candidate.site, of: job.check.candidate.author, at: steppedTime?() ?? CurrentTime.now,
          as: job.number)
      } catch {
        done.verdict = .hindered(error.text)
      }
    }
    return end(thread, done)
  }

  /// The next check of a host that is not being checked: of two versions the newer one ends after the older one.
  /// Whoever checks the older one takes the newer one next.
  private func begin(_ thread: Int, _ clock: Int32) -> Job? {
    state.withLock { state in
      let hosts = Set(state.running.values.map(\.check.candidate.site.host))
      guard
        let index = state.queue[state.next...].firstIndex(where: {
          !hosts.contains($0.check.candidate.site.host)
        })
      else { return nil }
      let job = state.queue[index]
      if index > state.next { state.queue.remove(at: index) } else { state.next += 1 }
      if state.waiting == 0 {
        state.queue = []
        state.next = 0
      }
      state.running[thread] = Running(
        check: job.check, clock: clock, beganMilliseconds: linkspan_thread_milliseconds(clock))
      return job
    }
  }

  /// Whether the check is still wanted; from now on it is not given up.
  private func beginKeeping(_ thread: Int) -> Bool {
    state.withLock { state in
      guard state.running[thread] != nil else { return false }
      state.running[thread]?.isKeeping = true
      return true
    }
  }

  /// Whether the check was still wanted.
  private func end(_ thread: Int, _ done: Done) -> Bool {
    state.withLock { state in
      guard let running = state.running.removeValue(forKey: thread) else { return false }
      state.spentMilliseconds += Self.spent(on: running)
      state.done.append(done)
      wakeup.signal()
      return true
    }
  }
}
