import UIKit

/// A scene that takes what it is connected with.
class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?
  private let shield = UIView()

  // keeps: review.cold-start
  // keeps: review.activity-set
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {
    for activity in connectionOptions.userActivities { handle(activity) }
    if let url = connectionOptions.urlContexts.first?.url { Router.shared.show(url) }
  }

  func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { handle(userActivity) }

  func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
    guard let url = contexts.first?.url else { return }
    Router.shared.show(url)
  }

  private func handle(_ activity: NSUserActivity) {
    guard activity.activityType == NSUserActivityTypeBrowsingWeb, let url = activity.webpageURL else {
      return
    }
    Router.shared.show(url)
  }

  // keeps: review.cover-stuck
  // keeps: review.cover-too-late
  func sceneWillResignActive(_ scene: UIScene) { window?.addSubview(shield) }

  func sceneDidBecomeActive(_ scene: UIScene) { shield.removeFromSuperview() }
}
