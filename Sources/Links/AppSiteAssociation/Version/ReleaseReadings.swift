package import LinkspanCore

/// What neighbouring releases with one answer and one reason say of one URL.
package struct ReleaseReading: Hashable, Sendable {
  package var period: ReleaseRange
  package var verdict: Decision.Verdict
  /// Why the releases answer so and, where the answer changed, what they began to read.
  package var reason: String

  package init(period: ReleaseRange, verdict: Decision.Verdict, reason: String) {
    self.period = period
    self.verdict = verdict
    self.reason = reason
  }
}

/// One file as some releases read it.
package struct ReleaseReader: Sendable {
  package let file: AssociationFile
  /// Oldest first; periods that read this file alike are one.
  package let periods: [ReleaseRange]
  private var readers: [ReasonedMatcher]

  var matchers: [AssociationMatcher] { readers.map { $0.matcher } }

  /// - Parameter releases: The releases that count.
  package init(_ file: AssociationFile, releases: ReleaseSet = .allOfIOS) {
    self.init(
      file,
      releases.readings(of: [file]).map { ($0, ReasonedMatcher(AssociationMatcher(file, os: $0.first))) })
  }

  private init(_ file: AssociationFile, _ pairs: [(ReleaseRange, ReasonedMatcher)]) {
    self.file = file
    periods = pairs.map { $0.0 }
    readers = pairs.map { $0.1 }
  }

  /// The same without the releases that a test refuses.
  func keeping(_ isKept: (AssociationMatcher) -> Bool) -> ReleaseReader {
    ReleaseReader(file, zip(periods, readers).filter { isKept($0.1.matcher) })
  }

  /// One for each run of releases with the same answer for the same reason.
  ///
  /// - Parameter work: When it ends, the readings are void.
  package mutating func readings(
    of url: LinkURL, app: String, host: HostScope, _ work: inout WorkBudget
  ) -> [ReleaseReading] {
    var readings: [ReleaseReading] = []
    var before: MatchTrace?
    for (index, period) in periods.enumerated() {
      let trace = readers[index].trace(url, app: app, host: host, &work)
      let verdict = trace.decision.verdict
      defer { before = trace }
      if let before, before.decision.verdict == verdict,
        before.reasonWithoutRemedy == trace.reasonWithoutRemedy,
        let last = readings.last?.period, last.last != last.first
      {
        readings[readings.count - 1].period.last = period.last
        continue
      }
      var reason = period.last == nil ? trace.reason : trace.reasonWithoutRemedy
      if let before, before.decision.verdict != verdict,
        let change = change(from: periods[index - 1].first, to: period.first, before, trace)
      {
        reason += "; " + change
      }
      readings.append(ReleaseReading(period: period, verdict: verdict, reason: reason))
    }
    return readings
  }

  /// What the platform began to read on the way from one release to a later one, and this file has.
  private func change(
    from old: OSVersion, to new: OSVersion, _ before: MatchTrace, _ after: MatchTrace
  ) -> String? {
    guard let appLinks = file.appLinks, old.platform == new.platform else { return nil }
    let deciding = [before, after].compactMap { $0.decidingSettings }
    let periods = ReleaseRange.periods(of: old.platform)
    for (earlier, period) in zip(periods, periods.dropFirst()) {
      let first = period.first
      guard old < first, first <= new else { continue }
      let news = appLinks.news(from: earlier.first, to: first, deciding: deciding)
      if !news.isEmpty { return "\(first.name) began to read \(news.joined(separator: " and "))" }
      if first.readsComponents, !earlier.first.readsComponents, !appLinks.hasAppsKey {
        return "\(first.name) no longer requires \"apps\": []"
      }
    }
    return nil
  }
}

extension MatchTrace {
  /// A change to the file would be read by newer releases; what an older one does is only told.
  fileprivate var reasonWithoutRemedy: String {
    guard case .noRuleHolds(var closest)? = miss else { return reason }
    closest.failure?.remedy = nil
    return MatchTrace.Miss.noRuleHolds(closest: closest).reason
  }

  /// What the rule that decided says, its defaults merged in.
  fileprivate var decidingSettings: RuleSettings? {
    decision.verdict == .noMatch ? nil : steps.last?.settings
  }
}
