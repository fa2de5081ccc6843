internal import Glibc

/// Jobs for one or more threads: a bounded queue that threads take from, all that is there at once if they like.
///
/// `@unchecked Sendable`: the state is reached with the lock held only.
package final class WorkQueue<Job: Sendable>: @unchecked Sendable {
  private let limit: Int
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [Job] = []
  private var first = 0
  private var isClosed = false

  /// - Parameter limit: The most jobs that wait.
  package init(limit: Int) {
    self.limit = limit
    let code = pthread_mutex_init(lock, nil) | pthread_cond_init(news, nil)
    precondition(code == 0, "a lock needs no resources on Linux")
  }

  deinit {
    pthread_cond_destroy(news)
    pthread_mutex_destroy(lock)
    news.deallocate()
    lock.deallocate()
  }

  var count: Int {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return jobs.count - first
  }

  /// - Returns: Whether the job is taken; it is not when the queue is full or closed.
  package func add(_ job: Job) -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    guard !isClosed, jobs.count - first < limit else { return false }
    jobs.append(job)
    pthread_cond_signal(news)
    return true
  }

  /// Waits for a job.
  ///
  /// - Returns: False when the queue is closed and empty.
  func wait() -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while jobs.count == first {
      if isClosed { return false }
      pthread_cond_wait(news, lock)
    }
    return true
  }

  /// Waits for jobs.
  ///
  /// - Parameter count: The most that are taken.
  /// - Returns: At least one in the order they came; nil when the queue is closed and empty.
  package func take(_ count: Int) -> [Job]? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while jobs.count == first {
      if isClosed { return nil }
      pthread_cond_wait(news, lock)
    }
    let end = min(jobs.count, first + count)
    let taken = Array(jobs[first..<end])
    first = end
    if first == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 4_096 {
      jobs.removeFirst(first)
      first = 0
    }
    return taken
  }

  /// Waits while more jobs come, for a thread that does many of them as cheaply as one.
  ///
  /// - Parameters:
  ///   - count: With that many it waits no longer.
  ///   - pauses: How often at most it looks whether more have come.
  ///   - microseconds: Between two looks.
  func gather(_ count: Int, pauses: Int, of microseconds: UInt32) {
    var before = self.count
    for _ in 0..<pauses where before < count {
      usleep(microseconds)
      let now = self.count
      if now == before { return }
      before = now
    }
  }

  /// Lets threads finish what waits; nothing more is taken in.
  func close() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    isClosed = true
    pthread_cond_broadcast(news)
  }
}

/// A thread that can be waited for. Signals of the process go to other threads.
///
/// `@unchecked Sendable`: it is written once, before it is shared.
final class JoinableThread: @unchecked Sendable {
  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private var thread = pthread_t()

  /// - Returns: nil when the system has no thread to spare.
  init?(_ body: @escaping @Sendable () -> Void) {
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      return nil
    }
  }

  func join() { pthread_join(thread, nil) }
}
