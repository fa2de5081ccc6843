package import LinkspanCore
package import RegistryRequests

/// What the store knows of a campaign with options.
package struct CampaignDetails: Hashable, Sendable {
  package var options: CampaignOptions
  /// When it is going to start; nil once it has.
  package var startsAt: WallTime?
  /// The first campaign of its series; nil for one that happens once.
  package var series: Int64?
  /// Which one of the series it is, from 1.
  package var occurrence: Int64
  /// Devices that fitted when it started, if it paused because they had become too many.
  package var grownTo: Int64?
  /// Devices by what they got: see ``Share``.
  package var devices: [String: Int64] = [:]

  /// Names of what devices got, besides `variant-` and a place.
  package enum Share {
    package static let (holdout, cap, own) = ("holdout", "cap", "own")

    package static func variant(_ index: Int) -> String { "variant-\(index)" }
  }

  package var count: Int64 { devices.values.reduce(0, +) }
}

/// A scheduled campaign that began.
package struct StartedCampaign: Hashable, Sendable {
  package var identifier: Int64
  package var topic: String
  /// Devices that it was confirmed for.
  package var expected: Int64
  /// Devices that fit now.
  package var devices: Int64
  /// Whether it paused because they are too many.
  package var isPaused: Bool
  /// Whether its series ends with it although the rule goes on: nothing fits it until the calendar ends.
  package var endsSeries = false
}

/// A campaign that another build stored, and that this one would send to other devices, or at other times.
package struct MisunderstoodCampaign: Hashable, Sendable {
  package var identifier: Int64
  package var topic: String
  /// JSON pointers to what is not understood.
  package var unread: [String]
}
