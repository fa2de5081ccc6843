/// What a delivery says, before it is asked whether it is new.
enum Reading<Destination: Sendable> {
  case foreign
  /// The app's, without a place. Without a URL the browser has nothing to show.
  case unknown(url: String?, RoutingMiss)
  case arrival(Arrival<Destination>, key: String, gate: ArrivalGate?)

  /// The same for each road of one arrival; nil for what is not the app's.
  var key: String? {
    switch self {
    case .foreign: nil
    case .unknown(let url, let miss): "unknown \(url ?? miss.url)"
    case .arrival(_, let key, _): key
    }
  }

  init(_ located: Router<Destination>.Located) {
    self = .arrival(.place(located.place), key: located.key, gate: located.gate)
  }
}

extension RoutingMiss {
  /// Whether the link or activity is of another app.
  var isForeign: Bool {
    switch reason {
    case .notALink, .foreignScheme, .foreignHost: true
    case .keptInBrowser, .unreadable, .noRoute: false
    }
  }
}

extension IncomingActivity {
  var door: ArrivalIdentity.Door.Kind {
    activityType != Self.browsingWeb ? .activity(activityType) : clipURL == nil ? .web : .clip
  }

  private var content: String {
    ([activityType, webpageURL ?? "", clipURL ?? ""]
      + userInfo.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }).joined(separator: "\u{0}")
  }

  /// The app's types, then the web, then Spotlight, each by its content.
  var rank: (Int, String) {
    switch activityType {
    case Self.browsingWeb: (1, content)
    case Self.spotlightItem, Self.spotlightQuery: (2, content)
    default: (0, content)
    }
  }
}

extension ActivityContinuation {
  func reading(of activity: IncomingActivity) -> Reading<Destination> {
    func arrival(_ arrival: Arrival<Destination>) -> Reading<Destination> {
      .arrival(arrival, key: "activity " + activity.rank.1, gate: nil)
    }
    switch activity.activityType {
    case IncomingActivity.browsingWeb: return web(activity)
    case IncomingActivity.spotlightItem:
      guard let identifier = activity.userInfo[IncomingActivity.spotlightItemKey] else { return .foreign }
      return arrival(.spotlightItem(identifier))
    case IncomingActivity.spotlightQuery:
      guard let query = activity.userInfo[IncomingActivity.spotlightQueryKey] else { return .foreign }
      return arrival(.spotlightQuery(query))
    case let type where router.activityTypes.contains(type):
      do throws(RoutingMiss) {
        return Reading(try router.locate(activityType: type, userInfo: activity.userInfo))
      } catch {
        // A payload of another version of the app; its page may have a place still.
        let page = web(activity)
        if case .foreign = page { return .unknown(url: nil, error) }
        return page
      }
    case let type where ownTypes.contains(type): return arrival(.activity(activity))
    default: return .foreign
    }
  }

  func reading(of url: String, from kind: LinkSource.Kind?) -> Reading<Destination> {
    do throws(RoutingMiss) {
      return Reading(try router.locate(url, from: kind))
    } catch {
      return error.isForeign ? .foreign : .unknown(url: url, error)
    }
  }

  /// The app that replaced its clip takes the clip's links, perhaps as its own universal links.
  private func web(_ activity: IncomingActivity) -> Reading<Destination> {
    guard let url = activity.clipURL else {
      return activity.webpageURL.map { reading(of: $0, from: .universalLink) } ?? .foreign
    }
    let (clip, link) = (reading(of: url, from: .appClip), reading(of: url, from: .universalLink))
    if case .arrival = clip { return clip }
    if case .arrival = link { return link }
    // A miss is told of the source that the router has for clips.
    if case .foreign = clip { return link }
    return clip
  }
}
