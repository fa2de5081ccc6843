import LinkspanCore
import Testing

/// What a mistyped word was meant to be.
@Suite struct SpellingTests {
  @Test(
    arguments: [
      ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1),
      ("abc", "xabc", 1),
      ("abc", "acb", 1), ("abcd", "badc", 2), ("abc", "cab", 2), ("kitten", "sitting", 3), ("ab", "ba", 1),
      ("aab", "aba", 1),
      ("abc", "bca", 2), ("ca", "abc", 3),
    ] as [(String, String, Int)])
  func slipsAreCounted(left: String, right: String, distance: Int) {
    #expect(Spelling.distance(left, right) == distance && Spelling.distance(right, left) == distance)
  }

  @Test func aLongTextIsFar() {
    let (longest, longer) = (String(repeating: "a", count: 64), String(repeating: "a", count: 65))
    #expect(Spelling.distance(longest, longest + "") == 0)
    #expect(Spelling.distance(longest, longer) == .max && Spelling.distance(longer, longest) == .max)
  }

  @Test(
    arguments: [
      ("exlude", ["exclude", "comment"], "exclude"), ("exclude", ["exclude"], "exclude"),
      ("exlde", ["exclude"], "exclude"),
      ("exld", ["exclude"], nil), ("ab", ["ac"], nil), ("abc", ["abd"], "abd"), ("abcd", ["abxy"], nil),
      ("abcde", ["abxye"], "abxye"),
      ("abcdef", ["abc"], nil), ("abcdf", ["abcdg", "abcde"], "abcde"),
      ("abcde", ["abxye", "abcdx"], "abcdx"), ("a", [], nil),
    ] as [(String, [String], String?)])
  func theNearestIsNearEnough(text: String, words: [String], nearest: String?) {
    #expect(Spelling.nearest(to: text, among: words) == nearest)
  }

  @Test func twoThatAreAsNearAreNone() {
    #expect(Spelling.onlyNearest(to: "abcdf", among: ["abcdg", "abcde"]) == nil)
    #expect(Spelling.onlyNearest(to: "abcdf", among: ["abcdg", "abcdg", "abxxg"]) == "abcdg")
    #expect(Spelling.onlyNearest(to: "zzz", among: ["abcdg"]) == nil)
  }
}
