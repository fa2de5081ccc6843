internal import AppLifecycle
internal import Handoff
internal import LinkspanCore
internal import LinkspanDecisions
import LinkspanStories

/// An app or App Clip of a story whose code is the library: what the system calls goes into its one entrance. It lives as
/// long as the process, so it remembers what came before.
struct LibraryApp {
  /// What is in the system's hands.
  enum Payload: Sendable {
    case link(String)
    case activity(UserActivity)
    case spotlightItem(String)
  }

  struct Outcome: Sendable {
    /// What the app did, in order, for the trace.
    var deeds: [(what: String, detail: String?)] = []
    /// Where it went.
    var places: [String] = []
    var opensBrowser = false

    /// For an expectation.
    var shows: String {
      places.isEmpty ? (opensBrowser ? "browser" : "nothing") : places.joined(separator: ", ")
    }
  }

  private var continuation: ActivityContinuation<AppRoutes.Place>

  init(_ routes: AppRoutes, entries: [String], activityTypes: [String]) throws(RouterError) {
    continuation = ActivityContinuation(
      router: try routes.router(entries: entries), ownTypes: Set(activityTypes))
  }

  /// The process went to the background.
  mutating func didEnterBackground() { continuation.didEnterBackground() }

  /// - Parameters:
  ///   - steps: What the system does, and when the interface is ready; what else the steps say is of other code.
  ///   - now: The simulation's time.
  mutating func receive(
    _ payload: Payload, by entrance: Entrance, steps: [ArrivalStep], isCold: Bool, now: Duration
  ) -> Outcome {
    var outcome = Outcome()
    var isForeign = false
    var isReady = !isCold
    if isReady { carryOut(continuation.interfaceIsReady(now: now), &outcome) }
    for step in steps {
      switch step.kind {
      case .callback(_, let carrier?):
        let road: DeliveryRoad = carrier.contains("Options") ? .launch : .callback
        let answer = deliver(payload, entrance, road, now)
        isForeign = isForeign || !answer.isHandled
        carryOut(answer.steps, &outcome)
      case .callback(.willContinue, nil), .callback(.sceneWillContinue, nil):
        if case .activity(let activity) = payload {
          carryOut(continuation.willContinue(activityType: activity.type).steps, &outcome)
        }
      case .interfaceReady:
        isReady = true
        outcome.deeds.append(("interface-ready", nil))
        carryOut(continuation.interfaceIsReady(now: now), &outcome)
      default: break
      }
    }
    // Code that is ready at launch has no step of its own for it.
    if !isReady { carryOut(continuation.interfaceIsReady(now: now), &outcome) }
    // However often it comes, nothing happens.
    if isForeign { outcome.deeds.append(("foreign", nil)) }
    return outcome
  }

  private mutating func deliver(
    _ payload: Payload, _ entrance: Entrance, _ road: DeliveryRoad, _ now: Duration
  ) -> ActivityContinuation<AppRoutes.Place>.Answer {
    switch payload {
    case .link(let url):
      guard entrance != .customScheme else { return continuation.open(url, by: road, now: now) }
      var activity = IncomingActivity.web(url)
      if entrance == .clip { activity.clipURL = url }
      return continuation.receive(activity, by: road, now: now)
    case .activity(let activity):
      return continuation.receive(IncomingActivity(activity), by: road, now: now)
    case .spotlightItem(let identifier):
      let activity = IncomingActivity(
        activityType: IncomingActivity.spotlightItem,
        userInfo: ["kCSSearchableItemActivityIdentifier": identifier])
      return continuation.receive(activity, by: road, now: now)
    }
  }

  private func carryOut(_ steps: [ActivityContinuation<AppRoutes.Place>.Step], _ outcome: inout Outcome) {
    for step in steps {
      switch step {
      case .go(let arrival):
        let place =
          switch arrival {
          case .place(let place): place.description
          case .spotlightItem(let identifier): "spotlight \(identifier)"
          case .spotlightQuery(let query): "search \(query)"
          case .activity(let activity): "activity \(activity.activityType)"
          }
        outcome.places.append(place)
        outcome.deeds.append(("handled", place))
      case .showWaiting(let type): outcome.deeds.append(("show-waiting", type))
      case .hideWaiting: outcome.deeds.append(("hide-waiting", nil))
      case .openInBrowser(_, let miss):
        outcome.opensBrowser = true
        outcome.deeds.append(("open-in-browser", miss.description))
      case .report(let miss): outcome.deeds.append(("report", miss.description))
      case .reportFailure(let type): outcome.deeds.append(("report-failure", type))
      }
    }
  }
}

extension IncomingActivity {
  /// The values of `userInfo` that have a text form, as the library's adapter reads them.
  fileprivate init(_ activity: UserActivity) {
    var texts: [String: String] = [:]
    if case .dictionary(let members) = activity.userInfo {
      for member in members {
        switch member.value {
        case .string(let text), .url(let text), .uuid(let text): texts[member.key] = text
        case .integer(let number): texts[member.key] = String(number)
        default: break
        }
      }
    }
    self.init(activityType: activity.type, webpageURL: activity.webpageURL, userInfo: texts)
  }
}
