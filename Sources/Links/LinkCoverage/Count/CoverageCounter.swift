package import AppSiteAssociation
internal import LinkspanCore

/// Decides URLs one after the other and counts; keeps none of them but one sample a rule.
package struct CoverageCounter {
  private struct Group {
    var app: String
    /// Their places among the applications of the count.
    var places: [Int]
  }

  private struct Place: Hashable {
    var entry: Int
    var rule: Int?
  }

  package private(set) var count: CoverageCount
  private let matcher: AssociationMatcher
  private let groups: [Group]
  private let placeOfRule: [Place: Int]
  /// The host of the file; nil where each URL's own counts.
  private let host: String?
  private let scope: HostScope?

  /// Where devices and Apple's crawler fetch the file (F1).
  private static let fetched = AssociationLocation.allCases.map { Array($0.rawValue.utf8) }

  /// The host of paths where no host is known.
  private static let anyHost = "example.com"

  /// - Parameter host: The host of the file, or `*.HOST` for the hosts below it; nil for each URL's own.
  package init(_ file: AssociationFile, os: OSVersion? = nil, host: String?) {
    count = CoverageCount(of: file, os: os, host: host)
    matcher = AssociationMatcher(file, os: os)
    let numbers = Dictionary(
      matcher.applications.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    groups = matcher.applicationGroups.map { apps in
      Group(app: apps[0], places: apps.compactMap { numbers[$0] })
    }
    placeOfRule = Dictionary(
      count.rules.enumerated().map { (Place(entry: $1.entry, rule: $1.rule), $0) },
      uniquingKeysWith: { first, _ in first })
    scope = host.map(HostScope.init)
    self.host = host.map { $0.hasPrefix("*.") ? "www" + $0.dropFirst() : $0 }
  }

  /// Counts a URL, or a path of the host.
  package mutating func take(url text: String) {
    decide(text.hasPrefix("/") ? "https://\(host ?? Self.anyHost)\(text)" : text)
  }

  /// Counts a line in which there is no URL.
  package mutating func takeUnreadLine() { count.countUnreadLine() }

  private mutating func decide(_ text: String) {
    let url = LinkURL(written: text)
    let isFetch = url.withBytes { bytes in Self.fetched.contains { $0.elementsEqual(bytes[url.path]) } }
    if isFetch { return count.countFileFetch() }
    let scope = scope ?? .exactly(url.host)
    var deciding: [Int] = []
    var opening: [Int] = []
    var work = WorkBudget.decision
    for group in groups {
      let decision = matcher.decide(url, app: group.app, host: scope, &work)
      guard let entry = decision.entry else { continue }
      if let place = placeOfRule[Place(entry: entry, rule: decision.rule)], !deciding.contains(place) {
        deciding.append(place)
      }
      if decision.verdict == .match { opening += group.places }
    }
    // What isn't decided is as good as unread.
    guard !work.isExhausted else { return count.countUnreadLine() }
    count.count(text, deciding: deciding, opening: opening)
  }
}
