import AppSiteAssociation
import LinkspanCore
import Testing

/// A compiled file decides as a walk over its rules does: the first that holds (M4). ``AssociationMatcher/trace(_:app:host:)``
/// is that walk.
@Suite struct CompiledFileLawTests {
  static let app = MatcherLawTests.app
  static let host = HostScope("example.com")

  private struct Words {
    var generator: SeededGenerator

    mutating func pick(_ words: [String]) -> String { words[Int(generator.draw(0...Int64(words.count - 1)))] }

    mutating func text(_ words: [String], _ count: ClosedRange<Int64>) -> String {
      (0..<generator.draw(count)).map { _ in pick(words) }.joined()
    }

    /// Rules that share beginnings, ends and parts, so that every step of the index has something to tell apart.
    mutating func rule() -> String {
      let beginning = pick(["/", "/shop/", "*", "", "/a", "?", "/$(list)", "/É"])
      let middle = text(
        ["*", "*", "?", "a", "b", "ab", "/x1/", "/x2/", "$(list)", "$(digit)", "%2F", "É", "A"], 0...6)
      let end = pick(["", "/*", "*", "/edit", "b", "/", "%20", "?"])
      var members = ["\"/\":\"\(beginning + middle + end)\""]
      if generator.chance(1, in: 5) { members = [] }
      if generator.chance(1, in: 4) { members.append("\"exclude\":true") }
      if generator.chance(1, in: 5) { members.append("\"caseSensitive\":false") }
      if generator.chance(1, in: 5) { members.append("\"percentEncoded\":false") }
      switch generator.draw(0...11) {
      case 0...2: members.append("\"?\":{\"q\":\"\(pick(["a", "B", "?*", "", "*", "$(list)"]))\"}")
      case 3: members.append("\"?\":{\"q\":\"*\",\"r\":\"\(pick(["1", "2", "%41"]))\"}")
      case 4: members.append("\"?\":\"\(pick(["q=a", "", "q=*", "q=B&r=1"]))\"")
      default: break
      }
      if generator.chance(1, in: 6) { members.append("\"#\":\"\(pick(["a", "A", "", "*", "$(digit)"]))\"") }
      return "{" + members.joined(separator: ",") + "}"
    }

    mutating func url() -> LinkURL {
      let path = text(
        ["/", "/shop/", "a", "b", "A", "ab", "/x1/", "/x2/", "%2F", "%20", "É", "é", "7", "/edit"], 0...9)
      let query = pick(["", "?", "?q=a", "?q=b", "?q=B&r=1", "?r=2&q=a&q=a", "?q=", "?r=A&r=%41", "?q=%42"])
      return LinkURL(
        "https://example.com" + pick(["/", ""]) + path + query + pick(["", "#", "#a", "#A", "#7"]))
    }
  }

  @Test(arguments: 0..<40)
  func decidesAsAWalkOverTheRules(block: Int) {
    var words = Words(generator: SeededGenerator(seed: UInt64(block) + 1))
    for round in 0..<50 {
      let rules = (0..<words.generator.draw(1...60)).map { _ in words.rule() }
      let matcher = MatcherLawTests.matcher(
        rules.joined(separator: ","), variables: #"{"list":["a","ab","x1*","B?",""]}"#)
      var reasoned = ReasonedMatcher(matcher)
      for _ in 0..<20 {
        let url = words.url()
        let trace = matcher.trace(url, app: Self.app, host: Self.host)
        let decision = matcher.decide(url, app: Self.app, host: Self.host)
        #expect(decision == trace.decision, "seed \(block + 1), round \(round), \(url.text)")
        var work = WorkBudget.decision
        let quick = reasoned.trace(url, app: Self.app, host: Self.host, &work)
        #expect(
          quick.decision == trace.decision && quick.reason == trace.reason,
          "seed \(block + 1), round \(round), \(url.text)")
      }
    }
  }

  /// More rules that no key tells apart than are looked at one by one.
  @Test(arguments: 0..<20)
  func manyRulesOfManyStars(block: Int) {
    var words = Words(generator: SeededGenerator(seed: UInt64(block) + 101))
    for round in 0..<10 {
      let rules = (0..<words.generator.draw(65...600)).map { _ in
        let middle = words.text(["*a", "*b", "*c", "*/", "*é", "?", "*", "$(digit)", "$(list)"], 0...9)
        let path = words.pick(["/", "", "*"]) + middle + words.pick(["", "/*", "/", "*"])
        return "{\"/\":\"\(path)\",\"caseSensitive\":\(words.generator.chance(1, in: 2))}"
      }
      let matcher = MatcherLawTests.matcher(
        rules.joined(separator: ","), variables: #"{"list":["a","B*c",""]}"#)
      for _ in 0..<30 {
        let path = words.text(["a", "b", "c", "A", "/", "é", "7"], 0...12)
        let url = LinkURL("https://example.com" + (path.isEmpty ? "" : "/" + path))
        #expect(
          matcher.decide(url, app: Self.app, host: Self.host)
            == matcher.trace(url, app: Self.app, host: Self.host).decision,
          "seed \(block + 101), round \(round), \(url.text)")
      }
    }
  }

  /// More literals than the scanner keeps in full, more offsets than one word has, and paths too long to be scanned.
  @Test func largeFilesAndLongPaths() {
    var generator = SeededGenerator(seed: 3)
    let names = (0..<3_000).map { _ in "article-" + String(generator.draw(0...9_999_999), radix: 36) }
    let rules = names.enumerated().map { index, name in
      index % 3 == 0 ? "*/\(name)/*" : index % 3 == 1 ? "/*/\(name)*part*\(index)" : "*\(name)"
    }
    let matcher = MatcherLawTests.matcher(rules.map { "{\"/\":\"\($0)\"}" }.joined(separator: ","))
    for index in 0..<200 {
      let name = names[Int(generator.draw(0...2_999))]
      let padding = String(repeating: "/article-/part", count: [0, 3, 20, 200][index % 4])
      let url = LinkURL(
        "https://example.com\(padding)/\(name)\(["/x", "/part/\(index)", "", "-part-1"][index % 4])")
      #expect(
        matcher.decide(url, app: Self.app, host: Self.host)
          == matcher.trace(url, app: Self.app, host: Self.host).decision, "\(url.text.suffix(80))")
    }
  }

  /// Every byte may stand in a literal.
  @Test func everyByteInALiteral() {
    let rules = (1..<256).map { value in
      let scalar = Unicode.Scalar(UInt32(value * 64))!
      return value == 17 || "\"\\*?$".unicodeScalars.contains(scalar)
        ? "{\"/\":\"x\"}" : "{\"/\":\"*a\(scalar)b*\"}"
    }
    let matcher = MatcherLawTests.matcher(rules.joined(separator: ","))
    for value in 1..<256 {
      let url = LinkURL("https://example.com/za\(Unicode.Scalar(UInt32(value * 64))!)b")
      #expect(
        matcher.decide(url, app: Self.app, host: Self.host)
          == matcher.trace(url, app: Self.app, host: Self.host).decision)
    }
  }
}
