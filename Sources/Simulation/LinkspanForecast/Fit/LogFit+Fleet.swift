internal import LinkspanCore

extension LogFit {
  /// Kiribati's, +14:00.
  private static let largestOffset: Int64 = 50_400

  /// The fleet that the log speaks of, for `linkspan forecast`: what the log says replaces the defaults.
  ///
  /// Of the devices only those that ask the host itself leave a trace in its log: each comes about every five days (V2), so
  /// their fetches on calm days say how many there are. The highest stampede says how sharp the next one's first second is, and
  /// when it is midnight where the devices are.
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
      fleet.zones = [Fleet.Zone(offsetSeconds: offsetAtEnd(highest), share: 1)]
    }
    return fleet
  }

  /// The offset from UTC, when the log ends, of devices whose night begins with this stampede.
  ///
  /// Where the log's own clock is theirs, it says whether daylight saving time began or ended since.
  private func offsetAtEnd(_ stampede: Stampede) -> Int {
    // Offsets are whole quarters of an hour; of two that are a day apart, the one nearer to UTC has the same nights.
    let quarter = 900
    let ofDay = Int(stampede.peakAt % 86_400)
    let passed = (ofDay + quarter / 2) / quarter * quarter % 86_400
    let offset = passed > 43_200 ? 86_400 - passed : -passed
    let changes = counts.clockChanges.filter { $0.kind == .offset }
    guard let first = changes.first, let last = changes.last else { return offset }
    let then = changes.last { $0.at <= stampede.peakAt }?.to ?? first.from
    let isTheirs = (Int(then) - offset).isMultiple(of: 86_400)
    return isTheirs && abs(last.to) <= Self.largestOffset ? Int(last.to) : offset
  }
}
