import LinkspanCore
import Testing

@Suite struct BytesSearchTests {
  @Test(arguments: [
    ("", "", true), ("a", "", true), ("", "a", false), ("abc", "abc", true), ("xabc", "abc", true),
    ("aab", "ab", true), ("ab", "abc", false), ("abac", "abc", false), ("/a/**", "**", true),
    // By bytes: what follows a letter and joins it is no part of it.
    ("e\u{301}", "e", true), ("\u{E9}", "e", false),
  ])
  func holds(_ text: String, _ wanted: String, _ expected: Bool) {
    #expect(text.holds(wanted) == expected)
    #expect(Array(text.utf8).holds(wanted) == expected)
  }
}
