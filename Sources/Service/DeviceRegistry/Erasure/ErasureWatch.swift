internal import Glibc
internal import LinkspanCore
internal import RegistryDatabases

/// Waits until no server sends anything to erased persons any more, and answers then; at the latest after 10 seconds.
///
/// A server finds out with its next question to the store that a delivery it holds is not to be sent, and takes back what
/// is not under way. What is under way ends with APNs' answer.
final class ErasureWatch: Sendable {
  struct Job: Sendable {
    var erasure: Erasure
    var waitedMicroseconds: UInt32 = 0
    var completion: @Sendable (ErasureReceipt) -> Void
  }

  /// A receipt waits for 10 seconds at most. Ours: clients of the API wait that long.
  private static let patienceMicroseconds: UInt32 = 10_000_000
  /// Between two questions to the store. Ours: most servers answer within some milliseconds; where one does not, its
  /// sender waits for APNs.
  private static let firstPauseMicroseconds: UInt32 = 1_000
  private static let longestPauseMicroseconds: UInt32 = 20_000
  /// Erasures that wait at a time. Ours; beyond it a receipt lists what is under way at once.
  private static let limit = 1_000

  private let jobs = WorkQueue<Job>(limit: limit)
  private let isClosed = LockedState(false)

  /// Takes an erasure that is committed.
  func add(_ erasure: Erasure, _ completion: @escaping @Sendable (ErasureReceipt) -> Void) {
    let job = Job(erasure: erasure, completion: completion)
    if erasure.isOver || !jobs.add(job) { Self.end(job) }
  }

  /// Has the thread answer what waits and end.
  func close() {
    isClosed.withLock { $0 = true }
    jobs.close()
  }

  /// Forgets what waits.
  func removeAll() { jobs.removeAll() }

  /// The thread's work, until ``close()``.
  ///
  /// - Parameter ask: Answers which deliveries are left and how many of the others were cancelled; nil where the store
  ///   does not answer now.
  func run(_ ask: ([Int64]) -> (left: [Int64], cancelled: Int)?) {
    while var open = jobs.take(Self.limit) {
      var pause = Self.firstPauseMicroseconds
      while !open.isEmpty {
        open = open.compactMap { advance($0, ask) }
        if open.isEmpty { break }
        usleep(pause)
        for index in open.indices { open[index].waitedMicroseconds += pause }
        pause = min(2 * pause, Self.longestPauseMicroseconds)
        if jobs.count > 0 { open += jobs.take(Self.limit) ?? [] }
      }
    }
  }

  /// One question for each erasure that waits, as ``run(_:)`` asks them in one turn.
  ///
  /// - Parameters:
  ///   - open: What waits since an earlier turn.
  ///   - waited: Time since that turn.
  /// - Returns: What waits on.
  func step(
    _ open: [Job], waited: Duration, _ ask: ([Int64]) -> (left: [Int64], cancelled: Int)?
  ) -> [Job] {
    let waited = UInt32(clamping: waited.wholeMilliseconds * 1_000)
    return (open + jobs.takeNow(Self.limit)).compactMap { job in
      var job = job
      job.waitedMicroseconds &+= min(waited, Self.patienceMicroseconds)
      return advance(job, ask)
    }
  }

  /// - Returns: The job, where it has to wait on.
  private func advance(_ job: Job, _ ask: ([Int64]) -> (left: [Int64], cancelled: Int)?) -> Job? {
    var job = job
    if let answer = ask(job.erasure.underWay) {
      job.erasure.underWay = answer.left
      job.erasure.receipt.cancelled += answer.cancelled
    }
    if !job.erasure.nameless.isEmpty, let answer = ask(job.erasure.nameless) {
      job.erasure.nameless = answer.left
    }
    let mayWait = job.waitedMicroseconds < Self.patienceMicroseconds && !isClosed.withLock { $0 }
    if mayWait, !job.erasure.isOver { return job }
    Self.end(job)
    return nil
  }

  private static func end(_ job: Job) {
    var receipt = job.erasure.receipt
    let count = job.erasure.underWay.count + job.erasure.nameless.count
    if count > 0 {
      receipt.remains.insert(
        .init(
          count == 1 ? "a push that a server is sending" : "\(count) pushes that servers are sending",
          until: job.erasure.time.advanced(by: RegistryStore.answerPatience)), at: 0)
    }
    job.completion(receipt)
  }
}
