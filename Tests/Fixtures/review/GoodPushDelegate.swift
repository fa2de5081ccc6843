import UIKit
import UserNotifications

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  let shelf = Shelf()

  // keeps: review.token-text
  func application(
    _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    print("registered, \(deviceToken)")
    shelf.register(deviceToken.map { String(format: "%02x", $0) }.joined())
  }

  // keeps: review.completion-lost
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    guard let book = userInfo["book"] as? String else {
      completionHandler(.noData)
      return
    }
    shelf.fetch(book) { result in
      guard result != nil else { return completionHandler(.failed) }
      completionHandler(.newData)
    }
  }

  // keeps: review.delegate-bypassed
  // keeps: review.link-refused
  func application(
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
  ) -> Bool {
    guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL
    else { return false }
    return shelf.open(url)
  }
}

struct BookLink {
  // keeps: review.unchecked-parameter
  func open(_ url: URL) {
    let parts = url.pathComponents
    guard parts.count > 2, let number = Int(parts[2]) else { return showShelf() }
    Shelf.shared.open(number)
  }
}
