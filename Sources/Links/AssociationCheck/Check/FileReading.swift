import AppSiteAssociation
internal import LinkspanCore

/// One way in which releases read a file: what a rule is asked for.
struct FileReading {
  let file: AssociationFile?
  /// nil: the newest behaviour, whatever the release.
  let range: ReleaseRange?
  fileprivate let answers: ReadingAnswers

  /// The first of the releases, which stands for all of them.
  var os: OSVersion? { range?.first }

  func reads(_ feature: (OSVersion) -> Bool) -> Bool { os.map(feature) ?? true }

  var readsVariables: Bool { reads { $0.readsSubstitutionVariables } }

  /// The rules that can never decide; nil where there are too many of them to look at.
  func reachability(_ work: inout WorkBudget) -> Reachability? {
    answers.reachability(of: file, on: os, &work)
  }

  /// The first of the releases up to this one on which a rule is dead without a break.
  ///
  /// - Returns: nil where it always was, or where that is not decided.
  func beginning(ofDead place: Reachability.Place, _ work: inout WorkBudget) -> OSVersion? {
    guard let file, let range else { return nil }
    var since = range.first
    let older = answers.readings(of: file, on: since.platform).filter { $0.first <= since }
    since = older.last?.first ?? since
    for earlier in older.dropLast().reversed() {
      // A release that reads other rules of the entry has no such rule.
      guard earlier.first.readsComponents || place.isPath else { return nil }
      guard let answer = answers.reachability(of: file, on: earlier.first, &work), answer.isComplete,
        answer.undecidedCount == 0
      else { return nil }
      guard answer.unreachable.contains(where: { $0.place == place }) else { return since }
      since = earlier.first
    }
    return nil
  }
}

/// How the releases that a check is about read one file.
struct FileReadings {
  let releases: ReleaseSet?
  /// Platform by platform, oldest first; never empty.
  let all: [FileReading]

  /// - Parameter releases: nil for the newest behaviour, whatever the release.
  init(of file: AssociationFile?, on releases: ReleaseSet?) {
    self.releases = releases
    let answers = ReadingAnswers()
    guard let releases else {
      all = [FileReading(file: file, range: nil, answers: answers)]
      return
    }
    let ranges = file.map { releases.readings(of: [$0]) } ?? releases.periods
    all = ranges.map { FileReading(file: file, range: $0, answers: answers) }
  }

  /// The releases of some of them.
  ///
  /// - Parameter reads: Whether a release reads what is meant.
  func held(_ readings: [FileReading], where reads: (OSVersion) -> Bool = { _ in true }) -> HeldReleases? {
    guard let releases else { return nil }
    let ranges = readings.compactMap { $0.range }
    return releases.held(
      releases.periods.filter { period in
        reads(period.first) && ranges.contains { $0.contains(period) }
      })
  }

  /// A finding with the releases that it holds for; nil where none of them reads its place (6.2, 6.3, J8).
  ///
  /// - Parameter readings: Those that have it.
  func placed(_ finding: Finding, on readings: [FileReading]) -> Finding? {
    guard releases != nil else { return finding.held(on: nil) }
    guard !Self.aboutUnread.contains(finding.rule) else { return finding.held(on: held(readings)) }
    let reads: (OSVersion) -> Bool =
      finding.rule == "aasa.hidden-app-id" ? { $0.readsComponents } : reader(of: finding.location.pointer)
    return held(readings, where: reads).map { finding.held(on: $0) }
  }

  /// What is about every release, or about what older ones do not read.
  private static let aboutUnread: Set<String> = [
    "aasa.newer-than-paths", "aasa.duplicate-key", "aasa.mixed-formats", "aasa.paths-under-app-ids", "json",
  ]

  /// Whether a release reads what lies at a place of the file.
  private func reader(of pointer: String?) -> (OSVersion) -> Bool {
    let steps = (pointer ?? "").split(separator: "/")
    guard steps.first == "applinks", steps.count > 1 else { return { _ in true } }
    switch steps[1] {
    case "defaults": return { $0.readsDefaults }
    case "substitutionVariables": return { $0.readsSubstitutionVariables }
    case "details" where steps.count > 3: return reader(of: steps[3], inEntry: String(steps[2]))
    default: return { _ in true }
    }
  }

  /// The same for a key of an entry. What another key replaces only older releases read (J6, J8).
  private func reader(of key: Substring, inEntry index: String) -> (OSVersion) -> Bool {
    let entry = Int(index).flatMap { index in
      all.first?.file?.appLinks?.entries.first { $0.index == index }
    }
    switch key {
    case "components", "appIDs": return { $0.readsComponents }
    case "defaults": return { $0.readsDefaults }
    case "appID" where entry?.appIDs != nil: return { !$0.readsComponents }
    case "paths" where entry?.components != nil && entry?.paths != nil: return { !$0.readsComponents }
    default: return { _ in true }
    }
  }
}

/// Answers that several rules of one check ask for, each found once.
private final class ReadingAnswers {
  /// A few, so a list: the type of a dictionary with its own kind of key is made at run time, which costs as much as an answer.
  private var known: [(os: OSVersion?, answer: Reachability?)] = []
  private var readings: [(platform: OSVersion.Platform, ranges: [ReleaseRange])] = []

  func reachability(of file: AssociationFile?, on os: OSVersion?, _ work: inout WorkBudget) -> Reachability? {
    guard let file else { return nil }
    if let known = known.first(where: { $0.os == os }) { return known.answer }
    let answer = Reachability(of: file, on: os, &work)
    known.append((os, answer))
    return answer
  }

  /// How all releases of a platform read the file.
  func readings(of file: AssociationFile, on platform: OSVersion.Platform) -> [ReleaseRange] {
    if let known = readings.first(where: { $0.platform == platform }) { return known.ranges }
    let ranges = ReleaseSet.all(of: platform).readings(of: [file])
    readings.append((platform, ranges))
    return ranges
  }
}
