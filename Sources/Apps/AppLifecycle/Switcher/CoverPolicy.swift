/// When an app hides what it shows, and how.
///
/// - Source: rules SR6, SR7; the private notification as vpdn/MMAppSwitcher used it.
package enum CoverPolicy: String, Hashable, Sendable, CaseIterable {
  case none
  /// On at `willResignActive`, off at `didBecomeActive`.
  case onResign = "on-resign"
  /// On at `didEnterBackground`, off at `willEnterForeground`.
  case onBackground = "on-background"
  /// On at `willResignActive`, off at `willEnterForeground`.
  case resignToForeground = "resign-to-foreground"
  /// As ``onResign``, in a window of its own above alerts.
  case windowAboveAlerts = "window-above-alerts"
  /// As MMAppSwitcher did in 2013: on at a private notification of the suspend animation, off at
  /// `willEnterForeground`.
  case privateNotification = "private-notification"
  /// SwiftUI: on while `scenePhase` is not active.
  case scenePhase = "scene-phase"
  /// The content lies in the layer of a secure text field, which captures leave out.
  case secureTextField = "secure-text-field"

  /// What the system tells the app, and what a cover can react to.
  enum Moment: Hashable, Sendable {
    case resignsActive
    case entersBackground
    case entersForeground
    case becomesActive
    /// `UIApplicationWillBeginSuspendAnimationNotification`, which is private.
    case beginsSuspendAnimation
  }

  var coversAt: Moment? {
    switch self {
    case .none, .secureTextField: nil
    case .onResign, .resignToForeground, .windowAboveAlerts, .scenePhase: .resignsActive
    case .onBackground: .entersBackground
    case .privateNotification: .beginsSuspendAnimation
    }
  }

  var uncoversAt: Moment? {
    switch self {
    case .none, .secureTextField: nil
    case .onResign, .windowAboveAlerts, .scenePhase: .becomesActive
    case .onBackground, .resignToForeground, .privateNotification: .entersForeground
    }
  }

  /// Whether it lies above controllers that the app presents, and above its alerts.
  var coversPresentedControllers: Bool { self == .windowAboveAlerts || self == .privateNotification }

  /// Whether no source tells what comes of it in the switcher.
  var isInferred: Bool { self == .privateNotification || self == .scenePhase }

  /// In a few words, for a table.
  package var words: String {
    switch self {
    case .none: "no cover"
    case .onResign: "cover at willResignActive, remove at didBecomeActive"
    case .onBackground: "cover at didEnterBackground, remove at willEnterForeground"
    case .resignToForeground: "cover at willResignActive, remove at willEnterForeground"
    case .windowAboveAlerts: "own window above alerts, at willResignActive"
    case .privateNotification: "private notification of 2013, remove at willEnterForeground"
    case .scenePhase: "cover while scenePhase is not active"
    case .secureTextField: "secure text-field layer"
    }
  }
}
