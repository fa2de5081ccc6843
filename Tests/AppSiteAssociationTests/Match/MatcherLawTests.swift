import AppSiteAssociation
import LinkspanCore
import Testing

@Suite struct MatcherLawTests {
  static let app = "ABCDE12345.com.example.app"

  static func matcher(_ components: String, variables: String = "{}") -> AssociationMatcher {
    let text = """
      {"applinks":{"details":[{"appIDs":["\(app)"],"components":[\(components)]}],"substitutionVariables":\(variables)}}
      """
    return AssociationMatcher(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!)
  }

  static func verdict(_ matcher: AssociationMatcher, _ url: String) -> Decision.Verdict {
    matcher.decide(LinkURL(url), app: app, host: HostScope("example.com")).verdict
  }

  /// Every pattern of up to four and every path of up to five characters over a small alphabet (P1–P9).
  @Test func agreesWithTheObviousMatcherOnAWholeSmallSpace() {
    func words(_ alphabet: [String], upTo length: Int) -> [String] {
      var all = [""]
      var last = [""]
      for _ in 0..<length {
        last = last.flatMap { word in alphabet.map { word + $0 } }
        all += last
      }
      return all
    }
    let paths = words(["a", "/"], upTo: 5).map { "/" + $0 }
    for pattern in words(["a", "/", "*", "?"], upTo: 4) {
      let matcher = Self.matcher("{\"/\":\"\(pattern)\"}")
      for path in paths {
        let isMatch = Self.verdict(matcher, "https://example.com" + path) == .match
        #expect(isMatch == ObviousMatcher.pathHolds(pattern, path), "pattern \(pattern), path \(path)")
      }
    }
  }

