import AppSiteAssociation
import AssociationCheck
import LinkCoverage
import LinkspanCore
import Testing

/// Routes with whole numbers share rules and variables.
@Suite struct GeneratedIntegerTests {
  private static func findings(_ site: GeneratedSite) -> [Finding] {
    AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", site.associationFile.text)))
  }

  @Test func aNumberOfManyLengthsIsFourRules() throws {
    let site = try GeneratedConstraintTests.site(routes: [#"/a/:id(\d{1,18})"#])
    #expect(site.isExact && site.apps[0].plan.rules.count == 4, "\(site.associationFile.text)")
    for path in ["/a/7", "/a/42", "/a/123456", "/a/123456789012345678"] {
      #expect(GeneratedConstraintTests.verdict(site, path) == .match, "\(path)")
    }
    for path in ["/a", "/a/x", "/a/1x", "/a/1234567890123456789", "/a/1/2"] {
      #expect(GeneratedConstraintTests.verdict(site, path) != .match, "\(path)")
    }
  }

  /// Up to forty rules are written one by one; more of one shape are one rule with the list of what differs.
  @Test(arguments: [(2, 2), (40, 40), (41, 1)])
  func fewRoutesKeepARuleEach(routes: Int, rules: Int) throws {
    let site = try GeneratedConstraintTests.site(routes: (0..<routes).map { "/area-\($0)/shop" })
    #expect(site.isExact && site.apps[0].plan.rules.count == rules, "\(site.associationFile.text)")
  }

  @Test func threeHundredRoutesAreProven() throws {
    let site = try GeneratedConstraintTests.site(
      routes: (0..<300).map { #"/catalogue-\#($0)/:id(\d{1,18})"# })
    let bytes = site.associationFile.bytes.count
    print(
      "generate: 300 integers in \(site.apps[0].plan.rules.count) rules, \(bytes) bytes, \(site.spentSteps) steps"
    )
    #expect(site.isExact && bytes < 65_536, "\(site.apps[0].plan.differences.prefix(3))")
    let findings = Self.findings(site)
    #expect(!findings.contains { $0.severity == .error } && findings.count <= 5, "\(findings)")
  }

  /// R4: a file that no device takes is not exact, whatever it says.
  @Test func aFileThatIsTooLargeIsNotExact() throws {
    let site = try GeneratedConstraintTests.site(
      routes: (0..<1_000).map { "/\($0)/\(String(repeating: "a", count: 130))/\($0)" })
    #expect(!site.fits && !site.isExact && site.apps[0].plan.isExact)
  }

  @Test(arguments: [
    (##"routes: ["/a#x"]"##, ##"{"/":"/a","#":"x"}"##),
    (##"routes: [{route: "/a", "?": {q: "1"}}]"##, #"{"/":"/a","?":{"q":"1"}}"#),
    (##"routes: [{"/": "/a-*", "caseSensitive": false}]"##, #"{"/":"/a-*","caseSensitive":false}"#),
    (##"rules: [{"/": "/a/*", exclude: true}, {"/": "/*"}]"##, #"{"/":"/a/*","exclude":true},{"/":"/*"}"#),
  ])
  func aRouteSaysConditions(lists: String, rules: String) throws {
    let site = try GeneratedConstraintTests.site("{id: 'ABCDE12345.com.example.app', \(lists)}")
    #expect(site.isExact)
    #expect(site.apps[0].plan.rules.map(\.json.text).joined(separator: ",") == rules)
  }

  /// The exclusion beside a parameter keeps out only URLs with the route's own conditions.
  @Test func conditionsReachTheExclusionsBesideARoute() throws {
    let site = try GeneratedConstraintTests.site(routes: ["/a/:id#x", "/a/b/c"])
    #expect(site.isExact, "\(site.associationFile.text)")
    #expect(GeneratedConstraintTests.verdict(site, "/a/1#x") == .match)
    #expect(GeneratedConstraintTests.verdict(site, "/a/b/c") == .match)
    for path in ["/a/1", "/a/1/2#x", "/a/1#y"] {
      #expect(GeneratedConstraintTests.verdict(site, path) != .match, "\(path)")
    }
  }

  @Test(arguments: [
    (
      "routes: [{'/': '/a', exclude: true}]", "'exclude' is not a key of a rule here; expected route, /, ?, #"
    ),
    ("routes: [{'/': 5}]", "'/' has a value of the wrong type"),
    ("routes: [{'/': '/$(nothing)'}]", "No URL matches"),
    ("rules: ['/a']", "'rules': expected a list of objects"),
    ("routes: [1]", "'routes': expected a string or an object"),
    ("routes: ['/a'], exclude: [null]", "'exclude': expected a string or an object"),
    ("rules: [{'/': '/a'}], routes: []", "An app has 'rules', or 'routes' and 'exclude', not both"),
    ("routes: [{route: '/a', '/': '/b'}]", "Only '?' and '#' go with a route"),
  ])
  func refusesWhatNoRuleSays(lists: String, message: String) {
    #expect {
      try GeneratedConstraintTests.site("{id: 'ABCDE12345.com.example.app', \(lists)}")
    } throws: { error in
      (error as? GenerateRequest.Problem)?.finding.message.hasPrefix(message) ?? false
    }
  }
}
