extension ReviewCorpus {
  static let recipes: [Recipe] = swiftRecipes + objectiveCRecipes

  private static let swiftRecipes: [Recipe] = [
    Recipe(
      rule: "review.link-dropped",
      files: [
        (
          "Shop.swift",
          """
          import SwiftUI
          @main struct ShopApp: App {
            @State private var page: Page?
            @State private var path: [Route] = []
            @State private var isLost = false
            var body: some Scene {
              WindowGroup {
                ContentView(page: $page).onOpenURL { §url§ in
                  ⟪⟫
                }
              }
            }
            func take(_ §url§: URL) { if §url§.host == "§word§" { page = .§word§ } }
            func takeAll(_ §url§: URL) { if §url§.host == "§word§" { page = .§word§ } else { isLost = true } }
          }
          """
        )
      ],
      bad: [
        "if §url§.⟨host|path|lastPathComponent⟩ == \"§word§\" { page = .§word§ }",
        "if §url§.path.hasPrefix(\"/§word§\") {\n  page = .§word§\n} else if §url§.path == \"/help\" {\n  page = .help\n}",
        "if let route = Route(§url§) { path.append(route) }",
        "Analytics.track(§url§)\nif §url§.pathComponents.contains(\"§word§\") { page = .§word§ }",
        "guard let parts = URLComponents(url: §url§, resolvingAgainstBaseURL: true) else { return }\n"
          + "if parts.host == \"§word§\" { page = .§word§ }",
        "take(§url§)",
      ],
      good: [
        "if §url§.host == \"§word§\" { page = .§word§ } else { isLost = true }",
        "§router§.§show§(§url§)",
        "if let route = Route(§url§) { path.append(route) } else { openURL(§url§) }",
        "page = Page(§url§) ?? .home", "takeAll(§url§)",
        "switch §url§.host {\ncase \"§word§\": page = .§word§\ndefault: isLost = true\n}",
      ]),
    Recipe(
      rule: "review.cover-too-late",
      files: [
        (
          "Root.swift",
          """
          import SwiftUI
          struct RootView: View {
            @Environment(\\.scenePhase) private var scenePhase
            @State private var isCovered = false
            func raise() { isCovered = true }
            var body: some View {
              Accounts()
                ⟪⟫
            }
          }
          """
        )
      ],
      bad: [
        ".overlay { if scenePhase == .background { ⟨PrivacyCover|BlurView|SplashCover⟩() } }",
        ".onChange(of: scenePhase) { ⟨phase|newPhase|value⟩ in isCovered = ⟨phase|newPhase|value⟩ == .background }",
        ".onChange(of: scenePhase) { phase in\n  if phase == .background { isCovered = true } else if phase == .active { isCovered = false }\n}",
        ".onChange(of: scenePhase) { phase in\n  switch phase {\n  case .background: isCovered = true\n  case .active: isCovered = false\n  default: break\n  }\n}",
        ".blur(radius: scenePhase == .background ? 20 : 0)",
        ".overlay { if scenePhase == .background { Color.black.ignoresSafeArea() } }",
        ".onChange(of: scenePhase) { _, phase in\n  if phase == .background { raise() }\n}",
        ".onReceive(NotificationCenter.default.publisher(for: UIApplication.didEnterBackgroundNotification)) { _ in isCovered = true }",
      ],
      good: [
        ".overlay { if scenePhase != .active { PrivacyCover() } }",
        ".onChange(of: scenePhase) { phase in isCovered = phase != .active }",
        ".onChange(of: scenePhase) { phase in\n  switch phase {\n  case .inactive, .background: isCovered = true\n  case .active: isCovered = false\n  default: break\n  }\n}",
        ".blur(radius: scenePhase == .active ? 0 : 20)",
        ".onChange(of: scenePhase) { phase in if phase == .background { store.save() } }",
        ".onReceive(NotificationCenter.default.publisher(for: UIApplication.didEnterBackgroundNotification)) { _ in store.save() }",
        ".onReceive(NotificationCenter.default.publisher(for: UIApplication.willResignActiveNotification)) { _ in isCovered = true }",
      ]),
    Recipe(
      rule: "review.cover-too-late",
      files: [
        (
          "Guard.swift",
          """
          import UIKit
          final class CoverGuard {
            let window: UIWindow
            let §cover§ = UIView()
            init(window: UIWindow) {
              self.window = window
              ⟪⟫
            }
            func raise() { window.addSubview(§cover§) }
            deinit { NotificationCenter.default.removeObserver(self) }
          }
          """
        )
      ],
      bad: [
        "tokens = NotificationCenter.default.addObserver(forName: ⟨UIApplication|UIScene⟩.didEnterBackgroundNotification, object: nil, queue: .main) { [weak self] _ in\n  guard let self else { return }\n  self.window.addSubview(self.§cover§)\n}",
        "tokens = NotificationCenter.default.publisher(for: UIApplication.didEnterBackgroundNotification)\n  .sink { [unowned self] _ in self.§cover§.isHidden = false }",
      ],
      good: [
        "tokens = NotificationCenter.default.addObserver(forName: UIApplication.willResignActiveNotification, object: nil, queue: .main) { [weak self] _ in\n  self?.window.addSubview(self!.§cover§)\n}",
        "tokens = NotificationCenter.default.addObserver(forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main) { _ in Store.shared.save() }",
      ]),
    Recipe(
      rule: "review.delegate-bypassed",
      files: [
        (
          "§Type§.swift",
          """
          import UIKit
          @main class §Type§: UIResponder, UIApplicationDelegate {
            func application(_ app: UIApplication, open §url§: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]) -> Bool {
              return §router§.§show§(§url§)
            }
          }
          """
        ),
        (
          "§Scene§.swift",
          """
          import UIKit
          class §Scene§: UIResponder, UIWindowSceneDelegate {
            var window: UIWindow?
            ⟪⟫
          }
          """
        ),
      ],
      bad: [
        "", "func sceneDidBecomeActive(_ scene: UIScene) { §router§.refresh() }",
        "func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) { window = UIWindow() }",
      ],
      good: [
        "func scene(_ scene: UIScene, willConnectTo s: UISceneSession, options: UIScene.ConnectionOptions) { §router§.take(options.urlContexts) }\n"
          + "func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) { §router§.take(contexts) }"
      ]),
    Recipe(
      rule: "review.completion-lost",
      files: [
        (
          "Push.swift",
          """
          import UIKit
          ⟨class AppDelegate: UIResponder, UIApplicationDelegate|extension AppDelegate⟩ {
            func application(
              _ application: UIApplication, didReceiveRemoteNotification info: [AnyHashable: Any],
              fetchCompletionHandler §done§: @escaping (UIBackgroundFetchResult) -> Void
            ) {
              ⟪⟫
            }
          }
          """
        ),
        (
          "Sync.swift",
          """
          struct Sync {
            func forgets(_ info: [AnyHashable: Any], then finish: @escaping (UIBackgroundFetchResult) -> Void) {
              store.load(info)
            }
            func reports(_ info: [AnyHashable: Any], then finish: @escaping (UIBackgroundFetchResult) -> Void) {
              store.load(info) { finish(.newData) }
            }
          }
          """
        ),
      ],
      bad: [
        "store.load(info)",
        "guard let id = info[\"id\"] as? String else { return }\nstore.load(id) { _ in §done§(.newData) }",
        "if info[\"id\"] != nil { §done§(.newData) }",
        "switch info[\"kind\"] as? String {\ncase \"sync\": store.load(info) { §done§(.newData) }\ncase \"ping\": break\ndefault: §done§(.noData)\n}",
        "store.load(info) { result in\n  guard let result = result else { return }\n  store.keep(result)\n  §done§(.newData)\n}",
        "do {\n  try store.load(info)\n  §done§(.newData)\n} catch {\n  print(error)\n}",
        "Sync().forgets(info, then: §done§)",
      ],
      good: [
        "store.load(info) { _ in §done§(.newData) }",
        "guard let id = info[\"id\"] as? String else { return §done§(.noData) }\nstore.load(id) { _ in §done§(.newData) }",
        "guard let id = info[\"id\"] as? String else {\n  §done§(.noData)\n  return\n}\nstore.load(id, completion: §done§)",
        "if info[\"id\"] != nil { §done§(.newData) } else { §done§(.noData) }",
        "defer { §done§(.newData) }\nguard let id = info[\"id\"] else { return }\nstore.load(id)",
        "switch info[\"kind\"] as? String {\ncase \"sync\": store.load(info) { §done§(.newData) }\ndefault: §done§(.noData)\n}",
        "do {\n  try store.load(info)\n  §done§(.newData)\n} catch {\n  §done§(.failed)\n}",
        "Task {\n  await store.load(info)\n  §done§(.newData)\n}", "Sync().reports(info, then: §done§)",
        "if store.isOwn(for: info) { store.sync(for: \"a\", completionHandler: §done§) } else { §done§(.noData) }",
      ]),
    Recipe(
      rule: "review.token-text",
      files: [
        (
          "Register.swift",
          """
          import UIKit
          extension AppDelegate {
            func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken §token§: Data) {
              ⟪⟫
            }
          }
          """
        ),
        (
          "Backend.swift",
          "final class Backend { func describe(bytes data: Data) { send(\"\\(data as NSData)\") }\n"
            + "func write(bytes data: Data) { send(data.map { String(format: \"%02hhx\", $0) }.joined()) } }"
        ),
      ],
      bad: [
        "server.register(§token§.description)",
        "let text = String(describing: §token§)\nserver.register(text)",
        "let data = §token§ as NSData\nserver.register(data.description.trimmingCharacters(in: angle))",
        "server.register(\"\\(§token§)\")", "Backend().describe(bytes: §token§)",
        "server.register(NSString(format: \"%@\", §token§ as CVarArg) as String)",
      ],
      good: [
        "server.register(§token§.map { String(format: \"%02.2hhx\", $0) }.joined())",
        "server.register(§token§.base64EncodedString())", "Backend().write(bytes: §token§)",
        "print(\"token \\(§token§)\")\nserver.register(bytes: §token§)",
        "let text = §token§.reduce(\"\") { $0 + String(format: \"%02X\", $1) }\nserver.register(text)",
      ]),
    Recipe(
      rule: "review.unchecked-parameter",
      files: [
        (
          "LinkRouter.swift",
          """
          import Foundation
          ⟨struct|final class|enum⟩ LinkRouter {
            func §show§(_ §url§: URL) {
              let parts = URLComponents(url: §url§, resolvingAgainstBaseURL: false)
              ⟪⟫
            }
          }
          """
        )
      ],
      bad: [
        "let id = parts!.queryItems!.first { $0.name == \"id\" }!.value!\nshop.item(id)",
        "shop.item(§url§.pathComponents[⟨1|2|3⟩])",
        "let list = §url§.path.split(separator: \"/\")\nshop.item(String(list[⟨1|2⟩]))",
        "let text = parts?.queryItems?.first?.value ?? \"\"\nshop.item(Int(text)!)",
        "if let text = parts?.queryItems?.first(where: { $0.name == \"to\" })?.value, let page = URL(string: text) {\n  webView.load(URLRequest(url: page))\n}",
      ],
      good: [
        "guard let id = parts?.queryItems?.first(where: { $0.name == \"id\" })?.value else { return shop.home() }\nshop.item(id)",
        "guard §url§.pathComponents.count > 3 else { return shop.home() }\nshop.item(§url§.pathComponents[2])",
        "let list = §url§.path.split(separator: \"/\")\nguard list.count > 2 else { return shop.home() }\nshop.item(String(list[2]))",
        "let text = parts?.queryItems?.first?.value ?? \"\"\nguard let id = Int(text) else { return shop.home() }\nshop.item(id)",
        "if let text = parts?.queryItems?.first(where: { $0.name == \"to\" })?.value, let page = URL(string: text),\n  page.host == \"example.com\" {\n  webView.load(URLRequest(url: page))\n} else { shop.home() }",
        "shop.item(§url§.lastPathComponent)",
      ]),
    Recipe(
      rule: "review.link-refused",
      files: [
        (
          "Activity.swift",
          """
          import UIKit
          ⟨class AppDelegate: UIResponder, UIApplicationDelegate|extension AppDelegate⟩ {
            func application(
              _ application: UIApplication, continue §activity§: NSUserActivity,
              restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
            ) -> Bool {
              guard §activity§.activityType == NSUserActivityTypeBrowsingWeb, let url = §activity§.webpageURL else { return false }
              ⟪⟫
            }
          }
          """
        )
      ],
      bad: [
        "§router§.§show§(url)\nreturn false",
        "if url.path.hasPrefix(\"/§word§\") { §router§.show§Type§() }\nreturn false",
        "_ = §router§.handle(url)\nreturn false",
        "switch url.path {\ncase \"/§word§\": §router§.showPage()\ncase \"/me\": §router§.showMe()\ndefault: break\n}\nreturn false",
        "DispatchQueue.main.async { §router§.§show§(url) }\nreturn false",
      ],
      good: [
        "return §router§.handle(url)", "§router§.§show§(url)\nreturn true",
        "switch url.path {\ncase \"/§word§\": §router§.showPage(); return true\ndefault: return false\n}",
        "if §router§.handle(url) { return true }\nreturn false",
        "let isTaken = §router§.handle(url)\nreturn isTaken",
        "guard §router§.canOpen(url) else { return false }\n§router§.§show§(url)\nreturn true",
      ]),
  ]

