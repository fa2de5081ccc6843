package import AppSiteAssociation
package import LinkspanCore

/// Which rules of a file decide the URLs of a site, counted: sums of parts are the counts of the whole.
package struct CoverageCount: Sendable {
  package struct Rule: Hashable, Sendable {
    package var entry: Int
    /// nil for an entry that has no rules of its own.
    package var rule: Int?
    package var isExclusion: Bool
    package var settings: RuleSettings
  }

  /// What fired for a rule.
  package struct Tally: Hashable, Sendable {
    package var hits = 0
    /// The shortest of its URLs, of several the first in order: the same however the input was cut.
    package var sample: String?

    mutating func add(_ url: String) {
      hits += 1
      keep(url)
    }

    mutating func add(_ other: Tally) throws(MergeProblem) {
      hits = try CoverageCount.sum(hits, other.hits)
      if let sample = other.sample { keep(sample) }
    }

    private mutating func keep(_ url: String) {
      let url = url.withoutUserInformation
      guard let sample else { return self.sample = url }
      let (mine, others) = (sample.utf8.count, url.utf8.count)
      if others < mine || (others == mine && url < sample) { self.sample = url }
    }
  }

  package let rules: [Rule]
  package private(set) var tallies: [Tally]
  /// The applications of the file, and how many URLs open each.
  package let applications: [String]
  package private(set) var opened: [Int]
  package private(set) var hits = 0
  package private(set) var unreadLines = 0
  /// URLs of the association file itself, which a device fetches and nobody opens; not among ``hits``.
  package private(set) var fileFetches = 0
  /// URLs that open no app.
  package private(set) var unmatched = 0
  /// The shortest URL that opens no app.
  package private(set) var unmatchedTally = Tally()
  /// Those of them that no rule is about, not even one that excludes.
  package private(set) var unruledTally = Tally()
  /// The host whose URLs count, as it was given; nil where each URL's own does.
  private let host: String?

  package init(of file: AssociationFile, os: OSVersion? = nil, host: String? = nil) {
    self.host = host
    let matcher = AssociationMatcher(file, os: os)
    rules = matcher.allRules.map {
      Rule(
        entry: $0.entry, rule: $0.rule, isExclusion: $0.settings.exclude ?? false, settings: $0.settings)
    }
    tallies = [Tally](repeating: Tally(), count: rules.count)
    applications = matcher.applications
    opened = [Int](repeating: 0, count: applications.count)
  }

  mutating func countUnreadLine() { unreadLines += 1 }

  mutating func countFileFetch() { fileFetches += 1 }

  /// - Parameters:
  ///   - deciding: The places of the rules that decided, for whichever app; each once.
  ///   - apps: The places of the apps that open.
  mutating func count(_ url: String, deciding: [Int], opening apps: [Int]) {
    hits += 1
    for place in deciding { tallies[place].add(url) }
    for app in apps { opened[app] += 1 }
    if apps.isEmpty {
      unmatched += 1
      unmatchedTally.add(url)
      if deciding.isEmpty { unruledTally.add(url) }
    }
  }

  // MARK: - Parts

  /// Why counts cannot be added up.
  package struct MergeProblem: Error {
    package let message: String

    package init(message: String) { self.message = message }
  }

  /// The counts as a part of a whole, for ``add(_:)``.
  package var part: JSON {
    .object([
      ("type", .string("coverage-part")), ("host", .init(host)), ("hits", .int(hits)),
      ("unread_lines", .int(unreadLines)), ("file_fetches", .int(fileFetches)),
      ("unmatched", .int(unmatched)), ("unmatched_sample", .init(unmatchedTally.sample)),
      ("unruled", .int(unruledTally.hits)), ("unruled_sample", .init(unruledTally.sample)),
      ("apps", .array(zip(applications, opened).map { .array([.string($0), .int($1)]) })),
      (
        "rules",
        .array(
          zip(rules, tallies).map { rule, tally in
            .object([
              ("entry", .int(rule.entry)), ("rule", .init(rule.rule)), ("exclude", .bool(rule.isExclusion)),
              ("settings", rule.settings.json), ("hits", .int(tally.hits)), ("sample", .init(tally.sample)),
            ])
          })
      ),
    ])
  }

  /// Reads what ``part`` wrote.
  package init(part: JSONNode) throws(MergeProblem) {
    func number(_ node: JSONNode, _ name: String) throws(MergeProblem) -> Int {
      guard let value = node[name]?.int, value >= 0 else {
        throw MergeProblem(message: "'\(name)' is missing or no count")
      }
      return value
    }
    guard part["type"]?.string == "coverage-part", let nodes = part["rules"]?.array,
      let apps = part["apps"]?.array
    else { throw MergeProblem(message: "it is not what 'linkspan coverage --partial' prints") }
    host = part["host"]?.string
    hits = try number(part, "hits")
    unreadLines = try number(part, "unread_lines")
    fileFetches = try number(part, "file_fetches")
    unmatched = try number(part, "unmatched")
    unmatchedTally = Tally(hits: unmatched, sample: part["unmatched_sample"]?.string)
    unruledTally = Tally(hits: part["unruled"]?.int ?? 0, sample: part["unruled_sample"]?.string)
    var rules: [Rule] = []
    var tallies: [Tally] = []
    for node in nodes {
      rules.append(
        Rule(
          entry: try number(node, "entry"), rule: node["rule"]?.int,
          isExclusion: node["exclude"]?.bool ?? false,
          settings: node["settings"].map(RuleSettings.init) ?? RuleSettings()))
      tallies.append(Tally(hits: try number(node, "hits"), sample: node["sample"]?.string))
    }
    self.rules = rules
    self.tallies = tallies
    var names: [String] = []
    var opened: [Int] = []
    for node in apps {
      guard let pair = node.array, pair.count == 2, let name = pair[0].string, let count = pair[1].int,
        count >= 0
      else {
        throw MergeProblem(message: "'apps' is not a list of pairs")
      }
      names.append(name)
      opened.append(count)
    }
    applications = names
    self.opened = opened
  }

  package mutating func add(_ other: CoverageCount) throws(MergeProblem) {
    guard other.rules == rules, other.applications == applications else {
      throw MergeProblem(message: "it was counted with another association file")
    }
    guard other.host == host else {
      func name(_ host: String?) -> String { host.map { "'--host \($0)'" } ?? "no '--host'" }
      throw MergeProblem(message: "it was counted with \(name(other.host)), the first with \(name(host))")
    }
    hits = try Self.sum(hits, other.hits)
    unreadLines = try Self.sum(unreadLines, other.unreadLines)
    fileFetches = try Self.sum(fileFetches, other.fileFetches)
    unmatched = try Self.sum(unmatched, other.unmatched)
    try unmatchedTally.add(other.unmatchedTally)
    try unruledTally.add(other.unruledTally)
    for index in tallies.indices { try tallies[index].add(other.tallies[index]) }
    for index in opened.indices { opened[index] = try Self.sum(opened[index], other.opened[index]) }
  }

  private static func sum(_ first: Int, _ second: Int) throws(MergeProblem) -> Int {
    let (sum, isBeyond) = first.addingReportingOverflow(second)
    if isBeyond { throw MergeProblem(message: "the counts add up to more than \(Int.max)") }
    return sum
  }

  /// The answer.
  package var json: JSON {
    .object(members)
  }

  package var members: [(String, JSON)] {
    [
      ("type", .string("coverage")), ("hits", .int(hits)), ("unread_lines", .int(unreadLines)),
      ("file_fetches", .int(fileFetches)),
      (
        "rules",
        .array(
          zip(rules, tallies).map { rule, tally in
            .object([
              ("entry", .int(rule.entry)), ("rule", .init(rule.rule)), ("hits", .int(tally.hits)),
              ("sample", .init(tally.sample)), ("exclude", .bool(rule.isExclusion)),
              ("settings", rule.settings.json),
            ])
          })
      ),
      ("apps", .object(zip(applications, opened).map { ($0, .int($1)) })),
      ("unmatched", .int(unmatched)), ("unmatched_sample", .init(unmatchedTally.sample)),
    ]
  }
}
