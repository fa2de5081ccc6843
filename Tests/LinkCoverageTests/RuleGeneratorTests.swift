import AppSiteAssociation
import LinkCoverage
import LinkLanguages
import LinkspanCore
import Testing

@Suite struct RuleGeneratorTests {
  static func plan(_ routes: [String], _ exclusions: [String] = []) throws -> RuleGenerator.Plan {
    var budget = RuleGenerator.budget
    return try plan(routes, exclusions, &budget)
  }

  static func plan(
    _ routes: [String], _ exclusions: [String], _ budget: inout WorkBudget
  ) throws -> RuleGenerator.Plan {
    RuleGenerator(routes: try routes.map { try Route($0) }, exclusions: try exclusions.map { try Route($0) })
      .plan(&budget)
  }

  /// What was proven before the budget was used up stays, and nothing else is claimed.
  @Test(arguments: [
    (["/buy/:id", "/b/*", "/c/:x/:y", "/c/one/:y"], ["/buy/new", "/c/one/two"], true),
    (["/a/:x/b/*"], ["/a/:x/b/c/*"], false),
  ])
  func staysWithinItsBudget(_ routes: [String], _ exclusions: [String], endsExact: Bool) throws {
    var whole = RuleGenerator.budget
    let best = try Self.plan(routes, exclusions, &whole)
    #expect(best.isExact == endsExact)
    #expect(best.isShortest == endsExact)
    let spent = RuleGenerator.budget.steps - whole.steps
    let proof = RouteProof(
      routes: try routes.map { try Route($0) }, exclusions: try exclusions.map { try Route($0) })
    var exactCount = 0
    for part in 0..<32 {
      var budget = RuleGenerator.budget
      let plan = try budget.withShare(of: spent * part / 32) { try Self.plan(routes, exclusions, &$0) }
      #expect(!plan.isShortest)
      #expect(!plan.isExact || plan.rules.count >= best.rules.count)
      var own = RouteProof.budget
      let outcome = proof.differences(of: plan.rules, variables: .none, limit: 1, &own)
      if plan.isExact {
        exactCount += 1
        #expect(
          outcome.differences.isEmpty && outcome.isDecided, "part \(part): \(plan.rules.map(\.json.text))")
      }
    }
    #expect((exactCount > 0) == endsExact)
    #expect(try Self.plan(routes, exclusions, &whole).rules == best.rules)
    var none = WorkBudget(steps: 0, stateLimit: 10)
    let plan = try Self.plan(routes, exclusions, &none)
    #expect(!plan.isDecided && !plan.isExact && plan.differences.isEmpty)
  }

  /// A route table as a person reads it: segment by segment, exclusions first.
  static func opens(_ path: String, _ routes: [String], _ exclusions: [String]) -> Bool {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    parts.removeFirst()
    while parts.last == "" { parts.removeLast() }
    func holds(_ route: String) -> Bool {
      var wanted = route.split(separator: "/").map(String.init)
      let hasRest = wanted.last == "*"
      if hasRest { wanted.removeLast() }
      guard hasRest ? parts.count >= wanted.count : parts.count == wanted.count else { return false }
      return zip(wanted, parts).allSatisfy { $0.hasPrefix(":") ? !$1.isEmpty : $0 == $1 }
    }
    return !exclusions.contains(where: holds) && routes.contains(where: holds)
  }

  @Test(arguments: [
    (["/help/*"], [] as [String], ["/help/*"]),
    (["/buy/:id", "/b/*"], ["/buy/new"], ["/buy/new", "/b/*", "/buy/*/?*", "/buy/?*"]),
    (["/:user/:album"], [], ["/*/*/?*", "/?*/?*"]),
    (["/1/*"], ["/:x", "/:id/new/*"], ["/1", "/1/new/*", "/1/*"]),
    (["/shop/*"], ["/:x/:y/:z/admin"], ["/shop/*/*/*/?*", "/?*/?*/?*/admin", "/shop/?*", "/shop"]),
    (["/a/*"], ["/:x", "/b/:y/*"], ["/a/?*"]),
  ])
  func writesFewRules(routes: [String], exclusions: [String], paths: [String]) throws {
    let plan = try Self.plan(routes, exclusions)
    #expect(plan.isExact)
    #expect(plan.rules.count <= paths.count, "\(plan.rules.map(\.json.text))")
  }

  /// 200 seeded route tables, each compared with a reading of its own over every short path.
  @Test func meansWhatWasAsked() throws {
    var generator = SeededGenerator(seed: 200)
    let words = ["a", "b", "c"]
    func pick(_ choices: [String]) -> String { choices[Int(generator.draw(0...Int64(choices.count - 1)))] }
    func route() -> String {
      var text = ""
      for _ in 0..<generator.draw(1...3) { text += "/" + (generator.chance(1, in: 3) ? ":x" : pick(words)) }
      return text + (generator.chance(1, in: 4) ? "/*" : "")
    }
    var paths = [""]
    var last = [""]
    for _ in 0..<4 {
      last = last.flatMap { path in ["/a", "/b", "/d", "/"].map { path + $0 } }
      paths += last
    }
    var inexact = 0
    for round in 0..<200 {
      let routes = (0..<generator.draw(1...4)).map { _ in route() }
      let exclusions = (0..<generator.draw(0...2)).map { _ in route() }
      let plan = try Self.plan(routes, exclusions)
      #expect(plan.isDecided)
      let rules = plan.rules.map(\.json.text).joined(separator: ",")
      let text = "{\"applinks\":{\"details\":[{\"appIDs\":[\"A\"],\"components\":[\(rules)]}]}}"
      let matcher = AssociationMatcher(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!)
      func verdict(_ path: String) -> Decision.Verdict {
        matcher.decide(LinkURL("https://example.com\(path)"), app: "A", host: .exactly("example.com")).verdict
      }
      let label = Comment(rawValue: "seed 200, round \(round): \(routes) without \(exclusions): \(rules)")
      if plan.isExact {
        for path in paths {
          let isWanted = Self.opens(path.isEmpty ? "/" : path, routes, exclusions)
          #expect((verdict(path) == .match) == isWanted, "\(path) \(label)")
        }
      } else {
        inexact += 1
      }
      for difference in plan.differences {
        #expect(verdict(difference.rest) == difference.got, label)
        let path = String(difference.rest.prefix { $0 != "?" && $0 != "#" })
        #expect(Self.opens(path, routes, exclusions) == difference.isWanted, "\(difference.rest) \(label)")
        #expect((difference.got == .match) != difference.isWanted, label)
      }
    }
    print("generate: 200 route tables, \(inexact) with a difference")
    // The others have no equal: a parameter of any length stands before text that its '*' can reach.
    #expect(inexact <= 61)
  }

  @Test(arguments: [
    ("buy/:id", "it does not begin with '/'"), ("/a*b", "'*' stands inside a segment"),
    ("/:a:b", "a segment has one parameter at most, such as ':id'"),
    ("/:", "a parameter has no name; write one, such as ':id'"),
    ("/a//b", "'//' is an empty segment, which no pattern and no parameter stands for"),
    ("//b", "'//' is an empty segment, which no pattern and no parameter stands for"),
    ("/a//*", "'//' is an empty segment, which no pattern and no parameter stands for"),
    ("/a?b", "'?' stands inside a segment"), ("/buy/{id}", "'{' stands inside a segment"),
    ("/buy/{id:int}", "'{' stands inside a segment"), ("/buy/:id}", "'}' stands inside a segment"),
  ])
  func refusesWhatIsNoRoute(text: String, reason: String) { refuses(text, reason) }

  /// The library's templates: one route for each number of optional segments, each as it was written.
  @Test(arguments: [
    ("/recipes/{id:int}", ["/recipes/:id([0-9]{1,18})"], ""), ("/{page?}", ["/:page", "/"], ""),
    ("/a/{b}/{c?}/{d?}", ["/a/:b/:c/:d", "/a/:b/:c", "/a/:b"], ""), ("/files/{path...}", ["/files/*"], ""),
    ("/r/{id}?servings={servings?:int}", ["/r/:id"], "?servings={servings?:int}"),
    ("/r/{id}#reviews", ["/r/:id"], "#reviews"), ("/buy/:id", ["/buy/:id"], ""),
  ])
  func readsTemplates(text: String, routes: [String], rest: String) throws {
    let read = try Route.reading(text)
    #expect(try read.routes.map(\.segments) == routes.map { try Route($0).segments })
    #expect(read.routes.allSatisfy { $0.text == text } && read.rest == rest)
  }

  /// Routes of Flask, Django, Next.js, Rails, Spring, ASP.NET, Express, Vue and Expo.
  @Test(arguments: [
    ("/buy/<int:id>", ["/buy/:id([0-9]+)"]), ("/buy/<id>/", ["/buy/:id"]), ("/@<string:name>", ["/@:name"]),
    ("/<slug:post-name>", ["/:post_name([-a-zA-Z0-9_]+)"]), ("/f/<path:rest>", ["/f/:rest/*"]),
    ("/p/<int:w>x<int:h>.jpg", ["/p/:w((?:[0-9]+)x(?:[0-9]+)\\.jpg)"]),
    ("/posts/[slug]", ["/posts/:slug"]), ("/docs/[...all]", ["/docs/:all/*"]),
    ("/docs/[[...all]]", ["/docs/*"]),
    ("/f/*path", ["/f/:path/*"]), ("/f/{*path}", ["/f/*"]), ("/f/{**path}", ["/f/*"]), ("/f/**", ["/f/*"]),
    ("/o/:id?", ["/o/:id", "/o"]), ("/u/{id}", ["/u/:id"]), ("/~a/:b", ["/~a/:b"]),
    ("/c/:chapters+", ["/c/:chapters/*"]), ("/(shop)/buy/[id]", ["/buy/:id"]), ("/a/(tabs)/b", ["/a/b"]),
    ("/(tabs)", ["/"]), ("/(app)/:id(\\d+)", ["/:id(\\d+)"]), ("/:p(a/(b)/c)", ["/:p(a/(b)/c)"]),
    ("/wiki/Foo_(bar)", ["/wiki/Foo_(bar)"]),
  ])
  func readsRoutesOfOtherRouters(text: String, routes: [String]) throws {
    let read = try Route.reading(text)
    #expect(try read.routes.map(\.segments) == routes.map { try Route($0).segments })
    #expect(try read.routes.map(\.hasRest) == routes.map { try Route($0).hasRest })
    #expect(read.routes.allSatisfy { $0.text == text } && read.rest.isEmpty)
  }

  /// What they have besides is no literal text: no URL holds these brackets.
  @Test(arguments: [
    ("/<any(a,b):x>", "'<' stands inside a segment"),
    ("/<lang:x>", "unknown converter 'lang'; expected float, int, slug, string, uuid"),
    ("/<>", "a parameter is written <name> or <int:name>"),
    ("/docs/[...all]/x", "'[...all]' is any number of segments, so only the last segment may be one"),
    ("/*path/x", "'*path' is any number of segments"), ("/[a]b", "'[' stands inside a segment"),
    ("/a<b", "'<' stands inside a segment"), ("/:a>", "'>' stands inside a segment"),
    ("/:id*", "'*' stands inside a segment"),
    ("/:id+/x", "':id+' is any number of segments, so only the last segment may be one"),
    ("/:id(\\d+)+", "'+' behind an expression is any number of segments"),
    ("/a/(x|y)/b", "'(x|y)' is an expression without a parameter; write ':name(x|y)'"),
  ])
  func refusesWhatOtherRoutersHaveBesides(text: String, reason: String) {
    #expect {
      try Route.reading(text)
    } throws: {
      let description = ($0 as? Route.Problem)?.description ?? ""
      return description.hasPrefix("'\(text)' is not a route: ") && description.contains(reason)
    }
  }

  /// Nobody would notice that the file does not open it.
  @Test(arguments: ["/../a", "/a/./b", "/a/..", "/%2e%2E/a", "/a%2", "/100%/*", "/%zz"])
  func refusesARouteOfNoURL(text: String) throws {
    refuses(
      text, "it is the path of no URL, in which '.' and '..' are resolved and two digits follow each '%'")
    for good in ["/.a/:b", "/...", "/a/.:ending", "/a%25", "/:a.", "/*"] { _ = try Route(good) }
  }

  private func refuses(_ text: String, _ reason: String) {
    #expect {
      try Route(text)
    } throws: {
      ($0 as? Route.Problem)?.description
        == "'\(text)' is not a route: \(reason). Write a path such as /buy/:id or /help/*."
    }
  }

  /// Two spellings of a letter are two routes, so these apps share no entry.
  @Test func appsWithRulesThatOnlyLookAlikeStandApart() throws {
    let text =
      "{apps: [{id: 'ABCDE12345.com.example.one', routes: ['/\u{E9}']}, "
      + "{id: 'ABCDE12345.com.example.two', routes: ['/e\u{301}']}, "
      + "{id: 'ABCDE12345.com.example.three', routes: ['/\u{E9}']}]}"
    let file = GeneratedSite(try GenerateRequest(SourceText(name: "config", text))).associationFile
    let details = try #require(JSONParser.parse(file.bytes).root?["applinks"]?["details"]?.array)
    #expect(details.map { $0["appIDs"]?.array?.count } == [2, 1])
  }

  @Test func albumsNameWhatTheWidePatternCatches() throws {
    let text = "{apps: [{id: 'ABCDE12345.com.example.app', routes: ['/:user/:album']}], host: 'example.com'}"
    let site = GeneratedSite(try GenerateRequest(SourceText(name: "config", text)))
    #expect(site.isExact)
    #expect(site.apps[0].wide[0].pattern == "/*/*")
    #expect(site.apps[0].wide[0].alsoMatches.contains("/a/more/b"))
    #expect(site.entitlementLines == ["applinks:example.com"])
  }
}
