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
