internal import Glibc
internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// The thread that writes: makes everything that waits one transaction, and answers when it is durable.
struct RegistryWriter {
  /// Changes in one transaction. Ours: enough to make the disk's wait negligible, and few enough to answer soon.
  private static let groupLength = 1_000
  /// With that many a transaction begins at once; with fewer it waits for those that are on their way. Ours: more make it
  /// hardly cheaper.
  private static let gatheredLength = 256
  /// Without another change in that time it waits no longer. Ours: some requests can be read in it.
  private static let gatherPause = Duration.microseconds(100)
  private static let gatherLimit = 20
  /// The same for a database of its own where many came the last time. Ours: there a transaction of 64 changes costs as much
  /// again as the changes.
  private static let manyLength = 64
  private static let manyPause = Duration.milliseconds(1)
  private static let manyLimit = 10
  /// How long a change waits for a lost connection before it is refused, together with those it goes with. Ours.
  private static let patience = Duration.seconds(5)
  private static let pause = Duration.milliseconds(100)

  /// How often a change is made again that is in conflict with other servers'. Ours: alone it takes its locks in the same
  /// order as theirs (`hold`), so a conflict is left only with transactions of several changes.
  private static let conflictLimit = 10

  /// How long a client's change waits here before it is refused. Ours: well before the server answers in its place, so that
  /// what was answered no is not made later.
  static let queuePatience = Duration.seconds(15)
  /// How many changes wait for another program's lock, one after the other, before those behind them are refused unmade. Ours:
  /// two of a row that somebody holds are passed by, and a table that somebody holds costs this much time.
  private static let lockLimit = 2

  private let store: RegistryStore
  private let wait: (Duration) -> Void
  private let now: () -> ContinuousClock.Instant
  private let note: ([Duration]) -> Void

  /// - Parameters:
  ///   - wait: Lets time pass.
  ///   - now: By which attempts at a lost connection are timed.
  ///   - note: Takes how long changes waited, each from when it came to when it was answered.
  init(
    _ store: RegistryStore,
    wait: @escaping (Duration) -> Void = { usleep(UInt32(clamping: $0.wholeMilliseconds * 1_000)) },
    now: @escaping () -> ContinuousClock.Instant = { .now },
    note: @escaping ([Duration]) -> Void = { _ in }
  ) {
    self.store = store
    self.wait = wait
    self.now = now
    self.note = note
  }

  /// A writer in real time.
  ///
  /// - Parameter waits: Gets how long changes waited. All writers of a registry share it, since a slow store slows each of them.
  init(_ store: RegistryStore, noting waits: LockedState<TimeHistogram>) {
    self.init(
      store,
      note: { times in
        waits.withLock { waits in for time in times { waits.note(time.wholeMilliseconds) } }
      })
  }

  func run(_ queue: WorkQueue<Registry.Change>) {
    var lastCount = 1
    while queue.wait() {
      let old = queue.takeOld(Self.queuePatience, where: \.isAwaited)
      for change in old { change.fail(Self.tooLate) }
      note(old.map { _ in Self.queuePatience })
      // Where changes come one by one, none waits for another.
      if lastCount >= Self.manyLength, store.database.dialect.isRemote {
        queue.gather(Self.gatheredLength, pauses: Self.manyLimit, of: Self.manyPause)
      } else if lastCount > 1 {
        queue.gather(Self.gatheredLength, pauses: Self.gatherLimit, of: Self.gatherPause)
      }
      let changes = queue.takeTimed(Self.groupLength)
      if changes.isEmpty { continue }
      make(changes.map { $0.job }, waited: queue.age(since: changes[0].since))
      note(changes.map { queue.age(since: $0.since) })
      lastCount = changes.count
    }
  }

  private static let tooLate = RegistryError(
    .overloaded, "The change waited too long for the registry's store and was not made.",
    help: "Send it again later.")

  /// Makes what waits, as ``run(_:)`` does in one turn.
  ///
  /// - Returns: Whether there was anything.
  func step(_ queue: WorkQueue<Registry.Change>) -> Bool {
    let changes = queue.takeNow(Self.groupLength)
    if !changes.isEmpty { make(changes) }
    return !changes.isEmpty
  }

  /// - Parameter waited: How long the first of them has waited, as long as any: it counts where those before them have waited
  ///   for a lost connection.
  func make(_ changes: [Registry.Change], waited: Duration = .zero) {
    do throws(RegistryError) {
      try makeTogether(changes)
    } catch {
      switch error.kind {
      case .unavailable where error.isLocked && changes.count == 1: changes[0].fail(error)
      case .unavailable where error.isLocked || recover(waited): makeEach(changes)
      case .unavailable, .uncertain:
        for change in changes { change.fail(error) }
      default:
        guard changes.count > 1 else { return changes[0].fail(error) }
        makeEach(changes)
      }
    }
  }

