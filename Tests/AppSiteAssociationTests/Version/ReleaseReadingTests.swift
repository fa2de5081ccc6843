import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import TestSupport
import Testing

/// Where releases of iOS read one file differently (sections 6.2 to 6.4 and 10).
@Suite struct ReleaseReadingTests {
  static let app = "ABCDE12345.com.example.app"

  static func file(_ text: String) throws -> AssociationFile {
    let root = try #require(JSONParser.parse(Array(text.utf8)).root)
    return try #require(AssociationFile(root))
  }

  static func modern(_ rules: String, more: String = "") -> String {
    #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(rules)]}]\#(more)}}"#
  }

  static let legacy = #"{"applinks":{"apps":[],"details":[{"appID":"\#(app)","paths":["/old"]}]}}"#
  static let legacyWithoutApps = #"{"applinks":{"details":[{"appID":"\#(app)","paths":["/old"]}]}}"#
  static let mixed = """
    {"applinks":{"apps":[],"details":[{"appID":"\(app)","appIDs":["\(app)"],"paths":["/old"],
    "components":[{"/":"/new"}]}]}}
    """

  static let rows: [(file: String, path: String, lines: [String])] = [
    (legacy, "/old", ["iOS 9.0 and later match: entry 0, rule 0 covers it: {\"/\":\"/old\"}"]),
    (
      legacyWithoutApps, "/old",
      [
        "iOS 9.0–12.5 noMatch: iOS before 13 requires \"apps\": [] inside \"applinks\", which is missing",
        "iOS 13.0 and later match: entry 0, rule 0 covers it: {\"/\":\"/old\"}; "
          + "iOS 13.0 no longer requires \"apps\": []",
      ]
    ),
    (
      mixed, "/old",
      [
        "iOS 9.0–12.5 match: entry 0, rule 0 covers it: {\"/\":\"/old\"}",
        "iOS 13.0 and later noMatch: closest is entry 0, rule 0: the path is '/old', which '/new' does not cover; "
          + "iOS 13.0 began to read \"components\" and \"appIDs\"",
      ]
    ),
    (
      modern(#"{"/":"/a","caseSensitive":false}"#), "/A",
      [
        "iOS 9.0–12.5 noMatch: iOS before 13 requires \"apps\": [] inside \"applinks\", which is missing",
        "iOS 13.0–13.4 noMatch: closest is entry 0, rule 0: the path is '/A', which '/a' does not cover",
        "iOS 13.5 and later match: entry 0, rule 0 covers it: {\"/\":\"/a\",\"caseSensitive\":false}; "
          + "iOS 13.5 began to read \"caseSensitive\"",
      ]
    ),
    (
      modern(#"{"/":"/$(digit)"}"#), "/7",
      [
        "iOS 9.0–12.5 noMatch: iOS before 13 requires \"apps\": [] inside \"applinks\", which is missing",
        "iOS 13.0–13.4 noMatch: closest is entry 0, rule 0: the path is '/7', which '/$(digit)' does not cover",
        "iOS 13.5 and later match: entry 0, rule 0 covers it: {\"/\":\"/$(digit)\"}; "
          + "iOS 13.5 began to read $(…)",
      ]
    ),
    (
      modern(##"{"#":"*"}"##, more: #","defaults":{"/":"/x"}"#), "/y",
      [
        "iOS 9.0–12.5 noMatch: iOS before 13 requires \"apps\": [] inside \"applinks\", which is missing",
        "iOS 13.0–13.7 match: entry 0, rule 0 covers it: {\"#\":\"*\"}; iOS 13.0 began to read \"components\" and "
          + "\"appIDs\"",
        "iOS 14.0 and later noMatch: closest is entry 0, rule 0: the path is '/y', which '/x' does not cover; "
          + "iOS 14.0 began to read \"defaults\"",
      ]
    ),
    (
      modern(#"{"/":"/a","exclude":true}"#), "/b",
      [
        "iOS 9.0–12.5 noMatch: iOS before 13 requires \"apps\": [] inside \"applinks\", which is missing",
        "iOS 13.0 and later noMatch: closest is entry 0, rule 0: the path is '/b', which '/a' does not cover",
      ]
    ),
    (
      // The reason of iOS 12 is not that of 13, which reads the file.
      modern(#"{"/":"/buy/*"}"#, more: #","defaults":{"caseSensitive":false}"#), "/BUY/1",
      [
        "iOS 9.0–12.5 noMatch: iOS before 13 requires \"apps\": [] inside \"applinks\", which is missing",
        "iOS 13.0–13.7 noMatch: closest is entry 0, rule 0: the path is '/BUY/1', which '/buy/*' does not cover",
        "iOS 14.0 and later match: entry 0, rule 0 covers it: {\"/\":\"/buy/*\",\"caseSensitive\":false}; "
          + "iOS 14.0 began to read \"defaults\"",
      ]
    ),
    (
      // A line names no rule that some of its releases do not read.
      mixed.replacing("\"/new\"}", with: "\"/*\",\"caseSensitive\":false},{\"/\":\"/x\"}")
        .replacing("]}}", with: "],\"defaults\":{\"exclude\":true}}}"), "/old",
      [
        "iOS 9.0–12.5 match: entry 0, rule 0 covers it: {\"/\":\"/old\"}",
        "iOS 13.0–13.4 match: entry 0, rule 0 covers it: {\"/\":\"/*\"}",
        "iOS 13.5–13.7 match: entry 0, rule 0 covers it: {\"/\":\"/*\",\"caseSensitive\":false}",
        "iOS 14.0 and later excluded: entry 0, rule 0 excludes it: "
          + "{\"/\":\"/*\",\"exclude\":true,\"caseSensitive\":false}; iOS 14.0 began to read \"defaults\"",
      ]
    ),
  ]

  @Test(arguments: rows) func neighboursWithOneAnswerAndReasonAreOneLine(
    file: String, path: String, lines: [String]
  )
    throws
  {
    var reader = ReleaseReader(try Self.file(file))
    var work = WorkBudget.answer
    let readings = reader.readings(
      of: LinkURL("https://example.com" + path), app: Self.app, host: HostScope("example.com"), &work)
    #expect(readings.map { "\($0.period.name) \($0.verdict.rawValue): \($0.reason)" } == lines)
  }

  /// Law: every release of a period answers as the reading says, on real files and the rules' own URLs.
  @Test func everyReleaseOfAPeriodAgreesWithIt() throws {
    let releases = [
      "9.0", "9.3", "12.0", "12.5", "13.0", "13.4", "13.5", "13.7", "14.0", "17.4", "26.0",
    ]
    let host = HostScope("example.com")
    for row in Self.rows {
      let file = try Self.file(row.file)
      for path in ["/", "/old", "/new", "/a", "/A", "/7", "/x", "/y"] {
        let url = LinkURL("https://example.com" + path)
        var reader = ReleaseReader(file)
        var work = WorkBudget.answer
        let readings = reader.readings(of: url, app: Self.app, host: host, &work)
        for release in try releases.map({ try OSVersion($0) }) {
          let verdict = AssociationMatcher(file, os: release).decide(url, app: Self.app, host: host).verdict
          let reading = readings.last { Self.precedes($0.period.first, release) }
          #expect(reading?.verdict == verdict, "\(row.file) \(path) \(release)")
        }
      }
    }
  }

  static func precedes(_ first: OSVersion, _ other: OSVersion) -> Bool {
    (first.major, first.minor) <= (other.major, other.minor)
  }

  static func survey(_ text: String, _ releases: String...) throws -> [String] {
    let survey = ReleaseSurvey(
      try file(text), host: nil, releases: releases.isEmpty ? .allOfIOS : try ReleaseSet(releases))
    return (survey.nothingBefore13.map { ["old: " + $0] } ?? [])
      + survey.differences.map { difference in
        "\(difference.url) +\(difference.others) "
          + difference.readings.map { "\($0.period.name) \($0.verdict.rawValue)" }.joined(separator: ", ")
      }
  }

  @Test func aSurveyIsSilentWhereReleasesAgree() throws {
    #expect(try Self.survey(Self.legacy) == [])
    #expect(try Self.survey("{}") == [])
    #expect(try Self.survey(#"{"applinks":{"details":[]}}"#) == [])
    #expect(
      try Self.survey(Self.modern(#"{"/":"/a/*"},{"/":"/b","exclude":true}"#)) == [
        "old: it requires \"apps\": [] inside \"applinks\""
      ])
    #expect(
      try Self.survey(#"{"applinks":{"apps":[],"details":[{"appIDs":["\#(Self.app)"],"paths":["/a"]}]}}"#)
        == [
          "old: it reads only \"appID\" and \"paths\", and no entry has both"
        ])
  }

  static let surveys: [(file: String, lines: [String])] = [
    (
      mixed,
      [
        "https://example.com/old +0 iOS 9.0–12.5 match, iOS 13.0 and later noMatch",
        "https://example.com/new +0 iOS 9.0–12.5 noMatch, iOS 13.0 and later match",
      ]
    ),
    (
      modern(#"{"/":"/a/*","caseSensitive":false},{"/":"/b","caseSensitive":false}"#),
      [
        "old: it requires \"apps\": [] inside \"applinks\"",
        "https://example.com/A/X +1 iOS 13.0–13.4 noMatch, iOS 13.5 and later match",
      ]
    ),
    (
      modern(
        #"{"/":"/$(kind)/?","?":{"id":"$(digit)"}}"#, more: #","substitutionVariables":{"kind":["p","q"]}"#),
      [
        "old: it requires \"apps\": [] inside \"applinks\"",
        "https://example.com/p/x?id=0 +0 iOS 13.0–13.4 noMatch, iOS 13.5 and later match",
      ]
    ),
    (
      // The first of the values in the file's order, in every process.
      modern(
        #"{"/":"/$(kind)"}"#, more: #","substitutionVariables":{"kind":["n?","m*","l*","k*","j*","i*"]}"#),
      [
        "old: it requires \"apps\": [] inside \"applinks\"",
        "https://example.com/nx +0 iOS 13.0–13.4 noMatch, iOS 13.5 and later match",
      ]
    ),
    (
      modern(#"{"/":"/a b","percentEncoded":false}"#),
      [
        "old: it requires \"apps\": [] inside \"applinks\"",
        "https://example.com/a%20b +0 iOS 13.0–13.7 noMatch, iOS 14.0 and later match",
      ]
    ),
    (
      modern(##"{"#":"*"}"##, more: #","defaults":{"exclude":true}"#),
      [
        "old: it requires \"apps\": [] inside \"applinks\"",
        "https://example.com/x +0 iOS 13.0–13.7 match, iOS 14.0 and later excluded",
      ]
    ),
  ]

  @Test(arguments: surveys) func aSurveyFindsAWitness(file: String, lines: [String]) throws {
    #expect(try Self.survey(file) == lines)
  }

  @Test func aSurveyOfNamedReleasesComparesThoseOnly() throws {
    let file = Self.modern(#"{"/":"/a","caseSensitive":false}"#)
    #expect(try Self.survey(file, "ios:13.5", "ios:17") == [])
    #expect(
      try Self.survey(file, "ios:13", "ios:17") == [
        "https://example.com/A +0 iOS 13.0 noMatch, iOS 17.0 match"
      ])
  }

  /// Real files: every difference named is one.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func differencesOfRealFilesAreReal() throws {
    let corpus = try #require(Fixtures.corpus)
    var count = 0
    for row in try corpus.manifest("aasa") {
      guard let file = AssociationContent(try corpus.bytes("aasa/\(row[0])")).file else { continue }
      for difference in ReleaseSurvey(file, host: "example.com").differences {
        count += 1
        for reading in difference.readings {
          let verdict = AssociationMatcher(file, os: reading.period.first).decide(
            LinkURL(difference.url), app: difference.app, host: HostScope("example.com")
          ).verdict
          #expect(verdict == reading.verdict, "\(row[0])")
        }
      }
    }
    print("corpus aasa: \(count) differences between releases")
    #expect(count > 0)
  }

  @Test(
    arguments: [
      ("ios:12.4", "iOS 12.4 uses no link of this file: it requires \"apps\": [] inside \"applinks\"."),
      ("ios:8.4", "iOS 8.4 uses no link of this file: it has no universal links."), ("ios:13", nil),
    ] as [(String, String?)])
  func aReleaseThatTakesNothingIsAnError(release: String, message: String?) throws {
    let source = AssociationSource(SourceText(name: "a", Self.modern(#"{"/":"/a"}"#)))
    let findings = ReleaseScope(try ReleaseSet([release])).findings(in: source)
    #expect(findings.map(\.message) == (message.map { [$0] } ?? []))
    #expect(findings.allSatisfy { $0.severity == .error && $0.rule == "aasa.release-takes-nothing" })
  }
}
