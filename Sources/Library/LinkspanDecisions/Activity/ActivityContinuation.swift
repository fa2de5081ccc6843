/// The one entrance for everything that the system brings: links, Handoff, Spotlight, App Clip invocations.
///
/// A value without UIKit: each call answers what the app has to do, in order. It branches on the activity's type first;
/// keeps what arrives before the interface is ready; delivers each arrival once, also when a cold start brings it by two
/// roads; hands links without a place to the browser, and not in a circle. ``ActivityCoordinator`` carries the answers out.
public struct ActivityContinuation<Destination: Sendable>: Sendable {
  /// Something for the app to do.
  public enum Step: Sendable {
    /// Go there. The interface is ready.
    case go(Arrival<Destination>)
    /// Show that something comes, of this activity type.
    case showWaiting(activityType: String)
    /// Nothing comes any more, or it is here.
    case hideWaiting
    /// Open the link in the browser: no route takes it.
    case openInBrowser(String, RoutingMiss)
    /// Tell the person: the link has no place, and the browser cannot show it either, or sent it back.
    case report(RoutingMiss)
    /// Tell the person that an announced activity did not come.
    case reportFailure(activityType: String)
  }

  /// What a delegate method answers, and what there is to do.
  public struct Answer: Sendable {
    /// What to return to the system: whether the app takes the activity.
    public var isHandled: Bool
    /// In order.
    public var steps: [Step]
  }

  private let router: Router<Destination>
  private let ownTypes: Set<String>
  private var isReady = false
  private var waiting: [Arrival<Destination>] = []
  private var announced: String?
  /// What a cold start brought by one road, until the other road brings it too or the app leaves the foreground.
  private var expected: [Delivery: DeliveryRoad] = [:]
  private var handedBack: [(url: String, time: Duration)] = []
  private var hasArrived = false

  private enum Delivery: Hashable, Sendable {
    case activity(IncomingActivity)
    case url(String)
  }

  /// Our choice: arrivals kept before the interface is ready; of more, the oldest are dropped.
  public static var queueLimit: Int { 16 }
  /// Our choice: a link that comes back from the browser within this time is in a circle.
  public static var circleTime: Duration { .seconds(3) }

  /// - Parameters:
  ///   - router: Its sources say which links and activity types are the app's.
  ///   - ownTypes: Further activity types of the app, without a route; they arrive as ``Arrival/activity(_:)``.
  public init(router: Router<Destination>, ownTypes: Set<String> = []) {
    self.router = router
    self.ownTypes = ownTypes
  }

  // MARK: - What the system calls

  /// `willContinueUserActivityWithType`: an activity is on its way.
  public mutating func willContinue(activityType: String) -> Answer {
    guard isKnown(activityType) else { return Answer(isHandled: false, steps: []) }
    announced = activityType
    return Answer(isHandled: true, steps: [.showWaiting(activityType: activityType)])
  }

  /// `continueUserActivity`, and each activity of launch or connection options.
  ///
  /// - Parameters:
  ///   - road: By launch options or by a callback.
  ///   - now: Of a clock that does not go back.
  public mutating func receive(
    _ activity: IncomingActivity, by road: DeliveryRoad, now: Duration
  ) -> Answer {
    var steps = endOfWaiting()
    guard isFirst(.activity(activity), by: road) else { return Answer(isHandled: true, steps: steps) }
    switch activity.activityType {
    case IncomingActivity.browsingWeb: return web(activity, now, steps)
    case IncomingActivity.spotlightItem:
      guard let identifier = activity.userInfo[IncomingActivity.spotlightItemKey] else { break }
      return Answer(isHandled: true, steps: steps + deliver(.spotlightItem(identifier)))
    case IncomingActivity.spotlightQuery:
      guard let query = activity.userInfo[IncomingActivity.spotlightQueryKey] else { break }
      return Answer(isHandled: true, steps: steps + deliver(.spotlightQuery(query)))
    case let type where router.activityTypes.contains(type):
      do throws(RoutingMiss) {
        let place = try router.parse(activityType: type, userInfo: activity.userInfo)
        return Answer(isHandled: true, steps: steps + deliver(.place(place)))
      } catch {
        if activity.webpageURL != nil { return web(activity, now, steps) }
        steps.append(.report(error))
        return Answer(isHandled: false, steps: steps)
      }
    case let type where ownTypes.contains(type):
      return Answer(isHandled: true, steps: steps + deliver(.activity(activity)))
    default: break
    }
    return Answer(isHandled: false, steps: steps)
  }

  /// `openURL`, `openURLContexts` and the URLs of launch or connection options.
  ///
  /// SwiftUI brings universal links here too.
  public mutating func open(_ url: String, by road: DeliveryRoad, now: Duration) -> Answer {
    let steps = endOfWaiting()
    guard isFirst(.url(url), by: road) else { return Answer(isHandled: true, steps: steps) }
    do throws(RoutingMiss) {
      return Answer(isHandled: true, steps: steps + deliver(.place(try router.parse(url))))
    } catch {
      return Answer(isHandled: false, steps: steps + [fallback(url, error, now)])
    }
  }

