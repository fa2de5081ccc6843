internal import LinkspanCore

extension ReviewRule {
  static let linkDropped = ReviewRule(
    "link-dropped", "A link that the app has no screen for goes to the browser, or the app shows a message.",
    .warning, source: "SR4",
    words: [
      "webpageURL", "onOpenURL", "onContinueUserActivity", "UIApplication", "NSUserActivity",
      "UIOpenURLContext",
    ],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          if userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL {
            if url.path.hasPrefix("/shop") { showShop(url) }
          }
          return ⟦true⟧
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return }
          switch userActivity.webpageURL?.path {
          case "/shop": showShop()
          ⟦default: break⟧
          }
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
          return ⟦true⟧
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup { Shop().onContinueUserActivity(NSUserActivityTypeBrowsingWeb) ⟦{ _ in }⟧ }
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup { Shop().onOpenURL { url in ⟦NSLog("%@", url.path)⟧ } }
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else { return }
          logger.⟦info("\\(url)")⟧
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else {
            return false
          }
          if url.path.hasPrefix("/shop") { showShop() }
          return ⟦true⟧
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) ⟦{ }⟧
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup { Shop().onOpenURL { url in ⟦if⟧ url.host == "shop" { page = .shop } } }
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup { Shop().onOpenURL { url in ⟦if⟧ url.host == "shop" { router.open(url) } } }
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene { WindowGroup { Shop().onOpenURL(perform: ⟦open⟧) } }
        func open(_ url: URL) { if let route = Route(url) { path.append(route) } }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL,
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
          else { return }
          let path = parts.path
          ⟦if⟧ path == "/shop" {
            showShop()
          } else if path.hasPrefix("/recipes/") {
            showRecipe(path)
          }
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else { return }
          Analytics.trackLink(url)
          ⟦if⟧ url.path == "/shop" { showShop() }
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup {
            Shop().onOpenURL { url in
              ⟦guard⟧ let route = Route(url: url) else { return }
              path.append(route)
            }
          }
        }
      }
      """,
      """
      @implementation SceneDelegate
      - (void)scene:(UIScene *)scene continueUserActivity:(NSUserActivity *)userActivity {
        if (![userActivity.activityType isEqualToString:NSUserActivityTypeBrowsingWeb]) { return; }
        ⟦if⟧ (![userActivity.webpageURL.path hasPrefix:@"/orders/"]) { return; }
        [self.shop showOrder:userActivity.webpageURL.lastPathComponent];
      }
      @end
      """,
    ],
    good: [
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup {
            Shop().onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in entrance.take(activity) }
          }
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup {
            Shop().onOpenURL { url in
              guard url.scheme == "shop" else { return }
              guard let route = Route(url: url) else { return showHome() }
              path.append(route)
            }
          }
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else { return }
          if !router.handle(url) { present(SFSafariViewController(url: url)) }
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else { return }
          if url.path == "/shop" {
            showShop()
          } else {
            showHome()
          }
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          switch userActivity.activityType {
          case NSUserActivityTypeBrowsingWeb: router.show(userActivity.webpageURL)
          default: break
          }
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return false }
          switch userActivity.webpageURL?.path {
          case "/shop": return showShop()
          default: break
          }
          return false
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else { return }
          self.pending = url
          if url.path == "/shop" { countVisit() }
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else { return }
          router.show(scene, url)
          if url.path == "/shop" { countVisit() }
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return false }
          guard let url = userActivity.webpageURL else { return false }
          return router.handle(url)
        }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    let entrances = program.functions(in: file) {
      [.continueActivity, .sceneContinueActivity, .openURL, .sceneOpenURL].contains($0.moment)
    }
    for (place, function, body) in entrances {
      let moment = function.moment
      if let yes = reviewed.onlyYes(body) {
        // A scene takes them, and this function is never called.
        if program.takesInScene(function, in: file) { continue }
        report.add(
          yes, "every link is taken here, and nothing is done with it",
          help: "After a yes the system asks no other handler. " + Self.advice(moment))
        continue
      }
      if moment == .sceneOpenURL || moment == .sceneContinueActivity, body.isEmpty {
        report.add(
          body.lowerBound - 1, through: body.upperBound,
          "every link is taken here, and nothing is done with it",
          help: "The system asks no other handler. " + Self.advice(moment))
        continue
      }
      if let log = program.onlyLog(of: function, body, in: file) {
        report.add(
          log.lowerBound, through: log.upperBound - 1,
          "every link is taken here and only logged: nothing opens",
          help: "The system asks no other handler. " + Self.advice(moment))
        continue
      }
      let value = function.parameters.first {
        ["URL", "NSURL", "NSUserActivity"].contains(where: $0.type.contains)
      }?.name
      if moment == .openURL || moment == .continueActivity, !program.hasLinkFallback(in: place),
        let yes = reviewed.ignoredAnswer(in: body, of: value)
      {
        report.add(
          yes.lowerBound, "the answer whether the link was taken is not used: the yes holds for every link",
          help: "Return the answer. " + Self.advice(moment))
        continue
      }
      if moment == .sceneOpenURL, let dropped = program.droppedByScene(in: place, body) {
        report.add(
          dropped.lowerBound, through: dropped.upperBound - 1,
          "a link that is not known here is dropped: nothing opens",
          help: "The system asks no other handler. " + Self.advice(moment))
        continue
      }
      guard moment == .continueActivity || moment == .sceneContinueActivity,
        reviewed.mentions(body, "webpageURL")
      else { continue }
      if program.hasLinkFallback(in: place) { continue }
      let isAnswered = moment == .continueActivity
      let activity = function.parameter(ofType: "NSUserActivity")?.name
      guard
        let dropped = reviewed.drop(in: body, isAnswered: isAnswered)
          ?? (isAnswered
            ? reviewed.unfinishedYes(in: body, of: activity)
            : reviewed.unfinishedChoice(in: body, of: activity)
              ?? reviewed.silentGuard(in: body, of: activity))
      else { continue }
      report.add(
        dropped.lowerBound, through: dropped.upperBound - 1,
        "a link that is not known here is dropped: nothing opens",
        help:
          "The association file may cover more than the code knows. Show such a link in the browser or in an "
          + "SFSafariViewController, or tell the user.")
    }
    let doorHelp =
      "A link that a door of SwiftUI takes reaches no other one. Handle it, show a web page in the browser with "
      + "'openURL', or tell the user."
    let doors = reviewed.swiftUIDoors.map { door in
      (range: door, log: LogReader.onlyLog(in: reviewed.statements(of: door), of: reviewed))
    }
    // Beside an entrance that takes links, another one may well only log them.
    let isTaken =
      program.hasLinkDelegates || doors.contains { $0.log == nil && reviewed.nothing(in: $0.range) == nil }
    for (door, log) in doors {
      if let log {
        if isTaken { continue }
        report.add(
          log.lowerBound, through: log.upperBound - 1,
          "every link is taken here and only logged: nothing opens",
          help: doorHelp)
        continue
      }
      let value = reviewed.closureParameter(of: door)
      guard
        let dropped = reviewed.drop(in: door, isAnswered: false) ?? reviewed.nothing(in: door)
          ?? reviewed.unfinishedChoice(in: reviewed.statements(of: door), of: value)
          ?? (program.hasOneDoor(in: file)
            ? reviewed.silentGuard(in: reviewed.statements(of: door), of: value) : nil)
            ?? program.unfinishedHelper(in: door, of: value, file: file),
        !reviewed.hasLinkFallback(in: door)
      else { continue }
      report.add(
        dropped.lowerBound, through: dropped.upperBound - 1,
        "a link that is not known here is dropped: nothing opens", help: doorHelp)
    }
    for handler in program.unfinishedHandlers(in: file) {
      report.add(handler, "a link that is not known here is dropped: nothing opens", help: doorHelp)
    }
  }

  /// What to do with the links of an entrance. No browser opens a scheme that only the app knows.
  private static func advice(_ moment: Moment?) -> String {
    switch moment {
    case .openURL, .sceneOpenURL: "Handle the link, tell the user, or show the app's first page."
    default: "Handle the link, show it in the browser, or leave the function out."
    }
  }

  /// What shows a page, or tells somebody that there is none; `open` only where the system's is meant.
  static func isLinkFallback(_ word: String) -> Bool {
    let words: Set<String> = [
      "openURL", "SFSafariViewController", "WKWebView", "UIAlertController", "openInBrowser",
      "fallback",
    ]
    return words.contains(word) || word.lowercased().contains("safari")
      || word.lowercased().contains("browser") && word != "NSUserActivityTypeBrowsingWeb"
  }
}
