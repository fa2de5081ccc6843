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

  /// What a login may do.
  enum Outcome: Hashable, Sendable {
    /// The password may be looked at; `count` tries of the address are wrong, should this one be.
    case `try`(count: Int)
    case wait(seconds: Int)
  }

  /// Counts a login as wrong before its password is looked at: of logins at the same time, no more than the limit get on.
  func begin(_ address: SocketAddress?, name: String, at now: WallTime) -> Outcome {
    windows.withLock { windows in
      let (keys, time) = (Self.keys(address, name), now.milliseconds)
      let waits = keys.compactMap { key, limit -> Int64? in
        guard let window = windows[key], window.failures >= limit else { return nil }
        let left = window.start + Self.windowMilliseconds - time
        return left > 0 ? left : nil
      }
      if let longest = waits.max() { return .wait(seconds: Int((longest + 999) / 1_000)) }
      Self.makeRoom(in: &windows, at: time)
      for (key, _) in keys {
        var window = windows[key] ?? Window(start: time, failures: 0)
        if !(0..<Self.windowMilliseconds).contains(time - window.start) {
          window = Window(start: time, failures: 0)
        }
        window.failures += 1
        windows[key] = window
      }
      return .try(count: windows[keys[0].key]?.failures ?? 0)
    }
  }

  /// Forgets what was wrong from an address once a password is right, and that the right one was counted as wrong.
  func succeed(_ address: SocketAddress?, name: String) {
    windows.withLock { windows in
      let keys = Self.keys(address, name)
      windows[keys[0].key] = nil
      windows[keys[1].key]?.failures -= 1
    }
  }

  /// Where there are too many, those with the most failures stay: a flood of names must not reset the count of one.
  private static func makeRoom(in windows: inout [String: Window], at time: Int64) {
    guard windows.count >= keyLimit else { return }
    windows = windows.filter { time - $0.value.start < windowMilliseconds }
    guard windows.count >= keyLimit else { return }
    let most = windows.sorted { ($1.value.failures, $0.key) < ($0.value.failures, $1.key) }.prefix(
      keyLimit / 2)
    windows = Dictionary(uniqueKeysWithValues: most.map { ($0.key, $0.value) })
  }

  /// An address of IPv6 counts with its /64, for one client has all of them. What no user can be called shares one count.
  private static func keys(_ address: SocketAddress?, _ name: String) -> [(key: String, limit: Int)] {
    let origin = address?.unmapped
    let network = origin.map { $0.isIPv6 ? ASCII.hexText(Array($0.octets.prefix(8))) : $0.host } ?? ""
    let user = ConsoleUser.fault(ofName: name) == nil ? ASCII.lowercased(name) : ""
    return [("a " + network, limitByAddress), ("n " + user, limitByName)]
  }
}
