import AppSiteAssociation
import LinkspanCore
import Testing

/// A list that one pattern names several times, on texts of hundreds of characters.
@Suite struct PatternListTests {
  /// Where a list may end in a text, value by value and offset by offset.
  private static func ends(of values: [String], from offsets: Set<Int>, in text: [Character]) -> Set<Int> {
    var ends: Set<Int> = []
    for value in values.map(Array.init) {
      for offset in offsets where offset + value.count <= text.count {
        let end = offset + value.count
        let part = text[offset..<end]
        let isCovered =
          value.contains("?") ? ObviousMatcher.covers(value, Array(part)) : part.elementsEqual(value)
        if isCovered { ends.insert(end) }
      }
    }
    return ends
  }

  private static func matches(_ values: [String], _ path: String, text: String) -> Bool {
    let list = values.map { "\"\($0)\"" }.joined(separator: ",")
    let matcher = MatcherLawTests.matcher("{\"/\":\"\(path)\"}", variables: "{\"v\":[\(list)]}")
    return MatcherLawTests.verdict(matcher, "https://example.com" + text) == .match
  }

  /// Values of 1 to 130 characters: within a word of 64 offsets, over its end, and beyond the next one.
  @Test(arguments: 0..<20)
  func endsWhereItsValuesDo(block: Int) {
    var generator = SeededGenerator(seed: UInt64(block) + 1)
    func letters(_ count: ClosedRange<Int64>) -> String {
      (0..<generator.draw(count)).map { _ in generator.chance(1, in: 40) ? "é" : "a" }.joined()
    }
    for round in 0..<10 {
      let values =
        (0..<generator.draw(1...12)).map { _ in
          letters([1...3, 1...3, 60...66, 127...130][Int(generator.draw(0...3))])
        }
        + (generator.chance(1, in: 3) ? ["a?a"] : [])
      let repetitions = Int(generator.draw(1...9))
      let start = generator.chance(1, in: 2) ? "*" : ""
      let text = Array("/" + letters(1...300))
      var offsets: Set<Int> = start.isEmpty ? [1] : Set(1...text.count)
      for _ in 0..<repetitions { offsets = Self.ends(of: values, from: offsets, in: text) }
      let path = "/" + start + String(repeating: "$(v)", count: repetitions)
      #expect(
        Self.matches(values, path, text: String(text)) == offsets.contains(text.count),
        "seed \(block + 1), round \(round)")
    }
  }

  /// Two lists in turn, of which each has its own places.
  @Test func listsInTurnDoNotMix() {
    let lists = #"{"v":["a","aa"],"w":["b"]}"#
    let matcher = MatcherLawTests.matcher(
      "{\"/\":\"/*" + String(repeating: "$(v)$(w)", count: 20) + "\"}", variables: lists)
    let pairs = String(repeating: "ab", count: 100)
    #expect(MatcherLawTests.verdict(matcher, "https://example.com/" + pairs) == .match)
    #expect(MatcherLawTests.verdict(matcher, "https://example.com/" + pairs + "b") == .noMatch)
  }

  /// 400 values named fifty times: each place of the text is compared with the list once, not fifty times.
  @Test func aListThatIsNamedFiftyTimesIsDecided() {
    let values = (1..<400).map { "\"\(String(repeating: "a", count: $0))\"" }.joined(separator: ",")
    let matcher = MatcherLawTests.matcher(
      "{\"/\":\"/*" + String(repeating: "$(v)", count: 50) + "*x\"}", variables: "{\"v\":[\(values)]}")
    let url = LinkURL("https://example.com/" + String(repeating: "a", count: 8_000) + "x")
    var work = WorkBudget(steps: 4_000_000)
    let decision = matcher.decide(url, app: MatcherLawTests.app, host: HostScope("example.com"), &work)
    #expect(decision.verdict == .match)
  }
}
