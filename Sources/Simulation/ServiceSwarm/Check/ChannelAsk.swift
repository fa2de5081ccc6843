internal import LinkspanCore

/// What a client asks about broadcast channels and Live Activities.
struct ChannelAsk: Hashable {
  enum Act: String, Hashable, Sendable, CaseIterable {
    case create, delete, broadcast, sync
    /// Of a Live Activity.
    case start, update, end
  }

  var act: Act
  /// The registry's number of the channel or the activity that it is about; nil for a new one.
  var number: String?
  /// The channel that a new activity hears.
  var channel: String?
  /// Of a Live Activity that devices are sent.
  var person: Int?
  /// What an `Idempotency-Key` stands for; nil without one.
  var key: String?
}

/// What clients believe about channels and Live Activities.
struct ChannelModel {
  struct Belief: Hashable {
    /// Requests that were to end it.
    var endsAsked = 0
    /// Whether one of them was acknowledged.
    var isEnded = false
    /// The channel that an activity hears; its end is the activity's.
    var channel: String?
  }

  /// By the registry's number.
  var channels: [String: Belief] = [:]
  var activities: [String: Belief] = [:]
  /// The number that was answered for an `Idempotency-Key`.
  private var numbers: [String: String] = [:]
  /// Whether a `channel-sync` was answered since the faults are over.
  var isInStep = false
  /// Whether anything was asked at all.
  var isUsed = false

  /// Takes a number that is answered for a key.
  ///
  /// - Returns: The one that was answered before, if it is another one.
  mutating func take(_ number: String, for key: String?) -> String? {
    guard let key else { return nil }
    let known = numbers[key]
    numbers[key] = known ?? number
    return known == number ? nil : known
  }

  mutating func noteEnd(_ ask: ChannelAsk) {
    guard let number = ask.number else { return }
    switch ask.act {
    case .delete: channels[number]?.isEnded = true
    case .end: activities[number]?.isEnded = true
    default: break
    }
  }
}
