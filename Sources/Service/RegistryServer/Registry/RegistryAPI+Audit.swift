package import DeviceRegistry
internal import LinkspanCore
internal import RegistryRequests

/// Lines of the audit log about what is none of the registry's own, such as the files of a host. They are written after it was
/// done, so the store may refuse them then: each is kept until the store has it.
extension RegistryAPI {
  /// Lines that the store did not take.
  struct LateLines {
    /// Ours: more than a server is ordered while its store is away. The server's log has each of them.
    static let limit = 1_000

    var entries: [AuditEntry] = []
    /// What lines are about that are being written for the first time, each with their number.
    var beingWritten: [String: Int] = [:]
    /// Whether they are being written because of the clock alone.
    var isUnderWay = false
  }

  /// Writes lines of the audit log, behind those that the store did not take before. Where it does not take them, the operator is
  /// told, and they are written later.
  ///
  /// - Parameter completion: Told whether they are stored.
  package func audit(
    _ entries: [AuditEntry], _ completion: @escaping @Sendable (_ isStored: Bool) -> Void
  ) {
    writeLateLines()
    noteWriting(entries, 1)
    registry.change({ store throws(RegistryError) in try store.audit(entries) }) { result in
      switch result {
      case .success:
        self.noteWriting(entries, -1)
        completion(true)
      case .failure(let error):
        self.keep(entries)
        self.noteWriting(entries, -1)
        self.fail(error) { _ in completion(false) }
      }
    }
  }

  private func noteWriting(_ entries: [AuditEntry], _ change: Int) {
    lateLines.withLock { late in
      for entry in entries {
        let count = late.beingWritten[entry.subject, default: 0] + change
        late.beingWritten[entry.subject] = count > 0 ? count : nil
      }
    }
  }

  /// Writes a line of the audit log as ``audit(_:_:)`` does, and waits for the store.
  package func auditAndWait(_ entry: AuditEntry) -> Bool {
    registry.waiting { done in audit([entry], done) } ?? false
  }

  /// For a person whose order has been carried out.
  package static let lateLineWords =
    "The registry's audit log has no line of it yet: it is written when the registry takes it."

  /// Whether the store has not taken a line about something, or not yet.
  func lacksLine(about subject: String) -> Bool {
    lateLines.withLock { late in
      late.beingWritten[subject] != nil || late.entries.contains { $0.subject == subject }
    }
  }

  /// Tries again to write what the store did not take, without waiting for it. Called from time to time while the store takes
  /// changes.
  package func writeLateLines() {
    let isDue = lateLines.withLock { late in
      guard !late.entries.isEmpty, !late.isUnderWay else { return false }
      late.isUnderWay = true
      return true
    }
    if isDue { writeLateLines { _ in self.lateLines.withLock { $0.isUnderWay = false } } }
  }

  /// The same whatever is under way.
  ///
  /// - Parameter completion: Told whether all of them are stored.
  func writeLateLines(_ completion: @escaping @Sendable (_ areStored: Bool) -> Void) {
    let late = lateLines.withLock { $0.entries }
    registry.change({ store throws(RegistryError) in try store.auditOnce(late) }) { result in
      switch result {
      case .success:
        self.forget(late)
        completion(true)
      case .failure(let error): self.fail(error) { _ in completion(false) }
      }
    }
  }

  private func keep(_ entries: [AuditEntry]) {
    for entry in entries {
      let hasRoom = lateLines.withLock { late in
        guard late.entries.count < LateLines.limit else { return false }
        late.entries.append(entry)
        return true
      }
      let what = [entry.actor, entry.action, entry.subject].filter { !$0.isEmpty }.joined(separator: " ")
      options.log(
        "the registry's audit log does not take the line '\(what)'"
          + (hasRoom ? "; it is written when it does" : ", and too many lines wait already"))
    }
  }

  private func forget(_ entries: [AuditEntry]) {
    if entries.isEmpty { return }
    let stored = Set(entries)
    lateLines.withLock { $0.entries.removeAll { stored.contains($0) } }
  }
}
