internal import LinkspanCore

extension ReviewRule {
  static let delegateBypassed = ReviewRule(
    "delegate-bypassed", "In an app with scenes, the scenes take the links.", .error, source: "SR17",
    words: ["UIApplicationDelegate", "UIApplication", "NSUserActivity"],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func ⟦application⟧(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool { router.handle(url) }
      }
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        var window: UIWindow?
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func ⟦application⟧(
          _ application: UIApplication, continue userActivity: NSUserActivity, restorationHandler: Restoration
        ) -> Bool { router.handle(userActivity) }
      }
      @main struct ShopApp: App {
        @UIApplicationDelegateAdaptor(AppDelegate.self) var delegate
        var body: some Scene { WindowGroup { Shop() } }
      }
      """,
      """
      @implementation AppDelegate
      - (BOOL)⟦application⟧:(UIApplication *)application openURL:(NSURL *)url options:(NSDictionary *)options {
        return [self.router open:url];
      }
      @end
      @implementation SceneDelegate
      - (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session
            options:(UISceneConnectionOptions *)connectionOptions {
        [self showWindowIn:scene];
      }
      @end
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool { router.handle(url) }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool { router.handle(url) }
      }
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) { router.handle(contexts) }
      }
      """,
      """
      @main struct ShopApp: App {
        @UIApplicationDelegateAdaptor(AppDelegate.self) var delegate
        var body: some Scene { WindowGroup { Shop().onOpenURL { router.handle($0) } } }
      }
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool { router.handle(url) }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    for (_, function, body) in program.functions(in: file, where: { Self.twin[$0.moment] != nil }) {
      guard let twin = Self.twin[function.moment], !body.isEmpty,
        let value = function.parameters.last(where: {
          !$0.type.isEmpty && Self.linkTypes.contains($0.type[0])
        }),
        reviewed.mentions(body, value.name), program.entrances.bypass(twin.moment, of: reviewed)
      else { continue }
      let isShortcut = function.moment == .shortcut
      let (lost, remedy) =
        isShortcut
        ? ("quick action", "Take quick actions in '\(twin.name)' of the scene delegate.")
        : ("link", "Take links in '\(twin.name)' of the scene delegate, or in 'onOpenURL' of SwiftUI.")
      report.add(
        function.nameToken, "the app has scenes, so iOS never calls this function: the \(lost) is lost",
        help: remedy
          + " This function is for apps without scenes, which do not launch when they are built with the SDK of iOS 27."
      )
    }
  }

  private static let linkTypes: Set<String> = [
    "URL", "NSURL", "NSUserActivity", "UIApplicationShortcutItem",
  ]

  private static let twin: [Moment?: (moment: Moment, name: String)] = [
    .openURL: (.sceneOpenURL, "scene(_:openURLContexts:)"),
    .continueActivity: (.sceneContinueActivity, "scene(_:continue:)"),
    .shortcut: (.sceneShortcut, "windowScene(_:performActionFor:completionHandler:)"),
  ]
}
