package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// The stores of a registry without threads, and what waits between two of its steps.
///
/// `@unchecked Sendable`: one thread has it and its registry.
final class SteppedStores: @unchecked Sendable {
  let writer: RegistryStore
  let reader: RegistryStore
  /// Lets time pass while a connection is lost.
  let wait: (Duration) -> Void
  var openErasures: [ErasureWatch.Job] = []
  var erasuresAskedAt: WallTime?

  init(writer: RegistryStore, reader: RegistryStore, wait: @escaping (Duration) -> Void) {
    self.writer = writer
    self.reader = reader
    self.wait = wait
  }
}

extension Registry {
  /// Does the next piece of work of the threads that a registry of a simulation does not have: one transaction with all
  /// changes that wait, or else one question.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  package func step() -> Bool {
    guard let stepped else { preconditionFailure("this registry has threads of its own") }
    let start = ContinuousClock.now
    if RegistryWriter(stepped.writer, wait: stepped.wait, now: { start }).step(changes) { return true }
    guard let question = questions.takeNow(1).first else { return false }
    question(stepped.reader)
    return true
  }

  /// Forgets what waits and answers nobody, as a process does that is killed. A request that waits holds on to who asked, and
  /// they to the registry: without this none of them would leave memory.
  package func abandon() {
    changes.removeAll()
    questions.removeAll()
    erasures.removeAll()
    stepped?.openErasures = []
  }

  /// Removes journals whose time is over, as their thread does in one look.
  package func keepJournal(_ retention: RegistryStore.Retention, at now: WallTime) throws(RegistryError) {
    _ = try changeAndWait { store throws(RegistryError) in try JournalKeeper.look(retention, store, at: now) }
  }

  /// Asks for erasures that wait whether servers still send something to their persons.
  ///
  /// - Parameter now: The simulation's time, which an erasure's patience is counted by.
  package func advanceErasures(to now: WallTime) {
    guard let stepped else { preconditionFailure("this registry has threads of its own") }
    let waited = stepped.erasuresAskedAt.map { now.milliseconds - $0.milliseconds } ?? 0
    stepped.erasuresAskedAt = now
    stepped.openErasures = erasures.step(stepped.openErasures, waited: .milliseconds(max(0, waited))) {
      deliveries in
      guard
        case .success(let answer) = Self.answer(
          { store throws(RegistryError) in try store.underWay(deliveries) }, from: stepped.reader)
      else { return nil }
      return answer
    }
  }
}
