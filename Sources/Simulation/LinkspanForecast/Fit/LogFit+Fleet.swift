internal import LinkspanCore

extension LogFit {
  /// The fleet that the log speaks of, for `linkspan forecast`: what the log says replaces the defaults.
  ///
  /// Of the devices only those that ask the host itself leave a trace in its log: each comes about every five days (V2), so
  /// their fetches on calm days say how many there are. The highest stampede says how sharp the next one's first second is.
  package var fleet: Fleet {
    var fleet = Fleet()
    fleet.site.requestsPerSecond = (baselineAtEnd * 1000).rounded() / 1000
    let high = hours.indices.max { hours[$0] < hours[$1] } ?? 0
    fleet.site.busiestHour = high
    fleet.site.dailySwing = min(1, max(0, ((hours[high] - 1) * 1000).rounded() / 1000))
    // The forecast begins on the first midnight behind the log.
    let day = (last / 86_400 + 1) * 86_400
    fleet.start = WallTime(milliseconds: day * 1000)
    fleet.update?.released = WallTime(milliseconds: (day + 86_400 + 43_200) * 1000)
    let length = Double(last - first + 1)
    let direct = Double(counts.deviceFetches) / length * RecheckTimes.meanSuccess
    guard direct >= 1 else { return fleet }
    fleet.devices = Int(direct.rounded(.up))
    fleet.routes = Fleet.Routes(belowIOS14: 1, developerMode: 0, managedMode: 0)
    if let update = fleet.update, let highest = stampedes.max(by: { $0.peak < $1.peak }) {
      let calm = Double(highest.peak) / max(1, highest.ratio)
      let share =
        (Double(highest.peak) - calm) / (Double(fleet.devices) * update.automaticShare * update.nightlyShare)
      fleet.update?.burstShare = min(1, max(1e-6, (share * 1_000_000).rounded() / 1_000_000))
    }
    return fleet
  }
}
