import UIKit

/// An app without scenes that does it right.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  private let router = Router()
  private let cover = UIView()

  // keeps: review.handled-twice
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    window = UIWindow(frame: UIScreen.main.bounds)
    log("launched by \(launchOptions?[.url] ?? "hand")")
    return true
  }

  func application(
    _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
  ) -> Bool {
    router.show(url)
  }

  // keeps: review.activity-type
  // keeps: review.link-dropped
  func application(
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
  ) -> Bool {
    switch userActivity.activityType {
    case NSUserActivityTypeBrowsingWeb:
      guard let url = userActivity.webpageURL else { return false }
      if url.path.hasPrefix("/recipes/") {
        router.showRecipe(url.lastPathComponent)
      } else {
        application.open(url)
      }
      return true
    case CSSearchableItemActionType:
      return router.showSpotlight(userActivity)
    default:
      return false
    }
  }

  // keeps: review.cover-never-removed
  func applicationWillResignActive(_ application: UIApplication) {
    window?.addSubview(cover)
  }

  func applicationDidBecomeActive(_ application: UIApplication) {
    cover.removeFromSuperview()
  }
}
