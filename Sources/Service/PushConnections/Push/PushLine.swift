package import LinkspanCore
internal import LinkspanFiles
package import PushProvider

/// The push client of an account and its connections, driven by one owner on one thread. What many threads share, and what
/// outlives a run, is a ``PushPool``.
package final class PushLine {
  private let mailbox: PushMailbox
  private let transport: PushTransport
  private var client: PushClient
  /// Ours: changes that nobody has asked for; older ones are forgotten.
  private static let changeLimit = 16
  private var changes: [PushHealth.Change] = []

  /// - Parameters:
  ///   - connections: How many there are at most at a time.
  ///   - patience: No request takes longer.
  package convenience init(_ account: PushAccount, connections: Int, patience: Duration) {
    self.init(account, PushMailbox(), connections: connections, patience: patience)
  }

  init(_ account: PushAccount, _ mailbox: PushMailbox, connections: Int, patience: Duration) {
    var configuration = PushClient.Configuration(authority: account.authority)
    configuration.connections = connections
    self.mailbox = mailbox
    client = PushClient(
      configuration, account.credential, generator: SeededGenerator(seed: .random(in: .min ... .max)))
    transport = PushTransport(account, mailbox, patience: patience)
  }

  /// How many pushes wait to be sent for the first time, or anew at once.
  package var readyCount: Int { client.readyCount }
  /// How many pushes have not ended.
  package var unfinishedCount: Int { client.unfinishedCount }
  /// How many of them were never sent.
  package var untriedCount: Int { client.untriedCount }

  /// Takes a push; it goes out with the next ``advance()`` or ``results(within:)``.
  ///
  /// - Parameter deadline: When it ends as not now.
  @discardableResult
  package func submit(_ push: PushNotification, by deadline: WallTime) -> PushClient.Ticket {
    client.submit(push, by: deadline)
  }

  /// Does what is due now.
  ///
  /// - Returns: The pushes that have ended by it.
  package func advance() -> [(ticket: PushClient.Ticket, result: PushResult)] {
    perform(client.advance(to: CurrentTime.now))
  }

  /// Waits until something happens or is due.
  ///
  /// - Returns: The pushes that have ended; nil when nothing happened in that time.
  package func results(within time: Duration) -> [(ticket: PushClient.Ticket, result: PushResult)]? {
    let now = CurrentTime.now
    let due = client.wakeUp.map { max(0, $0.milliseconds - now.milliseconds) } ?? .max
    let events = mailbox.take(within: .milliseconds(min(due, time.wholeMilliseconds)))
    if events.isEmpty, due > 0 { return nil }
    return perform(client.handle(events, at: CurrentTime.now))
  }

  /// Ends what has not ended as not now; what is under way may have been accepted.
  package func end(because reason: String) -> [(ticket: PushClient.Ticket, result: PushResult)] {
    perform(client.end(because: reason, at: CurrentTime.now))
  }

  /// Ends what is not under way as not now; the rest goes on to its answers.
  package func endWaiting(because reason: String) -> [(ticket: PushClient.Ticket, result: PushResult)] {
    perform(client.endWaiting(because: reason, at: CurrentTime.now))
  }

  /// What has changed since the last call: whether APNs takes pushes.
  package func takeChanges() -> [PushHealth.Change] {
    defer { changes = [] }
    return changes
  }

  /// Closes the connections; what has not ended is forgotten.
  package func shutdown() { transport.shutdown() }

  private func perform(_ actions: [PushClient.Action]) -> [(ticket: PushClient.Ticket, result: PushResult)] {
    transport.perform(actions)
    var ended: [(ticket: PushClient.Ticket, result: PushResult)] = []
    for action in actions {
      switch action {
      case .finished(let ticket, let result): ended.append((ticket, result))
      case .health(let change):
        if changes.count == Self.changeLimit { changes.removeFirst() }
        changes.append(change)
      case .open, .close, .ping, .send: continue
      }
    }
    return ended
  }
}
