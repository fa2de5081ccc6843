import Testing

@testable import LinkspanDecisions

/// The regular expressions of templates: what they take, and what is refused.
struct ConstraintTests {
  private static func matches(_ constraint: String, _ text: String) throws -> Bool {
    let matcher = try SegmentMatcher(PathExpression.parse(constraint))
    return Array(text.utf8).withUnsafeBufferPointer { matcher.matches($0, 0..<$0.count) }
  }

  @Test(
    arguments: [
      ("abc", ["abc"], ["ab", "abcd", "", "ABC"]), ("^abc$", ["abc"], ["^abc$"]),
      (#"a\$"#, ["a$"], ["a", #"a\"#]), ("a|bc|", ["a", "bc", ""], ["ab"]),
      ("(a|b)c", ["ac", "bc"], ["c", "abc"]), ("(?:ab)+", ["ab", "abab"], ["", "aba"]),
      (".", ["a", "%", "\u{7F}"], ["", "/", "ab"]),
      ("a*", ["", "aaa"], ["b"]), ("a+", ["a", "aa"], [""]), ("a?b", ["b", "ab"], ["aab"]),
      ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aa", "aaaa"], ["a"]),
      ("a{2,3}", ["aa", "aaa"], ["a", "aaaa"]), ("a{0}", [""], ["a"]), ("a{0,1}", ["", "a"], ["aa"]),
      ("a{2}{2}", ["aaaa"], ["aa", "aaa"]),
      (#"\d"#, ["0", "9"], ["a", "/", ":"]), (#"\w"#, ["a", "Z", "0", "_"], ["-", "["]),
      (#"\."#, ["."], ["a"]),
      (#"\{"#, ["%7B"], ["{"]),
      ("[abc]", ["a", "c"], ["d", "`"]), ("[a-c]", ["a", "b", "c"], ["d", "`", "-"]),
      ("[a-]", ["a", "-"], ["b"]), ("[-a]", ["a", "-"], ["b"]),
      ("[]a]", ["]", "a"], ["b"]), ("[^a]", ["b", "%"], ["a", "/", ""]), ("[^]]", ["a"], ["]"]),
      (#"[\d_]"#, ["5", "_"], ["a"]), (#"[\]]"#, ["]"], [#"\"#]),
      (#"[\-a]"#, ["-", "a"], ["b"]), ("[!-~]", ["!", "~", "0"], ["/", "\u{7F}"]), ("é", ["%C3%A9"], ["é"]),
      (" ", ["%20"], [" "]),
    ] as [(String, [String], [String])])
  func takesExactlyItsTexts(constraint: String, good: [String], bad: [String]) throws {
    for text in good { #expect(try Self.matches(constraint, text), "\(constraint) takes \(text)") }
    for text in bad { #expect(try !Self.matches(constraint, text), "\(constraint) refuses \(text)") }
  }

  @Test(arguments: [(1, true), (49, true), (50, false)])
  func groupsAreNestedToADepth(depth: Int, isTaken: Bool) {
    let opening = String(repeating: "(", count: depth)
    let closing = String(repeating: ")", count: depth)
    #expect(((try? PathExpression.parse("\(opening)a\(closing)")) != nil) == isTaken)
  }

  @Test(
    arguments: [
      ("a{1000}", nil), ("a{1001}", "a count is written"), ("a{1,1000}", nil),
      ("a{1,1001}", "a count is written"), ("a{2,1}", "a count is written"),
      ("a{2,2}", nil), ("a{}", "a count is written"), ("a{,2}", "a count is written"),
      ("a{1,2,3}", "a count is written"), ("a{x}", "a count is written"),
      ("a{-1}", "a count is written"), ("a{2", "'}' is missing"), ("(a", "')' is missing"),
      ("a)", "unexpected ')'"), ("[a", "']' is missing"),
      ("[]", "']' is missing"), ("*a", "'*' has nothing to repeat"), ("+", "'+' has nothing to repeat"),
      ("?", "'?' has nothing to repeat"),
      ("{2}", "'{' has nothing to repeat"), ("a^b", "'^' may only be first or last"),
      ("a$b", "'$' may only be first or last"), ("a/b", "a segment contains no '/'"),
      (#"a\/b"#, "a segment contains no '/'"), (#"a\"#, #"'\' ends the expression"#),
      (#"\b"#, #"'\b' is not supported"#), (#"\1"#, #"'\1' is not supported"#),
      ("(?=a)", "look-ahead"), ("(?:a)", nil), ("[é]", "ascending ranges"), ("[b-a]", "ascending ranges"),
      ("[a-a]", nil), ("[ a]", "ascending ranges"),
      ("[\u{7F}]", "ascending ranges"), ("(a{49}){49}", nil), ("(a{50}){50}", "it repeats too much"),
      ("(a{999}){999}", "it repeats too much"),
    ] as [(String, String?)])
  func aMistakeIsNamed(constraint: String, reason: String?) {
    var found: String?
    do throws(PathExpression.Problem) { _ = try PathExpression.parse(constraint) } catch {
      found = error.reason
    }
    #expect(
      (found == nil) == (reason == nil) && found?.contains(reason ?? "") != false,
      "\(constraint): \(found ?? "good")")
  }

  /// Five thousand positions, and groups fifty deep with the outermost one.
  @Test func sizeAndDepthHaveLimits() throws {
    #expect(try PathExpression.parse(String(repeating: "a", count: 2_499)).size == 4_999)
    #expect(try PathExpression.parse(String(repeating: "a", count: 2_499) + ".").size == 5_000)
    #expect(throws: PathExpression.Problem.self) {
      try PathExpression.parse(String(repeating: "a", count: 2_500))
    }
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    }
    #expect(try PathExpression.parse(nested(49)).acceptsEmpty == false)
    #expect(throws: PathExpression.Problem.self) { try PathExpression.parse(nested(50)) }
  }

  @Test(arguments: [
    ("a*", true), ("a", false), ("a|", true), ("a?b?", true), ("a?b", false), ("(a*){3}", true),
    ("a{0,2}", true), ("a{1,2}", false), ("(a|b*)+", true),
  ])
  func theEmptyTextIsKnown(constraint: String, acceptsEmpty: Bool) throws {
    #expect(try PathExpression.parse(constraint).acceptsEmpty == acceptsEmpty)
    #expect(try Self.matches(constraint, "") == acceptsEmpty)
  }

  @Test(arguments: [
    ("a", "a"), ("[0-9]+", "1"), ("[^a-z]{2}", "11"), ("x{3}|y", "y"), ("(a|bb){2}", "aa"), ("[-_]", "-"),
    ("\\d{3}", "111"),
  ])
  func theShortestTextIsTheExample(constraint: String, example: String) throws {
    let matcher = try SegmentMatcher(PathExpression.parse(constraint))
    #expect(matcher.example.utf8.count == example.utf8.count)
    #expect(try Self.matches(constraint, matcher.example))
  }

  @Test func whatNothingSatisfiesIsRefused() {
    #expect(throws: PathExpression.Problem.self) { try SegmentMatcher(.set(ByteSet())) }
    // Each of 4,000 states is a place; the table counts the one of no place, too.
    #expect(throws: Never.self) { try SegmentMatcher(.repeated(.set(.digits), least: 3_997, most: 3_998)) }
    #expect(throws: PathExpression.Problem.self) {
      try SegmentMatcher(.repeated(.set(.digits), least: 3_998, most: 3_999))
    }
  }

  @Test func aSetHoldsItsBytes() {
    for byte in UInt8.min...UInt8.max {
      let set = ByteSet([byte])
      #expect(set.members == [byte] && set.inverted.members.count == 255 && !set.inverted.contains(byte))
      #expect(ByteSet.inSegment.contains(byte) == (byte != UInt8(ascii: "/")))
      #expect(URLText.lowercased(byte) == ((65...90).contains(byte) ? byte + 32 : byte))
    }
    #expect(
      ByteSet.letters.members.count == 52 && ByteSet.hexadecimal.members.count == 22
        && ByteSet.all.members.count == 256)
  }
}
