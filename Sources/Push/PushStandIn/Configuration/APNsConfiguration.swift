package import PushTerms

/// How close the stand-in keeps to Apple's text where observation differs (push notes, 1.11, 4, 6 and 11).
package enum APNsProfile: String, Hashable, Sendable, CaseIterable {
  /// As documented.
  case strict
  /// As observed.
  case field
}

/// What a stand-in for APNs knows and how it behaves.
package struct APNsConfiguration: Sendable {
  /// Counts and times of the service. Apple gives few of them; where nothing is said the number is ours.
  package struct Limits: Sendable {
    /// Streams before a request with a valid token has been accepted (Apple: one).
    package var initialStreams = 1
    /// Streams after that; observed in 2021 (push notes, 1.9).
    package var streams = 1_000
    /// Errors after which a connection ends; ours.
    package var errors = 100
    /// What one `BadDeviceToken` counts among ``errors``; ours.
    package var badDeviceTokenWeight = 5
    /// Pushes a second to one token; nil for no limit.
    package var pushesPerTokenPerSecond: Int?
    /// Channels of one app (Apple: 10,000).
    package var channels = 10_000
    /// How long an app that is gone still counts as there. Nil: none in the strict profile, 1 to 8 hours in the field's.
    package var unregisterLag: Duration?

    package init() {}
  }

  package var profile = APNsProfile.strict
  package var environment = PushEnvironment.sandbox
  package var keys: [ProviderKey] = []
  /// Bundle identifiers of the team; empty for every topic.
  package var topics: [String] = []
  package var tokens = DeviceTokens()
  package var rules: [APNsRule] = []
  package var limits = Limits()
  /// Whether the apps may use broadcast channels.
  package var hasBroadcast = true
  package var seed: UInt64 = 1
  /// The seed of the channels' identifiers alone; nil draws them from ``seed``. APNs never reuses an identifier (push notes, 6),
  /// so a stand-in that starts again needs another seed for them.
  package var channelSeed: UInt64?

  package init() {}
}
