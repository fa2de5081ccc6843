import Foundation
import Linkspan
import Testing

/// A router proves that reading and writing undo each other, by values of the types that its closures ask for.
struct RouterProofTests {
  enum Course: String, CaseIterable, RouteValue { case starter, main }
  enum Level: Int, CaseIterable, RouteValue { case easy = 1, hard = 9 }

  enum Place: Equatable, Sendable {
    case number(Int)
    case course(Course?)
    case flag(Bool)
    case device(UUID)
    case level(Level?)
    case ratio(Double)
    case text(String)
    case tags([String], [Int])
  }

  private static func problems(_ routes: [Route<Place>], samples: Int = 200) -> [String] {
    do throws(RouterError) {
      try Router(sources: [.universalLinks(hosts: ["a.example"])], routes: routes).prove(samples: samples)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func whatIsNeverReadIsFoundWhenTheRouterIsBuilt() throws {
    let error = try #require(throws: RouterError.self) {
      try Router<Place>(
        sources: [.customScheme("a")],
        routes: [
          Route("n", "/n/{i:int}") { _ in
            .number(1)
          } write: { _ in
            ["i": 1]
          }
        ])
    }
    #expect(error.problems.map(\.kind) == [.notInverse])
    #expect(error.description.hasPrefix("Route 'n' (/n/{i:int}): for /n/"))
    #expect(error.description.hasSuffix("into '1'."))
  }

  @Test func whatIsWrittenMustBeAValueOfTheType() {
    let found = Self.problems([
      Route("c", "/a?c={c?}") {
        .course(try $0.optional("c"))
      } write: { _ in
        ["c": "oops"]
      }
    ])
    #expect(found.count == 1 && found[0].hasSuffix("into 'oops'."), "\(found)")
  }

  /// Types that allow fewer texts than their template: none of them needs a regular expression.
  @Test func optionalsEnumsBoolsAndIdentifiersArePlain() {
    let found = Self.problems([
      Route("c", "/a?c={c?}") {
        .course(try $0.optional("c"))
      } write: {
        if case .course(let course) = $0 { ["c": course] } else { nil }
      },
      Route("f", "/flag/{f}") {
        .flag(try $0("f"))
      } write: {
        if case .flag(let flag) = $0 { ["f": flag] } else { nil }
      },
      Route("d", "/devices/{id}") {
        .device(try $0("id"))
      } write: {
        if case .device(let id) = $0 { ["id": id] } else { nil }
      },
      Route("l", "/levels#{l?}") {
        .level(try $0.optional("l"))
      } write: {
        if case .level(let level) = $0 { ["l": level] } else { nil }
      },
      Route("r", "/ratio/{r}") {
        .ratio(try $0("r"))
      } write: {
        if case .ratio(let ratio) = $0 { ["r": ratio] } else { nil }
      },
      Route("t", "/text/{t}") {
        .text(try $0("t"))
      } write: {
        if case .text(let text) = $0 { ["t": text] } else { nil }
      },
      Route("tags", "/tags?tag={tag*}&n={n*:int}") {
        .tags(try $0.all("tag"), try $0.all("n"))
      } write: {
        if case .tags(let tags, let numbers) = $0 { ["tag": tags, "n": numbers] } else { nil }
      },
    ])
    #expect(found == [])
  }

  @Test func twoRoutesMayNotWriteOnePlace() throws {
    func routes(_ first: Set<LinkSource.Kind>, _ second: Set<LinkSource.Kind>) -> [Route<Int>] {
      [Route("old", "/old", 1, from: first), Route("new", "/new", 1, from: second)]
    }
    let sources: [LinkSource] = [.universalLinks(hosts: ["a.example"]), .customScheme("a")]
    let error = try #require(throws: RouterError.self) {
      try Router(sources: sources, routes: routes([.universalLink], [.universalLink]))
    }
    #expect(error.problems.first?.routes == ["old", "new"])
    #expect(
      error.problems.first?.description
        == "Route 'old' (/old): 'new' (/new) writes its place 1 too. Let one of the two return nil, or make its "
        + "template one of the 'aliases:' of the other, which are only read.")
    let router = try Router(sources: sources, routes: routes([.universalLink], [.customScheme]))
    #expect(try router.url(for: 1) == "https://a.example/old")
    #expect(try router.url(for: 1, as: .customScheme) == "a://new")
  }

  /// Wrong for one value in hundreds: too rare for a launch, and found in a test.
  @Test func aRareMistakeIsFoundByTheWholeProof() {
    let found = Self.problems(
      [
        Route("t", "/text/{t}") {
          .text(try $0("t"))
        } write: {
          if case .text(let text) = $0 { ["t": text.contains("++") ? "x" : text] } else { nil }
        }
      ], samples: 1_000)
    #expect(found.count == 1 && found[0].hasSuffix("into 'x'."), "\(found)")
  }

  @Test func aTypeWithoutValuesIsSaidToBeUnproven() throws {
    struct Code: RouteValue {
      init?(routeText: String) { guard routeText == "a-very-secret-code" else { return nil } }
      var routeText: String { "a-very-secret-code" }
    }
    let router = try Router<Int>(
      sources: [.customScheme("a")],
      routes: [
        Route("c", "/c/{code}") {
          _ = try $0("code", as: Code.self)
          return 1
        } write: { _ in
          ["code": "a-very-secret-code"]
        }
      ])
    let error = try #require(throws: RouterError.self) { try router.prove(samples: 20) }
    #expect(error.description.contains("took none of 20 values"), "\(error)")
    #expect(error.description.contains("'routeSamples'"))
  }

  /// `LINKSPAN_PROOF_SAMPLES=1000` proves each route by as many values.
  @Test(arguments: 0..<200)
  func aRandomAppProvesItself(seed: UInt64) throws {
    let samples = ProcessInfo.processInfo.environment["LINKSPAN_PROOF_SAMPLES"].flatMap(Int.init) ?? 25
    try RouteTableSample(seed: seed).router().prove(samples: samples)
  }
}

