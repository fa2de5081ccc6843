#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  extension IncomingActivity {
    /// What the app needs of an activity: its type, its page, the clip's URL, and the members of `userInfo` with a text form.
    public init(_ activity: NSUserActivity) {
      var texts: [String: String] = [:]
      for (key, value) in activity.userInfo ?? [:] {
        guard let key = key as? String else { continue }
        switch value {
        case let text as String: texts[key] = text
        case let number as NSNumber: texts[key] = number.stringValue
        case let url as URL: texts[key] = url.absoluteString
        case let identifier as UUID: texts[key] = identifier.routeText
        default: break
        }
      }
      self.init(
        activityType: activity.activityType, webpageURL: activity.webpageURL?.absoluteString,
        clipURL: activity.appClipActivationPayload?.url?.absoluteString, userInfo: texts)
    }
  }

  extension Router.Activity {
    /// The activity to make current while the place is on screen.
    ///
    /// The app's `NSUserActivityTypes` must list the type, or the initialiser raises an exception.
    @MainActor
    public func userActivity(title: String) -> NSUserActivity {
      let activity = NSUserActivity(activityType: activityType)
      activity.title = title
      activity.userInfo = userInfo
      activity.requiredUserInfoKeys = Set(userInfo.keys)
      activity.webpageURL = webpageURL.flatMap { URL(string: $0) }
      activity.isEligibleForHandoff = true
      return activity
    }
  }
#endif
