package import LinkspanCore

extension LogFit {
  /// The document of `linkspan forecast --fit --json`.
  package var json: JSON {
    .object([
      ("type", .string("fit")), ("from", .string(Self.moment(first))), ("to", .string(Self.moment(last))),
      ("requests", .int(counts.requests)), ("baseline_rps", .decimal(baseline)),
      ("baseline_end_rps", .decimal(baselineAtEnd)), ("growth_per_day", .number(Self.signed(growthPerDay))),
      ("daily_shape", .array(hours.map(JSON.decimal))), ("weekly_shape", .array(weekdays.map(JSON.decimal))),
      ("stampedes", .array(stampedes.map(Self.json))),
      (
        "clients",
        .object([
          ("device", .int(counts.deviceFetches)), ("crawler", .int(counts.crawlerFetches)),
          ("other", .int(counts.otherFetches)),
        ])
      ),
      ("direct_share", directShare.map(JSON.decimal) ?? .null), ("dispersion", .decimal(dispersion)),
      (
        "misfits",
        .array(
          misfits.map {
            .object([
              ("day", .string(String(Self.moment($0.start).prefix(10)))), ("observed", .int($0.observed)),
              ("expected", .decimal($0.expected)),
            ])
          })
      ),
      (
        "gaps",
        .array(
          gaps.map {
            .object([
              ("from", .string(Self.moment($0.first))), ("to", .string(Self.moment($0.last))),
              ("length_s", .int(Int($0.last - $0.first + 1))),
            ])
          })
      ),
      ("clock_changes", .array(counts.clockChanges.map(Self.json))),
      ("unread_lines", .int(counts.unreadLines)), ("outside", .int(counts.outside)),
      ("interrupted", .bool(counts.isInterrupted)),
    ])
  }

  private static func json(_ stampede: Stampede) -> JSON {
    .object([
      ("at", .string(moment(stampede.start))), ("until", .string(moment(stampede.end))),
      ("peak_at", .string(moment(stampede.peakAt))), ("peak_rps", .int(stampede.peak)),
      ("requests", .int(stampede.requests)), ("ratio", .decimal(stampede.ratio)),
    ])
  }

  private static func json(_ change: ClockChange) -> JSON {
    func text(_ value: Int64) -> JSON {
      .string(change.kind == .offset ? FleetText.offset(Int(value)) : moment(value))
    }
    return .object([
      ("at", .string(moment(change.at))), ("kind", .string(change.kind.rawValue)),
      ("from", text(change.from)),
      ("to", text(change.to)),
    ])
  }

  /// `2026-03-03T12:00:00Z`.
  package static func moment(_ seconds: Int64) -> String {
    FleetText.moment(WallTime(milliseconds: seconds * 1000))
  }

  /// A share with six digits and its sign.
  package static func signed(_ share: Double) -> String {
    let text = Decimals.share(abs(share))
    return share < 0 && text != "0" ? "-" + text : text
  }
}
