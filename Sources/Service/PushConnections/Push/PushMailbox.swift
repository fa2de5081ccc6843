internal import LinkspanCore
internal import PushProvider

/// What has happened on connections to APNs, from their threads to the one that drives the push client.
final class PushMailbox: Sendable {
  private struct State {
    var events: [PushClient.Event] = []
    var isWoken = false
  }

  private let state = LockedState(State())

  func put(_ event: PushClient.Event) {
    let isFirst = state.withLock { state in
      state.events.append(event)
      return state.events.count == 1
    }
    if isFirst { state.signal(all: false) }
  }

  /// Ends a wait although nothing has happened.
  func wake() {
    state.withLock { $0.isWoken = true }
    state.signal(all: false)
  }

  /// What has happened since, after waiting for the first of it. A clock that is set does not change how long.
  func take(within time: Duration) -> [PushClient.Event] {
    let events = state.wait(atMost: time) { state in
      guard state.isWoken || !state.events.isEmpty else { return [PushClient.Event]?.none }
      defer { state = State() }
      return state.events
    }
    return events ?? []
  }
}