  private static let objectiveCRecipes: [Recipe] = [
    Recipe(
      rule: "review.nil-in-literal",
      files: [
        (
          "Tracker.m",
          """
          @implementation Tracker
          - (void)trackWith§Type§:(⟨nullable NSString *|NSString * _Nullable|nullable id⟩)§param§ {
            ⟪⟫
          }
          @end
          """
        )
      ],
      bad: [
        "[self send:@{ @\"k\": §param§ }];", "NSArray *list = @[ @\"a\", §param§ ];\n[self send:list];",
        "NSDictionary *info = @{@\"a\": @1, @\"k\": §param§};\n[self send:info];",
        "NSMutableDictionary *info = [NSMutableDictionary dictionary];\n[info setObject:§param§ forKey:@\"k\"];",
      ],
      good: [
        "[self send:@{ @\"k\": §param§ ?: @\"\" }];", "if (§param§) { [self send:@{ @\"k\": §param§ }]; }",
        "if (§param§ == nil) { return; }\n[self send:@{ @\"k\": §param§ }];",
        "[self send:§param§ ? @{ @\"k\": §param§ } : @{}];", "[self send:@{ @\"k\": @1 }];",
      ]),
    Recipe(
      rule: "review.completion-lost",
      files: [
        (
          "AppDelegate.m",
          """
          @implementation AppDelegate
          - (void)application:(UIApplication *)application didReceiveRemoteNotification:(NSDictionary *)info
              fetchCompletionHandler:(void (^)(UIBackgroundFetchResult))§done§ {
            ⟪⟫
          }
          @end
          """
        )
      ],
      bad: [
        "[self.store load:info];", "if (info[@\"id\"]) {\n  §done§(UIBackgroundFetchResultNewData);\n}",
        "if (!info[@\"id\"]) return;\n[self.store load:info done:^{ §done§(UIBackgroundFetchResultNewData); }];",
      ],
      good: [
        "[self.store load:info done:^{ §done§(UIBackgroundFetchResultNewData); }];",
        "if (!info[@\"id\"]) {\n  §done§(UIBackgroundFetchResultNoData);\n  return;\n}\n[self.store load:info completion:§done§];",
        "[self.store load:info];\nif (§done§) { §done§(UIBackgroundFetchResultNewData); }",
      ]),
    Recipe(
      rule: "review.token-text",
      files: [
        (
          "AppDelegate.m",
          """
          @implementation AppDelegate
          - (void)application:(UIApplication *)application didRegisterForRemoteNotificationsWithDeviceToken:(NSData *)§token§ {
            ⟪⟫
          }
          @end
          """
        )
      ],
      bad: [
        "[self.server register:[§token§ description]];",
        "NSString *text = §token§.description;\n[self.server register:text];",
        "NSString *text = [NSString stringWithFormat:@\"%@\", §token§];\n[self.server register:text];",
        "NSString *text = [[§token§ description] stringByTrimmingCharactersInSet:set];\n[self.server register:text];",
      ],
      good: [
        "[self.server registerBytes:§token§];",
        "NSLog(@\"%@\", §token§);\n[self.server registerBytes:§token§];",
        "const unsigned char *bytes = §token§.bytes;\nNSMutableString *text = [NSMutableString string];\nfor (NSUInteger i = 0; i < §token§.length; i++) { [text appendFormat:@\"%02x\", bytes[i]]; }\n[self.server register:text];",
      ]),
    Recipe(
      rule: "review.link-refused",
      files: [
        (
          "AppDelegate.m",
          """
          @implementation AppDelegate
          - (BOOL)application:(UIApplication *)application continueUserActivity:(NSUserActivity *)§activity§
              restorationHandler:(void (^)(NSArray *))restorationHandler {
            if (![§activity§.activityType isEqualToString:NSUserActivityTypeBrowsingWeb]) { return NO; }
            ⟪⟫
          }
          @end
          """
        )
      ],
      bad: [
        "[self.router open:§activity§.webpageURL];\nreturn NO;",
        "NSURL *url = §activity§.webpageURL;\n[[LinkHub shared] takeURL:url];\nreturn NO;",
      ],
      good: [
        "return [self.router open:§activity§.webpageURL];",
        "[self.router open:§activity§.webpageURL];\nreturn YES;",
        "NSURL *url = §activity§.webpageURL;\nif ([self.router open:url]) { return YES; }\nreturn NO;",
      ]),
    Recipe(
      rule: "review.delegate-bypassed",
      files: [
        (
          "AppDelegate.m",
          """
          @implementation AppDelegate
          - (BOOL)application:(UIApplication *)application openURL:(NSURL *)url options:(NSDictionary *)options {
            return [self.router open:url];
          }
          @end
          """
        ),
        (
          "SceneDelegate.m",
          """
          @implementation SceneDelegate
          - (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session options:(UISceneConnectionOptions *)options {
            [self.router takeAll:options.URLContexts];
          }
          ⟪⟫
          @end
          """
        ),
      ],
      bad: ["", "- (void)sceneDidBecomeActive:(UIScene *)scene { [self.router refresh]; }"],
      good: [
        "- (void)scene:(UIScene *)scene openURLContexts:(NSSet<UIOpenURLContext *> *)contexts { [self.router takeAll:contexts]; }"
      ]),
    Recipe(
      rule: "review.unchecked-parameter",
      files: [
        (
          "LinkRouter.m",
          """
          @implementation LinkRouter
          - (BOOL)openURL:(NSURL *)url {
            ⟪⟫
            return YES;
          }
          @end
          """
        )
      ],
      bad: [
        "[self showItem:url.pathComponents[⟨1|2⟩]];",
        "NSArray *parts = [url.path componentsSeparatedByString:@\"/\"];\n[self showItem:parts[2]];",
        "NSArray *parts = url.pathComponents;\n[self showItem:[parts objectAtIndex:2]];",
      ],
      good: [
        "if (url.pathComponents.count < 3) { return NO; }\n[self showItem:url.pathComponents[2]];",
        "NSArray *parts = url.pathComponents;\nif ([parts count] > 2) { [self showItem:parts[2]]; }",
        "[self showItem:url.lastPathComponent];",
      ]),
  ]
}
