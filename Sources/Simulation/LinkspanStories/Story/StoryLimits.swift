/// How large a story may be. All are ours: far above what a person writes, and small enough to end soon.
package struct StoryLimits: Hashable, Sendable {
  /// The largest story file, in bytes.
  package var sizeBytes = 1 << 20
  package var hosts = 1000
  package var apps = 100
  package var devices = 2000
  package var links = 2000
  package var steps = 1000
  /// Links × devices of all taps together.
  package var taps = 200_000
  /// The longest a story may wait in all.
  package var wait: Duration = .seconds(366 * 86_400)
  /// Events that are kept.
  package var events = 1_000_000

  package init() {}
}
