/// A function that the system calls, of an app delegate or a scene delegate.
enum Moment: Hashable, Sendable {
  case didFinishLaunching
  case sceneWillConnect
  case continueActivity
  case sceneContinueActivity
  case openURL
  case sceneOpenURL
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
    ("scene", ["willConnectTo", "willConnectToSession"], .sceneWillConnect),
    ("scene", ["continue", "continueUserActivity"], .sceneContinueActivity),
    ("scene", ["openURLContexts"], .sceneOpenURL),
    ("applicationWillResignActive", [], .willResignActive),
    ("sceneWillResignActive", [], .willResignActive),
    ("applicationDidEnterBackground", [], .didEnterBackground),
    ("sceneDidEnterBackground", [], .didEnterBackground),
    ("applicationWillEnterForeground", [], .willEnterForeground),
    ("sceneWillEnterForeground", [], .willEnterForeground),
    ("applicationDidBecomeActive", [], .didBecomeActive),
    ("sceneDidBecomeActive", [], .didBecomeActive),
  ]

  init?(_ function: ReviewedFunction) {
    let labels = Set(function.parameters.map(\.label))
    let row = Self.table.first { row in
      row.name == function.name && (row.labels.isEmpty || !row.labels.isDisjoint(with: labels))
    }
    guard let row else { return nil }
    self = row.moment
  }

  /// By the end of a notification's name.
  init?(notification name: String) {
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
