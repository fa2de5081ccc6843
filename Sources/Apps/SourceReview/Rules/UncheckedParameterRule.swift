internal import LinkspanCore

extension ReviewRule {
  static let uncheckedParameter = ReviewRule(
    "unchecked-parameter", "What a link brings is checked before it is used: anybody can write one.", .error,
    source: "SR16",
    words: [
      "pathComponents", "ueryItems", "queryParam", "lastPathComponent", "componentsSeparatedByString",
      "url.path", "fragment", "URL.query", "url.query",
    ],
    bad: [
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
          guard let url = contexts.first?.url else { return }
          let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems
          router.show(id: items⟦!⟧.first { $0.name == "id" }!.value!)
        }
      }
      """,
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          show(recipe: url.pathComponents⟦[⟧2])
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup {
            Shop().onOpenURL { url in
              let text = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.first?.value ?? ""
              guard let page = URL(string: text) else { return }
              webView.⟦load⟧(URLRequest(url: page))
            }
          }
        }
      }
      """,
      """
      @implementation DeepLinkRouter
      - (BOOL)openURL:(NSURL *)url {
        [self showRecipe:url.pathComponents⟦[⟧2]];
        return YES;
      }
      @end
      """,
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          let name = url.lastPathComponent
          database.execute(⟦"SELECT * FROM recipe WHERE name = '\\(name)'"⟧)
        }
      }
      """,
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          guard let text = url.queryParameters["q"] else { return showHome() }
          webView.⟦evaluateJavaScript⟧("search('\\(text)')")
        }
      }
      """,
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          guard let name = url.queryParameters["file"] else { return showHome() }
          show(try? Data(⟦contentsOf⟧: documents.appendingPathComponent(name)))
        }
      }
      """,
      """
      @implementation DeepLinkRouter
      - (BOOL)openURL:(NSURL *)url {
        NSString *query = [NSString stringWithFormat:@⟦"SELECT * FROM recipe WHERE name = '%@'"⟧, url.lastPathComponent];
        return [self.database run:query];
      }
      @end
      """,
    ],
    good: [
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          guard let text = url.queryParameters["id"], let id = Int(text) else { return showHome() }
          database.execute("SELECT * FROM recipe WHERE id = \\(id)")
          database.execute("SELECT * FROM recipe WHERE name = ?", url.lastPathComponent)
          show(try? Data(contentsOf: documents.appendingPathComponent(url.lastPathComponent)))
        }
      }
      """,
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          guard url.pathComponents.count > 2, let id = Int(url.pathComponents[2]) else { return showHome() }
          show(recipe: id)
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup {
            Shop().onOpenURL { url in
              let text = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.first?.value ?? ""
              guard let page = URL(string: text), page.host == "example.com" else { return showHome() }
              webView.load(URLRequest(url: page))
            }
          }
        }
      }
      """,
      """
      @implementation DeepLinkRouter
      - (BOOL)openURL:(NSURL *)url {
        if (url.pathComponents.count < 3) { return NO; }
        [self showRecipe:url.pathComponents[2]];
        return YES;
      }
      @end
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    let doors = reviewed.swiftUIDoors
    let named = Set(
      doors.flatMap { door in reviewed.tokens[door].lazy.filter { $0.kind == .word }.map(\.text) })
    var bodies = program.functions(in: file, where: { ($0.body?.count ?? 0) <= Self.wordLimit }).filter {
      place, function, _ in
      named.contains(function.name) || program.takesLinks(function, at: place)
    }.map(\.body)
    for door in doors where !bodies.contains(where: { $0.contains(door.lowerBound) }) {
      bodies.append(door)
    }
    var seen: Set<Int> = []
    for body in bodies {
      let values = LinkValues(body, of: reviewed)
      guard let use = values.firstUnchecked, seen.insert(use.token).inserted else { continue }
      report.add(
        use.token, use.what,
        help:
          "Everybody can write a link, and iOS opens the app with it. Check the value first, and show the app's "
          + "first page or a message for a link that is not well-formed.")
    }
  }
}

extension ReviewRule {
  /// Ours: the words of a function that is looked at.
  fileprivate static let wordLimit = 4_000
}

extension ReviewedProgram {
  private static let linkTypes: Set<String> = [
    "URL", "NSURL", "URLComponents", "NSURLComponents", "URLQueryItem", "NSURLQueryItem", "NSUserActivity",
    "UIOpenURLContext",
  ]
  /// What functions and types that take links are called.
  private static let linkWords = [
    "link", "route", "universal", "openurl", "handleurl", "handle", "activity", "navigat", "redirect",
    "coordinator",
  ]

  /// Whether links from outside come to a function: as a callback, or by its name and what it gets.
  fileprivate func takesLinks(_ function: ReviewedFunction, at place: Place) -> Bool {
    let file = place.file
    let moments: Set<Moment> = [
      .continueActivity, .sceneContinueActivity, .openURL, .sceneOpenURL, .sceneWillConnect,
    ]
    if function.moment.map(moments.contains) ?? false { return true }
    guard function.parameters.contains(where: { $0.type.contains(where: Self.linkTypes.contains) }) else {
      return false
    }
    if callers(of: place).contains(where: { self.function($0).moment.map(moments.contains) ?? false }) {
      return true
    }
    let type = function.type.map { files[file].types[$0].name } ?? ""
    let name = (type + "." + function.name + "." + (function.parameters.first?.label ?? "")).lowercased()
    return Self.linkWords.contains(where: name.contains) || ["open", "parse"].contains(function.name)
  }
}
