import AppSiteAssociation
import LinkspanCore
import Testing

/// The algebra against brute force: every short URL over a small alphabet, for thousands of seeded pairs of files.
@Suite struct AlgebraLawTests {
  static let app = "ABCDE12345.com.example.app"

  /// What files and URLs are drawn from.
  struct Setting: Sendable, CustomTestStringConvertible {
    var name: String
    var rounds: Int
    var pieces: [String]
    var alphabet: [String]
    var longest: Int
    var caseSensitive: [String] = [""]
    var percentEncoded: [String] = [""]
    var queries: [String] = []
    var queryURLs: [String] = [""]
    var fragments: [String] = []
    /// How many pairs may take more than the bound on work, and be said to.
    var undecided = 0
    var testDescription: String { name }
  }

  static let settings = [
    Setting(
      name: "paths", rounds: 200, pieces: ["a", "b", "/", "*", "?", "a/", "/*"], alphabet: ["a", "b", "/"],
      longest: 4),
    Setting(
      name: "variables", rounds: 100, pieces: ["a", "/", "*", "$(v)", "$(w)", "$(digit)", "1", "$(x)"],
      alphabet: ["a", "b", "1", "/"], longest: 3),
    Setting(
      name: "case", rounds: 80, pieces: ["a", "A", "b", "/", "*", "?"], alphabet: ["a", "A", "b", "/"],
      longest: 3, caseSensitive: ["", #","caseSensitive":false"#]),
    Setting(
      name: "escapes", rounds: 80, pieces: ["a", "%", "/", "*", "?", "%61", "é", "6", "%C3"],
      alphabet: ["a", "/", "%61", "%2F", "%", "6", "%C3%A9", "%c3", "%A9"], longest: 3,
      percentEncoded: ["", #","percentEncoded":false"#]),
    Setting(
      name: "everything", rounds: 40, pieces: ["a", "A", "%61", "/", "*", "?"],
      alphabet: ["a", "A", "%61", "%41", "/"], longest: 2, caseSensitive: ["", #","caseSensitive":false"#],
      percentEncoded: ["", #","percentEncoded":false"#],
      queries: [#""a""#, #"{"q":"a*"}"#, #"{"q":"?*","a":"*"}"#, #"{"Q":""}"#, #"{"a":"?","q":"*b"}"#],
      queryURLs: ["", "?a", "?q=a", "?q=", "?q", "?a=b&q=b", "?q=ab&q=b", "?%71=a", "?Q=b&=", "?a&&q=a%62"],
      fragments: ["a", "?*", "$(v)", ""], undecided: 2),
  ]

  static func words(_ alphabet: [String], upTo length: Int) -> [String] {
    var all = [""]
    var last = [""]
    for _ in 0..<length {
      last = last.flatMap { word in alphabet.map { word + $0 } }
      all += last
    }
    return all
  }

  static func file(_ rules: [String]) -> AssociationFile {
    let text = """
      {"applinks":{"details":[{"appIDs":["\(app)"],"components":[\(rules.joined(separator: ","))]}],
      "substitutionVariables":{"v":["a","b*"],"w":["aa","/","ab"]}}}
      """
    return AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!
  }

  static func rule(_ setting: Setting, _ generator: inout SeededGenerator) -> String {
    func pick(_ choices: [String]) -> String { choices[Int(generator.draw(0...Int64(choices.count - 1)))] }
    var path = "/"
    for _ in 0..<generator.draw(0...3) { path += pick(setting.pieces) }
    var text = "{\"/\":\"\(generator.chance(1, in: 6) ? String(path.dropFirst()) : path)\""
    if !setting.queries.isEmpty, generator.chance(1, in: 2) { text += ",\"?\":" + pick(setting.queries) }
    if !setting.fragments.isEmpty, generator.chance(1, in: 3) {
      text += ",\"#\":\"\(pick(setting.fragments))\""
    }
    text += pick(setting.caseSensitive) + pick(setting.percentEncoded)
    return text + (generator.chance(1, in: 3) ? ",\"exclude\":true}" : "}")
  }

  /// A pair of files that have much in common, as versions of one file do.
  static func pair(_ setting: Setting, _ generator: inout SeededGenerator) -> ([String], [String]) {
    let old = (0..<generator.draw(1...4)).map { _ in rule(setting, &generator) }
    var new = old
    for _ in 0..<generator.draw(0...2) {
      let place = Int(generator.draw(0...Int64(max(0, new.count - 1))))
      switch generator.draw(0...3) {
      case 0 where !new.isEmpty: new.remove(at: place)
      case 1: new.insert(rule(setting, &generator), at: min(place, new.count))
      case 2 where new.count > 1: new.swapAt(place, 0)
      default: if !new.isEmpty { new[place] = rule(setting, &generator) }
      }
    }
    return (old, new)
  }

  @Test(arguments: settings) func agreesWithBruteForce(_ setting: Setting) {
    var generator = SeededGenerator(seed: 18)
    var urls: [String] = []
    for path in Self.words(setting.alphabet, upTo: setting.longest) {
      for query in setting.queryURLs {
        urls.append("https://example.com/\(path)\(query)")
        if !setting.fragments.isEmpty { urls.append("https://example.com/\(path)\(query)#a") }
      }
    }
    let links = urls.filter(HeldURLCheck.isHeld).map { LinkURL($0) }
    var different = 0
    var undecided = 0
    for round in 0..<setting.rounds {
      let (oldRules, newRules) = Self.pair(setting, &generator)
      let (old, new) = (Self.file(oldRules), Self.file(newRules))
      let label = Comment(rawValue: "seed 18, round \(round): \(oldRules) against \(newRules)")
      let comparison = FileComparison(old, new, host: "example.com")
      if !comparison.undecided.isEmpty { undecided += 1 }
      let pairs = Set(comparison.changes.map { [$0.old.decision.rule, $0.new.decision.rule] })
      let (before, after) = (AssociationMatcher(old), AssociationMatcher(new))
      // What was left open may differ anywhere; what was found is held to brute force all the same.
      for link in links where comparison.undecided.isEmpty {
        let first = before.decide(link, app: Self.app, host: .exactly("example.com"))
        let second = after.decide(link, app: Self.app, host: .exactly("example.com"))
        guard first.verdict != second.verdict else { continue }
        #expect(pairs.contains([first.rule, second.rule]), "\(link.text), \(label)")
      }
      let (slowOld, slowNew) = (
        SlowMatcher(file: old, app: Self.app), SlowMatcher(file: new, app: Self.app)
      )
      for change in comparison.changes {
        let first = slowOld.decide(change.url)
        let second = slowNew.decide(change.url)
        #expect(HeldURLCheck.isHeld(change.url), "\(change.url), \(label)")
        #expect(first.verdict != second.verdict, "\(change.url), \(label)")
        #expect(first.verdict == change.old.decision.verdict.rawValue, "\(change.url), \(label)")
        #expect(second.verdict == change.new.decision.verdict.rawValue, "\(change.url), \(label)")
      }
      if !comparison.changes.isEmpty { different += 1 }
      #expect(FileComparison(old, old, host: "example.com").isEqual, label)
    }
    print(
      "algebra \(setting.name): \(setting.rounds) pairs of files, \(different) differ, "
        + "\(undecided) undecided, \(links.count) URLs")
    #expect(different > setting.rounds / 4)
    #expect(undecided <= setting.undecided)
  }

  /// Where so many rules changed that one URL of each is shown: whether there is any must not suffer.
  @Test(arguments: [settings[0], settings[2], settings[3]]) func decidesManyChangesAtOnce(_ setting: Setting)
  {
    var generator = SeededGenerator(seed: 60)
    let links = Self.words(setting.alphabet, upTo: setting.longest).map { "https://example.com/\($0)" }
      .filter(HeldURLCheck.isHeld).map { LinkURL($0) }
    var equal = 0
    for round in 0..<12 {
      // Rules in front that hold for some, most or all of what the others do.
      let covers = [["/*"], ["/a*", "/b*", "/A*", "/%*", "/?*"], ["/*a", "/*b"]]
      let front = covers[Int(generator.draw(0...2))].prefix(Int(generator.draw(1...4))).map { path in
        "{\"/\":\"\(path)\"" + (generator.chance(1, in: 2) ? ",\"exclude\":true}" : "}")
      }
      let rules = (0..<90).map { _ in Self.rule(setting, &generator) }
      let changed = rules.map {
        $0.hasSuffix(",\"exclude\":true}")
          ? String($0.dropLast(16)) + "}" : String($0.dropLast()) + ",\"exclude\":true}"
      }
      let (old, new) = (Self.file(front + rules), Self.file(front + changed))
      let label = Comment(rawValue: "seed 60, round \(round): \(front) and \(rules)")
      let comparison = FileComparison(old, new, host: "example.com")
      #expect(comparison.undecided.isEmpty, label)
      let (slowOld, slowNew) = (SlowMatcher(file: old, app: Self.app), SlowMatcher(file: new, app: Self.app))
      for change in comparison.changes {
        #expect(slowOld.decide(change.url).verdict != slowNew.decide(change.url).verdict, label)
      }
      guard comparison.isEqual else { continue }
      equal += 1
      let (before, after) = (AssociationMatcher(old), AssociationMatcher(new))
      for link in links {
        let first = before.decide(link, app: Self.app, host: .exactly("example.com"))
        let second = after.decide(link, app: Self.app, host: .exactly("example.com"))
        #expect(first.verdict == second.verdict, "\(link.text), \(label)")
      }
    }
    #expect((1..<12).contains(equal))
  }

  /// Where work ends a comparison, it does not look complete.
  @Test func saysThatItStoppedEarly() {
    struct Kind: Hashable {
      var old: Decision
      var new: Decision
    }
    func kinds(_ comparison: FileComparison) -> Set<Kind> {
      Set(comparison.changes.map { Kind(old: $0.old.decision, new: $0.new.decision) })
    }
    var generator = SeededGenerator(seed: 61)
    var early = 0
    for round in 0..<20 {
      let rules = (0..<8).map { _ in Self.rule(Self.settings[0], &generator) }
      let (old, new) = (Self.file(rules), Self.file(rules.reversed()))
      let whole = FileComparison(old, new, host: "example.com")
      guard !whole.isCutShort, whole.undecided.isEmpty else { continue }
      for steps in [3_000, 6_000, 12_000, 24_000, 48_000, 96_000, 200_000] {
        var limits = FileComparison.Limits()
        limits.steps = steps
        let part = FileComparison(old, new, host: "example.com", limits: limits)
        if part.isCutShort || !part.undecided.isEmpty {
          early += 1
        } else {
          #expect(kinds(part) == kinds(whole), "seed 61, round \(round), \(steps) steps: \(rules)")
        }
      }
    }
    #expect(early > 0)
  }

  /// No device takes a URL of more than 65,536 bytes, so none is a change, and none is undecided.
  @Test(arguments: [
    #""/":"/*LONG""#, #""/":"/","?":"LONG*""#, ##""/":"/","#":"LONG""##, #""/":"/","?":{"a":"LONG"}"#,
  ])
  func aPatternLongerThanAnyURLChangesNothing(_ rule: String) {
    let long = String(repeating: "a", count: LinkURL.lengthLimitBytes + 1)
    let rule = rule.replacing("LONG", with: long)
    let comparison = FileComparison(
      Self.file(["{\(rule)}"]), Self.file(["{\(rule),\"exclude\":true}"]), host: "example.com")
    #expect(comparison.changes.isEmpty)
    #expect(comparison.undecided.isEmpty)
  }
}
