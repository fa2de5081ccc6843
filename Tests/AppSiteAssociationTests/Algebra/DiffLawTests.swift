import AppSiteAssociation
import Foundation
import LinkLanguages
import LinkspanCore
import Testing

/// Differences of files are URLs that a device can hold, and what no device sees is none.
@Suite struct DiffLawTests {
  /// `LINKSPAN_DIFFS` draws another number of pairs.
  static let count = ProcessInfo.processInfo.environment["LINKSPAN_DIFFS"].flatMap(Int.init) ?? 200

  /// Enough for nearly all of the pairs; what is left open is counted.
  static let limits: FileComparison.Limits = {
    var limits = FileComparison.Limits()
    limits.steps = 2_000_000
    return limits
  }()

  static let pieces = [
    "a", "k", "K", "s", "ſ", "\u{212A}", "é", "É", "%C3%A9", "%c3%a9", "%", "100%", "%2E", ".", "..", "/",
    "/", "*", "?",
    "?*", "$(alpha)", "$(upper)", "$(digit)", "$(v)", " ", "|", "{id}", "[", "'", "~", "+", "\\\\", "%25",
    "2e", "html",
  ]
  static let parts = ["x", "K", "ſ", "?*", "*", "", "$(alpha)", "a%", "%41", "é", "{id}", "a b", "it's"]

  static func pick(_ choices: [String], _ generator: inout SeededGenerator) -> String {
    choices[Int(generator.draw(0...Int64(choices.count - 1)))]
  }

  static func rule(_ generator: inout SeededGenerator) -> String {
    var path = "/"
    for _ in 0..<generator.draw(0...4) { path += pick(pieces, &generator) }
    var members = ["\"/\":\"\(path)\""]
    switch generator.draw(0...5) {
    case 0: members.append("\"?\":\"\(pick(parts, &generator))\"")
    case 1:
      members.append("\"?\":{\"\(pick(["q", "K", "é", "a%"], &generator))\":\"\(pick(parts, &generator))\"}")
    default: break
    }
    if generator.chance(1, in: 5) { members.append("\"#\":\"\(pick(parts, &generator))\"") }
    for key in ["caseSensitive", "percentEncoded"] where generator.chance(1, in: 3) {
      members.append("\"\(key)\":\(generator.chance(2, in: 3) ? "false" : "true")")
    }
    if generator.chance(1, in: 4) { members.append("\"exclude\":true") }
    return "{" + members.joined(separator: ",") + "}"
  }

  static func file(_ rules: [String], defaults: String) -> AssociationFile? {
    let text = """
      {"applinks":{"details":[{"appIDs":["\(AlgebraLawTests.app)"],"components":[\(rules.joined(separator: ","))]}],
      "substitutionVariables":{"v":["a","ſ","b%","K*"]}\(defaults)}}
      """
    return JSONParser.parse(Array(text.utf8)).root.flatMap(AssociationFile.init)
  }

  static let defaults = [
    "", "", "", #","defaults":{"caseSensitive":false}"#, #","defaults":{"percentEncoded":false}"#,
  ]

  /// A rule with another answer to one of the two questions, or another rule.
  static func toggled(_ rule: String, _ generator: inout SeededGenerator) -> String {
    for key in ["caseSensitive", "percentEncoded"].shuffled(using: &generator) {
      if rule.contains("\"\(key)\":false") {
        return rule.replacing("\"\(key)\":false", with: "\"\(key)\":true")
      }
      if generator.chance(1, in: 2), !rule.contains(key) {
        return rule.dropLast() + ",\"\(key)\":false}"
      }
    }
    return Self.rule(&generator)
  }

  @Test func everyWitnessIsHeldAndReal() throws {
    var generator = SeededGenerator(seed: 29)
    var (different, witnesses, undecided) = (0, 0, 0)
    for round in 0..<Self.count {
      var rules = (0..<generator.draw(1...4)).map { _ in Self.rule(&generator) }
      let before = rules
      for _ in 0..<generator.draw(1...2) {
        let place = Int(generator.draw(0...Int64(rules.count - 1)))
        rules[place] = Self.toggled(rules[place], &generator)
      }
      let labels = (Self.pick(Self.defaults, &generator), Self.pick(Self.defaults, &generator))
      let label = Comment(
        rawValue: "seed 29, round \(round): \(before) \(labels.0) against \(rules) \(labels.1)")
      let old = try #require(Self.file(before, defaults: labels.0), label)
      let new = try #require(Self.file(rules, defaults: labels.1), label)
      let comparison = FileComparison(old, new, host: "example.com", limits: Self.limits)
      undecided += comparison.undecided.count
      if !comparison.changes.isEmpty { different += 1 }
      let slow = (
        SlowMatcher(file: old, app: AlgebraLawTests.app), SlowMatcher(file: new, app: AlgebraLawTests.app)
      )
      let fast = (AssociationMatcher(old), AssociationMatcher(new))
      for change in comparison.changes {
        witnesses += 1
        let url = LinkURL(change.url)
        func verdict(_ matcher: AssociationMatcher) -> String {
          matcher.decide(url, app: AlgebraLawTests.app, host: .exactly("example.com")).verdict.rawValue
        }
        let answers = (verdict(fast.0), verdict(fast.1))
        #expect(HeldURLCheck.isHeld(change.url), "\(change.url), \(label)")
        #expect(answers.0 != answers.1, "\(change.url), \(label)")
        #expect(slow.0.decide(change.url).verdict == answers.0, "\(change.url), \(label)")
        #expect(slow.1.decide(change.url).verdict == answers.1, "\(change.url), \(label)")
      }
    }
    print("diffs: \(Self.count) pairs, \(different) differ, \(witnesses) witnesses, \(undecided) undecided")
    #expect(different > Self.count / 4)
    #expect(undecided <= Self.count / 10)
  }

