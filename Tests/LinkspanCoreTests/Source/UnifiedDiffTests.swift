import LinkspanCore
import Testing

@Suite struct UnifiedDiffTests {
  static func diff(_ old: String, _ new: String) -> String {
    UnifiedDiff.text(from: Array(old.utf8), to: Array(new.utf8), name: "f")
  }

  @Test func equalTextsHaveNone() {
    #expect(Self.diff("a\n", "a\n") == "")
  }

  @Test func aChangeStandsBetweenThreeLinesEach() {
    #expect(
      Self.diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") == """
        --- a/f
        +++ b/f
        @@ -2,7 +2,7 @@
         2
         3
         4
        -5
        +five
         6
         7
         8

        """)
  }

  @Test func farChangesAreHunksOfTheirOwn() {
    let old = (1...20).map { "\($0)\n" }.joined()
    let new = old.replacing("2\n3\n", with: "3\n", maxReplacements: 1).replacing("19\n", with: "19\nnew\n")
    #expect(
      Self.diff(old, new) == """
        --- a/f
        +++ b/f
        @@ -1,5 +1,4 @@
         1
        -2
         3
         4
         5
        @@ -17,4 +16,5 @@
         17
         18
         19
        +new
         20

        """)
  }

  @Test func aMissingLineFeedIsSaid() {
    #expect(
      Self.diff("a", "a\nb") == """
        --- a/f
        +++ b/f
        @@ -1 +1,2 @@
        -a
        \\ No newline at end of file
        +a
        +b
        \\ No newline at end of file

        """)
  }

  @Test func anEmptySideNamesTheLineBeforeIt() {
    #expect(Self.diff("", "a\n") == "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n")
    #expect(Self.diff("a\n", "") == "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n")
  }
}

/// A file's name begins no line of a patch.
@Suite struct UnifiedDiffNameTests {
  @Test(arguments: [
    ("a b.json", "a/a b.json"), ("a\n::error::b", #""a/a\012::error::b""#), ("a\"b\\", #""a/a\"b\\""#),
    ("a\u{202E}b", #""a/a\342\200\256b""#), ("ä", "a/ä"),
  ])
  func isQuotedAsGitDoes(name: String, shown: String) {
    let text = UnifiedDiff.text(from: [0x61], to: [0x62], name: name)
    #expect(text.hasPrefix("--- \(shown)\n+++ "))
  }
}
