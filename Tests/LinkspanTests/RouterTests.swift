import Foundation
import Linkspan
import Testing

/// One description parses and prints (LC1, section 7).
struct RouterTests {
  enum Course: String, RouteValue { case starter, main, dessert }

  enum Screen: Equatable, Sendable {
    case home
    case newRecipe
    case recipe(id: Int, servings: Int?, section: String?)
    case user(name: String)
    case album(owner: String, album: Int)
    case menu(Course)
    case search(text: String)
    case help(page: String?)
  }

  private static func router() throws -> Router<Screen> {
    try Router(
      sources: [
        .universalLinks(hosts: ["recipes.example", "*.recipes.example"]), .customScheme("recipes"),
        .appClip(hosts: ["clip.recipes.example"]),
        .handoff(activityType: "example.recipes.reading", route: "recipe"),
      ],
      clashes: .firstDeclaredWins,
      routes: [
        Route("home", "/", .home),
        Route("new", "/recipes/new", .newRecipe),
        Route("recipe", "/recipes/{id:int}?servings={servings?:int}#{section?}") {
          .recipe(
            id: try $0("id"), servings: try $0.optional("servings"), section: try $0.optional("section"))
        } write: {
          guard case .recipe(let id, let servings, let section) = $0 else { return nil }
          return ["id": id, "servings": servings, "section": section]
        },
        Route("user", "/@{name}") {
          .user(name: try $0("name"))
        } write: {
          if case .user(let name) = $0 { ["name": name] } else { nil }
        },
        Route("menu", "/menus/{course:~starter|main|dessert}") {
          .menu(try $0("course"))
        } write: {
          if case .menu(let course) = $0 { ["course": course] } else { nil }
        },
        Route("search", "/search?q={text}") {
          .search(text: try $0("text"))
        } write: {
          if case .search(let text) = $0 { ["text": text] } else { nil }
        },
        .browser("terms", "/help/terms"),
        Route("help", "/help/{page...}") {
          .help(page: try $0.optional("page"))
        } write: {
          if case .help(let page) = $0 { ["page": page] } else { nil }
        },
        Route("album", "/{owner:~[a-z]+}/{album:~[0-9]{1,6}}") {
          .album(owner: try $0("owner"), album: try $0("album"))
        } write: {
          if case .album(let owner, let album) = $0 { ["owner": owner, "album": album] } else { nil }
        },
      ])
  }

  @Test(arguments: [
    ("https://recipes.example/", Screen.home), ("https://recipes.example", .home),
    ("https://RECIPES.example:443/recipes/new/", .newRecipe),
    ("https://recipes.example/recipes/42", .recipe(id: 42, servings: nil, section: nil)),
    (
      "https://www.recipes.example/recipes/42?x=1&servings=4#steps",
      .recipe(id: 42, servings: 4, section: "steps")
    ),
    ("https://recipes.example/recipes/42?servings=many", .recipe(id: 42, servings: nil, section: nil)),
    ("https://user@recipes.example/@zo%C3%AB", .user(name: "zoë")),
    ("https://recipes.example/menus/dessert", .menu(.dessert)),
    ("http://recipes.example/search?q=a%26b%20c", .search(text: "a&b c")),
    ("https://recipes.example/help", .help(page: nil)),
    ("https://recipes.example/help/cooking/eggs/", .help(page: "cooking/eggs")),
    ("https://recipes.example/alice/7", .album(owner: "alice", album: 7)),
    ("recipes://recipes/42", .recipe(id: 42, servings: nil, section: nil)),
    ("RECIPES:/recipes/42", .recipe(id: 42, servings: nil, section: nil)),
    ("recipes://", .home),
  ])
  func readsLinks(url: String, screen: Screen) throws {
    let router = try Self.router()
    #expect(try router.parse(url) == screen)
    #expect(router.destination(for: url) == screen)
  }