/// What a link may hold: hosts, escapes, numbers.
struct RouterReadingTests {
  private static func router<Value: RouteValue & Equatable>(
    _ template: String, _ type: Value.Type, hosts: [String] = ["recipes.example", "*.recipes.example"]
  ) throws -> Router<Value> {
    try Router(
      sources: [.universalLinks(hosts: hosts), .customScheme("a")],
      routes: [
        Route("x", template) {
          try $0("x")
        } write: {
          ["x": $0]
        }
      ])
  }

  @Test(arguments: [
    "evil.example", "evil.example/.recipes.example", "recipes.example.evil.example", "a@recipes.example", "",
    "evil.example#.recipes.example", "evil.example?.recipes.example", "recipes.example:8443",
    "*.recipes.example",
  ])
  func noStrangersHostIsWritten(host: String) throws {
    let router = try Self.router("/{x:int}", Int.self)
    let error = #expect(throws: PrintingError.self) { try router.url(for: 5, host: host) }
    #expect(error?.description.contains("is no host of the router's sources") == true)
  }

  @Test func itsOwnHostsAreWritten() throws {
    let router = try Self.router("/{x:int}", Int.self)
    #expect(try router.url(for: 5, host: "recipes.example") == "https://recipes.example/5")
    #expect(try router.url(for: 5, host: "de.recipes.example") == "https://de.recipes.example/5")
  }

  /// No link is written that the route would not read: without a rest the parameter is nil.
  @Test func anEmptyRestIsNotWritten() throws {
    let router = try Self.router("/files/{x...}", String.self)
    let error = #expect(throws: PrintingError.self) { try router.url(for: "") }
    #expect(error?.description == "Route 'x': '' does not satisfy the parameter 'x'.")
    #expect(try router.url(for: "a/b") == "https://recipes.example/files/a/b")
  }

  @Test func plusIsABlankInAQueryOnly() throws {
    let query = try Self.router("/s?q={x}", String.self)
    #expect(query.destination(for: "https://recipes.example/s?q=a+b%2Bc") == "a b+c")
    #expect(try query.url(for: "a b+c") == "https://recipes.example/s?q=a%20b%2Bc")
    let path = try Self.router("/s/{x}", String.self)
    #expect(path.destination(for: "https://recipes.example/s/a+b") == "a+b")
  }

