import UIKit

/// A scene that loses what starts the app.
class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?
  private var shield: UIVisualEffectView?

  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {
    guard let windowScene = scene as? UIWindowScene else { return }
    window = UIWindow(windowScene: windowScene)
    window?.makeKeyAndVisible()
  }

  func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {  // finds: review.cold-start
    guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return }
    switch userActivity.webpageURL?.pathComponents.dropFirst().first {
    case "recipes":
      Router.shared.showRecipes()
    case "shop":
      Router.shared.showShop()
    default:  // finds: review.link-dropped
      break
    }
  }

  func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {  // finds: review.cold-start
    Router.shared.show(contexts)
  }

  func sceneWillResignActive(_ scene: UIScene) {
    let view = UIVisualEffectView(effect: UIBlurEffect(style: .light))
    window?.addSubview(view)  // finds: review.cover-stuck
    shield = view
  }

  func sceneWillEnterForeground(_ scene: UIScene) {
    shield?.removeFromSuperview()
  }
}

/// Another one, which takes any of the activities.
class CardSceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?
  let overlay = UIView()

  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {
    if let activity = connectionOptions.userActivities.first {  // finds: review.activity-set
      Router.shared.handle(activity)
    }
  }

  func sceneDidEnterBackground(_ scene: UIScene) {
    overlay.isHidden = false  // finds: review.cover-too-late
  }

  func sceneWillEnterForeground(_ scene: UIScene) {
    overlay.isHidden = true
  }
}
