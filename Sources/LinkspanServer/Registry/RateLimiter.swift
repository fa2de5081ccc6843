package import LinkspanCore

/// Counts requests of each client in windows of a minute.
package final class RateLimiter: Sendable {
  /// What a client has left.
  package struct Standing: Hashable, Sendable {
    package var isAllowed: Bool
    package var remaining: Int
    /// Until the window ends, at least 1.
    package var seconds: Int
  }

  private struct Window {
    var start: Int64
    var count: Int
  }

  private static let windowMilliseconds: Int64 = 60_000
  /// Clients that are kept apart. Ours; beyond it those whose window has passed are forgotten, then all.
  private static let clientLimit = 20_000

  private let windows = LockedState<[String: Window]>([:])

  package init() {}

  /// Counts one request.
  package func count(_ client: String, limit: Int, at now: WallTime) -> Standing {
    windows.withLock { windows in
      let time = now.milliseconds
      if windows.count >= Self.clientLimit, windows[client] == nil {
        windows = windows.filter { time - $0.value.start < Self.windowMilliseconds }
        if windows.count >= Self.clientLimit { windows = [:] }
      }
      var window = windows[client] ?? Window(start: time, count: 0)
      if time - window.start >= Self.windowMilliseconds || time < window.start {
        window = Window(start: time, count: 0)
      }
      if window.count < limit { window.count += 1 } else { window.count = limit + 1 }
      windows[client] = window
      let left = (Self.windowMilliseconds - (time - window.start) + 999) / 1_000
      return Standing(
        isAllowed: window.count <= limit, remaining: max(0, limit - window.count), seconds: max(1, Int(left)))
    }
  }
}