  @Test(arguments: ["nan", "inf", "-inf", "infinity", "0x10", "1e999", "NaN"])
  func aNumberIsFinite(text: String) throws {
    #expect(Double(routeText: text) == nil)
    #expect(throws: RoutingMiss.self) {
      try Self.router("/r/{x}", Double.self).parse("https://recipes.example/r/" + text)
    }
    #expect(Double(routeText: "-2.5e3") == -2_500)
  }

  @Test(arguments: [
    "https://bücher.example/1", "https://BÜCHER.example/1", "https://xn--bcher-kva.example/1",
    "https://XN--BCHER-KVA.EXAMPLE/1", "https://b%C3%BCcher.example/1", "https://bu\u{308}cher.example/1",
  ])
  func internationalHostsFold(url: String) throws {
    for host in ["bücher.example", "xn--bcher-kva.example", "Bücher.example"] {
      #expect(try Self.router("/{x:int}", Int.self, hosts: [host]).destination(for: url) == 1)
    }
  }

  /// RFC 3492, 7.1, and names of real domains.
  @Test(arguments: [
    ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("mañana", "xn--maana-pta"), ("☃-⌘", "xn----dqo34k"),
    ("domæne", "xn--domne-ura"), ("правда", "xn--80aafi6cg"),
  ])
  func punycode(label: String, ascii: String) throws {
    let router = try Self.router("/{x:int}", Int.self, hosts: [label + ".example"])
    #expect(router.destination(for: "https://\(ascii).example/1") == 1)
    #expect(router.destination(for: "https://\(ascii)a.example/1") == nil)
  }

  @Test func theDigitsOfAnEscapeMayHaveEitherCase() throws {
    let router = try Self.router("/café/{x}", String.self)
    #expect(router.destination(for: "https://recipes.example/caf%c3%a9/%c3%A9") == "é")
    #expect(router.destination(for: "https://recipes.example/caf%C3%A9/a%zz") == "a%zz")
  }

  @Test func aTestServersPortIsItsOwn() throws {
    let router = try Self.router("/{x:int}", Int.self, hosts: ["localhost:8080"])
    #expect(router.destination(for: "http://localhost:8080/5") == 5)
    #expect(router.destination(for: "http://localhost/5") == nil)
    #expect(router.destination(for: "http://localhost:8081/5") == nil)
    #expect(try router.url(for: 5) == "http://localhost:8080/5")
  }

  /// 'Exact' is said of what the closures read, not of the templates.
  @Test func whatATypeDoesNotReadIsADifference() throws {
    let flag = try Self.router("/flag/{x}", Bool.self).associationComponents()
    #expect(!flag.isExact && flag.differences.map(\.route) == ["x"])
    #expect(flag.differences.first?.alsoCatches == "/flag/a")
    let files = try Self.router("/files/{x...}", String.self).associationComponents()
    #expect(files.differences.first?.alsoCatches == "/files")
    #expect(try !Self.router("/n/{x:~[0-9]{1,19}}", Int.self).associationComponents().isExact)
    for template in ["/n/{x:int}", "/n/{x:~[0-9]{1,4}}", "/n/{x:~7|8}"] {
      #expect(try Self.router(template, Int.self).associationComponents().isExact, "\(template)")
    }
  }
}

/// Types of an app's own in the form of a route whose closures take values.
struct RoutePartTests {
  enum Day: String, CaseIterable, RouteValue { case monday, tuesday }

  @Test func anEnumIsAValueOfAClosure() throws {
    let router = try Router<Day>(
      sources: [.customScheme("a")],
      routes: [
        Route("day", "/days/{day}") { (day: Day) in
          day
        } parts: {
          $0
        }
      ])
    #expect(router.destination(for: "a://days/tuesday") == .tuesday)
    #expect(try router.url(for: .monday, as: .customScheme) == "a://days/monday")
  }
}

