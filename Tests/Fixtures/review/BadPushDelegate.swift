import UIKit
import UserNotifications

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  let shelf = Shelf()

  func application(
    _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    let text = String(describing: deviceToken)  // finds: review.token-text
    shelf.register(text)
  }

  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    guard let book = userInfo["book"] as? String else {
      print("no book")
      return  // finds: review.completion-lost
    }
    shelf.fetch(book) { result in
      completionHandler(result == nil ? .failed : .newData)
    }
  }

  func application(  // finds: review.delegate-bypassed
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
  ) -> Bool {
    guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL
    else { return false }
    shelf.open(url)
    return false  // finds: review.link-refused
  }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?
}

struct BookLink {
  func open(_ url: URL) {
    let number = url.pathComponents[2]  // finds: review.unchecked-parameter
    Shelf.shared.open(number)
  }
}