  /// - Returns: Why it was not made.
  @discardableResult
  private func makeAlone(_ change: Registry.Change) -> RegistryError? {
    var conflicts = 0
    while true {
      do throws(RegistryError) {
        try makeTogether([change])
        return nil
      } catch {
        conflicts += 1
        if error.isConflict, conflicts < Self.conflictLimit { continue }
        change.fail(error)
        return error
      }
    }
  }

  /// Makes each for itself, so that one of them cannot spoil the others. Where another program's lock is in the way of several, the
  /// rest is refused without waiting for it, so that all are answered in a bounded time.
  private func makeEach(_ changes: [Registry.Change]) {
    var locks: [RegistryError] = []
    for change in changes {
      if locks.count >= Self.lockLimit, let last = locks.last {
        change.fail(last)
      } else if let error = makeAlone(change), error.isLocked {
        locks.append(error)
      }
    }
  }

  /// Waits for a lost connection to come back.
  ///
  /// - Returns: Whether another attempt makes sense: not where there is no connection that was lost, as on a full disk.
  private func recover(_ waitedBefore: Duration) -> Bool {
    guard store.database.dialect.isRemote else { return false }
    var waited = waitedBefore
    while true {
      let start = now()
      do throws(RegistryError) {
        try store.database.recover()
        return true
      } catch {
        waited += now() - start + Self.pause
        guard waited <= Self.patience else { return false }
        wait(Self.pause)
      }
    }
  }

  private func makeTogether(_ changes: [Registry.Change]) throws(RegistryError) {
    let answers = try store.transaction { () throws(RegistryError) in
      var answers: [@Sendable () -> Void] = []
      answers.reserveCapacity(changes.count)
      var start = 0
      while start < changes.count {
        let end = changes[start...].firstIndex { !$0.goes(with: changes[start]) } ?? changes.count
        switch changes[start] {
        case .register: answers += try register(changes[start..<end])
        case .notify: answers += try notify(changes[start..<end])
        case .other(let other): answers.append(try other.body(store))
        }
        start = max(start + 1, end)
      }
      return answers
    }
    let failure = changes.contains(where: \.isErasure) ? emptyLog() : nil
    for (change, answer) in zip(changes, answers) {
      // All of them are durable, so this concerns the erasures only, and they fail together: each attempt may wait long.
      if let failure, change.isErasure { change.fail(failure) } else { answer() }
    }
  }

  /// - Returns: Why the log still holds what was erased.
  private func emptyLog() -> RegistryError? {
    do throws(RegistryError) {
      try store.finishErasure()
      return nil
    } catch {
      return error
    }
  }

  /// Registrations that follow each other go to the store together.
  private func register(
    _ changes: ArraySlice<Registry.Change>
  ) throws(RegistryError) -> [@Sendable () -> Void] {
    var registrations: [DeviceRegistration] = []
    registrations.reserveCapacity(changes.count)
    for case .register(let registration, _, _) in changes { registrations.append(registration) }
    let devices = try store.register(registrations)
    var entries: [AuditEntry] = []
    entries.reserveCapacity(changes.count)
    var answers: [@Sendable () -> Void] = []
    answers.reserveCapacity(changes.count)
    for (change, device) in zip(changes, devices) {
      guard case .register(let registration, let actor, let completion) = change else { continue }
      entries.append(
        AuditEntry(
          time: registration.time, actor: actor,
          action: device.isNew ? "device.register" : "device.update",
          subject: "\(device.device.identifier)"))
      answers.append { completion(.success(device)) }
    }
    #if PLANTED_BUGS
      if ServiceBug.auditLineMissing.isPlanted { entries.removeSubrange(1...) }
    #endif
    try store.audit(entries)
    return answers
  }

  /// Notifications that follow each other, too.
  private func notify(
    _ changes: ArraySlice<Registry.Change>
  ) throws(RegistryError) -> [@Sendable () -> Void] {
    var orders: [NotificationOrder] = []
    for case .notify(let order, _) in changes { orders.append(order) }
    let results = try store.notify(orders)
    guard results.count == changes.count else { throw RegistryStore.emptyAnswer }
    return zip(changes, results).compactMap { change, result in
      guard case .notify(_, let completion) = change else { return nil }
      return { completion(.success(result)) }
    }
  }
}

extension Registry.Change {
  /// Whether two that follow each other go to the store together.
  fileprivate func goes(with other: Self) -> Bool {
    switch (self, other) {
    case (.register, .register), (.notify, .notify): true
    default: false
    }
  }
}
