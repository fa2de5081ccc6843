internal import LinkspanCore

extension Fleet {
  /// Ours: so many nights behind the last step of a phased release at most.
  private static let mostNights = 7
  /// Ours: fewer devices than one in a hundred of a step's make no peak.
  private static let negligibleShare = 0.01

  /// The same fleet, over more days where its own would end before the highest night of its update.
  ///
  /// A release reaches its highest night within a day. A phased one does so a day behind its last step, which lets half of
  /// the devices go; the nights of those that are left over then belong to it, as a server that fails has them too.
  package var untilTheHighestNight: Fleet {
    guard directDevices > 0, let update else { return self }
    let steps = update.isPhased ? UpdateWave.phases.count - 1 : 0
    let released = Int((update.released.milliseconds - start.milliseconds) / 1000)
    let nights = update.isPhased ? Self.nights(update.nightlyShare) : 1
    let end = released + (steps + nights) * 86_400 + update.windowLengthSeconds
    var fleet = self
    fleet.days = max(days, (end + 86_399) / 86_400)
    return fleet
  }

  /// How many nights until nearly all devices have updated.
  private static func nights(_ share: Double) -> Int {
    var (nights, left) = (0, 1.0)
    while left >= negligibleShare, nights < mostNights {
      left *= 1 - share
      nights += 1
    }
    return nights
  }
}