  /// The activities and URLs of a scene's connection options, or of launch options.
  ///
  /// The system hands activities over as a set. They are taken in an order of their own: the app's types, then the web,
  /// then Spotlight, each by its content.
  public mutating func connect(
    activities: some Collection<IncomingActivity>, urls: some Collection<String>, now: Duration
  ) -> Answer {
    var answer = Answer(isHandled: false, steps: [])
    func rank(_ activity: IncomingActivity) -> (Int, String) {
      let content =
        [activity.activityType, activity.webpageURL ?? "", activity.clipURL ?? ""]
        + activity.userInfo.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
      let kind =
        switch activity.activityType {
        case IncomingActivity.browsingWeb: 1
        case IncomingActivity.spotlightItem, IncomingActivity.spotlightQuery: 2
        default: 0
        }
      return (kind, content.joined(separator: "\u{0}"))
    }
    for activity in activities.sorted(by: { rank($0) < rank($1) }) {
      let one = receive(activity, by: .launch, now: now)
      answer.isHandled = answer.isHandled || one.isHandled
      answer.steps += one.steps
    }
    for url in urls.sorted() {
      let one = open(url, by: .launch, now: now)
      answer.isHandled = answer.isHandled || one.isHandled
      answer.steps += one.steps
    }
    return answer
  }

  /// `didFailToContinueUserActivityWithType`.
  ///
  /// - Parameter isCancelled: The person cancelled; that is not reported.
  public mutating func fail(activityType: String, isCancelled: Bool) -> [Step] {
    let steps = endOfWaiting()
    return isCancelled ? steps : steps + [.reportFailure(activityType: activityType)]
  }

  /// `didUpdateUserActivity`: the system completes what was announced before it arrives. Keeps the waiting state alive.
  public mutating func update(activityType: String) -> [Step] {
    guard announced != nil, announced != activityType, isKnown(activityType) else { return [] }
    announced = activityType
    return [.showWaiting(activityType: activityType)]
  }

  // MARK: - What the app says

  /// The interface and the session can take arrivals from now on.
  public mutating func interfaceIsReady() -> [Step] {
    isReady = true
    defer { waiting = [] }
    return waiting.map { .go($0) }
  }

  /// The interface went, such as at a log-out; what arrives is kept again.
  public mutating func interfaceIsGone() { isReady = false }

  /// The app went to the background: the same link is a new one from now on.
  public mutating func didEnterBackground() { expected = [:] }

  /// State restoration: the place that the app was at. An arrival is newer than that, and wins.
  ///
  /// - Returns: What to do; nothing when something arrived.
  public mutating func restore(_ activity: IncomingActivity) -> [Step] {
    // What an earlier version of the app wrote may have no place any more, and nobody asked for it just now.
    guard !hasArrived,
      let place = try? router.parse(activityType: activity.activityType, userInfo: activity.userInfo)
    else { return [] }
    return deliver(.place(place))
  }

  // MARK: - Decisions

  private func isKnown(_ type: String) -> Bool {
    [IncomingActivity.browsingWeb, IncomingActivity.spotlightItem, IncomingActivity.spotlightQuery].contains(
      type)
      || router.activityTypes.contains(type) || ownTypes.contains(type)
  }

  private mutating func endOfWaiting() -> [Step] {
    guard announced != nil else { return [] }
    announced = nil
    return [.hideWaiting]
  }

  /// One delivery by each road is the same arrival; two by one road are two.
  private mutating func isFirst(_ delivery: Delivery, by road: DeliveryRoad) -> Bool {
    if let other = expected[delivery], other != road {
      expected[delivery] = nil
      return false
    }
    expected[delivery] = road
    return true
  }

  private mutating func deliver(_ arrival: Arrival<Destination>) -> [Step] {
    hasArrived = true
    if isReady { return [.go(arrival)] }
    waiting.append(arrival)
    if waiting.count > Self.queueLimit { waiting.removeFirst() }
    return []
  }

  private mutating func web(_ activity: IncomingActivity, _ now: Duration, _ steps: [Step]) -> Answer {
    guard let url = activity.clipURL ?? activity.webpageURL else {
      return Answer(isHandled: false, steps: steps)
    }
    do throws(RoutingMiss) {
      guard activity.clipURL != nil else {
        return Answer(
          isHandled: true, steps: steps + deliver(.place(try router.parse(url, from: .universalLink))))
      }
      // The app that replaced its clip takes the clip's links, perhaps as its own universal links.
      if let place = router.destination(for: url, from: .universalLink),
        router.destination(for: url, from: .appClip) == nil
      {
        return Answer(isHandled: true, steps: steps + deliver(.place(place)))
      }
      // A miss is told of the source that the router has for clips.
      let hasClips = router.table.sources.contains { $0.kind == .appClip }
      let place = try router.parse(url, from: hasClips ? .appClip : .universalLink)
      return Answer(isHandled: true, steps: steps + deliver(.place(place)))
    } catch {
      return Answer(isHandled: false, steps: steps + [fallback(url, error, now)])
    }
  }

  /// The browser gets a web link that has no place here, unless it was there a moment ago.
  private mutating func fallback(_ url: String, _ miss: RoutingMiss, _ now: Duration) -> Step {
    handedBack.removeAll { $0.time + Self.circleTime < now }
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard scheme == "https" || scheme == "http", !handedBack.contains(where: { $0.url == url }) else {
      return .report(miss)
    }
    handedBack.append((url, now))
    return .openInBrowser(url, miss)
  }
}

extension Router {
  /// The Handoff types that its sources name.
  public var activityTypes: Set<String> {
    var types: Set<String> = []
    for case .handoff(let type, _) in table.sources { types.insert(type) }
    return types
  }
}

extension ActivityContinuation.Step: Equatable where Destination: Equatable {}