  @Test(arguments: [
    (Screen.home, "https://recipes.example/"),
    (
      .recipe(id: 42, servings: 4, section: "the steps"),
      "https://recipes.example/recipes/42?servings=4#the%20steps"
    ),
    (.user(name: "zoë/é"), "https://recipes.example/@zo%C3%AB%2F%C3%A9"),
    (.search(text: "a&b=c+d#e"), "https://recipes.example/search?q=a%26b%3Dc%2Bd%23e"),
    (.help(page: "cooking/soft eggs"), "https://recipes.example/help/cooking/soft%20eggs"),
    (.help(page: nil), "https://recipes.example/help"),
  ])
  func printsWhatItReads(screen: Screen, url: String) throws {
    let router = try Self.router()
    #expect(try router.url(for: screen) == url)
    #expect(try router.parse(url) == screen)
    let own = try router.url(for: screen, as: .customScheme)
    #expect(own.hasPrefix("recipes://"))
    #expect(try router.parse(own) == screen)
  }

  @Test(arguments: [
    (
      "https://recipes.example/recipes/abc",
      RoutingMiss.Reason.noRoute(closest: "recipe"),
      "closest is 'recipe' (/recipes/{id:int}?servings={servings?:int}#{section?}): "
        + "segment 2, 'abc', does not satisfy the parameter 'id'"
    ),
    (
      "https://recipes.example/search", .noRoute(closest: "search"),
      "closest is 'search' (/search?q={text}): the query item 'q' is missing"
    ),
    (
      "https://recipes.example/alice/7/cover", .noRoute(closest: "album"),
      "closest is 'album' (/{owner:~[a-z]+}/{album:~[0-9]{1,6}}): the path has 3 segments, the route 2"
    ),
    (
      "https://recipes.example/help/terms", .keptInBrowser(route: "terms"),
      "the route 'terms' leaves it to the browser"
    ),
    ("https://elsewhere.example/recipes/42", .foreignHost, "no source of the router has its host"),
    ("https://recipes.example:8443/recipes/42", .foreignHost, "no source of the router has its host"),
    ("https://notrecipes.example/", .foreignHost, "no source of the router has its host"),
    ("cooking://recipes/42", .foreignScheme, "no source of the router has its scheme"),
    ("recipes/42", .notALink, "expected a URL with a scheme and a path"),
    ("https://recipes.example/Recipes/42", .noRoute(closest: "album"), "closest is"),
  ])
  func aMissSaysWhatCameClosest(url: String, reason: RoutingMiss.Reason, text: String) throws {
    let router = try Self.router()
    let miss = try #require(throws: RoutingMiss.self) { try router.parse(url) }
    if reason != .noRoute(closest: "album") || url.hasSuffix("cover") { #expect(miss.reason == reason) }
    #expect(miss.description.contains(text), "\(miss.description)")
    #expect(miss.description.hasPrefix("No place for \(url): "))
  }

  /// Another item of the query stands for nothing.
  @Test(arguments: ["?p=eggs", "?p=eggs&Q=eggs", "?=eggs"]) func aMissSaysWhichItemIsMissing(query: String)
    throws
  {
    let router = try Self.router()
    let miss = try #require(throws: RoutingMiss.self) {
      try router.parse("https://recipes.example/search\(query)")
    }
    #expect(miss.reason == .noRoute(closest: "search"))
    #expect(miss.description.hasSuffix("(/search?q={text}): the query item 'q' is missing."))
  }

  /// An app may log it; what may be secret of the link is in `url` alone.
  @Test(arguments: [
    ("https://ann:qz@recipes.example/x?token=qz#qz", "https://…@recipes.example/x?…"),
    ("https://recipes.example/search?text=qz", "https://recipes.example/search?…"),
    ("https://recipes.example/x#qz", "https://recipes.example/x#…"),
    ("https:/ann:qz@recipes.example/x", "https:/…@recipes.example/x"),
    ("https:ann:qz@recipes.example/x", "https:…@recipes.example/x"),
    ("https:\\\\ann:qz@recipes.example/x", "https:\\\\…@recipes.example/x"),
    ("https://ann:qz/qz@recipes.example/x", "https://…"),
    ("https://ann:qz?qz@recipes.example/x", "https://…"),
    ("https://ann:qz@qz@recipes.example/x", "https://…@recipes.example/x"),
    ("recipes://ann:qz@recipes/abc", "recipes://…@recipes/abc"),
    ("https:/ann:qz@recipes.example", "https:/…@recipes.example"),
    ("cooking://ann:qz@recipes/42", "cooking://…@recipes/42"),
    ("//ann:qz@recipes.example/x", "//…@recipes.example/x"),
    ("https://recipes.example:8443/@ann", "https://recipes.example:8443/@ann"),
    ("https://[::1]:80/@ann", "https://[::1]:80/@ann"), ("/path/@ann", "/path/@ann"), ("", ""), ("?", "?…"),
  ])
  func aMissShowsNoSecretOfItsLink(url: String, shown: String) throws {
    let router = try Self.router()
    let miss = try #require(throws: RoutingMiss.self) { try router.parse(url) }
    #expect(miss.description.hasPrefix("No place for \(shown): "), "\(miss.description)")
    #expect(!miss.description.contains("qz"), "\(miss.description)")
    #expect(miss.url == url)
  }

