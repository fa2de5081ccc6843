package import PushProvider

/// The connections of a sender: performs what its push client asks for, and hands over what has happened on them.
package protocol PushWire: AnyObject {
  /// Does all of them but the ends of pushes, which are the caller's.
  func perform(_ actions: [PushClient.Action])

  /// What has happened since the last call, after waiting for the first of it.
  func take(within time: Duration) -> [PushClient.Event]

  /// Ends a wait of ``take(within:)``; called on any thread.
  var alarm: @Sendable () -> Void { get }

  func shutdown()
}

/// Connections over sockets.
package final class SocketWire: PushWire {
  private let mailbox = PushMailbox()
  private let transport: PushTransport

  package init(_ account: PushAccount, patience: Duration) {
    transport = PushTransport(account, mailbox, patience: patience)
  }

  package func perform(_ actions: [PushClient.Action]) { transport.perform(actions) }

  package func take(within time: Duration) -> [PushClient.Event] { mailbox.take(within: time) }

  package var alarm: @Sendable () -> Void { { [mailbox] in mailbox.wake() } }

  package func shutdown() { transport.shutdown() }
}
