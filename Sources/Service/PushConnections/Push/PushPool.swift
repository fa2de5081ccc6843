internal import HTTPEngine
package import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSystem
package import PushProvider

/// Connections to APNs that outlive one run: one ``PushLine`` for each account, opened by its first push, kept until
/// ``shutdown()``, each with a thread of its own. Any thread may send.
///
/// Apple asks to keep a connection for hours to days, with a pool for each team and environment (push notes, 1.14 and 1.18).
/// There is one provider token signer per account, so sends that follow each other never sign too early.
package final class PushPool: Sendable {
  /// Told the push's place in its batch and how it ended, once for each push, on the account's thread: it must not wait.
  package typealias Completion = @Sendable (Int, PushResult) -> Void

  /// Ours: pushes of an account that have not ended. A sender of more waits for the others.
  package static let unfinishedLimitCount = 131_072

  private let connections: Int
  private let workers = LockedState<[PushAccount.Name: Worker]?>([:])

  /// - Parameter connections: For each account, at most.
  package init(connections: Int = 1) { self.connections = connections }

  deinit { shutdown() }

  /// Sends pushes over the connections of an account.
  ///
  /// - Parameters:
  ///   - account: The first use of an account's name decides its credential.
  ///   - patience: After which what is left ends as not now.
  /// - Throws: That too many have not ended, that the pool was shut down, or that there is no thread; then no push was taken.
  package func send(
    _ pushes: [PushNotification], as account: PushAccount, patience: Duration,
    completion: @escaping Completion
  ) throws(LinkspanError) {
    let deadline = CurrentTime.now.advanced(by: patience)
    let batch = Worker.Batch(pushes: pushes, deadline: deadline, completion: completion)
    let outcome = workers.withLock { workers -> Result<Void, LinkspanError> in
      guard let open = workers else {
        return .failure(
          LinkspanError("the connections to APNs are closed.", help: "Nothing is sent any more."))
      }
      do throws(LinkspanError) {
        if let worker = open[account.name] {
          try worker.put(batch)
        } else {
          let worker = try Worker(account, connections: connections)
          workers?[account.name] = worker
          try worker.put(batch)
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try outcome.get()
  }

  /// How many pushes of an account have not ended.
  package func unfinishedCount(of account: PushAccount) -> Int {
    workers.withLock { $0?[account.name]?.unfinishedCount } ?? 0
  }

  /// Closes every connection. What has not ended ends as not now, possibly a duplicate where it was under way.
  package func shutdown() {
    let all = workers.withLock { workers in
      defer { workers = nil }
      return workers ?? [:]
    }
    for worker in all.values { worker.stop() }
  }
}

extension PushPool {
  /// The thread of one account.
  private final class Worker: Sendable {
    struct Batch {
      var pushes: [PushNotification]
      var deadline: WallTime
      var completion: Completion
    }

    private struct State {
      var batches: [Batch] = []
      var unfinishedCount = 0
      var isStopped = false
    }

    /// Ours: an idle thread looks after the clock that often, for the hourly PING.
    private static let idleTime = Duration.seconds(60)

    private let mailbox = PushMailbox()
    private let state = LockedState(State())

    init(_ account: PushAccount, connections: Int) throws(LinkspanError) {
      try DetachedThread.start { [self] in run(account, connections: connections) }
    }

    var unfinishedCount: Int { state.withLock { $0.unfinishedCount } }

    func put(_ batch: Batch) throws(LinkspanError) {
      let fits = state.withLock { state in
        guard state.unfinishedCount + batch.pushes.count <= PushPool.unfinishedLimitCount else {
          return false
        }
        state.unfinishedCount += batch.pushes.count
        state.batches.append(batch)
        return true
      }
      guard fits else {
        throw LinkspanError(
          "\(PushPool.unfinishedLimitCount) pushes of this account wait to be sent.",
          help: "Send the next ones when some of them have ended.")
      }
      mailbox.wake()
    }

    func stop() {
      state.withLock { $0.isStopped = true }
      mailbox.wake()
    }

    private func run(_ account: PushAccount, connections: Int) {
      let line = PushLine(account, mailbox, connections: connections, patience: .seconds(60))
      var waiting: [PushClient.Ticket: (completion: Completion, place: Int)] = [:]
      func tell(_ ended: [(ticket: PushClient.Ticket, result: PushResult)]) {
        state.withLock { $0.unfinishedCount -= ended.count }
        for (ticket, result) in ended {
          guard let (completion, place) = waiting.removeValue(forKey: ticket) else { continue }
          completion(place, result)
        }
      }
      while true {
        let (batches, isStopped) = state.withLock { state in
          defer { state.batches = [] }
          return (state.batches, state.isStopped)
        }
        for batch in batches {
          for (place, push) in batch.pushes.enumerated() {
            waiting[line.submit(push, by: batch.deadline)] = (batch.completion, place)
          }
        }
        if isStopped { break }
        tell(line.advance())
        if let ended = line.results(within: Self.idleTime) { tell(ended) }
      }
      tell(line.end(because: "the connections to APNs were closed"))
      line.shutdown()
    }
  }
}
