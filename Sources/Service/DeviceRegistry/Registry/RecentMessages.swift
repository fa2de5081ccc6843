internal import LinkspanCore
package import RegistryRequests

/// Notifications that this process has stored a moment ago, for the sender that claims them next: it need not read from the
/// store what the process has just written there.
///
/// A message may leave it at any time, or be claimed by another server: whoever does not find one reads the store.
struct RecentMessages: Sendable {
  /// Messages of one generation. Ours: 5 KB each at most.
  static let generationLength = 500

  private var newer: [Int64: Message] = [:]
  private var older: [Int64: Message] = [:]

  mutating func keep(_ message: Message) {
    if newer.count >= Self.generationLength {
      older = newer
      newer = [:]
    }
    newer[message.identifier] = message
  }

  /// Takes those of some messages that are in it.
  mutating func take(_ identifiers: Set<Int64>) -> [Message] {
    identifiers.compactMap { newer.removeValue(forKey: $0) ?? older.removeValue(forKey: $0) }
  }
}

extension Registry {
  /// Stores a notification, together with others that wait.
  ///
  /// - Parameter completion: Called when it is durable.
  package func notify(
    _ order: NotificationOrder, _ completion: @escaping Completion<NotificationOrder.Result>
  ) {
    let recent = recent
    let change = Change.notify(order) { result in
      if case .success(.stored(let message, _)) = result, message.finishedAt == nil {
        recent.withLock { $0.keep(message) }
      }
      completion(result)
    }
    guard changes.add(change) else { return completion(.failure(Self.overloaded)) }
  }

  /// Messages with identifiers, those that are gone left out: of notifications that this process has just stored without a
  /// question to the store. A device that has left since has no address in the queue any more, so nothing is sent to it.
  package func messages(
    _ identifiers: Set<Int64>, in store: RegistryStore
  ) throws(RegistryError) -> [Message] {
    let kept = recent.withLock { $0.take(identifiers) }
    return kept + (try store.messages(identifiers.subtracting(kept.map(\.identifier))))
  }
}
