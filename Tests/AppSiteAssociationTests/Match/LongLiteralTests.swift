import AppSiteAssociation
import LinkspanCore
import Testing

/// Literals between two runs, which are looked for without going back in the text.
@Suite struct LongLiteralTests {
  /// Every literal of six and every text of nine letters that are `a` or `b`: literals that begin like their own middle are
  /// among them.
  @Test func aLiteralIsFoundWhereverItStands() {
    func words(_ length: Int) -> [String] {
      (0..<1 << length).map { number in
        String((0..<length).map { number >> $0 & 1 == 1 ? "a" : "b" })
      }
    }
    let texts = words(9)
    for literal in words(6) {
      let matcher = MatcherLawTests.matcher("{\"/\":\"/*\(literal)*\"}")
      let wrong = texts.filter { text in
        (MatcherLawTests.verdict(matcher, "https://example.com/" + text) == .match) != text.holds(literal)
      }
      #expect(wrong.isEmpty, "\(literal)")
    }
  }

  @Test(
    arguments: [
      ("/*aab*aab*", "/aabaab", true), ("/*aab*aab*", "/aabab", false), ("/*aab*aab*", "/aaabaaab", true),
      ("/*ab?ab*", "/abxab", true), ("/*ab?ab*", "/abab", false), ("/*ab?ab*", "/ababab", false),
      ("/*ab?ab*", "/abaabab", true), ("/*a?b*", "/aab", true), ("/*a?b*", "/ab", false),
    ] as [(String, String, Bool)])
  func literalsFollowEachOther(pattern: String, path: String, isMatch: Bool) {
    let matcher = MatcherLawTests.matcher("{\"/\":\"\(pattern)\"}")
    #expect((MatcherLawTests.verdict(matcher, "https://example.com" + path) == .match) == isMatch)
  }
}