/// What routes are made of: aliases, optional segments, lists, parts of an app.
struct RouteFeatureTests {
  enum Place: Equatable, Sendable {
    case home
    case recipes
    case recipe(Int, step: String?)
    case photo(recipe: Int, width: Int, height: Int)
    case search([String])
    case shop(Shop)
  }

  enum Shop: Equatable, Sendable {
    case front
    case item(Int, size: String?)
  }

  static let shop: [Route<Shop>] = [
    Route("front", "/", .front),
    Route("item", "/items/{id:int}?size={size?}") { (id: Int, size: String?) in
      .item(id, size: size)
    } parts: {
      if case .item(let id, let size) = $0 { (id, size) } else { nil }
    },
  ]

  static let recipes: [Route<Place>] = [
    Route("all", "/", .recipes),
    Route("photo", "/{recipe:int}/{width:~[0-9]{1,2}}x{height:~[0-9]{1,2}}.jpg") {
      (recipe: Int, width: Int, height: Int) in
      .photo(recipe: recipe, width: width, height: height)
    } parts: {
      if case .photo(let recipe, let width, let height) = $0 { (recipe, width, height) } else { nil }
    },
    Route("step", "/{id:int}/{step?:~mix|bake|serve}", aliases: ["/r{id:int}"]) {
      .recipe(try $0("id"), step: try $0.optional("step"))
    } write: {
      if case .recipe(let id, let step) = $0 { ["id": id, "step": step] } else { nil }
    },
  ]

  static func router() throws -> Router<Place> {
    var routes: [Route<Place>] = [
      Route("home", "/", .home),
      Route("search", "/search?tag={tags*}") {
        .search(try $0.all("tags"))
      } write: {
        if case .search(let tags) = $0 { ["tags": tags] } else { nil }
      },
    ]
    routes += Route.group("/recipes", gate: "login", recipes)
    routes += Route.mount("shop", at: "/shop", shop) {
      .shop($0)
    } extract: {
      if case .shop(let shop) = $0 { shop } else { nil }
    }
    return try Router(sources: [.universalLinks(hosts: ["a.example"]), .customScheme("a")], routes: routes)
  }

  @Test(arguments: [
    (Place.home, "https://a.example/"), (.recipes, "https://a.example/recipes"),
    (.recipe(7, step: nil), "https://a.example/recipes/7"),
    (.recipe(7, step: "bake"), "https://a.example/recipes/7/bake"),
    (.photo(recipe: 7, width: 64, height: 48), "https://a.example/recipes/7/64x48.jpg"),
    (.search([]), "https://a.example/search"),
    (.search(["a b", "c&d"]), "https://a.example/search?tag=a%20b&tag=c%26d"),
    (.shop(.front), "https://a.example/shop"),
    (.shop(.item(3, size: nil)), "https://a.example/shop/items/3"),
    (.shop(.item(3, size: "xl")), "https://a.example/shop/items/3?size=xl"),
  ])
  func printsAndReads(place: Place, url: String) throws {
    let router = try Self.router()
    #expect(try router.url(for: place) == url)
    #expect(try router.parse(url) == place)
    #expect(try router.parse(router.url(for: place, as: .customScheme)) == place)
  }

  @Test func theWholeIsProven() throws { try Self.router().prove(samples: 300) }

  @Test func anAliasIsReadAndNeverWritten() throws {
    let router = try Self.router()
    #expect(router.destination(for: "https://a.example/recipes/r7") == .recipe(7, step: nil))
    let rules = router.associationComponents()
    #expect(rules.isExact, "\(rules.differences)")
    #expect(rules.components.contains { $0.path.hasPrefix("/recipes/r") })
  }

