import AppSiteAssociation
import LinkCoverage
import LinkLanguages
import LinkspanCore
import Testing

@Suite struct RouteConstraintTests {
  static func coverage(_ rules: String, _ routes: [Route]) -> RouteCoverage {
    let text = "{\"applinks\":{\"details\":[{\"appIDs\":[\"A.one\"],\"components\":[\(rules)]}]}}"
    return RouteCoverage(
      AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!, routes: routes, host: "example.com")
  }

  @Test func aConstraintIsASetOfPaths() throws {
    let route = try Route(#"/buy/:id(\d+)"#)
    let coverage = Self.coverage(#"{"/":"/buy/?*"}"#, [route])
    #expect(coverage.isDecided && coverage.notClaimed.isEmpty)
    let url = try #require(coverage.notShown.first?.url)
    #expect(url.hasPrefix("https://example.com/buy/") && !url.dropFirst(24).allSatisfy(\.isNumber), "\(url)")
  }

  @Test(arguments: [
    (#"{"/":"/a/1"},{"/":"/a/22"}"#, "/a/:n(1|22)"), (#"{"/":"/a/x$(digit)"}"#, #"/a/:n(x\d)"#),
    (#"{"/":"/a/$(digit)$(digit)"}"#, "/a/:n([0-9]{2})"), (#"{"/":"/a/x"},{"/":"/a"}"#, "/a/:n((?:x)?)"),
    (#"{"/":"/a/?*"}"#, "/a/:rest(.+)"), (#"{"/":"/a/b/c"}"#, "/a/:n(b/c)"),
    (#"{"/":"/a/@x.y"}"#, #"/a/@:n(x)\.y"#),
    (#"{"/":"/a/%C3%A9"}"#, "/a/:n(é)"),
    (#"{"/":"/a/%20x%3F"}"#, #"/a/:n(\sx\?)"#.replacing(#"\s"#, with: " ")),
    (#"{"/":"/a/xx"},{"/":"/a/xxx"}"#, "/a/:n(^x{2,3}$)"), (#"{"/":"/a/)"}"#, #"/a/:n([)])"#),
  ])
  func rulesThatSayTheSameAgree(rules: String, route: String) throws {
    let route = try Route(route.replacing(#"\.y"#, with: ".y"))
    let coverage = Self.coverage(rules, [route])
    #expect(coverage.isComplete, "\(coverage.json.text)")
  }

  /// A router reads `/ol%64` as `/old`, and a route is written without needless escapes.
  @Test(arguments: [
    ("/old/*", "/old/*"), ("/old/?*", "/old/:rest(.+)"), ("/old/café", "/old/café"), ("/old/a b", "/old/a b"),
  ])
  func aRuleThatDecodesAgreesWithItsRoute(pattern: String, route: String) throws {
    let rules = #"{"/":"\#(pattern)","percentEncoded":false},{"/":"/new/*"}"#
    let coverage = Self.coverage(rules, [try Route(route), try Route("/new/*")])
    #expect(coverage.isComplete, "\(coverage.json.text)")
    let without = Self.coverage(rules, [try Route("/new/*")])
    #expect(without.isDecided && without.notShown.count == 1, "\(without.json.text)")
  }

  @Test func manyRulesThatDecodeAreDecided() throws {
    let names = (1...40).map { "section-\($0)-of-the-shop" }
    let rules = names.map { #"{"/":"/\#($0)/*","percentEncoded":false}"# }.joined(separator: ",")
    #expect(Self.coverage(rules, try names.map { name in try Route("/\(name)/*") }).isComplete)
  }

  @Test func namedConstraintsAreRead() throws {
    let route = try Route("/a/:n", constraints: ["n": "[a-c]"])
    #expect(Self.coverage(#"{"/":"/a/a"},{"/":"/a/b"},{"/":"/a/c"}"#, [route]).isComplete)
    #expect(throws: Route.Problem.self) { try Route("/a/:n", constraints: ["m": "x"]) }
  }

  @Test(arguments: [
    (#"(a)\1"#, "a back-reference is not regular"), ("(?=a)a", "look-ahead is not decided"),
    ("(?<!a)b", "look-behind is not decided"), (#"\bx"#, #"'\b' is not decided"#),
    ("(?i)a", "flags such as '(?i)' are not decided"),
    ("x{1001}", "it repeats more than 1000 times"),
    ("(?:(?:a{900}){900}){900}", "it has more than 2000 states"),
    ("a*+", "possessive repetition is not regular"),
    ("[é]", "a set with characters beyond ASCII is not decided"),
  ])
  func whatIsNotRegularIsNamed(expression: String, reason: String) throws {
    let unknown = try Route("/a/:n(\(expression))")
    let known = try Route("/b")
    let coverage = Self.coverage(#"{"/":"/a/?*"},{"/":"/c"}"#, [unknown, known])
    #expect(coverage.undecided == ["/a/:n(\(expression)): the expression of ':n': \(reason)"])
    // Of the other routes everything is said.
    #expect(coverage.notClaimed.map(\.url) == ["https://example.com/b"])
    #expect(coverage.notShown.map(\.url) == ["https://example.com/c"])
    #expect(!coverage.isComplete)
  }

  @Test(arguments: [
    "/a/:n(", "/a/:n([)", "/a/:n(*)", "/a/:n(a{3,2})", #"/a/:n(\x1)"#, "/a/:n([b-a])", "/a/:n(x)y*",
  ])
  func brokenExpressionsAreRefused(text: String) { #expect(throws: Route.Problem.self) { try Route(text) } }

  /// Every text of up to five characters, beside a matcher of another kind.
  @Test func agreesWithTheLibrarysExpressions() throws {
    var generator = SeededGenerator(seed: 11)
    func expression(_ depth: Int) -> String {
      let atoms = ["a", "b", "[ab]", "[^a]", "(?:ab)", "a", "b"]
      var text = ""
      for _ in 0..<generator.draw(1...3) {
        var part = atoms[Int(generator.draw(0...6))]
        if depth > 0, generator.chance(1, in: 3) {
          part = "(\(expression(depth - 1))|\(expression(depth - 1)))"
        }
        text += part + ["", "", "*", "+", "?", "{2}", "{0,2}"][Int(generator.draw(0...6))]
      }
      return text
    }
    var words = [""]
    var last = [""]
    for _ in 0..<5 {
      last = last.flatMap { word in ["a", "b"].map { word + $0 } }
      words += last
    }
    for round in 0..<60 {
      let text = expression(1)
      let regex = try Regex(text)
      let route = try Route("/x/:n(\(text))")
      // One rule for each word that the expression matches: then nothing of these words is missing on either side.
      let claimed = words.filter { (try? regex.wholeMatch(in: $0)) != nil }
      let rules = claimed.map { "{\"/\":\"/x/\($0)\"}" }
      let coverage = Self.coverage(
        rules.isEmpty ? "{\"/\":\"/none\"}" : rules.joined(separator: ","), [route])
      let wrong = coverage.notShown.map(\.url).filter { $0 != "https://example.com/none" }
      #expect(wrong.isEmpty, "seed 11, round \(round), \(text): \(wrong)")
      for gap in coverage.notClaimed {
        let rest = gap.url.dropFirst("https://example.com/x".count).drop { $0 == "/" }
        #expect(
          (try? regex.wholeMatch(in: String(rest))) != nil, "seed 11, round \(round), \(text): \(gap.url)")
        #expect(!words.contains(String(rest)), "seed 11, round \(round), \(text): \(gap.url)")
      }
    }
  }
}
