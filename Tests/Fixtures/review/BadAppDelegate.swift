import UIKit

/// An app without scenes that makes the mistakes at its entrances.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  private let router = Router()
  private let cover = UIView()

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    window = UIWindow(frame: UIScreen.main.bounds)
    if let url = launchOptions?[.url] as? URL {  // finds: review.handled-twice
      openDeepLink(url)
    }
    return true
  }

  func application(
    _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
  ) -> Bool {
    openDeepLink(url)
    return true
  }

  func application(
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
  ) -> Bool {
    if let url = userActivity.webpageURL {  // finds: review.activity-type
      if url.path.hasPrefix("/recipes/") {
        router.showRecipe(url.lastPathComponent)
      }
    }
    return true  // finds: review.link-dropped
  }

  func applicationWillResignActive(_ application: UIApplication) {
    showCover()
  }

  private func showCover() {
    cover.frame = window?.bounds ?? .zero
    window?.addSubview(cover)  // finds: review.cover-never-removed
  }

  private func openDeepLink(_ url: URL) {
    router.show(url)
  }
}
