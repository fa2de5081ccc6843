import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import TestSupport
import Testing

/// Which releases a finding holds for (sections 6.2 to 6.4).
@Suite struct ReleaseRuleTests {
  static let app = "ABCDE12345.com.example.app"

  static func source(_ text: String) -> AssociationSource {
    AssociationSource(SourceText(name: "file", text))
  }

  static func modern(_ rules: String, more: String = "") -> String {
    #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(rules)]}]\#(more)}}"#
  }

  /// The examples of the reference, with the release it names.
  @Test func theExamplesAreFound() throws {
    let scope = ReleaseScope(try ReleaseSet(["ios:12"]))
    for rule in ReleaseScope.rules {
      for (examples, expected) in [(rule.bad, [rule.identifier]), (rule.good, [String]())] {
        for text in examples {
          #expect(scope.findings(in: Self.source(text)).map { $0.rule } == expected)
        }
      }
    }
  }

  struct Row: Sendable {
    var rule: String
    var os: String
    /// nil where the rule's first bad example is not found.
    var severity: Finding.Severity?
  }

  static let rows = [
    Row(rule: "aasa.mixed-formats", os: "ios:9..26", severity: .warning),
    Row(rule: "aasa.mixed-formats", os: "ios:13,macos:14", severity: .note),
    Row(rule: "aasa.apps-key", os: "ios:13", severity: nil),
    Row(rule: "aasa.apps-key", os: "tvos:12", severity: .warning),
    Row(rule: "aasa.paths-under-app-ids", os: "ios:17", severity: nil),
    Row(rule: "aasa.excluding-defaults", os: "ios:13.5", severity: nil),
    Row(rule: "aasa.excluding-defaults", os: "ios:14", severity: .warning),
    Row(rule: "aasa.encoded-pattern", os: "ios:13.7", severity: nil),
    Row(rule: "aasa.encoded-pattern", os: "ios:14", severity: .error),
    Row(rule: "aasa.shadowed-variable", os: "ios:13.4", severity: nil),
    Row(rule: "aasa.shadowed-variable", os: "ios:13.5", severity: .warning),
    Row(rule: "aasa.region-uk", os: "ios:13..13.4", severity: nil),
    Row(rule: "aasa.region-uk", os: "ios:13..13.5", severity: .note),
    Row(rule: "aasa.newer-than-paths", os: "ios:13.4", severity: .warning),
    Row(rule: "aasa.newer-than-paths", os: "ios:13.5", severity: nil),
    Row(rule: "aasa.unknown-key", os: "ios:17", severity: .error),
    Row(rule: "aasa.release-dependent", os: "ios:13..26", severity: .note),
    Row(rule: "aasa.release-dependent", os: "ios:14..26", severity: nil),
  ]

  /// What no release of the question reads is not told; what fails on all of them is.
  @Test(arguments: rows) func countsOnlyWhereItIsRead(_ row: Row) throws {
    let rule = try #require(AssociationRule.all.first { $0.identifier == row.rule })
    let text = try #require(rule.bad.first).filter { !"⟦⟧".contains($0) }
    let found = rule.findings(in: Self.source(text), on: try ReleaseSet([row.os]))
    #expect(found.first?.severity == row.severity, "\(row.rule) on \(row.os)")
  }