  /// Which releases see a change: exactly those that it names.
  @Test func aChangeHoldsForTheReleasesItNames() throws {
    var generator = SeededGenerator(seed: 30)
    let releases = try ["ios:13.2", "ios:13.6", "ios:15"].map { try OSVersion($0) }
    let asked = try ReleaseSet(["ios:13..26"])
    var partial = 0
    for round in 0..<Self.count {
      var rules = (0..<generator.draw(1...3)).map { _ in Self.rule(&generator) }
      let before = rules
      rules[0] = Self.toggled(rules[0], &generator)
      let defaults = Self.pick(Self.defaults, &generator)
      let label = Comment(rawValue: "seed 30, round \(round): \(before) against \(rules) with \(defaults)")
      let old = try #require(Self.file(before, defaults: defaults), label)
      let new = try #require(Self.file(rules, defaults: defaults), label)
      let whole = FileComparison(old, new, host: "example.com", releases: asked, limits: Self.limits)
      guard whole.undecided.isEmpty else { continue }
      for release in releases {
        let single = FileComparison(
          old, new, host: "example.com", releases: try ReleaseSet([release.description]), limits: Self.limits)
        guard single.undecided.isEmpty else { continue }
        let told = whole.changes.filter { change in
          let named = change.releases.map { [$0.first] + $0.others } ?? []
          return named.contains { span in
            let from = try? OSVersion(span.from)
            let to = span.to.flatMap { try? OSVersion($0) }
            return from.map { $0 <= release } ?? false && to.map { release <= $0 || $0.major == 26 } ?? true
          }
        }
        #expect(told.isEmpty == single.changes.isEmpty, "\(release), \(label)")
        let matchers = [old, new].map { AssociationMatcher($0, os: release) }
        for change in whole.changes {
          let verdicts = matchers.map {
            $0.decide(LinkURL(change.url), app: change.app, host: .exactly("example.com")).verdict
          }
          if told.contains(change) {
            #expect(verdicts[0] != verdicts[1], "\(change.url), \(release), \(label)")
          }
        }
      }
      partial += whole.changes.count { $0.releases?.name != nil }
    }
    print("diffs: \(partial) of \(Self.count) pairs hold for some releases only")
    #expect(partial > Self.count / 20)
  }

  /// K2 and K3: what only raw text shows.
  static let alike = [
    (#"{"/":"/$(alpha)"}"#, #"{"/":"/$(alpha)","caseSensitive":false}"#),
    (#"{"/":"/100%"}"#, #"{"/":"/100%","exclude":true}"#), (#"{"/":"/ſ"}"#, #"{"/":"/ſ","exclude":true}"#),
    (#"{"/":"/caf\u00e9"}"#, #"{"/":"/nowhere else"}"#), (#"{"/":"/a/../b"}"#, #"{"/":"/a/%2e%2E/b"}"#),
    (#"{"/":"/$(digit)"}"#, #"{"/":"/$(digit)","caseSensitive":false}"#),
    (#"{"/":"/%2E"}"#, #"{"/":"/%2e%2E/x"}"#),
    (#"{"/":"/%zz*"}"#, #"{"/":"/%4"}"#), (#"{"?":"a b"}"#, ##"{"#":"|"}"##),
    (#"{"?":"q='"}"#, #"{"?":{"q":"it's"}}"#),
  ]

  @Test(arguments: alike) func areAlikeForEveryURLThatADeviceHolds(old: String, new: String) throws {
    let files = try [old, new].map { try #require(Self.file([$0], defaults: "")) }
    let comparison = FileComparison(files[0], files[1], host: "example.com")
    #expect(comparison.isEqual, "\(comparison.changes.map(\.url)) \(comparison.undecided)")
  }

  static let held: [(rest: String, isHeld: Bool)] = [
    ("/", true), ("/a", true), ("/caf%C3%A9", true), ("/café", false), ("/ſ", false), ("/100%", false),
    ("/100%2", false), ("/100%25", true), ("/%zz", false), ("/a b", false), ("/a|b", false), ("/a{b}", false),
    ("/.", false), ("/..", false), ("/a/./b", false), ("/a/../b", false), ("/%2e", false),
    ("/a/.%2E/b", false),
    ("/...", true), ("/.well-known/x", true), ("/a.", true), ("/%2e%2e%2e", true), ("/%2ea", true),
    ("//", true),
    ("/a?b?c", true), ("/a#b?c", true), ("/a#b#c", false), ("/a?b#c", true), ("/a?.", true),
    ("/a?/../b", true),
    ("/a?x=%", false), ("/a#%4", false), ("/a[0]", true), ("/it's", true), ("/\u{1}", false),
    ("/a\\b", false), ("/a?it's", false), ("/a?it%27s", true), ("/a#it's", true), ("/a?b#it's", true),
  ]

  @Test(arguments: held) func theLanguageIsThatOfURLs(rest: String, isHeld: Bool) {
    #expect(HeldText.holds(rest) == isHeld)
    #expect(HeldURLCheck.isHeld("https://example.com" + rest) == isHeld)
  }
}
