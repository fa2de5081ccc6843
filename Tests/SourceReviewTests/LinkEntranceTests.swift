import LinkspanCore
import SourceReview
import Testing

/// Entrances for links: what the rule `review.link-dropped` says about them, and about what it is quiet.
@Suite struct LinkEntranceTests {
  static func dropped(_ text: String, _ language: SourceLanguage = .swift) -> [Finding] {
    let findings = SourceReview([ReviewedFile(SourceText(name: "example", text), language)]).findings
    return findings.filter { $0.rule == "review.link-dropped" }
  }

  static func scene(_ body: String) -> String {
    """
    class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
      func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        \(body)
      }
    }
    """
  }

  static func objectiveC(_ body: String) -> String {
    """
    @implementation SceneDelegate
    - (void)scene:(UIScene *)scene continueUserActivity:(NSUserActivity *)userActivity {
      \(body)
    }
    @end
    """
  }

  /// The brace before the first word of a function is its own, and belongs to no `switch`.
  @Test func aDefaultOutsideOfASwitchIsReadOver() {
    #expect(Self.dropped(Self.scene("default: show(userActivity.webpageURL)")).isEmpty)
    #expect(Self.dropped(Self.scene("[1]; default: break; show(userActivity.webpageURL)")).isEmpty)
    let text = "[self note]; switch (kind) default: [self show:userActivity.webpageURL];"
    #expect(Self.dropped(Self.objectiveC(text), .objectiveC).isEmpty)
    #expect(
      Self.dropped(Self.objectiveC("default: [self show:userActivity.webpageURL];"), .objectiveC).isEmpty)
  }

  static func shop(_ call: String, _ declaration: String, type: String = "Shop") -> String {
    """
    struct Shop: View {
      \(declaration)
      var body: some View { Page().onOpenURL { url in \(call) } }
    }
    extension \(type) { func open(_ url: URL) { if let route = Route(url) { path.append(route) } } }
    """
  }

  /// A call on another object is judged by the functions of its type, where the files say it, and by no others of its name.
  @Test(arguments: [
    ("open(url)", "", "Shop", true), ("self.open(url)", "", "Shop", true),
    ("router.open(url)", "", "Shop", false),
    ("router.open(url)", "let router: Router", "Shop", false),
    ("router.open(url)", "let router: Router", "Router", true),
    ("self.router?.open(url)", "var router: Router?", "Router", true),
    ("router.open(url)", "@StateObject private var router = Router()", "Router", true),
    ("router.open(url)", "let router = Router.shared", "Router", true),
    ("router.open(url)", "let router = makeRouter()", "Router", false),
    ("router.open(url)", "let router: Pages", "Router", false),
    ("router.open(url)", "let router: any Routing", "Router", true),
    ("model.router.open(url)", "let router: Router", "Router", false),
    ("Router.shared.open(url)", "", "Router", true), ("Router().open(url)", "", "Router", true),
    ("Router.shared.open(url)", "", "Shop", false),
    ("routers[0].open(url)", "let routers: [Router]", "Router", false),
    ("open(url)", "let open: (URL) -> Void", "Router", false),
    ("self.open(url)", "let open: (URL) -> Void", "Router", false),
  ])
  func aCallIsJudgedByTheFunctionsOfItsType(call: String, declaration: String, type: String, isFound: Bool) {
    let text = "class Router: Routing {}\nprotocol Routing {}\n" + Self.shop(call, declaration, type: type)
    #expect(Self.dropped(text).count == (isFound ? 1 : 0))
  }

  /// The same in Objective-C.
  @Test(arguments: [
    ("[self open:url]", "Shop", 1), ("[self.router open:url]", "Shop", 0), ("[router open:url]", "Router", 0),
    ("[self.router open:url]", "Router", 1), ("[_pages open:url]", "Router", 0),
    ("[Router open:url]", "Router", 1),
    ("[[Router shared] open:url]", "Router", 1), ("[[self makeRouter] open:url]", "Router", 0),
  ])
  func aMessageIsJudgedByTheMethodsOfItsType(call: String, type: String, count: Int) {
    let text = """
      @interface SceneDelegate ()
      @property (nonatomic) Router *\(call.contains("[router") ? "other" : "router");
      @end
      @implementation Router
      @end
      @implementation SceneDelegate
      - (void)scene:(UIScene *)scene openURLContexts:(NSSet<UIOpenURLContext *> *)contexts {
        NSURL *url = contexts.anyObject.URL;
        \(call);
      }
      @end
      @implementation \(type == "Shop" ? "SceneDelegate" : type) (Links)
      - (void)open:(NSURL *)url {
        switch ([self routeOf:url]) {
          case 1: [self show]; break;
          default: break;
        }
      }
      @end
      """
    #expect(Self.dropped(text, .objectiveC).count == count)
  }

  static let logsOnly: [(String, String)] = [
    ("print(activity.webpageURL as Any)", "print(activity.webpageURL as Any)"),
    ("NSLog(\"%@\", \"\\(activity)\")", "NSLog(\"%@\", \"\\(activity)\")"),
    ("Logger().notice(\"\\(String(describing: activity.webpageURL))\")", "notice("),
    ("os_log(\"link\", log: .default, type: .info)", "os_log("),
    (
      "let url = activity.webpageURL ?? home\nif url.path.hasPrefix(\"/a\") { print(url) } else { return }",
      "print("
    ),
    ("for item in list { self.log.error(\"link\", item.url) }", "error("),
  ]

  @Test(arguments: logsOnly) func anEntranceThatOnlyLogsIsFound(body: String, place: String) throws {
    let delegate = Self.scene(body).replacing("userActivity", with: "activity")
    let start = try #require(delegate.firstRange(of: place)).lowerBound
    let found = Self.dropped(delegate)
    #expect(found.map(\.message) == ["Every link is taken here and only logged: nothing opens."])
    #expect(
      found.first?.location.start
        == SourceText(name: "", delegate).position(at: start.utf16Offset(in: delegate)))
    for head in [
      "onOpenURL { activity in",
      "onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { (activity) -> Void in",
    ] {
      let door = "struct Shop: View { var body: some View { Page().\(head)\n\(body) } } }"
      #expect(
        Self.dropped(door).map(\.message) == ["Every link is taken here and only logged: nothing opens."],
        "\(door)")
    }
  }

  @Test func anEntranceOfObjectiveCThatOnlyLogsIsFound() {
    let body = "NSURL *url = userActivity.webpageURL; if (url) { NSLog(@\"%@\", [url absoluteString]); }"
    #expect(Self.dropped(Self.objectiveC(body), .objectiveC).count == 1)
  }

  /// Each of these may show something, or keep the link until later.
  @Test(arguments: [
    "print(router.open(userActivity))", "print(\"\\(router.open(userActivity))\")",
    "store.logMeal(userActivity)",
    "auth.logIn(with: userActivity)", "book.openLog(userActivity)", "Toast.info(\"link\")",
    "pending = userActivity",
    "let page = router.page(userActivity)\nprint(page)",
    "print(userActivity)\nsuper.scene(scene, continue: userActivity)",
    "print(userActivity)\n(root as? Shop)?.show(userActivity)",
    "if router.take(userActivity) { print(scene) }",
    "print(userActivity) { show(userActivity) }", "Task { print(userActivity) }",
    "printLink(userActivity)\n}\nfunc printLink(_ a: A) {",
    "switch scene { case let s: print(s) }",
    "#if DEBUG\nprint(userActivity)\n#else\nshow(userActivity)\n#endif",
    "log.info(Router.shared.show(userActivity))", "Tracker.recordLink(userActivity)",
  ])
  func whatMayDoMoreIsNotFound(body: String) {
    #expect(Self.dropped(Self.scene(body)).isEmpty)
  }

  @Test(arguments: [
    "print(userActivity); [self show:userActivity];", "NSLog(@\"%d\", [self show:userActivity]);",
    "_pending = userActivity;", "self.pending = userActivity; NSLog(@\"%@\", userActivity);",
    "Page *page = [Router pageFor:userActivity]; NSLog(@\"%@\", page);",
  ])
  func whatMayDoMoreInObjectiveCIsNotFound(body: String) {
    #expect(Self.dropped(Self.objectiveC(body), .objectiveC).isEmpty)
  }

  /// Another entrance gets the links.
  @Test func aLogBesideAnEntranceThatTakesLinksIsNotFound() {
    let doors =
      "struct Shop: View { var body: some View { Page().onOpenURL { print($0) }.onOpenURL { router.open($0) } } }"
    #expect(Self.dropped(doors).isEmpty)
    let adapted = """
      @main struct Shop: App {
        @UIApplicationDelegateAdaptor(AppDelegate.self) var delegate
        var body: some Scene { WindowGroup { Page().onOpenURL { print($0) } } }
      }
      """
    #expect(Self.dropped(adapted).isEmpty)
    #expect(
      Self.dropped(adapted.replacing("@UIApplicationDelegateAdaptor(AppDelegate.self)", with: "@State")).count
        == 1)
    let application = """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(_ app: UIApplication, open url: URL, options: Options) -> Bool {
          print(url)
          return ANSWER
        }
      }
      """
    let taking = application.replacing("ANSWER", with: "true")
    #expect(Self.dropped(taking).count == 1)
    #expect(Self.dropped(application.replacing("ANSWER", with: "false")).isEmpty)
    #expect(Self.dropped(taking + "\n" + Self.scene("router.open(userActivity)")).isEmpty)
    #expect(
      Self.dropped(
        taking + "\nstruct Shop: View { var body: some View { Page().onOpenURL { router.open($0) } } }"
      ).isEmpty)
  }

  /// No browser opens a scheme that only the app knows.
  @Test(arguments: [
    "func application(_ app: UIApplication, open url: URL, options: Options) -> Bool { return true }",
    "func application(_ app: UIApplication, open url: URL, options: Options) -> Bool { print(url); return true }",
    "func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) { }",
    "func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) { print(contexts) }",
  ])
  func linksOfOwnSchemesGoToNoBrowser(function: String) throws {
    let found = Self.dropped("class Delegate: LinkDelegate { \(function) }")
    let help = try #require(found.first?.help)
    #expect(help.hasSuffix("Handle the link, tell the user, or show the app's first page."))
    #expect(!help.contains("browser"))
  }

  /// What counts visits or writes a log takes no link: the rest of the links is dropped all the same.
  @Test(arguments: [
    ("Analytics.trackLink(url)", 1), ("tracker.track(\"link\", [\"url\": url])", 1), ("os_log(url)", 1),
    ("LXRecordOpenURL(url)", 1), ("auth.logIn(with: url)", 0), ("player.showTrack(url)", 0),
    ("printAndOpen(url)", 0), ("router.show(url)", 0),
  ])
  func aLinkThatIsLoggedIsNotTaken(call: String, count: Int) {
    let body = "let url = userActivity.webpageURL!\n\(call)\nif url.path == \"/shop\" { showShop() }"
    #expect(Self.dropped(Self.scene(body)).count == count)
  }

  /// Deep blocks and long code cost no stack and little time.
  @Test func deepBlocksAreNoLogs() {
    let blocks = String(repeating: "if a { ", count: 50) + "print(a)" + String(repeating: " }", count: 50)
    #expect(Self.dropped(Self.scene(blocks)).isEmpty)
    let long = String(repeating: "print(a)\n", count: 20_000)
    #expect(Self.dropped(Self.scene(long)).isEmpty)
  }
}
