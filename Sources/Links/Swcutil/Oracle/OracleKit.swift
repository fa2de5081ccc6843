internal import AppSiteAssociation
internal import LinkspanCore

/// What Apple's tool is asked: the fewest files and URLs on which the readings of the open questions differ.
package struct OracleKit: Sendable {
  /// One run of `swcutil verify`.
  package struct Probe: Hashable, Sendable {
    /// The question's, or ``OracleKit/control``.
    package var name: String
    package var file: String
    package var app: String
    package var host: String
    package var url: String
  }

  package let probes: [Probe]

  /// The name of probes whose answers are known: they show that the tool's lines can be read.
  package static let control = "control"

  /// Searches the URLs; the same ones at every call.
  package init() {
    let controls = Self.controlled.map { path, _ in
      Probe(
        name: Self.control, file: Self.controlFile, app: OracleQuestion.app, host: OracleQuestion.host,
        url: "https://\(OracleQuestion.host)\(path)")
    }
    probes =
      controls
      + OracleQuestion.all.flatMap { question in
        question.smallestURLs.map { url in
          Probe(
            name: question.name, file: question.file, app: OracleQuestion.app, host: OracleQuestion.host,
            url: url)
        }
      }
  }

  /// Documented by Apple (A5): each path with its verdict.
  static let controlled: [(path: String, verdict: Decision.Verdict)] = [
    ("/open", .match), ("/closed", .excluded), ("/other", .noMatch),
  ]

  private static let controlFile =
    #"{"applinks":{"details":[{"appIDs":["\#(OracleQuestion.app)"],"components":["#
    + #"{"/":"/closed","exclude":true},{"/":"/open"}]}]}}"#
}

extension OracleQuestion {
  /// The verdict of each reading on a URL for a file; nil when one of them takes too much work.
  static func verdicts(
    _ readings: [Reading], _ matcher: AssociationMatcher, _ url: LinkURL, app: String, host: HostScope
  ) -> [Decision.Verdict]? {
    var verdicts: [Decision.Verdict] = []
    for reading in readings {
      var work = WorkBudget.answer
      if let other = reading.other {
        guard let verdict = matcher.verdict(url, app: app, host: host, by: other, &work) else { return nil }
        verdicts.append(verdict)
      } else {
        let decision = matcher.decide(url, app: app, host: host, &work)
        guard decision.isDecided else { return nil }
        verdicts.append(decision.verdict)
      }
    }
    return verdicts
  }

  /// URLs at which the algebra tells two readings apart, the shortest first.
  var candidates: [String] {
    var urls = self.urls
    if urls.isEmpty {
      let files = readings.map { Self.parsed($0.spelled) }
      for (index, first) in files.enumerated() {
        for second in files[(index + 1)...] {
          urls += FileComparison(first, second, host: Self.host, apps: [Self.app]).changes.map { $0.url }
        }
      }
    }
    var seen: Set<String> = []
    return urls.filter { seen.insert($0).inserted }.sorted {
      ($0.utf8.count, $0) < ($1.utf8.count, $1)
    }
  }

  /// The fewest URLs on which no two readings agree throughout.
  var smallestURLs: [String] {
    let matcher = AssociationMatcher(Self.parsed(file))
    let rows = candidates.compactMap { url in
      Self.verdicts(readings, matcher, LinkURL(url), app: Self.app, host: .exactly(Self.host)).map {
        (url: url, verdicts: $0)
      }
    }
    for count in 1...max(1, rows.count) {
      for chosen in Self.choices(of: count, from: rows.indices) {
        let answers = readings.indices.map { reading in chosen.map { rows[$0].verdicts[reading] } }
        if Set(answers).count == readings.count { return chosen.map { rows[$0].url } }
      }
    }
    preconditionFailure("no URLs tell the readings of '\(name)' apart")
  }

  private static func choices(of count: Int, from places: Range<Int>) -> [[Int]] {
    if count == 0 { return [[]] }
    return places.flatMap { first in
      choices(of: count - 1, from: (first + 1)..<places.upperBound).map { [first] + $0 }
    }
  }

  static func parsed(_ text: String) -> AssociationFile {
    guard let file = AssociationContent(Array(text.utf8)).file else {
      preconditionFailure("the text is an association file")
    }
    return file
  }
}
