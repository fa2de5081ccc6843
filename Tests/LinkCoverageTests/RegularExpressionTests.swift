import LinkLanguages
import Testing

/// The regular expressions of routes: what is read alike, what is refused, and why.
@Suite struct RegularExpressionTests {
  @Test(
    arguments: [
      ("^a$", "a"), ("(?:a)", "a"), ("(a)", "a"), ("(?<n>a)", "a"), ("(?P<n>a)", "a"), ("a??", "a?"),
      ("a*?", "a*"), ("a+?", "a+"), ("a{2}", "a{2,2}"),
      ("a{2,3}?", "a{2,3}"), ("a{0,1}", "a?"), ("a{0,}", "a*"), ("a{1,}", "a+"), (#"\x41"#, "A"),
      (#"\u0041"#, "A"), (#"\n\r\t"#, "\n\r\t"), (#"\.\*"#, #"\x2e\x2a"#),
      ("[a-c]", "[abc]"), ("[]a]", #"[a\]]"#), ("[^]a]", #"[^a\]]"#), ("[a-]", "[-a]"),
      (#"[\x41-C]"#, "[ABC]"), (#"\d"#, "[0-9]"), (#"\D"#, "[^0-9]"), (#"\w"#, "[0-9A-Za-z_]"),
      (#"\W"#, "[^0-9A-Za-z_]"), (#"\s"#, #"[ \t\n\x0B\x0C\r]"#), (#"\S"#, #"[^ \t\n\x0B\x0C\r]"#),
      (#"[\d_]"#, "[0-9_]"), (#"[\w-]"#, "[-0-9A-Za-z_]"), ("a{", #"a\{"#), ("a{x}", #"a\{x\}"#),
      ("a{,2}", #"a\{,2\}"#), ("a{1,x}", #"a\{1,x\}"#), ("a{1,2,3}", #"a\{1,2,3\}"#), ("a{-1}", #"a\{-1\}"#),
      (#"[\]]"#, #"[\x5d]"#), ("[a-a]", "[a]"), ("[\u{7F}]", #"[\x7f]"#),
    ] as [(String, String)])
  func twoSpellingsAreOne(text: String, other: String) throws {
    #expect(try RegularExpression(text) == RegularExpression(other))
  }

  @Test(
    arguments: [
      ("a)", "')' stands without '('", false), ("(a", "'(' has no ')'", false),
      ("[a", "'[' has no ']'", false), ("[", "'[' has no ']'", false), ("[]", "'[' has no ']'", false),
      ("[a-", "'[' has no ']'", false),
      ("*", "'*' has nothing to repeat", false), ("a|+", "'+' has nothing to repeat", false),
      ("(?", "flags such as '(?i)' are not decided", true), ("?", "'?' has nothing to repeat", false),
      (#"\"#, "it ends in a backslash", false), (#"[\"#, "it ends in a backslash", false),
      (#"\x4"#, #"'\x' wants 2 hexadecimal digits"#, false),
      (#"\u004"#, #"'\u' wants 4 hexadecimal digits"#, false),
      (#"\xg1"#, #"'\x' wants 2 hexadecimal digits"#, false),
      ("a{3,2}", "the numbers in '{…}' are in the wrong order", false),
      ("[b-a]", "a range in '[…]' is in the wrong order", false),
      ("(?<n", "a group's name has no end", false), ("(?P<n", "a group's name has no end", false),
      ("(?=a)", "look-ahead is not decided", true), ("(?!a)", "look-ahead is not decided", true),
      ("(?<=a)", "look-behind is not decided", true), ("(?<!a)", "look-behind is not decided", true),
      ("(?>a)", "an atomic group is not regular", true),
      ("(?i)a", "flags such as '(?i)' are not decided", true),
      ("a++", "possessive repetition is not regular", true),
      ("a?+", "possessive repetition is not regular", true),
      ("a{2}+", "possessive repetition is not regular", true),
      ("a^b", "'^' inside an expression is not decided", true),
      ("a$b", "'$' inside an expression is not decided", true),
      ("(a$)b", "'$' inside an expression is not decided", true),
      (#"\1"#, "a back-reference is not regular", true), (#"\9"#, "a back-reference is not regular", true),
      (#"\k<n>"#, "a back-reference is not regular", true), (#"\0"#, #"'\0' is not decided"#, true),
      (#"\b"#, #"'\b' is not decided"#, true), (#"[\D]"#, #"a set that holds '\D' is not decided"#, true),
      ("[é]", "a set with characters beyond ASCII is not decided", true),
      ("[\u{80}]", "a set with characters beyond ASCII is not decided", true),
    ] as [(String, String, Bool)])
  func whatIsNotReadIsNamed(text: String, reason: String, isBeyondAutomata: Bool) {
    #expect(throws: RegularExpression.Problem.self) { try RegularExpression(text) }
    do throws(RegularExpression.Problem) {
      _ = try RegularExpression(text)
    } catch {
      #expect(error.reason == reason && error.isBeyondAutomata == isBeyondAutomata, "\(text): \(error)")
    }
  }

  private static func reason(_ text: String) -> String? {
    do throws(RegularExpression.Problem) {
      _ = try RegularExpression(text)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func sizeRepetitionAndDepthHaveLimits() {
    let states = "it has more than 2000 states"
    #expect(
      Self.reason(String(repeating: "a", count: 1_999)) == nil
        && Self.reason(String(repeating: "a", count: 2_000)) == states)
    #expect(
      Self.reason("(a{1000}){2}") == nil && Self.reason("(a{1000}){3}") == states
        && Self.reason("(a{1000})*") == nil)
    #expect(
      Self.reason("(a{1000}){1,}") == nil && Self.reason("(a{1000}){2,}") == states
        && Self.reason("(a{0})*") == nil)
    #expect(Self.reason("a{1000}") == nil && Self.reason("a{1001}") == "it repeats more than 1000 times")
    #expect(Self.reason("a{1,1000}") == nil && Self.reason("a{1,1001}") == "it repeats more than 1000 times")
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    }
    #expect(Self.reason(nested(49)) == nil && Self.reason(nested(50)) == "its groups are nested too deep")
  }

  @Test(
    arguments: [
      ("", true, false), ("a", false, false), ("a?", true, false), ("a*b*", true, false),
      ("a*b", false, false), ("a|", true, false), ("a{0,2}", true, false), ("a{1,2}", false, false),
      ("(a*){2}", true, false), ("/", false, true), (".", false, true), ("[^a]", false, true),
      ("[^/]", false, false), ("[/]", false, true), ("[a]", false, false), ("a|b/", false, true),
      ("/{0}", true, false),
      ("(/)?", true, true),
    ] as [(String, Bool, Bool)])
  func theEmptyTextAndTheSlashAreKnown(text: String, coversEmpty: Bool, holdsSlash: Bool) throws {
    let expression = try RegularExpression(text)
    #expect(expression.coversEmpty == coversEmpty && expression.holdsSlash == holdsSlash)
  }

  /// What a device holds otherwise is spelled as it holds it: alone, in a set, and not in a set of what is left out.
  @Test(arguments: [
    ("b", "XY"), ("[ab]", "[a]|XY"), ("[b]", "XY"), ("[a]", "[a]"), ("[^b]", "[^b]"), (".", "."),
    ("(ab)+|c", "(aXY)+|c"),
  ])
  func aCharacterIsSpelledAsItIsHeld(text: String, other: String) throws {
    let spelled = try RegularExpression(text, spelling: { $0 == 0x62 ? [0x58, 0x59] : [$0] })
    #expect(try Self.texts(spelled) == Self.texts(RegularExpression(other)))
  }

  /// A form without sequences of one and within sequences.
  private static func texts(_ expression: RegularExpression) throws -> String {
    switch expression {
    case .sequence(let parts): try parts.map(texts).joined()
    case .choice(let parts) where parts.count == 1: try texts(parts[0])
    case .choice(let parts): "(" + (try parts.map(texts).joined(separator: "|")) + ")"
    case .scalar(let scalar): String(UnicodeScalar(scalar) ?? "?")
    case .any: "."
    case .set(let set, let isNegated):
      (isNegated ? "[^" : "[") + set.scalars.map { String(UnicodeScalar($0) ?? "?") }.joined() + "]"
    case .repeated(let part, let least, let most):
      try texts(part) + "{\(least),\(most.map(String.init) ?? "")}"
    }
  }
}