  /// The index may only leave out rules that cannot hold.
  @Test func decidesAsWalkingEveryRuleWould() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<60 {
      func word(_ alphabet: [String]) -> String {
        (0..<generator.draw(0...5)).map { _ in alphabet[Int(generator.draw(0...Int64(alphabet.count - 1)))] }
          .joined()
      }
      let rules = (0..<generator.draw(1...40)).map { _ in
        "{\"/\":\"/\(word(["a", "b", "/", "*", "?", "ab", "%20"]))\",\"exclude\":\(generator.chance(1, in: 4)),"
          + "\"caseSensitive\":\(generator.chance(4, in: 5)),\"percentEncoded\":\(generator.chance(4, in: 5))"
          + (generator.chance(1, in: 4) ? ",\"?\":{\"q\":\"\(word(["a", "?", "*"]))\"}" : "")
          + (generator.chance(1, in: 4) ? ",\"#\":\"\(word(["a", "$(digit)", "*"]))\"" : "") + "}"
      }
      let matcher = Self.matcher(rules.joined(separator: ","))
      var reasoned = ReasonedMatcher(matcher)
      for _ in 0..<60 {
        let url = LinkURL(
          "https://example.com/\(word(["a", "b", "/", "A", "%20", "ab"]))?q=\(word(["a", "b"]))#\(word(["a", "7"]))"
        )
        let decision = matcher.decide(url, app: Self.app, host: HostScope("example.com"))
        let trace = matcher.trace(url, app: Self.app, host: HostScope("example.com"))
        #expect(decision == trace.decision, "seed 7, round \(round), \(url.text)")
        var work = WorkBudget.decision
        let quick = reasoned.trace(url, app: Self.app, host: HostScope("example.com"), &work)
        #expect(
          quick.decision == trace.decision && quick.reason == trace.reason, "round \(round), \(url.text)")
      }
    }
  }

  @Test(arguments: [
    // S3: values may hold wildcards; variables may meet; S6: what is undefined never matches.
    (#"{"/":"/$(v)/x"}"#, #"{"v":["a*","?b"]}"#, "/abc/d/x", true),
    (#"{"/":"/$(v)$(v)"}"#, #"{"v":["a","ab","b"]}"#, "/aab", true),
    (#"{"/":"/$(v)$(v)"}"#, #"{"v":["a","ab","b"]}"#, "/aabb", false),
    (#"{"/":"/$(nope)"}"#, "{}", "/x", false),
    // M6: an absent path is "/", here told by a literal that only a variable can make.
    (#"{"/":"$(v)"}"#, #"{"v":["/"]}"#, "/", true),
    (#"{"/":"$(v)"}"#, #"{"v":["/"]}"#, "/a", false),
    (#"{"/":"/$(v"}"#, #"{"v":["a"]}"#, "/a", false),
    (#"{"/":"/$(v)"}"#, #"{"v":[]}"#, "/", false),
    (#"{"/":"/$x"}"#, "{}", "/$x", true),
    (#"{"/":"/$(v)"}"#, #"{"v":["$(digit)"]}"#, "/7", false),
    (#"{"/":"/$(digit)"}"#, #"{"digit":["seven"]}"#, "/seven", true),
    (##"{"#":"$(lang)"}"##, "{}", "/x#de", true),
    (#"{"?":{"l":"$(lang)"}}"#, "{}", "/x?l=qqq", false),
    (#"{"/":"/$(region)/*","caseSensitive":false}"#, "{}", "/gb/x", true),
    // P3: '?' is one character of the text compared.
    (#"{"/":"/caf?","percentEncoded":false}"#, "{}", "/caf%C3%A9", true),
    (#"{"/":"/caf??????"}"#, "{}", "/caf%C3%A9", true),
    // K5: what is no escape stays.
    (#"{"/":"/100%","percentEncoded":false}"#, "{}", "/100%", true),
    (#"{"/":"/%FF","percentEncoded":false}"#, "{}", "/%FF", true),
    (#"{"?":{"":"x"}}"#, "{}", "/p?=x&&a=1", false),
    // K2: folding beyond ASCII, one character to one.
    (
      #"{"/":"/ΟΔΟΣ","percentEncoded":false,"caseSensitive":false}"#, "{}",
      "/%CE%BF%CE%B4%CE%BF%CF%82", true
    ),
    (#"{"/":"/ÉCLAIR","percentEncoded":false,"caseSensitive":false}"#, "{}", "/%C3%A9clair", true),
  ])
  func variablesAndText(rule: String, variables: String, path: String, isMatch: Bool) {
    let verdict = Self.verdict(Self.matcher(rule, variables: variables), "https://example.com" + path)
    #expect((verdict == .match) == isMatch)
  }

  @Test(arguments: [
    ("https://example.com:443/x", true), ("http://example.com:80/x", true),
    ("https://example.com:8443/x", false),
    ("https://user:secret@example.com/x", true), ("ftp://example.com/x", false), ("example.com/x", false),
    ("HTTPS://EXAMPLE.com/x", true), ("https://sub.example.com/x", false), ("https://example.com:/x", true),
    ("https://example.com@evil.test/x", false), ("", false), ("https://", false),
    ("https://example.co/x", false), ("https://example.con/x", false), ("https://example[com/x", false),
    ("https://{xample.com/x", false), ("https://eXaMpLe.CoM:443/x", true),
  ])
  func whoseUrlItIs(url: String, isMatch: Bool) {
    #expect((Self.verdict(Self.matcher("{}"), url) == .match) == isMatch)
  }

  /// RFC 3986, appendix B: scheme, host, port, path, query and fragment of a text, whatever is missing.
  @Test(
    arguments: [
      ("https://a.example/b?c#d", ["https", "a.example", "-", "/b", "c", "d"]),
      ("https://a.example", ["https", "a.example", "-", "", "", ""]),
      ("https://", ["https", "", "-", "", "", ""]), ("https:/", ["https", "", "-", "/", "", ""]),
      ("https:", ["https", "", "-", "", "", ""]), ("https:///b", ["https", "", "-", "/b", "", ""]),
      ("//a.example/b", ["", "a.example", "-", "/b", "", ""]), ("//", ["", "", "-", "", "", ""]),
      ("/", ["", "", "-", "/", "", ""]), ("", ["", "", "-", "", "", ""]), (":", ["", "", "-", ":", "", ""]),
      ("a:b", ["a", "", "-", "b", "", ""]), ("a/b:c", ["", "", "-", "a/b:c", "", ""]),
      ("?c:d", ["", "", "-", "", "c:d", ""]), ("#d:e?f", ["", "", "-", "", "", "d:e?f"]),
      ("https://a.example?c", ["https", "a.example", "-", "", "c", ""]),
      ("https://a.example#d?e", ["https", "a.example", "-", "", "", "d?e"]),
      ("https://a.example/b?", ["https", "a.example", "-", "/b", "", ""]),
      ("https://a.example/b#", ["https", "a.example", "-", "/b", "", ""]),
      ("https://a.example/b?#d", ["https", "a.example", "-", "/b", "", "d"]),
      ("https://A.example:80/b", ["https", "a.example", "80", "/b", "", ""]),
      ("https://a.example:/b", ["https", "a.example", "-", "/b", "", ""]),
      ("https://u:p@a.example:8/b", ["https", "a.example", "8", "/b", "", ""]),
      ("https://u@v@a.example/b", ["https", "a.example", "-", "/b", "", ""]),
      ("https://@/b", ["https", "", "-", "/b", "", ""]),
      ("https://[::1]/b", ["https", "[::1]", "-", "/b", "", ""]),
      ("https://[::1]:8/b", ["https", "[::1]", "8", "/b", "", ""]),
      ("https://u:p@[::1]/b", ["https", "[::1]", "-", "/b", "", ""]),
      ("https://[::1]:8@a.example/b", ["https", "a.example", "-", "/b", "", ""]),
      ("https://u@v:1@a.example?c", ["https", "a.example", "-", "", "c", ""]),
      ("https://a:1:2#d", ["https", "a:1", "2", "", "", "d"]),
      ("https://a:1]:2/@b:3", ["https", "a:1]", "2", "/@b:3", "", ""]),
      ("https://a:1]/b", ["https", "a:1]", "-", "/b", "", ""]),
      ("https://a.example/b@c:1", ["https", "a.example", "-", "/b@c:1", "", ""]),
      ("HTTPS://a.example/", ["https", "a.example", "-", "/", "", ""]),
      ("httpt://a.example/", ["httpt", "a.example", "-", "/", "", ""]),
    ] as [(String, [String])])
  func aURLHasItsParts(text: String, parts: [String]) {
    let url = LinkURL(text)
    func part(_ range: Range<Int>) -> String { url.text(of: range) }
    #expect(
      [url.scheme, url.host, url.port ?? "-", part(url.path), part(url.query), part(url.fragment)] == parts)
  }

  /// Patterns that make backtracking matchers explode are answered in time that grows with their product: each
  /// of these takes minutes in a matcher that tries every way, and no time that anybody notices here.
  @Test func hostilePatternsAreAnswered() {
    let text = String(repeating: "a", count: 60_000)
    let stars = String(repeating: "*a", count: 4000)
    #expect(Self.verdict(Self.matcher("{\"/\":\"\(stars)b\"}"), "https://example.com/\(text)") == .noMatch)
    #expect(Self.verdict(Self.matcher("{\"/\":\"\(stars)b*\"}"), "https://example.com/\(text)") == .noMatch)
    let long = "*" + String(repeating: "a", count: 50_000) + "b*"
    #expect(Self.verdict(Self.matcher("{\"/\":\"\(long)\"}"), "https://example.com/\(text)") == .noMatch)
    let values = (1...60).map { "\"" + String(repeating: "a", count: $0) + "\"" }.joined(separator: ",")
    let lists = Self.matcher(
      "{\"/\":\"/\(String(repeating: "$(v)", count: 10))*b*\"}", variables: "{\"v\":[\(values)]}")
    #expect(Self.verdict(lists, "https://example.com/\(text.prefix(2000))") == .noMatch)
  }

  @Test func aURLIsBounded() {
    let path = String(repeating: "a", count: LinkURL.lengthLimitBytes - "https://example.com/".utf8.count)
    #expect(Self.verdict(Self.matcher("{}"), "https://example.com/\(path)") == .match)
    #expect(Self.verdict(Self.matcher("{}"), "https://example.com/\(path)a") == .noMatch)
  }

  /// Text is compared as it is written, byte by byte: letters that only look alike are others.
  @Test func lettersThatLookAlikeAreOthers() {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    let names = Self.matcher("{\"?\":{\"\(composed)\":\"1\",\"\(decomposed)\":\"*\"}}")
    #expect(Self.verdict(names, "https://example.com/?\(composed)=9") == .noMatch)
    let values = Self.matcher(
      "{\"/\":\"/a\",\"?\":{\"q\":\"\(composed)\"}},{\"/\":\"/b\",\"?\":{\"q\":\"\(decomposed)\"}}")
    #expect(Self.verdict(values, "https://example.com/b?q=\(decomposed)") == .match)
    #expect(Self.verdict(values, "https://example.com/b?q=\(composed)") == .noMatch)
    let marked = Self.matcher("{\"/\":\"/\u{301}x\"}")
    #expect(Self.verdict(marked, "https://example.com/\u{301}x") == .match)
    let file = """
      {"applinks":{"apps":[],"details":[{"appID":"\(Self.app)","paths":["NOT \u{301}x","*"]}]}}
      """
    let legacy = AssociationMatcher(AssociationFile(JSONParser.parse(Array(file.utf8)).root!)!)
    #expect(Self.verdict(legacy, "https://example.com/\u{301}x") == .excluded)
  }
}
