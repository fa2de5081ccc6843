internal import LinkspanCore
internal import RegistryRequests

/// Has the writer replace the tokens of an earlier version's journal by their hashes, a part at a time, between other changes.
final class OldJournal: Sendable {
  /// Deliveries in a part. Ours: some ten milliseconds of the store's.
  private static let partLength = 2_000
  /// Between two parts, and after one that failed. Ours: other changes keep nine tenths of the store's time.
  private static let pause = Duration.milliseconds(200)
  private static let failurePause = Duration.seconds(5)

  private let isClosed = LockedState(false)

  /// The thread's work, until no token is left or until ``close()``.
  func run(_ changes: WorkQueue<Registry.Change>) {
    while let result = Self.hashPart(changes) {
      var pause = Self.pause
      switch result {
      case .success(let hasMore): if !hasMore { return }
      case .failure: pause = Self.failurePause
      }
      if isClosed.wait(atMost: pause, for: { $0 ? true : nil }) != nil { return }
    }
  }

  func close() {
    isClosed.withLock { $0 = true }
    isClosed.signal(all: true)
  }

  /// - Returns: Whether there may be more; nil when the registry ends.
  private static func hashPart(
    _ changes: WorkQueue<Registry.Change>
  ) -> Result<Bool, RegistryError>? {
    let answers = WorkQueue<Result<Bool, RegistryError>>(limit: 1)
    let change = Registry.Change.Other(
      body: { store throws(RegistryError) in
        let hasMore = try store.hashOldTokens(limit: partLength)
        return { _ = answers.add(.success(hasMore)) }
      }, isErasure: false, fail: { _ = answers.add(.failure($0)) })
    guard changes.add(.other(change)) else { return nil }
    return answers.take(1)?.first
  }
}
