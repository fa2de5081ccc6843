internal import Dispatch
internal import LinkspanCore
internal import PushProvider

/// What has happened on connections to APNs, from their threads to the one that drives the push client.
final class PushMailbox: Sendable {
  private let events = LockedState<[PushClient.Event]>([])
  private let semaphore = DispatchSemaphore(value: 0)

  func put(_ event: PushClient.Event) {
    let isFirst = events.withLock { events in
      events.append(event)
      return events.count == 1
    }
    if isFirst { semaphore.signal() }
  }

  /// Ends a wait although nothing has happened.
  func wake() { semaphore.signal() }

  /// What has happened since, after waiting for the first of it.
  func take(within time: Duration) -> [PushClient.Event] {
    _ = semaphore.wait(timeout: .now() + .milliseconds(Int(clamping: time.wholeMilliseconds)))
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
