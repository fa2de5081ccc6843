package import LinkspanCore
internal import LinkspanSystem
package import RegistryDatabases
package import RegistryRequests

/// The registry of devices, credentials and campaigns: one contract over both stores.
///
/// One thread writes. It takes everything that waits and makes it one transaction, so that thousands of registrations cost
/// one wait for the disk; each is answered when that transaction is durable. Two more threads read, over connections of
/// their own, and one waits with erasures for what is under way. While a journal of an earlier version holds tokens, another
/// has them hashed. Completions are called on these threads and must not wait.
///
/// `@unchecked Sendable`: everything in it is either immutable or a queue with its own lock; each store is reached by one
/// thread.
package final class Registry: @unchecked Sendable {
  package typealias Completion<Answer> = @Sendable (Result<Answer, RegistryError>) -> Void

  /// Changes and questions that wait before more are refused. Ours.
  private static let queueLimit = 100_000

  enum Change: Sendable {
    case register(DeviceRegistration, actor: String, Completion<RegisteredDevice>)
    case notify(NotificationOrder, Completion<NotificationOrder.Result>)
    case other(Other)

    struct Other: Sendable {
      /// Returns what is to be done when the change is durable.
      var body: @Sendable (RegistryStore) throws(RegistryError) -> (@Sendable () -> Void)
      /// Whether the store's log is emptied between the transaction and the answer.
      var isErasure: Bool
      /// Whether a client waits for it, who is answered no after a while.
      var isAwaited = false
      var fail: @Sendable (RegistryError) -> Void
    }

    var isErasure: Bool { if case .other(let other) = self { other.isErasure } else { false } }

    var isAwaited: Bool { if case .other(let other) = self { other.isAwaited } else { true } }

    func fail(_ error: RegistryError) {
      switch self {
      case .register(_, _, let completion): completion(.failure(error))
      case .notify(_, let completion): completion(.failure(error))
      case .other(let other): other.fail(error)
      }
    }
  }

  typealias Question = @Sendable (RegistryStore) -> Void

  /// Does something with the rights of the user that owns the store's folder, where this process may. The rights are
  /// those of the calling thread alone.
  package typealias OwnerRights = @Sendable (RegistryPlace, () -> Void) throws(RegistryError) -> Void

  package let address: RegistryAddress
  /// What stands for tokens and aliases in the journal and in logs.
  package let hash: KeyedHash
  /// How long this process keeps the journal; nil where another one removes it.
  package let retention: RegistryStore.Retention?
  /// The version of the tables that the store had before; 0 where there were none, nil where it has this program's.
  package let formerVersion: Int?
  /// Why no registry would be made in this database, which an earlier version made this one in; nil where nothing is wrong.
  package let unfitness: RegistryError?
  /// Whether senders have a connection of their own.
  private let hasOwnSender: Bool
  /// Nil for PostgreSQL.
  private let place: RegistryPlace?
  private let asOwner: OwnerRights
  let changes = WorkQueue<Change>(limit: queueLimit)
  /// Those of senders, which PostgreSQL makes beside the others.
  private let sending = WorkQueue<Change>(limit: queueLimit)
  let questions = WorkQueue<Question>(limit: queueLimit)
  let erasures = ErasureWatch()
  let desks = SenderDesks()
  private let waits = LockedState(
    TimeHistogram([10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000]))
  /// Of a registry that has no threads.
  let stepped: SteppedStores?
  private let oldJournal = OldJournal()
  let keeper = JournalKeeper()
  /// Ends after all others.
  private var writer: JoinableThread?
  private var others: [JoinableThread] = []

  /// How long the journal is kept, and what time it is.
  package struct Keeping: Sendable {
    var retention: RegistryStore.Retention
    var now: @Sendable () -> WallTime

    package init(_ retention: RegistryStore.Retention, now: @escaping @Sendable () -> WallTime) {
      self.retention = retention
      self.now = now
    }
  }

  /// Opens the store and brings its tables to this program's version.
  ///
  /// - Parameters:
  ///   - makesFile: Whether a registry is made where there is none.
  ///   - readerCount: Threads that answer questions, at least 1.
  ///   - keeping: How long the journal is kept; nil where another process removes it.
  ///   - asOwner: With whose rights files are made, opened and removed.
  /// - Throws: That it cannot be opened, is another program's, or was written by a newer version.
  package init(
    _ address: RegistryAddress, makesFile: Bool = true, for use: Use = .changes, readerCount: Int = 2,
    keeping: Keeping? = nil, asOwner: @escaping OwnerRights = { $1() }
  ) throws(RegistryError) {
    self.address = address
    self.asOwner = asOwner
    let place = try address.place()
    self.place = place
    var opened: Result<Stores, RegistryError>?
    let open = {
      opened = Result { () throws(RegistryError) in
        try Self.stores(
          address, place, makesFile: makesFile, for: use, readerCount: readerCount,
          keeps: keeping != nil)
      }
    }
    if let place { try asOwner(place, open) } else { open() }
    guard let opened else { preconditionFailure("asOwner has not called its body") }
    let stores = try opened.get()
    stepped = nil
    hash = stores.writer.hash
    hasOwnSender = stores.sender != nil
    (formerVersion, unfitness) = (stores.formerVersion, stores.unfitness)
    retention = keeping?.retention
    let hasOldTokens = use.onlyReads ? false : try stores.writer.hasOldTokens()
    let (changes, questions, waits) = (changes, questions, waits)
    do throws(LinkspanError) {
      for reader in stores.readers {
        others.append(try thread(with: reader) { store in Self.read(questions, store) })
      }
      if let sender = stores.sender {
        others.append(
          try thread(with: sender) { [sending] in RegistryWriter($0, noting: waits).run(sending) })
      }
      if let keeping { others.append(try keeperThread(with: stores.keeper, keeping)) }
      others.append(
        try JoinableThread { [erasures] in
          erasures.run { deliveries in Self.underWay(deliveries, questions) }
        })
      if hasOldTokens { others.append(try JoinableThread { [oldJournal] in oldJournal.run(changes) }) }
      // SQLite empties the log when the last connection is closed. Of two that are closed at once each may take the other
      // for the last one, and the log stays.
      writer = try thread(with: stores.writer) { [others, desks] store in
        store.desks = desks
        RegistryWriter(store, noting: waits).run(changes)
        for thread in others { thread.join() }
      }
    } catch {
      stop()
      throw RegistryError(.unavailable, error.message, help: error.help)
    }
  }

  /// Opens a registry of a simulation, which has no threads: what they would do is done by ``step()``, and by those that
  /// wait for an answer.
  ///
  /// - Parameter address: No file of this machine's. In tests it may be a server's.
  package init(stepping address: RegistryAddress) throws(RegistryError) {
    self.address = address
    place = nil
    asOwner = { $1() }
    let stores = try Self.stores(
      address, nil, makesFile: true, for: .changes, readerCount: 1, keeps: false)
    hash = stores.writer.hash
    hasOwnSender = false
    (formerVersion, unfitness) = (nil, nil)
    retention = nil
    let writer = stores.writer.take()
    writer.desks = desks
    #if PLANTED_BUGS
      if ServiceBug.retryAfterForgotten.isPlanted {
        try writer.database.run("UPDATE queue SET due_at = 0 WHERE state = 'queued'")
      }
    #endif
    let wait: (Duration) -> Void =
      if case .simulatedServer(let server) = address { server.pause } else { { _ in } }
    stepped = SteppedStores(writer: writer, reader: stores.readers[0].take(), wait: wait)
  }

  /// Finishes what waits and ends the threads. Nothing is taken in afterwards.
  package func stop() {
    erasures.close()
    oldJournal.close()
    keeper.close()
    sending.close()
    changes.close()
    questions.close()
    if let writer { writer.join() } else { for thread in others { thread.join() } }
    writer = nil
    others = []
  }

  /// A thread that has a store for itself. It closes the store with the rights that it was opened with, since the last
  /// connection removes the log.
  func thread(
    with store: Confined, _ body: @escaping @Sendable (RegistryStore) -> Void
  ) throws(LinkspanError) -> JoinableThread {
    try JoinableThread { [place, asOwner] in
      store.use(body)
      do throws(RegistryError) {
        if let place { try asOwner(place, store.close) }
      } catch {
        // It could become the owner when it opened the store.
      }
      store.close()
    }
  }

  /// Changes that wait for the disk.
  package var waitingChanges: Int { changes.count }

  /// How long changes waited for the disk, each until it was durable or refused.
  package var changeTimes: TimeHistogram { waits.withLock { $0 } }

  /// When the oldest message was stored whose journal is kept; nil without one, and where another process removes it.
  package var oldestJournal: WallTime? { keeper.oldest }

  static let overloaded = RegistryError(
    .overloaded, "More changes wait for the registry's store than it holds.", help: "Send it again later.")

  // MARK: - Changes

  /// Registers a device, and writes the audit log.
  ///
  /// - Parameter completion: Called when the registration is durable.
  package func register(
    _ registration: DeviceRegistration, actor: String,
    _ completion: @escaping Completion<RegisteredDevice>
  ) {
    guard changes.add(.register(registration, actor: actor, completion)) else {
      return completion(.failure(Self.overloaded))
    }
  }

  /// Makes a change in a transaction that it may share with others. When the closure throws, nothing of it remains.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether a client waits for it. Where the store is busy for so long that the client is answered no, it is not
  ///     made any more.
  ///   - body: May run more than once.
  ///   - completion: Called when the change is durable.
  package func change<Answer: Sendable>(
    isAwaited: Bool = false,
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer,
    _ completion: @escaping Completion<Answer>
  ) {
    add(body, isErasure: false, isAwaited: isAwaited, completion)
  }

  private func add<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer,
    isErasure: Bool, isAwaited: Bool = false, to queue: WorkQueue<Change>? = nil,
    _ completion: @escaping Completion<Answer>
  ) {
    let change = Change.Other(
      body: { store throws(RegistryError) in
        let answer = try body(store)
        return { completion(.success(answer)) }
      }, isErasure: isErasure, isAwaited: isAwaited, fail: { completion(.failure($0)) })
    guard (queue ?? changes).add(.other(change)) else { return completion(.failure(Self.overloaded)) }
  }

  /// Erases what is stored about a person, in the store and in its log, and answers when no server sends anything to the
  /// person any more. Where the log cannot be emptied the erasure fails although the devices are gone; erasing again
  /// empties the log.
  ///
  /// - Parameters:
  ///   - topics: The topics whose devices are meant; nil for every topic.
  ///   - entry: For the audit log; the count is filled in.
  package func erase(
    alias: String, topics: [String]?, _ entry: AuditEntry, _ completion: @escaping Completion<ErasureReceipt>
  ) {
    add(
      { store throws(RegistryError) in
        var entry = entry
        let erasure = try store.erase(alias: alias, topics: topics, at: entry.time)
        entry.affected = erasure.receipt.erased
        try store.audit([entry])
        return erasure
      }, isErasure: true, isAwaited: true,
      { [erasures] result in
        switch result {
        case .success(let erasure): erasures.add(erasure) { completion(.success($0)) }
        case .failure(let error): completion(.failure(error))
        }
      })
  }

  /// - Returns: nil where the store does not answer now.
  private static func underWay(
    _ deliveries: [Int64], _ questions: WorkQueue<Question>
  ) -> (left: [Int64], cancelled: Int)? {
    let answers = WorkQueue<Result<(left: [Int64], cancelled: Int), RegistryError>>(limit: 1)
    let isTaken = questions.add { store in
      _ = answers.add(
        answer({ store throws(RegistryError) in try store.underWay(deliveries) }, from: store))
    }
    guard isTaken, case .success(let answer) = answers.take(1)?.first else { return nil }
    return answer
  }

  // MARK: - Questions

  /// Asks the store something.
  ///
  /// - Parameter body: Only reads; may run more than once.
  package func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer,
    _ completion: @escaping Completion<Answer>
  ) {
    let question: Question = { store in completion(Self.answer(body, from: store)) }
    if !questions.add(question) { completion(.failure(Self.overloaded)) }
  }

  // MARK: - Waiting

  /// Makes a change and waits until it is durable. For callers with a thread to spare, such as the command line.
  package func changeAndWait<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) throws(RegistryError) -> Answer {
    try waiting { change(body, $0) }
  }

  /// Makes a change of a sender's and waits until it is durable. On PostgreSQL it goes over a connection of its own.
  package func changeAsSender<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) throws(RegistryError) -> Answer {
    try waiting { add(body, isErasure: false, to: hasOwnSender ? sending : changes, $0) }
  }

  /// Asks the store something and waits for the answer.
  package func askAndWait<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) throws(RegistryError) -> Answer {
    try waiting { ask(body, $0) }
  }

  /// Erases a person's data and waits until that is durable.
  package func eraseAndWait(alias: String, _ entry: AuditEntry) throws(RegistryError) -> ErasureReceipt {
    try waiting { erase(alias: alias, topics: nil, entry, $0) }
  }

  private func waiting<Answer: Sendable>(
    _ start: (@escaping Completion<Answer>) -> Void
  ) throws(RegistryError) -> Answer {
    guard let result: Result<Answer, RegistryError> = waiting(start) else { throw Self.overloaded }
    return try result.get()
  }

  /// Begins something that answers later, and waits; a registry without threads does its work meanwhile.
  ///
  /// - Returns: nil where nothing is left to do and there is no answer.
  package func waiting<Answer: Sendable>(_ start: (@escaping @Sendable (Answer) -> Void) -> Void) -> Answer? {
    let answers = WorkQueue<Answer>(limit: 1)
    start { _ = answers.add($0) }
    if stepped != nil { while answers.count == 0, step() {} }
    guard stepped == nil || answers.count > 0 else { return nil }
    return answers.take(1)?.first
  }

  /// Asks the store, and once more over a new connection when the old one turns out to be broken, as after a restart of
  /// PostgreSQL.
  static func answer<Answer: Sendable>(
    _ body: (RegistryStore) throws(RegistryError) -> Answer, from store: RegistryStore
  ) -> Result<Answer, RegistryError> {
    let broken: RegistryError
    do throws(RegistryError) {
      try store.database.recover()
    } catch {
      return .failure(error)
    }
    do throws(RegistryError) {
      return .success(try body(store))
    } catch {
      guard error.isDisconnected else { return .failure(error) }
      broken = error
    }
    do throws(RegistryError) {
      try store.database.recover()
    } catch {
      // The server is gone: the first error says how the connection was lost.
      return .failure(broken)
    }
    return Result { () throws(RegistryError) in try body(store) }
  }

  private static func read(_ questions: WorkQueue<Question>, _ store: RegistryStore) {
    while let question = questions.take(1)?.first { question(store) }
  }
}
