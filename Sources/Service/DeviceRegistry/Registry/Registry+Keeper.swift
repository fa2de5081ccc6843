internal import LinkspanCore
internal import LinkspanSystem
internal import RegistryDatabases
internal import RegistryRequests

/// The thread that removes what is old in the journal.
extension Registry {
  func keeperThread(with store: Confined?, _ keeping: Keeping) throws(LinkspanError) -> JoinableThread {
    if let store {
      return try thread(with: store) { [keeper] store in
        keeper.run(keeping.retention, now: keeping.now) { body in
          if case .success(let kept) = Self.answer(
            { store throws(RegistryError) in
              try store.transaction { () throws(RegistryError) in try body(store) }
            }, from: store)
          {
            kept
          } else {
            nil
          }
        }
      }
    }
    return try JoinableThread { [keeper, changes] in
      keeper.run(keeping.retention, now: keeping.now) { body in
        let answers = WorkQueue<JournalKeeper.Kept?>(limit: 1)
        let change = Change.Other(
          body: { store throws(RegistryError) in
            let kept = try body(store)
            return { _ = answers.add(kept) }
          }, isErasure: false, fail: { _ in _ = answers.add(nil) })
        guard changes.add(.other(change)) else { return nil }
        return answers.take(1)?.first ?? nil
      }
    }
  }
}