  @Test(arguments: [
    ("/b/{x:int}", "the alias '/b/{x:int}' has the parameter 'x', which the template does not have."),
    ("/b", "the alias '/b' lacks the parameter 'id' of the template."),
    ("b", "the alias 'b' cannot be used: it does not begin with '/'."),
  ])
  func anAliasHasTheSameParameters(alias: String, reason: String) throws {
    let error = try #require(throws: RouterError.self) {
      try Router<Int>(
        sources: [.customScheme("a")],
        routes: [
          Route("r", "/a/{id:int}", aliases: [alias]) {
            try $0("id")
          } write: {
            ["id": $0]
          }
        ])
    }
    #expect(error.description == "Route 'r': \(reason)")
  }

  @Test func aBackStackIsMadeOfTheShorterPaths() throws {
    let router = try Self.router()
    let photo = Place.photo(recipe: 7, width: 1, height: 2)
    #expect(try router.backStack(of: photo) == [.home, .recipes, .recipe(7, step: nil), photo])
    #expect(
      try router.backStack(of: photo, as: .customScheme) == [.home, .recipes, .recipe(7, step: nil), photo])
    #expect(try router.backStack(of: .home) == [.home])
    #expect(try router.backStack(of: .search(["x"])) == [.home, .search(["x"])])
  }

  /// Two slashes that follow each other name no place of their own.
  @Test(arguments: [
    ("a//b", ["", "a", "a//b"]), ("a//b/c", ["", "a", "a//b", "a//b/c"]), ("a/b", ["", "a", "a/b"]),
  ])
  func aBackStackNamesEachPlaceOnce(path: String, places: [String]) throws {
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["a.example"]), .customScheme("a")],
      routes: [
        Route("front", "/files") { _ in
          ""
        } write: {
          $0.isEmpty ? [:] : nil
        },
        Route("files", "/files/{path...}") {
          try $0("path")
        } write: {
          $0.isEmpty ? nil : ["path": $0]
        },
      ])
    #expect(try router.backStack(of: path) == places)
    #expect(try router.backStack(of: path, as: .customScheme) == places)
  }

  @Test func aLinksOtherItemsAreForCounting() throws {
    let router = try Self.router()
    let match = try #require(router.match("a://recipes/7?utm_source=mail+a&x=1"))
    #expect(match.route == "step" && match.parameters.item("utm_source") == "mail a")
    #expect(match.parameters.item("y") == nil && match.parameters.source == .customScheme)
  }

  @Test func repeatedItemsOfTheWrongKindAreLeftOut() throws {
    let router = try Router<[Int]>(
      sources: [.universalLinks(hosts: ["a.example"])],
      routes: [
        Route("n", "/n?n={n*:int}") { (numbers: [Int]) in
          numbers
        } parts: {
          $0
        }
      ])
    #expect(router.destination(for: "https://a.example/n?n=1&x=9&n=two&n=3") == [1, 3])
    #expect(router.destination(for: "https://a.example/n") == [])
  }

  @Test func aNumberOfValuesThatDoesNotFitIsFound() throws {
    func problem(_ template: String) -> String? {
      do throws(RouterError) {
        _ = try Router<Int>(
          sources: [.customScheme("a")],
          routes: [
            Route("r", template) { (id: Int) in
              id
            } parts: {
              $0
            }
          ])
        return nil
      } catch {
        return error.description
      }
    }
    #expect(problem("/{id:int}") == nil)
    #expect(problem("/{id:int}/{b}")?.contains("the closure takes 1 values, and the template has 2") == true)
    #expect(problem("/a")?.contains("the route has no parameter 'number 1'") == true)
  }

  @Test(arguments: [
    ("/{a}{b}", "'a' and 'b' need text between them, such as {a}-{b}"),
    ("/{a:~[a-z-]+}-{b}", "it may contain '-'"), ("/{a?}/b", "only the last segments may be missing"),
    ("/{a?}/*", "the rest of the path comes after it"), ("/{a?}-{b}", "it needs a segment of its own"),
    ("/{a*}", "only an item of the query may come often"),
    ("/x#{a*}", "only an item of the query may come often"),
  ])
  func aTemplateThatCannotBeReadIsExplained(template: String, reason: String) throws {
    let error = try #require(throws: RouterError.self) {
      try Router<Int>(sources: [.customScheme("a")], routes: [Route("bad", template, 1)])
    }
    #expect(error.description.contains(reason), "\(error)")
  }
}
