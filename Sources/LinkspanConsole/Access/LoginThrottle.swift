internal import LinkspanCore

/// Counts wrong passwords, and says when to wait.
final class LoginThrottle: Sendable {
  /// Ours: a person mistypes fewer, a program tries many more.
  static let limitByAddress = 10
  /// From all addresses together. Ours: higher, so that a stranger locks nobody out with ten guesses.
  static let limitByName = 50
  static let windowMilliseconds: Int64 = 15 * 60_000
  /// Ours; bounds memory.
  private static let keyLimit = 10_000

  private struct Window {
    var start: Int64
    var failures: Int
  }

  private let windows = LockedState<[String: Window]>([:])

  /// How many seconds to wait before the next try; nil when one may be made.
  func wait(address: String, name: String, at now: WallTime) -> Int? {
    windows.withLock { windows in
      let waits = Self.keys(address, name).compactMap { key, limit -> Int64? in
        guard let window = windows[key], window.failures >= limit else { return nil }
        let left = window.start + Self.windowMilliseconds - now.milliseconds
        return left > 0 ? left : nil
      }
      return waits.max().map { Int(($0 + 999) / 1_000) }
    }
  }

  /// Counts a wrong password.
  ///
  /// - Returns: How many there were from this address.
  func fail(address: String, name: String, at now: WallTime) -> Int {
    windows.withLock { windows in
      let time = now.milliseconds
      if windows.count >= Self.keyLimit {
        windows = windows.filter { time - $0.value.start < Self.windowMilliseconds }
        if windows.count >= Self.keyLimit { windows = [:] }
      }
      for (key, _) in Self.keys(address, name) {
        var window = windows[key] ?? Window(start: time, failures: 0)
        if !(0..<Self.windowMilliseconds).contains(time - window.start) {
          window = Window(start: time, failures: 0)
        }
        window.failures += 1
        windows[key] = window
      }
      return windows["a " + address]?.failures ?? 0
    }
  }

  /// Forgets what was wrong from an address once a password is right.
  func succeed(address: String) { windows.withLock { $0["a " + address] = nil } }

  private static func keys(_ address: String, _ name: String) -> [(key: String, limit: Int)] {
    [("a " + address, limitByAddress), ("n " + ASCII.lowercased(name), limitByName)]
  }
}
