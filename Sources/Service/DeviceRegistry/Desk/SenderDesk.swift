internal import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryRequests

/// Where a sender gets notifications of its own process as they are stored.
///
/// While a sender has room, a delivery is stored as going out, and the sender gets it as soon as it is durable: it asks the
/// store for nothing, and the store writes the delivery once less. Without room, or without a sender that lives, it waits in
/// the queue.
package final class SenderDesk: Sendable {
  /// A delivery that is stored as going out.
  package struct Handed: Sendable {
    /// The sender that it was stored for.
    package var sender: String
    package var delivery: ClaimedDelivery
    package var message: Message
  }

  /// What a sender takes.
  package struct Offer: Sendable {
    var sender: String
    var room: Int
    var topics: TopicChoice
    /// Called on the thread that stores.
    var wake: @Sendable () -> Void

    package init(
      _ sender: String, room: Int, topics: TopicChoice, wake: @escaping @Sendable () -> Void
    ) {
      self.sender = sender
      self.room = room
      self.topics = topics
      self.wake = wake
    }
  }

  private struct State {
    /// Nil while nothing is taken.
    var offer: Offer?
    /// Deliveries of transactions that are open.
    var inTransit = 0
    var arrived: [Handed] = []
    var isUncertain = false
  }

  let environment: PushEnvironment
  private let state = LockedState(State())

  init(_ environment: PushEnvironment) { self.environment = environment }

  // MARK: - The sender

  /// Says what the sender takes from now on. What it has not got yet counts as taken.
  package func open(_ offer: Offer) {
    state.withLock { state in
      var offer = offer
      offer.room -= state.inTransit + state.arrived.count
      state.offer = offer
    }
  }

  /// Takes nothing more.
  ///
  /// - Returns: Whether everything has arrived that was stored for it.
  @discardableResult
  package func close() -> Bool {
    state.withLock { state in
      state.offer = nil
      return state.inTransit == 0
    }
  }

  /// What has arrived since the last call.
  ///
  /// - Returns: The deliveries, and whether more may be stored for the sender, after a commit whose answer never came.
  package func take() -> (handed: [Handed], isUncertain: Bool) {
    state.withLock { state in
      defer { (state.arrived, state.isUncertain) = ([], false) }
      return (state.arrived, state.isUncertain)
    }
  }

  // MARK: - The store

  /// Keeps room for the deliveries of a notification.
  ///
  /// - Returns: The sender that they are for; nil where there is no room for all of them.
  func reserve(_ count: Int, of topic: String) -> String? {
    state.withLock { state in
      guard let offer = state.offer, count <= offer.room, offer.topics.takes(topic) else { return nil }
      state.offer?.room -= count
      state.inTransit += count
      return offer.sender
    }
  }

  /// Ends a transaction that room was kept for.
  ///
  /// - Parameters:
  ///   - count: The room.
  ///   - handed: What is durable of it.
  ///   - isUncertain: Whether nobody knows.
  func settle(_ count: Int, _ handed: [Handed], isUncertain: Bool) {
    let wake = state.withLock { state in
      state.inTransit -= count
      state.arrived += handed
      state.isUncertain = state.isUncertain || isUncertain
      #if PLANTED_BUGS
        if ServiceBug.uncertainHandoverForgotten.isPlanted { state.isUncertain = false }
      #endif
      return handed.isEmpty ? nil : state.offer?.wake
    }
    wake?()
  }
}

/// The desks of a process' senders.
final class SenderDesks: Sendable {
  private let desks = LockedState<[SenderDesk]>([])

  func add(_ desk: SenderDesk) { desks.withLock { $0.append(desk) } }

  func remove(_ desk: SenderDesk) { desks.withLock { $0.removeAll { $0 === desk } } }

  /// Keeps room for the deliveries of a notification.
  func reserve(_ count: Int, of content: MessageContent) -> (desk: SenderDesk, sender: String)? {
    for desk in desks.withLock({ $0 }) where desk.environment == content.environment {
      if let sender = desk.reserve(count, of: content.topic.text) { return (desk, sender) }
    }
    return nil
  }
}

/// What an open transaction stores for senders of this process.
struct Handover {
  private struct Part {
    var desk: SenderDesk
    var room = 0
    var handed: [SenderDesk.Handed] = []
  }

  private var parts: [Part] = []

  private mutating func change(_ desk: SenderDesk, _ body: (inout Part) -> Void) {
    if let index = parts.firstIndex(where: { $0.desk === desk }) { return body(&parts[index]) }
    var part = Part(desk: desk)
    body(&part)
    parts.append(part)
  }

  mutating func keep(_ room: Int, at desk: SenderDesk) { change(desk) { $0.room += room } }

  mutating func add(_ handed: SenderDesk.Handed, to desk: SenderDesk) {
    change(desk) { $0.handed.append(handed) }
  }

  /// Hands over what is durable.
  mutating func commit() { settle(isDurable: true, isUncertain: false) }

  /// Forgets it, since the transaction has come to nothing, or nobody knows.
  mutating func rollBack(isUncertain: Bool) { settle(isDurable: false, isUncertain: isUncertain) }

  private mutating func settle(isDurable: Bool, isUncertain: Bool) {
    for part in parts {
      part.desk.settle(part.room, isDurable ? part.handed : [], isUncertain: isUncertain)
    }
    parts = []
  }
}