  static let spans: [(file: String, os: String, lines: [String])] = [
    (
      modern(#"{"/":"/a","caseSensitive":false},{"/":"/A"}"#), "ios:13..26",
      [
        #"/1 aasa.unreachable {"from":"ios:13.5","to":"ios:26"} iOS 13.5–26"#
      ]
    ),
    (
      modern(#"{"/":"/a","caseSensitive":false},{"/":"/A"}"#), "ios:17.4",
      [#"/1 aasa.unreachable {"from":"ios:17.4","to":"ios:17.4"} -"#]
    ),
    (
      modern(#"{"/":"/a","caseSensitive":false},{"/":"/A"}"#), "ios:15..",
      [#"/1 aasa.unreachable {"from":"ios:15.0","to":null} -"#]
    ),
    (modern(#"{"/":"/a","caseSensitive":false},{"/":"/A"}"#), "ios:13..13.4", []),
    (
      modern(#"{"/":"/a","caseSensitive":false}"#), "ios:13..26",
      [#"/0 aasa.release-dependent {"from":"ios:13.0","to":"ios:13.4"} iOS 13.0–13.4"#]
    ),
    (
      modern(#"{"/":"/a%20b","percentEncoded":false},{"/":"/a%20b"}"#), "ios:13.2..13.4,macos:11",
      [
        #"/0 aasa.encoded-pattern {"from":"macos:11.0","to":"macos:11.0"} macOS 11.0"#,
        #"/1 aasa.unreachable {"from":"ios:13.2","to":"ios:13.4"} iOS 13.2–13.4"#,
      ]
    ),
  ]

  @Test(arguments: spans) func aFindingSaysItsReleases(file: String, os: String, lines: [String]) throws {
    let findings = AssociationChecker.findings(in: Self.source(file), on: try ReleaseSet([os]))
    let told = findings.map { finding in
      let place = finding.location.pointer.map { $0.replacing("/applinks/details/0/components", with: "") }
      let first = "/" + (place ?? "").split(separator: "/").prefix(1).joined()
      return "\(first) \(finding.rule) \(finding.releases?.json.text ?? "-") \(finding.releases?.name ?? "-")"
    }
    #expect(told == lines)
  }

  @Test func theTextSaysWhereItDoesNotHoldForAll() throws {
    let text = Self.modern(#"{"/":"/a","caseSensitive":false},{"/":"/A"}"#)
    let some = AssociationChecker.findings(in: Self.source(text), on: try ReleaseSet(["ios:13..26"]))
    let dead = try #require(some.first { $0.rule == "aasa.unreachable" })
    #expect(dead.message.hasPrefix("Since iOS 13.5 this rule is never reached: entry 0, rule 0"))
    #expect(dead.text().hasSuffix("\n  This holds for iOS 13.5–26.\n"))
    let all = AssociationChecker.findings(in: Self.source(text), on: try ReleaseSet(["ios:17.4"]))
    #expect(all.map(\.message) == [dead.message])
    #expect(all.first?.text().contains("holds for") == false)
  }

  private static let unread =
    #"{"applinks":{"apps":[],"defaults":{"foo":1},"details":[{"appID":"\#(app)","paths":["/x"],"#
    + #""components":[{"/":"/a b","exlude":true,"percentEncoded":"x"}]}]}}"#

  /// J8, 6.3: releases before 13 do not read `components`, and those before 14 no `defaults`.
  @Test func whatAReleaseDoesNotReadIsNotFound() throws {
    func told(_ os: String) throws -> [String] {
      AssociationChecker.findings(in: Self.source(Self.unread), on: try ReleaseSet([os]))
        .map { "\($0.rule) \($0.releases?.name ?? "all")" }
    }
    #expect(try told("ios:9..12") == ["aasa.newer-than-paths all", "aasa.mixed-formats all"])
    let both = try told("ios:12..26")
    for line in [
      "aasa.unknown-key iOS 14.0–26", "aasa.unknown-key iOS 13.0–26", "aasa.wrong-type iOS 13.0–26",
      "aasa.encoded-pattern iOS 13.0–26",
    ] { #expect(both.contains(line), "\(line) \(both)") }
  }

  /// J6, J8, 6.3: what `appIDs` and `components` replace newer releases do not read, and older ones do not read these.
  static let replaced: [(entry: String, os: String, rules: Set<String>)] = [
    (#""appIDs":["A"],"paths":["/a b"],"components":[{"/":"/y"}]"#, "ios:13..26", ["aasa.mixed-formats"]),
    (
      #""appID":"A","paths":["/a b"],"components":[{"/":"/y"}]"#, "ios:9..12",
      ["aasa.encoded-pattern", "aasa.mixed-formats"]
    ),
    (#""appID":"A","paths":["/a b"]"#, "ios:13..26", ["aasa.encoded-pattern"]),
    (#""appID":"A","appIDs":[],"paths":["/x"]"#, "ios:9..12", []),
    (#""appID":"A","appIDs":[],"paths":["/x"]"#, "ios:13..26", ["aasa.no-application"]),
    (#""appID":"A","appIDs":["bad","A"],"paths":["/x"]"#, "ios:9..12", []),
    (#""appID":"A","appIDs":["bad","A"],"paths":["/x"]"#, "ios:13..26", ["aasa.application-identifier"]),
    (#""appID":"bad","appIDs":["A"],"paths":["/x"]"#, "ios:13..26", ["aasa.hidden-app-id"]),
    (#""appID":"bad","appIDs":["A"],"paths":["/x"]"#, "ios:9..12", ["aasa.application-identifier"]),
  ]

  @Test(arguments: replaced)
  func whatIsReplacedCountsWhereItIsRead(entry: String, os: String, rules: Set<String>) throws {
    let text =
      #"{"applinks":{"apps":[],"details":[{"# + entry.replacing("\"A\"", with: "\"\(Self.app)\"") + "}]}}"
    let found = AssociationChecker.findings(in: Self.source(text), on: try ReleaseSet([os]))
    #expect(Set(found.map(\.rule)) == rules, "\(found.map(\.message))")
  }

  /// A rule that only old releases need is a note where the app ships to newer ones.
  @Test func whatServesOldReleasesIsANote() throws {
    let text =
      #"{"applinks":{"apps":[],"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"*"}]},"#
      + #"{"appID":"\#(Self.app)","paths":["NOT /b","*"]}]}}"#
    func told(_ os: String) throws -> [String] {
      AssociationChecker.findings(in: Self.source(text), on: try ReleaseSet([os]))
        .filter { $0.rule == "aasa.unreachable" }.map { "\($0.severity.rawValue) \($0.message.prefix(10))" }
    }
    #expect(try told("ios:15..26") == ["note Since iOS ", "note Since iOS "])
    #expect(try told("ios:12") == [])
  }
}
