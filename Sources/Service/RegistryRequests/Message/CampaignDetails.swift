package import LinkspanCore

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

  package init(
    options: CampaignOptions, startsAt: WallTime?, series: Int64?, occurrence: Int64, grownTo: Int64?
  ) {
    self.options = options
    self.startsAt = startsAt
    self.series = series
    self.occurrence = occurrence
    self.grownTo = grownTo
  }

  package var count: Int64 { devices.values.reduce(0, +) }
}
