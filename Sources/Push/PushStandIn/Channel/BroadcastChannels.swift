internal import LinkspanCore

/// The broadcast channels of all apps (push notes, 6).
struct BroadcastChannels: Sendable {
  struct Channel: Sendable {
    var identifier: String
    /// 0: nothing is stored; 1: the newest message is, up to eight hours.
    var storagePolicy: Int
  }

  /// In the order they were created.
  private var channels: [String: [Channel]] = [:]
  /// Where identifiers come from; nil for the generator of all else.
  private var own: SeededGenerator?

  /// - Parameter seed: Of the identifiers; nil draws them from the generator that ``create(for:storagePolicy:limit:using:)`` gets.
  init(seed: UInt64?) { own = seed.map { SeededGenerator(seed: $0) } }

  func channel(_ identifier: String, of app: String) -> Channel? {
    channels[app]?.first { $0.identifier == identifier }
  }

  func identifiers(of app: String) -> [String] { (channels[app] ?? []).map(\.identifier) }

  /// - Parameter limit: Apple: 10,000 for each app and environment.
  /// - Returns: Nil when there are as many as may be.
  mutating func create(
    for app: String, storagePolicy: Int, limit: Int, using generator: inout SeededGenerator
  ) -> String? {
    guard channels[app, default: []].count < limit else { return nil }
    var bytes: [UInt8] = []
    for _ in 0..<2 { withUnsafeBytes(of: own?.next() ?? generator.next()) { bytes += $0 } }
    let identifier = Base64.text(of: bytes)
    channels[app, default: []].append(Channel(identifier: identifier, storagePolicy: storagePolicy))
    return identifier
  }

  /// - Returns: False when there is none; an identifier is never used again.
  mutating func remove(_ identifier: String, of app: String) -> Bool {
    guard let index = channels[app]?.firstIndex(where: { $0.identifier == identifier }) else { return false }
    channels[app]?.remove(at: index)
    return true
  }
}