  /// Words of one length that differ early, late, and only behind their eighth byte, where the tree compares otherwise.
  @Test func similarWordsAreDifferentRoutes() throws {
    let words = ["", "a", "b", "recipes", "recipes1", "recipes2", "recipes-day", "recipes-dax", "zecipes1"]
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["recipes.example"])],
      routes: words.map { Route($0, "/\($0)", $0) })
    for word in words { #expect(router.destination(for: "https://recipes.example/\(word)") == word) }
    for other in ["c", "recipes3", "recipes-daw", "recipes-da", "recipes\0", "\0recipes"] {
      #expect(router.destination(for: "https://recipes.example/\(other)") == nil)
    }
  }

  /// An authority with a port, user information or capitals is judged as without the short way for a plain host.
  @Test(arguments: [
    ("https://recipes.example/a", true), ("HTTPS://Recipes.Example/a", true),
    ("https://recipes.example:443/a", true), ("http://recipes.example:80/a", true),
    ("https://recipes.example:80/a", false), ("https://recipes.example:/a", true),
    ("https://me:pass@recipes.example/a", true), ("https://me%40x:1@recipes.example:443/a", true),
    ("https://recipes.example@evil.example/a", false), ("https://recipes.example:443@evil.example/a", false),
    ("https://recipes%2Eexample/a", true), ("https://recipes.example.evil.example/a", false),
    ("httpx://recipes.example/a", false), ("https:///a", false),
  ])
  func hostsAreThoseOfTheSources(url: String, isOurs: Bool) throws {
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["recipes.example"])], routes: [Route("a", "/a", "a")])
    #expect(router.destination(for: url) == (isOurs ? "a" : nil))
  }

  @Test(arguments: [
    ("a.example", true), ("localhost:8080", true), ("", false), ("a.example/b", false),
    ("a.example:0", false),
    ("a.example:+80", false), ("a.example:x", false),
  ])
  func aSourceNamesHosts(host: String, isHost: Bool) {
    let router = try? Router<String>(
      sources: [.universalLinks(hosts: [host])], routes: [Route("a", "/a", "a")])
    #expect((router != nil) == isHost)
  }

  @Test func handsOffAndContinues() throws {
    let router = try Self.router()
    let activity = try router.activity(for: .recipe(id: 5, servings: 2, section: nil))
    #expect(activity.activityType == "example.recipes.reading")
    #expect(activity.userInfo == ["id": "5", "servings": "2"])
    #expect(activity.webpageURL == "https://recipes.example/recipes/5?servings=2")
    let back = try router.parse(activityType: activity.activityType, userInfo: activity.userInfo)
    #expect(back == .recipe(id: 5, servings: 2, section: nil))
    #expect(throws: RoutingMiss.self) {
      try router.parse(activityType: activity.activityType, userInfo: ["id": "five"])
    }
    #expect(throws: RoutingMiss.self) { try router.parse(activityType: "example.other", userInfo: [:]) }
  }

  @Test func clipsHaveTheirOwnHosts() throws {
    let router = try Self.router()
    let url = "https://clip.recipes.example/recipes/5"
    #expect(router.destination(for: url, from: .appClip) == .recipe(id: 5, servings: nil, section: nil))
    #expect(router.destination(for: "https://recipes.example/recipes/5", from: .appClip) == nil)
  }

  @Test func aURLOfFoundationIsReadToo() throws {
    let url = try #require(URL(string: "https://recipes.example/recipes/42"))
    #expect(try Self.router().parse(url) == .recipe(id: 42, servings: nil, section: nil))
  }

  @Test func valuesMustSatisfyTheTemplate() throws {
    let router = try Self.router()
    #expect(throws: PrintingError.self) { try router.url(for: .recipe(id: -1, servings: nil, section: nil)) }
    #expect(throws: PrintingError.self) { try router.url(for: .album(owner: "Alice", album: 1)) }
    #expect(throws: PrintingError.self) { try router.url(for: .user(name: "")) }
  }

  /// Browsers resolve such a segment, and the link would lead elsewhere; beside other letters it is a name.
  @Test func noLinkHasAStepInItsPath() throws {
    let router = try Self.router()
    for page in [".", "..", "a/../b", "a/."] {
      let error = #expect(throws: PrintingError.self) { try router.url(for: .help(page: page)) }
      #expect(error?.description.contains("browsers resolve") == true)
    }
    #expect(try router.url(for: .help(page: "a/..b")) == "https://recipes.example/help/a/..b")
    #expect(try router.url(for: .user(name: "..")) == "https://recipes.example/@..")
  }

  /// What a type does not read is not written, alone or in a list.
  @Test func noLinkHasAValueThatIsNotRead() throws {
    enum Place: Equatable, Sendable {
      case one(Double)
      case all([Double])
    }
    let router = try Router<Place>(
      sources: [.universalLinks(hosts: ["a.example"]), .handoff(activityType: "a.b", route: "one")],
      routes: [
        Route("one", "/{x}") { (x: Double) in
          .one(x)
        } parts: {
          if case .one(let x) = $0 { x } else { nil }
        },
        Route("all", "/?x={x*}") { (x: [Double]) in
          .all(x)
        } parts: {
          if case .all(let x) = $0 { x } else { nil }
        },
      ])
    let error = #expect(throws: PrintingError.self) { try router.url(for: .one(.nan)) }
    #expect(error?.description == "Route 'one': 'nan' is no Double for the parameter 'x'.")
    #expect(throws: PrintingError.self) { try router.url(for: .one(-.infinity)) }
    #expect(throws: PrintingError.self) { try router.activity(for: .one(.nan)) }
    #expect(throws: PrintingError.self) { try router.url(for: .all([1, .nan])) }
    #expect(try router.url(for: .all([1, 2.5])) == "https://a.example/?x=1.0&x=2.5")
  }
}

