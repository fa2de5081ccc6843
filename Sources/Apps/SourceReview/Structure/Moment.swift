/// A function that the system calls, of an app delegate or a scene delegate.
enum Moment: Hashable, Sendable {
  case didFinishLaunching
  case sceneWillConnect
  case continueActivity
  case sceneContinueActivity
  case openURL
  case remoteNotification
  case sceneOpenURL
  case shortcut
  case sceneShortcut
  case willResignActive
  case didEnterBackground
  case willEnterForeground
  case didBecomeActive

  /// The first part of the name, the labels that tell the function from others, and the moment.
  private static let table: [(name: String, labels: Set<String>, moment: Moment)] = [
    ("application", ["didFinishLaunchingWithOptions"], .didFinishLaunching),
    ("application", ["willFinishLaunchingWithOptions"], .didFinishLaunching),
    ("application", ["continue", "continueUserActivity"], .continueActivity),
    ("application", ["open", "openURL", "handleOpenURL", "handleOpen"], .openURL),
    ("application", ["fetchCompletionHandler"], .remoteNotification),
    ("scene", ["willConnectTo", "willConnectToSession"], .sceneWillConnect),
    ("scene", ["continue", "continueUserActivity"], .sceneContinueActivity),
    ("scene", ["openURLContexts"], .sceneOpenURL),
    ("application", ["performActionFor", "performActionForShortcutItem"], .shortcut),
    ("windowScene", ["performActionFor", "performActionForShortcutItem"], .sceneShortcut),
    ("applicationWillResignActive", [], .willResignActive),
    ("sceneWillResignActive", [], .willResignActive),
    ("applicationDidEnterBackground", [], .didEnterBackground),
    ("sceneDidEnterBackground", [], .didEnterBackground),
    ("applicationWillEnterForeground", [], .willEnterForeground),
    ("sceneWillEnterForeground", [], .willEnterForeground),
    ("applicationDidBecomeActive", [], .didBecomeActive),
    ("sceneDidBecomeActive", [], .didBecomeActive),
  ]

  /// By the name of a function without its labels, and its labels.
  init?(_ name: String, labels: [String]) {
    let row = Self.table.first { row in
      row.name == name && (row.labels.isEmpty || labels.contains(where: row.labels.contains))
    }
    guard let row else { return nil }
    self = row.moment
  }

  /// By the end of a notification's name.
  init?(notification name: String) {
    guard name.utf8.last == UInt8(ascii: "n"), name.hasSuffix("Notification") else { return nil }
    let table: [(String, Moment)] = [
      ("willResignActiveNotification", .willResignActive),
      ("WillResignActiveNotification", .willResignActive),
      ("willDeactivateNotification", .willResignActive),
      ("didEnterBackgroundNotification", .didEnterBackground),
      ("DidEnterBackgroundNotification", .didEnterBackground),
      ("willEnterForegroundNotification", .willEnterForeground),
      ("WillEnterForegroundNotification", .willEnterForeground),
      ("didBecomeActiveNotification", .didBecomeActive),
      ("DidBecomeActiveNotification", .didBecomeActive),
      ("didActivateNotification", .didBecomeActive),
    ]
    guard let row = table.first(where: { name.hasSuffix($0.0) }) else { return nil }
    self = row.1
  }
}
