import AppSiteAssociation
import LinkCoverage
import LinkspanCore
import Testing

/// Routes whose parameters have constraints, as files.
@Suite struct GeneratedConstraintTests {
  static func site(_ apps: String, host: String = "") throws -> GeneratedSite {
    GeneratedSite(
      try GenerateRequest(
        SourceText(name: "linkspan.json5", "{apps: [\(apps)]\(host.isEmpty ? "" : ", \(host)")}")))
  }

  static func site(routes: [String], _ exclusions: [String] = []) throws -> GeneratedSite {
    func list(_ texts: [String]) -> String { JSON.array(texts.map(JSON.string)).text }
    return try site(
      "{id: 'ABCDE12345.com.example.app', routes: \(list(routes)), exclude: \(list(exclusions))}")
  }

  static func verdict(_ site: GeneratedSite, _ path: String) -> Decision.Verdict {
    let file = AssociationFile(JSONParser.parse(site.associationFile.bytes).root!)!
    return AssociationMatcher(file).decide(
      LinkURL("https://example.com\(path)"), app: "ABCDE12345.com.example.app", host: .exactly("example.com")
    ).verdict
  }

  /// S1, S4: what literals and variables say is said exactly.
  @Test(arguments: [
    (#"/a/:id(\d)"#, ["/a/0", "/a/9/"], ["/a", "/a/x", "/a/00", "/a/1/2/3"]),
    (#"/n/:year(\d{4})"#, ["/n/2026"], ["/n/202", "/n/20260", "/n/202x"]),
    ("/:lang(de|fr)/x", ["/de/x", "/fr/x"], ["/en/x", "/de", "/d/e/x"]),
    ("/:lang(de|fr|[a-z]{2}-[A-Z]{2})/x", ["/de/x", "/pt-BR/x"], ["/pt-br/x", "/en/x"]),
    ("/c/:hash([0-9a-f]{3})", ["/c/0af"], ["/c/0aF", "/c/0a", "/c/0afa"]),
    ("/v/:id(é|è)", ["/v/%C3%A9", "/v/%C3%A8"], ["/v/e", "/v/%c3%a9"]),
    ("/o/:x((?:new)?)", ["/o", "/o/new"], ["/o/old"]), ("/r/:rest(.+)", ["/r/a", "/r/a/b"], ["/r", "/ra"]),
    ("/p/:n(x{2,3})", ["/p/xx", "/p/xxx"], ["/p/x", "/p/xxxx"]),
  ])
  func constraintsAreSaidExactly(route: String, open: [String], closed: [String]) throws {
    let site = try Self.site(routes: [route])
    #expect(site.isExact, "\(site.associationFile.text)")
    for path in open { #expect(Self.verdict(site, path) == .match, "\(path) \(site.associationFile.text)") }
    for path in closed { #expect(Self.verdict(site, path) != .match, "\(path) \(site.associationFile.text)") }
  }

  /// No pattern says "digits only": what is written keeps out the pages below, and the difference is told.
  @Test func theNearestKeepsOutDeeperPages() throws {
    let site = try Self.site(routes: [#"/a/:id(\d+)"#])
    #expect(!site.isExact)
    #expect(Self.verdict(site, "/a/123") == .match)
    for path in ["/a/1/2/3", "/a/x", "/a/x/y", "/a"] {
      #expect(Self.verdict(site, path) != .match, "\(path)")
    }
    let differences = site.apps[0].plan.differences
    #expect(differences.count == 1 && !differences[0].isWanted, "\(differences)")
    #expect(site.apps[0].wide[0].stillOpened.isEmpty)
  }

  /// E9: an exclusion behind the last rule that opens something only shuts off a wildcard host.
  @Test func noExclusionIsIdle() throws {
    let site = try Self.site(routes: ["/a/:x/b/*"], ["/a/:x/b/c"])
    let rules = site.apps[0].plan.rules
    #expect(rules.last?.exclude != true, "\(rules.map(\.json.text))")
    #expect(Self.verdict(site, "/zzz") == .noMatch)
    for index in rules.indices where rules[index].exclude == true {
      var fewer = rules
      fewer.remove(at: index)
      var budget = RouteProof.budget
      #expect(RouteProof.compare(rules, fewer, &budget) != .alike, "\(rules[index].json.text) has no effect")
    }
  }

  @Test func variablesAreNamedOnce() throws {
    let site = try Self.site(
      """
      {id: 'ABCDE12345.com.example.app', routes: ['/:lang(de|fr)/x', '/:locale(de|fr)/y'], package: 'com.example.app'},
      {id: 'ABCDE12345.com.example.other', routes: ['/:lang(en|it)/x']}
      """)
    let links = try #require(JSONParser.parse(site.associationFile.bytes).root?["applinks"])
    let variables = try #require(links["substitutionVariables"]?.object)
    // 'lang' is predefined (S4).
    #expect(variables.map(\.name) == ["lang2", "lang3"])
    // Android has no variables (D8).
    #expect(site.isExactForAndroid)
    #expect(site.statements?.text.contains("$(") == false)
  }

  @Test func objectsOfOneIdentifierAreOneApplication() throws {
    let site = try Self.site(
      """
      {id: 'ABCDE12345.com.example.app', routes: ['/a/*']},
      {id: 'ABCDE12345.com.example.app', routes: ['/b'], exclude: ['/a/x']}
      """)
    #expect(site.isExact && site.apps.count == 1)
    #expect(Self.verdict(site, "/a/x") == .excluded)
    #expect(Self.verdict(site, "/b") == .match)
  }

  @Test(arguments: [
    ("{id: 'bad', routes: ['/a']}", "", "1:14: 'bad' is not '<prefix>.<bundle identifier>'."),
    ("{id: 'com.example.app', routes: ['/a']}", "", "1:14: 'com.example.app' does not begin with a prefix"),
    (
      "{id: 'ABCDE12345.com.example.app', routes: ['/a']}", "host: 'https://example.com/'",
      "contains a scheme."
    ),
    (
      "{id: 'ABCDE12345.com.example.app', routes: ['/a']}", "host: 'bücher.example'",
      "is not written in Punycode."
    ),
    (
      "{id: 'ABCDE12345.com.example.app', routes: ['/a']}", "hosts: ['exa mple.com']", "contains white space."
    ),
    (
      "{id: 'ABCDE12345.com.example.app', routes: ['/a'], package: 'a.b', fingerprints: ['AB:CD']}", "",
      "The fingerprint has 2 bytes, not 32."
    ),
    ("{id: 'ABCDE12345.com.example.app', routes: ['/a'], package: 'a-b'}", "", "'a-b' is not a package name"),
    (
      #"{id: 'ABCDE12345.com.example.app', routes: ['/a/:x((b)\\2)']}"#, "",
      #"'/a/:x((b)\2)': the expression of ':x': a back-reference is not regular"#
    ),
  ])
  func refusesWhatTheCheckerRefuses(app: String, host: String, message: String) {
    #expect {
      try Self.site(app, host: host)
    } throws: { error in
      guard let finding = (error as? GenerateRequest.Problem)?.finding, let start = finding.location.start
      else {
        return false
      }
      return "\(start.line):\(start.column): \(finding.message)".contains(message)
    }
  }

  /// T9, E1, E7: a line of the entitlement that `check` warns of.
  @Test(
    arguments: [
      ("printer", ["'printer' is not a fully qualified domain."]),
      ("wiki.local", ["'wiki.local' is a local network name."]), ("example.com", []), ("Example.com", []),
    ] as [(String, [String])])
  func warnsOfAHostThatNoDeviceReaches(host: String, messages: [String]) throws {
    let text = "{host: '\(host)', apps: [{id: 'ABCDE12345.com.example.app', routes: ['/a']}]}"
    let request = try GenerateRequest(SourceText(name: "x", text))
    #expect(request.warnings.map(\.message) == messages)
  }

  /// `check` has a note on a build setting (J5), which a template of a file may have.
  @Test func warnsOfABuildSetting() throws {
    let id = "$(AppIdentifierPrefix)com.example.app"
    let request = try GenerateRequest(SourceText(name: "x", "{apps: [{id: '\(id)', routes: ['/a']}]}"))
    #expect(
      request.warnings.map(\.message) == ["'\(id)' contains a build setting, which only Xcode expands."])
    #expect(GeneratedSite(request).isExact)
  }

  /// `check` would find fault with the entry, and `--host` refuses it everywhere.
  @Test func refusesAnAddressForAHost() throws {
    let app = "{id: 'ABCDE12345.com.example.app', routes: ['/a']}"
    let problem = try #require(throws: GenerateRequest.Problem.self) {
      try Self.site(app, host: "host: '192.0.2.1'")
    }
    #expect(problem.finding.message == "'192.0.2.1' is an IP address, not a domain.")
  }

  /// The advice is about the host as the request has it, and what it says to write is accepted.
  @Test(arguments: [
    "bücher.example", "https://example.com", "example.com:8443", "example.com/",
    "applinks:xn--bcher-kva.example",
  ])
  func theAdviceAboutAHostIsAHost(host: String) throws {
    let app = "{id: 'ABCDE12345.com.example.app', routes: ['/a']}"
    let problem = try #require(throws: GenerateRequest.Problem.self) {
      try Self.site(app, host: "host: '\(host)'")
    }
    let finding = problem.finding
    #expect(!(finding.wholeHelp ?? "").contains("applinks:"))
    #expect(host.hasPrefix("applinks:") || !finding.message.contains("applinks:"))
    let advised = try #require((finding.wholeHelp ?? "").split(separator: "'").dropFirst().first)
    _ = try Self.site(app, host: "host: '\(advised)'")
  }

  /// All mistakes of a request come in one run, in the order of its parts.
  @Test func everyMistakeIsFound() throws {
    let text = """
      {apps: [{id: 'ABCDE12345.com.example.app', routes: ['buy', '/ok', '/a/*/b'], exclude: ['/x?y']}, {routes: []}],
       hosts: ['https://a.example', 'b.example', 'c.example/']}
      """
    let problem = try #require(throws: GenerateRequest.Problem.self) {
      try GenerateRequest(SourceText(name: "x", text))
    }
    let starts = problem.findings.map { String($0.message.prefix { $0 != " " }) }
    #expect(starts == ["'buy'", "'/a/*/b'", "'/x?y'", "'id'", "'https://a.example'", "'c.example/'"])
    #expect(problem.findings.allSatisfy { $0.location.start != nil })
  }

  /// E4: an entry of a clip has no wildcard, so that the line is left out.
  @Test func aWildcardGetsNoLineForClips() throws {
    let text = """
      {apps: [], appclips: ['ABCDE12345.com.example.app.Clip'], webcredentials: ['ABCDE12345.com.example.app'],
       hosts: ['*.example.com', 'example.com']}
      """
    let request = try GenerateRequest(SourceText(name: "x", text))
    #expect(
      request.warnings.map(\.message) == [
        "'*.example.com' gets no line for 'appclips', which has no wildcards (E4)."
      ])
    #expect(
      GeneratedSite(request).entitlementLines == [
        "webcredentials:*.example.com", "webcredentials:example.com", "appclips:example.com",
      ])
  }
}
