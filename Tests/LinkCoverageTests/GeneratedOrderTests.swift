import AppSiteAssociation
import LinkCoverage
import LinkspanCore
import Testing

/// `rules` of a request: the first that holds decides, whether it is a pattern or a route (M4).
@Suite struct GeneratedOrderTests {
  private static func site(_ rules: String, package: Bool = false) throws -> GeneratedSite {
    let android = package ? ", package: 'com.example.app'" : ""
    return try GeneratedConstraintTests.site(
      "{id: 'ABCDE12345.com.example.app', rules: [\(rules)]\(android)}")
  }

  /// A route in `rules` opens what it opens in `routes`, and never every URL (M4, M5).
  @Test(arguments: [
    (#"{route: "/buy/:id"}, {"/": "/buy/new"}"#, ["/buy/1", "/buy/new"], ["/buy/1/2", "/buy", "/", "/x"]),
    (
      #"{route: "/buy/:id", "?": {"ref": "?*"}}"#, ["/buy/1?ref=a"],
      ["/buy/1", "/buy/1/2?ref=a", "/x?ref=a", "/x"]
    ),
    (#"{route: "/buy/new", exclude: true}, {route: "/buy/:id"}"#, ["/buy/1"], ["/buy/new", "/buy/1/2"]),
    (
      #"{route: "/buy/:id"}, {"/": "/buy/*", exclude: true}, {"/": "/*"}"#, ["/buy/1", "/help", "/a/b/c"],
      ["/buy/1/2", "/buy/a/b/c"]
    ),
    (#"{route: "/buy/:id"}, {route: "/buy/:id/reviews"}"#, ["/buy/1", "/buy/1/reviews"], ["/buy/1/x"]),
    (#"{route: "/:lang(de|fr)/help"}, {"/": "/x"}"#, ["/de/help", "/fr/help", "/x"], ["/en/help", "/de"]),
  ])
  func aRouteAmongRulesIsItself(rules: String, open: [String], closed: [String]) throws {
    let site = try Self.site(rules)
    #expect(site.isExact, "\(site.associationFile.text)")
    for path in open {
      #expect(GeneratedConstraintTests.verdict(site, path) == .match, "\(path) \(site.associationFile.text)")
    }
    for path in closed {
      #expect(GeneratedConstraintTests.verdict(site, path) != .match, "\(path) \(site.associationFile.text)")
    }
  }

  /// M4: where no rules say it in this order, the nearest differ and are not called equal.
  @Test func whatCannotBeSaidInOrderIsNoProof() throws {
    let site = try Self.site(#"{route: "/a/:x/b/*"}, {"/": "/a/*", exclude: true}, {"/": "/*"}"#)
    let plan = site.apps[0].plan
    #expect(site.isExact == (plan.differences.isEmpty && plan.isDecided))
    #expect(!plan.rules.contains { $0 == RuleSettings() })
    #expect(GeneratedConstraintTests.verdict(site, "/help") == .match)
  }

  @Test(arguments: [
    (
      #"{route: "/a", "/": "/b"}"#, "Only '?', '#' and 'exclude' go with a route"
    ),
    (#"{route: "/a", exlude: true}"#, "'exlude' is not a key of a rule here; expected route, /, ?, #"),
    (#"{rout: "/a"}"#, "'rout' is not a key of a rule here"),
    (#"{route: 5}"#, "'route' has a value of the wrong type"),
    (#"{route: "a"}"#, "'a' is not a route"),
  ])
  func refusesWhatIsNoRule(rules: String, message: String) {
    #expect {
      try Self.site(rules)
    } throws: { error in
      (error as? GenerateRequest.Problem)?.finding.message.hasPrefix(message) ?? false
    }
  }

  /// D8: without variables a number of many lengths is one pattern and not one for each length.
  @Test func androidHasFewRulesForANumber() throws {
    let site = try GeneratedConstraintTests.site(
      "{id: 'ABCDE12345.com.example.app', routes: ['/x/{id:int}'], package: 'com.example.app'}")
    #expect(site.isExact && !site.isExactForAndroid)
    let app = site.apps[0]
    #expect((app.androidPlan?.rules.count ?? 0) <= 4, "\(app.androidPlan?.rules.map(\.json.text) ?? [])")
    #expect(!app.differencesForAndroid.isEmpty && app.hasInteger)
  }

  /// J5: what `check` calls an error in an identifier is refused, in every place.
  @Test(arguments: [
    "com.example.app", "TEAMID.com.example.app", "abcde12345.com.example.app", "TEAM.bundle", "ABCDE12345.*",
  ])
  func refusesAnIdentifierThatCheckCallsAnError(id: String) {
    let good = "{id: 'ABCDE12345.com.example.app', routes: ['/a']}"
    for text in ["{apps: [{id: '\(id)', routes: ['/a']}]}", "{apps: [\(good)], webcredentials: ['\(id)']}"] {
      #expect(throws: GenerateRequest.Problem.self, "\(text)") {
        try GenerateRequest(SourceText(name: "x", text))
      }
    }
  }

  /// J9: an app without routes opens nothing, which is hardly meant.
  @Test func warnsOfAnAppWithoutRoutes() throws {
    let text = "{apps: [{id: 'ABCDE12345.com.example.app', routes: []}]}"
    let request = try GenerateRequest(SourceText(name: "x", text))
    #expect(
      request.warnings.map(\.message) == [
        "'ABCDE12345.com.example.app' has no route, so the file opens no page in it (J9)."
      ])
  }
}
