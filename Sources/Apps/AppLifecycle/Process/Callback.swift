/// A function of the app that the system calls, named as its declaration.
package enum Callback: String, Hashable, Sendable, CaseIterable {
  case didFinishLaunching = "application(_:didFinishLaunchingWithOptions:)"
  case willContinue = "application(_:willContinueUserActivityWithType:)"
  case continueActivity = "application(_:continue:restorationHandler:)"
  case didFailToContinue = "application(_:didFailToContinueUserActivityWithType:error:)"
  case openURL = "application(_:open:options:)"
  case willEnterForeground = "applicationWillEnterForeground(_:)"
  case didBecomeActive = "applicationDidBecomeActive(_:)"
  case willResignActive = "applicationWillResignActive(_:)"
  case didEnterBackground = "applicationDidEnterBackground(_:)"

  case sceneWillConnect = "scene(_:willConnectTo:options:)"
  case sceneWillContinue = "scene(_:willContinueUserActivityWithType:)"
  case sceneContinue = "scene(_:continue:)"
  case sceneDidFailToContinue = "scene(_:didFailToContinueUserActivityWithType:error:)"
  case sceneOpenURL = "scene(_:openURLContexts:)"
  case sceneWillEnterForeground = "sceneWillEnterForeground(_:)"
  case sceneDidBecomeActive = "sceneDidBecomeActive(_:)"
  case sceneWillResignActive = "sceneWillResignActive(_:)"
  case sceneDidEnterBackground = "sceneDidEnterBackground(_:)"

  case onAppear = "onAppear"
  case onContinueUserActivity = "onContinueUserActivity(_:perform:)"
  case onOpenURL = "onOpenURL(perform:)"
  case scenePhaseActive = "scenePhase == .active"
  case scenePhaseInactive = "scenePhase == .inactive"
  case scenePhaseBackground = "scenePhase == .background"

  /// Part of what a cold start calls, before the interface exists.
  package var isLaunch: Bool { self == .didFinishLaunching || self == .sceneWillConnect }
}
