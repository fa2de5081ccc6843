internal import LinkspanCore

/// Where releases take different things from one file, app by app.
///
/// Found by probing: for each rule a URL is built that it covers, in the eyes of each release. So every
/// difference named is one, and others may remain unnamed.
package struct ReleaseSurvey: Sendable {
  package struct Difference: Sendable {
    package var app: String
    /// A URL that shows it.
    package var url: String
    package var readings: [ReleaseReading]
    /// How many more such URLs were found for the app.
    package var others: Int
  }

  /// Why the oldest of the releases, iOS 12 or older, takes nothing from the file; nil when it does, or is newer.
  package let nothingBefore13: String?
  package let differences: [Difference]
  /// Whether every rule was asked about that the limits admit; else its patterns cost too much to follow.
  package let isComplete: Bool

  /// Our choice: an app has a few hundred rules, and one example of each kind is enough.
  private static let ruleLimit = 500
  private static let applicationLimit = 50
  /// Our choice: about a fifth of a second.
  private static let stepLimit = 20_000_000

  /// - Parameters:
  ///   - host: The host of the file, for the URLs; any when it is not known.
  ///   - releases: The releases that count.
  package init(_ file: AssociationFile, host: String?, releases: ReleaseSet = .allOfIOS) {
    let newest = AssociationMatcher(file).applications
    let reader = ReleaseReader(file, releases: releases)
    let old = reader.matchers.first { $0.os.map { $0.needsAppsKey } ?? false }
    nothingBefore13 =
      !newest.isEmpty && old?.applications.isEmpty == true ? old?.os?.whyNothing(in: file) : nil
    var differences: [Difference] = []
    let name = host ?? "example.com"
    let scope = HostScope(name)
    var work = WorkBudget(steps: Self.stepLimit)
    for app in newest.prefix(Self.applicationLimit) {
      // Releases that take nothing for the app are told of once, and not URL by URL; that an entry without
      // paths means everything to them is too uncertain to be told (J10).
      var reader = reader.keeping { matcher in
        guard let os = matcher.os, os.needsAppsKey else { return true }
        return matcher.rules(of: app)?.allSatisfy { $0.rule != nil } ?? false
      }
      let matchers = reader.matchers
      guard matchers.count > 1, !work.isExhausted else { continue }
      var seen: Set<String> = []
      var places: [[Decision.Verdict]: Int] = [:]
      for matcher in matchers {
        for rule in matcher.rules(of: app)?.prefix(Self.ruleLimit) ?? [] {
          guard work.spend(rule.costOfWitnesses) else { break }
          // `$(` in a URL is nobody's link: it is what a release takes for one that knows no variables.
          for url in rule.witnesses(host: name) where !url.contains("$(") && seen.insert(url).inserted {
            let link = LinkURL(url)
            let verdicts = matchers.map { $0.decide(link, app: app, host: scope, &work).verdict }
            guard !work.isExhausted else { break }
            guard Set(verdicts).count > 1 else { continue }
            if let place = places[verdicts] {
              differences[place].others += 1
            } else {
              let readings = reader.readings(of: link, app: app, host: scope, &work)
              guard !work.isExhausted else { break }
              places[verdicts] = differences.count
              differences.append(Difference(app: app, url: url, readings: readings, others: 0))
            }
          }
        }
      }
    }
    self.differences = differences
    isComplete = !work.isExhausted
  }
}

extension OSVersion {
  /// Why the release takes no link from a file that newer ones take links from; nil when it takes some.
  package func whyNothing(in file: AssociationFile) -> String? {
    guard let appLinks = file.appLinks, !AssociationMatcher(file).applications.isEmpty,
      AssociationMatcher(file, os: self).applications.isEmpty
    else { return nil }
    if !hasUniversalLinks { return "it has no universal links" }
    if needsAppsKey, !appLinks.hasAppsKey { return "it requires \"apps\": [] inside \"applinks\"" }
    return "it reads only \"appID\" and \"paths\", and no entry has both"
  }
}