/// What is wrong with a description is found when the router is built.
struct RouterErrorTests {
  private func problems(_ templates: [(String, String)], clashes: Router<Int>.ClashPolicy = .refused)
    -> [String]
  {
    let routes = templates.map { name, template in
      Route<Int>(name, template) { _ in
        0
      } write: { _ in
        [:]
      }
    }
    do throws(RouterError) {
      _ = try Router(sources: [.universalLinks(hosts: ["a.example"])], clashes: clashes, routes: routes)
      return []
    } catch {
      return error.problems.filter { $0.kind != .notInverse }.map(\.description)
    }
  }

  @Test func aClashNamesBothWithAnExample() {
    #expect(
      problems([("edit", "/{user}/edit"), ("recipe", "/recipes/{id}")]) == [
        "Routes 'edit' (/{user}/edit) and 'recipe' (/recipes/{id}) clash: both take /recipes/edit, and neither is a "
          + "special case of the other. Make them differ, or pass 'clashes: .firstDeclaredWins' to let 'edit' have it."
      ])
    #expect(
      problems([("edit", "/{user}/edit"), ("recipe", "/recipes/{id}")], clashes: .firstDeclaredWins).isEmpty)
  }

  @Test func anUnreachableRouteNamesWhatTakesItsLinks() {
    #expect(
      problems([("any", "/recipes/{id}"), ("new", "/recipes/new")]) == [
        "Route 'new' (/recipes/new) is unreachable: 'any', declared before it, takes each of its URLs. "
          + "Declare it first, or remove it."
      ])
  }

  @Test func severalRoutesTogetherMakeOneUnreachable() {
    #expect(
      problems([("low", "/a/{n:~[0-4]}"), ("high", "/a/{n:~[5-9]}"), ("digit", "/a/{n:~[0-9]}")]) == [
        "Route 'digit' (/a/{n:~[0-9]}) is unreachable: 'low', 'high', declared before it, take each of its URLs. "
          + "Declare it first, or remove it."
      ])
  }

  @Test(arguments: [
    [("a", "/x"), ("b", "/x?q={q}")], [("a", "/x/*"), ("b", "/x")], [("a", "/*"), ("b", "/x/{y}/z")],
    [("a", "/x?q={q}"), ("b", "/x?q=1")],
  ])
  func aSpecialCaseBehindTheGeneralOneIsUnreachable(templates: [(String, String)]) {
    #expect(problems(templates).count == 1)
    #expect(problems(templates)[0].hasPrefix("Route 'b'"))
  }

  @Test(arguments: [
    [("a", "/x"), ("b", "/{x}")], [("a", "/x?q={q}"), ("b", "/x")], [("a", "/x?q=1"), ("b", "/x?q=2")],
    [("a", "/{x:int}"), ("b", "/{x:~[a-z]+}")], [("a", "/{x}"), ("b", "/{x}/{y}")],
    [("a", "/x#top"), ("b", "/x#end")],
  ])
  func theSpecialCaseFirstIsNoProblem(templates: [(String, String)]) {
    #expect(problems(templates).isEmpty)
  }

  @Test(arguments: [
    ("x", "it does not begin with '/'"), ("/{id", "'}' is missing"), ("/id}", "'}' has no '{'"),
    ("/{a}{b}", "'a' and 'b' need text between them"), ("/{a?}/b", "'a' is optional"),
    ("/*/x", "'*' may only be the last segment"), ("/{a}/{a}", "two parameters are named 'a'"),
    ("/{a:number}", "unknown kind 'number'; expected hex, int, string, uuid or ~REGEX"),
    ("/{a:~(}", "')' is missing"), ("/{a:~a*}", "it accepts the empty text"),
    ("/{a:~(?!x)y}", "look-ahead has no counterpart"), ("/{a:~[z-a]}", "ascending ranges"),
    ("/{a:~(a{999}){999}}", "it repeats too much"), ("/{a:~\\s}", "'\\s' is not supported"),
    ("/a?b", "a query item is written name={value}"), ("/a?b={c}&b={d}", "the query item 'b' is there twice"),
    ("/{:int}", "a parameter is written {name}"),
  ])
  func aTemplateThatCannotBeReadIsExplained(template: String, reason: String) {
    let found = problems([("bad", template)])
    #expect(found.count == 1)
    #expect(found.first?.contains(reason) == true, "\(found)")
    #expect(found.first?.hasPrefix("Route 'bad': the template '\(template)' cannot be used: ") == true)
  }

  @Test func everyProblemIsReportedAtOnce() throws {
    let error = try #require(throws: RouterError.self) {
      try Router<Int>(
        sources: [
          .universalLinks(hosts: ["https://a.example"]), .customScheme("https"),
          .handoff(activityType: "t", route: "gone"),
        ],
        routes: [Route("a", "x", 1), Route("a", "/{", 2)])
    }
    #expect(error.problems.count == 6)
    #expect(error.problems.allSatisfy { $0.kind == .description })
  }

  @Test func closuresThatDoNotUndoEachOtherAreFound() throws {
    func problem(
      read: @escaping @Sendable (RouteParameters) throws -> Int,
      write: @escaping @Sendable (Int) -> [String: (any RouteValue)?]?
    ) -> String? {
      do throws(RouterError) {
        _ = try Router(
          sources: [.customScheme("a")], routes: [Route<Int>("r", "/{id:int}", read: read, write: write)])
        return nil
      } catch {
        return error.problems.first?.description
      }
    }
    #expect(
      problem {
        try $0("id")
      } write: {
        ["id": $0]
      } == nil)
    #expect(
      problem {
        try $0("ident")
      } write: {
        ["id": $0]
      }
        == "Route 'r' (/{id:int}): its closure 'read' fails: the route has no parameter 'ident'; it has id.")
    #expect(
      problem {
        try $0("id")
      } write: {
        ["id": $0 + 1]
      }?.contains("into '2'") == true)
    #expect(
      problem {
        try $0("id")
      } write: { _ in
        nil
      }?.contains("'write' returns nil") == true)
    #expect(
      problem {
        try $0("id")
      } write: {
        ["nr": $0]
      }?.contains("'nr', which is no parameter") == true)
  }
}
