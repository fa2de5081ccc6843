import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import TestSupport
import Testing

/// Rules that are dead because newer releases read keys that older ones ignore.
@Suite struct DeadRuleTests {
  static let app = "ABCDE12345.com.example.app"

  enum Kind: String, CaseIterable, Sendable {
    case caseSensitive
    case variables
    case defaults
  }

  struct Planted: Sendable, CustomTestStringConvertible {
    var kind: Kind
    var number: Int
    var text: String
    /// The place of the rule that is dead.
    var place: Int
    /// The first release on which it is.
    var since: String
    var testDescription: String { "\(kind.rawValue) \(number)" }
  }

  /// Twenty of each kind: among rules for other pages, one that covers another one only where the key is read.
  static let planted: [Planted] = {
    var generator = SeededGenerator(seed: 17)
    func word() -> String {
      String(
        (0..<generator.draw(3...7)).map { _ in Character(UnicodeScalar(UInt8(97 + generator.draw(0...25)))) })
    }
    return Kind.allCases.flatMap { kind in
      (0..<20).map { number in
        let (path, exclusion) = ("/" + word(), generator.chance(1, in: 2) ? #","exclude":true"# : "")
        let wide: String
        let dead: String
        var more = ""
        switch kind {
        case .caseSensitive:
          wide = #"{"/":"\#(path)/*","caseSensitive":false}"#
          dead = #"{"/":"\#(path.uppercased())/\#(word())"\#(exclusion)}"#
        case .variables:
          let value = word()
          wide = #"{"/":"\#(path)/$(name)/*"}"#
          dead = #"{"/":"\#(path)/\#(value)/\#(word())"\#(exclusion)}"#
          more = #","substitutionVariables":{"name":["\#(word())","\#(value)"]}"#
        case .defaults:
          // Without the defaults the first rule is for one host's queries only, with them it has any case.
          wide = #"{"/":"\#(path)/*"}"#
          dead = #"{"/":"\#(path.uppercased())/x"\#(exclusion)}"#
          more = #","defaults":{"caseSensitive":false}"#
        }
        var rules = (0..<generator.draw(0...4)).map { _ in #"{"/":"/0\#(word())/*"}"# }
        let first = Int(generator.draw(0...Int64(rules.count)))
        rules.insert(wide, at: first)
        let place = Int(generator.draw(Int64(first + 1)...Int64(rules.count)))
        rules.insert(dead, at: place)
        return Planted(
          kind: kind, number: number,
          text:
            #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(rules.joined(separator: ","))]}]\#(more)}}"#,
          place: place, since: kind == .defaults ? "14.0" : "13.5")
      }
    }
  }()

  static func dead(_ text: String, on releases: ReleaseSet) -> [Finding] {
    AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)), on: releases)
      .filter { $0.rule == "aasa.unreachable" }
  }

  @Test(arguments: planted) func isFound(_ planted: Planted) throws {
    let pointer = "/applinks/details/0/components/\(planted.place)"
    let asked = ["ios:17.4", "ios:15..", "ios:13..26", "ios:14..14.8"]
    for os in asked {
      let found = Self.dead(planted.text, on: try ReleaseSet([os]))
      #expect(found.map { $0.location.pointer } == [pointer], "\(os): \(planted.text)")
      #expect(found.first?.message.hasPrefix("Since iOS \(planted.since) this rule is never reached") == true)
      let from = found.first?.releases?.first.from
      switch os {
      case "ios:17.4": #expect(from == "ios:17.4" && found.first?.releases?.first.to == "ios:17.4")
      case "ios:13..26":
        #expect(from == "ios:\(planted.since)" && found.first?.releases?.first.to == "ios:26")
      default: break
      }
    }
    #expect(
      Self.dead(planted.text, on: .standard).first?.releases?.json.text == #"{"from":"ios:15.0","to":null}"#)
    #expect(Self.dead(planted.text, on: try ReleaseSet(["ios:13..13.4"])) == [], "\(planted.text)")
  }

  /// What 17.4 is asked about says nothing of 13.4.
  @Test(arguments: planted) func noNoteIsAboutOtherReleases(_ planted: Planted) throws {
    let source = AssociationSource(SourceText(name: "file", planted.text))
    let found = AssociationChecker.findings(in: source, on: try ReleaseSet(["ios:17.4"]))
    #expect(!found.contains { $0.rule == "aasa.release-dependent" || $0.text().contains("13.4") })
  }

  /// Law: a finding of a range is one of each release that it names, and of no other release of the range.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func noFindingOfTheCorpusIsOutsideItsRange() throws {
    struct Place: Hashable {
      var rule: String
      var pointer: String?
      var line: Int?
      var column: Int?

      init(_ finding: Finding) {
        rule = finding.rule
        pointer = finding.location.pointer
        line = finding.location.start?.line
        column = finding.location.start?.column
      }
    }
    let corpus = try #require(Fixtures.corpus)
    let ranges: [(asked: String, releases: [String])] = [
      ("ios:15..26", ["ios:15", "ios:17.4", "ios:26"]), ("ios:17.4", ["ios:17.4"]),
      ("ios:13..13.4", ["ios:13", "ios:13.4"]), ("ios:12..14", ["ios:12", "ios:13.1", "ios:13.6", "ios:14"]),
    ]
    var (count, outside) = (0, 0)
    for row in try corpus.manifest("aasa") {
      let source = AssociationSource(SourceText(name: row[0], bytes: try corpus.bytes("aasa/\(row[0])")))
      var known: [String: Set<Place>] = [:]
      for (asked, releases) in ranges {
        let range = try ReleaseSet([asked])
        for release in releases where known[release] == nil {
          let single = AssociationChecker.findings(in: source, on: try ReleaseSet([release]))
          known[release] = Set(single.map(Place.init))
        }
        for finding in AssociationChecker.findings(in: source, on: range) {
          count += 1
          let spans = finding.releases.map { [$0.first] + $0.others } ?? []
          // What tells releases apart needs two of them.
          let isAboutTwo = finding.rule == "aasa.release-dependent"
          for release in releases {
            let single = try OSVersion(release)
            let isNamed = try spans.contains { span in
              let last = try span.to.map { try OSVersion($0) }
              return try OSVersion(span.from) <= single && last.map { single <= $0 } ?? true
            }
            let isFound = known[release]?.contains(Place(finding)) ?? false
            if isNamed != isFound, !isAboutTwo {
              outside += 1
              Issue.record(
                "\(row[0]): \(finding.rule) \(finding.location.pointer ?? "") on \(release) of \(asked)")
            }
          }
          if spans.isEmpty { outside += 1 }
        }
      }
    }
    print("corpus aasa: \(count) findings in \(ranges.count) ranges, \(outside) outside their range")
    #expect(count > 100)
    #expect(outside == 0)
  }
}
