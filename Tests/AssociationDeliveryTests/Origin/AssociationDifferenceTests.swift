import AppSiteAssociation
import AssociationDelivery
import LinkspanCore
import Testing

@Suite struct AssociationDifferenceTests {
  static func read(_ text: String) throws -> JSONNode {
    let document = JSONParser.parse(Array(text.utf8))
    #expect(document.isWellFormed)
    return try #require(document.root)
  }

  @Test(arguments: [
    (#"{"a":1,"b":[1,2]}"#, #" { "b" : [ 1 , 2 ], "a" : 1 } "#, true),
    (#"{"b":[1,2]}"#, #"{"b":[2,1]}"#, false),
    (#"{"a":"/x"}"#, #"{"a":"\u002fx"}"#, true), (#"{"a":null}"#, "{}", false),
    (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"y":2,"x":1}}"#, true), (#"{"a":"1"}"#, #"{"a":1}"#, false),
    (#"{"a":1,"a":2}"#, #"{"a":2}"#, true),
  ])
  func meaningIsComparedAndNotText(one: String, other: String, isSame: Bool) throws {
    #expect(try Self.read(one).hasSameMeaning(as: Self.read(other)) == isSame)
    #expect(try Self.read(other).hasSameMeaning(as: Self.read(one)) == isSame)
  }

  static func links(_ entries: String, _ more: String = "") -> String {
    "{\"applinks\":{\"details\":[\(entries)]\(more)}}"
  }

  static let a = #"{"appIDs":["ABCDE12345.a"],"components":[{"/":"/x"},{"/":"/y"}]}"#

  /// J12: the order of entries is that of apps; J13: members of an object have none.
  @Test(
    arguments: [
      (["a /x", "b /x"], ["b /x", "a /x"], true), (["a /x", "b /x"], ["a /x", "b /x"], false),
      (["a /x", "a /y", "b /x"], ["b /x", "a /x", "a /y"], true),
      (["a /x", "b /x", "c /x"], ["c /x", "a /x", "b /x"], true),
      (["c /x", "a /x", "b /x", "a /y"], ["c /x", "a /x", "a /y", "b /x"], true),
      (["a,b /x"], ["b,a /x"], false), (["a /x", "b /y"], ["a /x", "c /z", "b /y"], false),
    ] as [([String], [String], Bool)])
  func anotherOrderOfAppsIsADifference(old: [String], new: [String], isOther: Bool) throws {
    func file(_ entries: [String]) throws -> JSONNode {
      try Self.read(
        Self.links(
          entries.map { entry in
            let parts = entry.split(separator: " ")
            let apps = parts[0].split(separator: ",").map { "\"ABCDE12345.\($0)\"" }.joined(separator: ",")
            return #"{"appIDs":[\#(apps)],"components":[{"/":"\#(parts[1])"}]}"#
          }.joined(separator: ",")))
    }
    let lines = AssociationDifference.lines(from: try file(old), to: try file(new))
    #expect(lines.contains("the entries of different apps are in another order (J12)") == isOther, "\(lines)")
  }

  /// 6.2, J6, J8: iOS 9 to 12 read from the host what newer releases replace, and those that ask Apple's CDN never do.
  @Test(
    arguments: [
      (#"{"apps":[],"details":[]}"#, #"{"details":[]}"#, true),
      (
        #"{"apps":[],"details":[{"appID":"ABCDE12345.a","paths":["/x"],"components":[{"/":"/y"}]}]}"#,
        #"{"apps":[],"details":[{"appID":"ABCDE12345.a","paths":["/z"],"components":[{"/":"/y"}]}]}"#, true
      ),
      (
        #"{"details":[{"appID":"ABCDE12345.a","paths":["/x"],"components":[{"/":"/y"}]}]}"#,
        #"{"details":[{"appID":"ABCDE12345.a","paths":["/z"],"components":[{"/":"/y"}]}]}"#, false
      ),
      (
        #"{"apps":[],"details":[{"appIDs":["ABCDE12345.a"],"paths":["/x"],"components":[{"/":"/y"}]}]}"#,
        #"{"apps":[],"details":[{"appIDs":["ABCDE12345.a"],"paths":["/z"],"components":[{"/":"/y"}]}]}"#,
        false
      ),
    ] as [(String, String, Bool)])
  func whatOnlyOldReleasesReadIsADifferenceForThem(old: String, new: String, isOne: Bool) throws {
    let (old, new) = (
      try Self.read(#"{"applinks":\#(old)}"#), try Self.read(#"{"applinks":\#(new)}"#)
    )
    #expect(
      AssociationDifference.lines(from: old, to: new)
        == (isOne ? ["what only iOS 12 and older read is different"] : []))
    #expect(AssociationDifference.lines(from: old, to: new, readers: .fetchingThroughCDN).isEmpty)
  }

  static let differences: [(String, String, [String])] = [
    (links(a), links(a), []),
    (links(a), "{}", ["'applinks' is gone"]), ("{}", links(a), ["'applinks' is new"]),
    (
      links(a), links(a.replacing("ABCDE12345.a", with: "ABCDE12345.b")),
      ["'applinks' newly names ABCDE12345.b", "'applinks' no longer names ABCDE12345.a"]
    ),
    (
      links(a), links(#"{"appIDs":["ABCDE12345.a"],"components":[{"/":"/y"},{"/":"/x"}]}"#),
      ["the rules of ABCDE12345.a are in a different order"]
    ),
    (
      links(a), links(#"{"appIDs":["ABCDE12345.a"],"components":[{"/":"/x"},{"/":"/z"}]}"#),
      [
        #"ABCDE12345.a has the new rule {"/":"/z"}"#, #"ABCDE12345.a no longer has the rule {"/":"/y"}"#,
      ]
    ),
    (
      links(#"{"appID":"ABCDE12345.a","paths":["/x"]}"#),
      links(#"{"appID":"ABCDE12345.a","paths":["NOT /x"]}"#),
      [#"ABCDE12345.a has the new rule "NOT /x""#, #"ABCDE12345.a no longer has the rule "/x""#]
    ),
    (
      links(#"{"appIDs":["ABCDE12345.a"],"components":[{"/":"/x"}]}"#),
      links(
        #"{"appIDs":["ABCDE12345.a"],"components":[{"/":"/x"}]}"#, #","defaults":{"caseSensitive":false}"#),
      [
        #"ABCDE12345.a has the new rule {"/":"/x","caseSensitive":false}"#,
        #"ABCDE12345.a no longer has the rule {"/":"/x"}"#,
      ]
    ),
    (
      links(a), links(a, #","substitutionVariables":{"v":["1"]}"#), ["the substitution variables differ"]
    ),
    (
      #"{"webcredentials":{"apps":["ABCDE12345.a"]}}"#, #"{"webcredentials":{"apps":["ABCDE12345.b"]}}"#,
      ["'webcredentials' newly names ABCDE12345.b", "'webcredentials' no longer names ABCDE12345.a"]
    ),
    (links(a), links(a).replacing("{\"applinks", with: "{\"note\":1,\"applinks"), []),
  ]

  @Test(arguments: differences.indices) func whatChangedIsNamed(_ index: Int) throws {
    let (old, new, lines) = Self.differences[index]
    #expect(try AssociationDifference.lines(from: Self.read(old), to: Self.read(new)) == lines)
  }

  @Test func manyDifferencesAreCounted() throws {
    let many = (0..<20).map { "\"ABCDE12345.a\($0)\"" }.joined(separator: ",")
    let lines = AssociationDifference.lines(
      from: try Self.read(#"{"webcredentials":{"apps":[]}}"#),
      to: try Self.read("{\"webcredentials\":{\"apps\":[\(many)]}}"))
    #expect(lines.count == 8)
    #expect(lines.last == "13 more differences")
  }

  /// Every app of a shared entry has every changed rule: the clauses are counted, not made.
  @Test func manyAppsWithManyChangedRulesAreCounted() throws {
    let apps = (0..<2_000).map { "\"ABCDE12345.a\($0)\"" }.joined(separator: ",")
    func file(_ name: String) -> String {
      let rules = (0..<2_000).map { "{\"/\":\"/\(name)\($0)\"}" }.joined(separator: ",")
      return Self.links("{\"appIDs\":[\(apps)],\"components\":[\(rules)]}")
    }
    let lines = AssociationDifference.lines(from: try Self.read(file("x")), to: try Self.read(file("y")))
    #expect(lines.first == #"ABCDE12345.a0 has the new rule {"/":"/y0"}"#)
    #expect(lines.count == 8)
    #expect(lines.last == "7999993 more differences")
  }

  /// Each app has an entry of its own beside the shared one, so no two compare alike: beyond the limit only the app is
  /// named.
  @Test func rulesBeyondTheLimitAreNotCompared() throws {
    let names = (0..<600).map { "ABCDE12345.a\($0)" }
    func file(_ path: String) -> String {
      let rules = (0..<1_000).map { "{\"/\":\"/\($0)\"}" }.joined(separator: ",")
      let apps = names.map { "\"\($0)\"" }.joined(separator: ",")
      let shared = "{\"appIDs\":[\(apps)],\"components\":[\(rules)]}"
      let own = names.map { name in "{\"appIDs\":[\"\(name)\"],\"components\":[{\"/\":\"/\(path)/\(name)\"}]}"
      }
      return Self.links(([shared] + own).joined(separator: ","))
    }
    let lines = AssociationDifference.lines(from: try Self.read(file("x")), to: try Self.read(file("y")))
    #expect(lines.first == #"ABCDE12345.a0 has the new rule {"/":"/y/ABCDE12345.a0"}"#)
    // 249 apps with two clauses each, 351 that are named only.
    let others: Int = 249 * 2 + 351 - 7
    #expect(lines.last == "\(others) more differences")
  }

  /// Which entry a rule is in makes no difference to a device.
  @Test func rulesDividedOverOtherEntriesAreTheSame() throws {
    let divided =
      #"{"appIDs":["ABCDE12345.a"],"components":[{"/":"/x"}]},"#
      + #"{"appIDs":["ABCDE12345.a"],"components":[{"/":"/y"}]}"#
    let lines = AssociationDifference.lines(
      from: try Self.read(Self.links(Self.a)), to: try Self.read(Self.links(divided)))
    #expect(lines == [])
  }

  /// Shuffled members say the same; one changed value doesn't.
  @Test(arguments: 1...50 as ClosedRange<UInt64>) func theOrderOfMembersNeverCounts(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func value(_ depth: Int) -> (String, String) {
      switch depth > 3 ? 0 : Int.random(in: 0...3, using: &generator) {
      case 1:
        let parts = (0..<3).map { _ in value(depth + 1) }
        return (
          "[\(parts.map(\.0).joined(separator: ","))]", "[ \(parts.map(\.1).joined(separator: " , ")) ]"
        )
      case 2, 3:
        let parts = ["a", "b", "c"].map { name -> (String, String) in
          let inner = value(depth + 1)
          return ("\"\(name)\":\(inner.0)", "\"\(name)\" : \(inner.1)")
        }
        return (
          "{\(parts.map(\.0).joined(separator: ","))}",
          "{\(parts.map(\.1).shuffled(using: &generator).joined(separator: ","))}"
        )
      default:
        let text = "\(Int.random(in: 0...9, using: &generator))"
        return (text, text)
      }
    }
    let (one, other) = value(0)
    #expect(try Self.read("[\(one)]").hasSameMeaning(as: Self.read("[\(other)]")), "seed \(seed)")
    #expect(try !Self.read("[\(one)]").hasSameMeaning(as: Self.read("[\(other),0]")), "seed \(seed)")
  }
}
