package import LinkspanCore
internal import PushProvider
package import PushTerms

/// The device tokens that the stand-in has been told of.
package struct DeviceTokens: Sendable {
  package enum State: Hashable, Sendable {
    case registered
    /// The app is gone since then, or since the stand-in's start where nobody said when: 410 `Unregistered`.
    case unregistered(since: WallTime?)
    /// 410 `ExpiredToken`.
    case expired(since: WallTime?)

    /// The same, where nobody said when since the given time.
    func known(since now: WallTime) -> State {
      switch self {
      case .unregistered(since: nil): .unregistered(since: now)
      case .expired(since: nil): .expired(since: now)
      default: self
      }
    }
  }

  /// What is said to a token that nobody told of.
  package enum Unlisted: String, Hashable, Sendable, CaseIterable {
    case accepted
    case unregistered = "Unregistered"
    case badDeviceToken = "BadDeviceToken"
  }

  package struct Entry: Hashable, Sendable {
    /// Nil for every topic.
    package var topic: String?
    /// Nil for both.
    package var environment: PushEnvironment?
    package var state: State

    package init(topic: String? = nil, environment: PushEnvironment? = nil, state: State = .registered) {
      self.topic = topic
      self.environment = environment
      self.state = state
    }
  }

  package var unlisted: Unlisted
  private var entries: [String: [Entry]] = [:]

  package init(unlisted: Unlisted = .accepted) { self.unlisted = unlisted }

  package var isEmpty: Bool { entries.isEmpty }

  /// Whether a text in lower case has the form of a token. Never a fixed length (Apple); the upper bound is ours.
  static func isToken(_ text: String) -> Bool {
    let count = text.utf8.count
    guard count % 2 == 0, count <= 512 else { return false }
    var text = text
    return text.withUTF8(DeviceToken.areDigits)
  }

  package var count: Int { entries.count }

  /// Every token with what was told of it, in the order of the tokens.
  var all: [(String, Entry)] {
    entries.sorted { $0.key < $1.key }.flatMap { token, entries in entries.map { (token, $0) } }
  }

  /// Tells of a token, in the place of what was told of it for the same topic before.
  package mutating func set(_ entry: Entry, for token: String) {
    entries[token, default: []].removeAll { $0.topic == entry.topic }
    entries[token, default: []].append(entry)
  }

  /// - Parameters:
  ///   - token: In lower case.
  ///   - lag: How long APNs goes on accepting pushes for an app that is gone.
  ///   - start: Since when a token counts as unregistered that is not listed, or of which nobody said when.
  func refusal(
    of token: String, topic: String, in environment: PushEnvironment, at now: WallTime, lag: Duration,
    start: WallTime
  ) -> APNsRefusal? {
    if entries.isEmpty, unlisted == .accepted { return nil }
    guard let known = entries[token] else {
      switch unlisted {
      case .accepted: return nil
      case .unregistered: return APNsRefusal(.unregistered, timestamp: start)
      case .badDeviceToken: return APNsRefusal(.badDeviceToken)
      }
    }
    let here = known.filter { $0.environment == nil || $0.environment == environment }
    guard !here.isEmpty else { return APNsRefusal(.badDeviceToken) }
    guard let entry = here.last(where: { $0.topic == topic }) ?? here.last(where: { $0.topic == nil }) else {
      return APNsRefusal(.deviceTokenNotForTopic)
    }
    switch entry.state {
    case .registered: return nil
    case .unregistered(let since):
      let since = since ?? start
      return now < since.advanced(by: lag) ? nil : APNsRefusal(.unregistered, timestamp: since)
    case .expired(let since): return APNsRefusal(.expiredToken, timestamp: since ?? start)
    }
  }
}
