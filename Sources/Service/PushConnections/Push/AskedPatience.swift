internal import LinkspanCore

/// How long a command goes on asking a server that asks it, by Retry-After, to come back later.
package struct AskedPatience: Sendable {
  /// Ours, answers included: somebody waits, and servers that are well answer in milliseconds.
  package static let longest = Duration.seconds(20)

  private let start: Duration

  /// - Parameter uptime: When the first request begins, by a clock that nobody sets.
  package init(from uptime: Duration) { start = uptime }

  /// Whether the pause that a server asks for ends in time.
  package func allows(_ asked: Duration, at uptime: Duration) -> Bool {
    asked > .zero && uptime - start + asked <= Self.longest
  }

  /// Has the thread wait for the pause.
  package static func wait(for asked: Duration) {
    _ = LockedState(()).wait(atMost: asked) { _ in Bool?.none }
  }
}
