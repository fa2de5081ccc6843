internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanForecast

/// A fit as a person reads it in a terminal.
struct FitText {
  private let fit: LogFit
  private let style: TextStyle
  private static let shownCount = 20

  init(_ fit: LogFit, _ style: TextStyle) {
    self.fit = fit
    self.style = style
  }

  var text: String { headline + stampedes + remarks }

  private var headline: String {
    let high = fit.hours.indices.max { fit.hours[$0] < fit.hours[$1] } ?? 0
    let growth = (fit.growthPerDay * 10_000).rounded() / 100
    let change =
      growth == 0
      ? ""
      : ", \(growth < 0 ? "falling" : "growing") by \(Decimals.share(abs(growth))) % a day to "
        + Decimals.rough(fit.baselineAtEnd)
    var text = """
      \(style.bold("\(Decimals.rough(fit.baseline)) requests a second")) normally\(change)
        \(fit.counts.requests) requests from \(LogFit.moment(fit.first)) to \(LogFit.moment(fit.last))
        the busiest hour begins at \(high) o'clock UTC, with \(Decimals.text(fit.hours[high])) times the mean; the \
      normal minutes vary \(Decimals.rough(fit.dispersion)) times as much as chance alone

      """
    if let share = fit.directShare {
      text +=
        "  the association file: \(fit.counts.deviceFetches) fetches by devices, \(fit.counts.crawlerFetches) by "
        + "Apple's CDN (\(Decimals.rough(share * 100)) % direct)\n"
    }
    return text
  }

  private var stampedes: String {
    if fit.stampedes.isEmpty { return "\nThe log contains no stampede.\n" }
    let rows = fit.stampedes.sorted { $0.requests > $1.requests }.prefix(Self.shownCount).map { stampede in
      "  \(LogFit.moment(stampede.start))  \(String(stampede.requests).padded(to: 9)) requests above normal, peak "
        + "\(stampede.peak)/s, \(Decimals.rough(stampede.ratio)) times normal\n"
    }
    let more = fit.stampedes.count - rows.count
    return "\n" + style.bold("Stampedes") + "\n" + rows.joined() + (more > 0 ? "  … and \(more) more\n" : "")
  }

  private var remarks: String {
    var lines: [String] = []
    func tellRest(of count: Int, _ noun: String) {
      let more = count - Self.shownCount
      if more > 0 { lines.append("  … and \(more.counted("more \(noun)"))") }
    }
    if fit.counts.isInterrupted {
      lines.append("  reading was interrupted: this fits only the lines read before that")
    }
    for gap in fit.gaps.prefix(Self.shownCount) {
      lines.append(
        "  nothing from \(LogFit.moment(gap.first)) to \(LogFit.moment(gap.last)), a gap of \(gap.last - gap.first + 1) s"
      )
    }
    tellRest(of: fit.gaps.count, "gap")
    for change in fit.counts.clockChanges.prefix(Self.shownCount) {
      switch change.kind {
      case .offset:
        lines.append(
          "  the clock's offset from UTC changes by \(change.to - change.from) s at \(LogFit.moment(change.at))"
        )
      case .back:
        lines.append(
          "  the clock goes back by \(change.from - change.to) s to \(LogFit.moment(change.to)); lines logged "
            + "for the same time twice are left out")
      case .order:
        lines.append(
          "  lines are not in order: \(LogFit.moment(change.to)) comes after \(LogFit.moment(change.from))")
      }
    }
    tellRest(of: fit.counts.clockChanges.count, "clock change")
    for day in fit.misfits.prefix(Self.shownCount) {
      lines.append(
        "  \(LogFit.moment(day.start).prefix(10)) does not fit: \(day.observed.counted("request")), expected "
          + "\(Decimals.rough(day.expected))")
    }
    tellRest(of: fit.misfits.count, "day")
    if fit.counts.unreadLines > 0 { lines.append("  \(fit.counts.unreadLines.counted("unread line"))") }
    if fit.counts.outside > 0 {
      lines.append("  \(fit.counts.outside.counted("request")) left out: the date is too far from all others")
    }
    return lines.isEmpty
      ? "" : "\n" + style.bold("Notes") + "\n" + lines.joined(separator: "\n") + "\n"
  }
}
