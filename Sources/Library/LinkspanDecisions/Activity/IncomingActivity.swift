/// What an app needs to know of an `NSUserActivity`, as a value.
public struct IncomingActivity: Sendable, Hashable {
  /// `NSUserActivityTypeBrowsingWeb`: universal links, web pages handed off, App Clip invocations.
  public static let browsingWeb = "NSUserActivityTypeBrowsingWeb"
  /// `CSSearchableItemActionType`: a result in Spotlight.
  public static let spotlightItem = "com.apple.corespotlightitem"
  /// `CSQueryContinuationActionType`: a search that goes on in the app.
  public static let spotlightQuery = "com.apple.corespotlightquerycontinuation"
  /// `CSSearchableItemActivityIdentifier`
  static let spotlightItemKey = "kCSSearchableItemActivityIdentifier"
  /// `CSSearchQueryString`
  static let spotlightQueryKey = "kCSSearchQueryString"

  /// Decides what the activity is, before anything else of it is looked at.
  public var activityType: String
  /// The page, for activities of the web.
  public var webpageURL: String?
  /// The URL of `appClipActivationPayload`, in an App Clip or in the app that replaced it.
  public var clipURL: String?
  /// The members of `userInfo` that have a text form.
  public var userInfo: [String: String]

  /// An activity with these parts.
  public init(
    activityType: String, webpageURL: String? = nil, clipURL: String? = nil, userInfo: [String: String] = [:]
  ) {
    self.activityType = activityType
    self.webpageURL = webpageURL
    self.clipURL = clipURL
    self.userInfo = userInfo
  }

  /// A page in the browser.
  public static func web(_ url: String) -> IncomingActivity {
    IncomingActivity(activityType: browsingWeb, webpageURL: url)
  }
}

/// By which of the system's roads something reached the app. A cold start of the app delegate uses both for one link.
public enum DeliveryRoad: Sendable, Hashable {
  /// Launch options, or the connection options of a scene.
  case launch
  /// A callback while the app runs.
  case callback
}

/// Where an arrival leads.
public enum Arrival<Destination: Sendable>: Sendable {
  /// A place, by a route of the router.
  case place(Destination)
  /// A result in Spotlight, by the identifier of its item.
  case spotlightItem(String)
  /// A search that began in Spotlight.
  case spotlightQuery(String)
  /// An activity of one of the app's own types that no route names.
  case activity(IncomingActivity)
}

extension Arrival: Equatable where Destination: Equatable {}
