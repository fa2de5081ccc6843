/// The one entrance for everything that the system brings: links, Handoff, Spotlight, App Clip invocations.
///
/// A value without UIKit: each call answers what the app has to do, in order. It branches on the activity's type first;
/// keeps what arrives before the interface is ready, or before a gate is open; delivers each arrival once, by however many
/// roads the system brings it; hands links without a place to the browser, and not in a circle; leaves alone what is not
/// the app's. ``ActivityCoordinator`` carries the answers out.
///
/// Two deliveries are one arrival when they lead to one place, come by two roads and for one scene, and the second comes
/// within a second of the app's becoming active, or of the first. A road that names no scene fits any.
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

  /// A step, and the scene that it is for.
  public struct Direction: Sendable {
    /// What to do.
    public var step: Step
    /// Where; nil when the delivery named no scene.
    public var scene: String?

    /// A step in a scene.
    public init(step: Step, scene: String? = nil) {
      self.step = step
      self.scene = scene
    }
  }

  /// What a delegate method answers, and what there is to do.
  public struct Answer: Sendable {
    /// Whose it is.
    public var outcome: ArrivalOutcome
    /// In order, each with its scene.
    public var directions: [Direction]
    /// What became of arrivals that could not be shown at once.
    public var notices: [ArrivalNotice<Destination>]

    /// What to return to the system: whether the link or activity is the app's.
    public var isHandled: Bool { outcome != .foreign }
    /// In order.
    public var steps: [Step] { directions.map(\.step) }
  }

  let router: Router<Destination>
  let ownTypes: Set<String>
  /// The gate of every arrival.
  private var gate: ArrivalGate?
  var waiting: WaitingRoom<Destination>
  var identity = ArrivalIdentity()
  private var announced: [String?: String] = [:]
  private var handedBack: [(url: String, time: Duration)] = []
  /// The scenes to which something came, nil for an arrival without one.
  private var reached: Set<String?> = []
  private var now = Duration.zero

  /// Our choice: arrivals kept before the interface is ready; of more, the oldest are dropped.
  public static var queueLimit: Int { 16 }
  /// Our choice: a link that comes back from the browser within this time is in a circle.
  public static var circleTime: Duration { .seconds(3) }

  /// - Parameters:
  ///   - router: Its sources say which links and activity types are the app's.
  ///   - ownTypes: Further activity types of the app, without a route; they arrive as ``Arrival/activity(_:)``.
  ///   - gate: Every arrival waits until it is open; a route's own gate comes on top.
  public init(router: Router<Destination>, ownTypes: Set<String> = [], gate: ArrivalGate? = nil) {
    self.router = router
    self.ownTypes = ownTypes
    self.gate = gate
    waiting = WaitingRoom(limit: Self.queueLimit)
  }

  /// The same with a gate for every arrival that comes from now on.
  package func gated(by gate: ArrivalGate) -> ActivityContinuation {
    var copy = self
    copy.gate = gate
    return copy
  }

  // MARK: - Everything

  /// One call of the system or of the app; the other methods are its short forms.
  ///
  /// - Parameters:
  ///   - scene: The scene that the call is for, such as `session.persistentIdentifier`; nil for the app delegate's.
  ///   - now: Of a clock that does not go back.
  public mutating func handle(
    _ callback: ArrivalCallback, scene: String? = nil, now: Duration
  ) -> Answer {
    self.now = now
    var answer = Answer(outcome: .foreign, directions: [], notices: waiting.expire(at: now))
    switch callback {
    case .connect(let activities, let urls): connect(activities, urls, scene, &answer)
    case .receive(let activity, let road): receive(activity, road, scene, &answer)
    case .open(let url, let road): open(url, road, scene, &answer)
    case .willContinue(let type):
      guard isKnown(type) else { break }
      announced[scene] = type
      answer.outcome = .mine
      answer.directions.append(Direction(step: .showWaiting(activityType: type), scene: scene))
    case .update(let type):
      guard let other = announced[scene], other != type, isKnown(type) else { break }
      announced[scene] = type
      answer.directions.append(Direction(step: .showWaiting(activityType: type), scene: scene))
    case .fail(let type, let isCancelled):
      endWaiting(scene, &answer)
      guard !isCancelled else { break }
      answer.directions.append(Direction(step: .reportFailure(activityType: type), scene: scene))
    case .restore(let activity): restore(activity, scene, &answer)
    case .interfaceIsReady, .interfaceIsGone, .openGate, .closeGate, .refuseGate:
      handleReadiness(callback, scene, &answer)
    case .lifeCycleIsObserved, .didBecomeActive, .willResignActive, .didEnterBackground, .didDisconnect:
      handleLifeCycle(callback, scene, &answer)
    }
    return answer
  }

  private mutating func handleReadiness(_ callback: ArrivalCallback, _ scene: String?, _ answer: inout Answer)
  {
    switch callback {
    case .interfaceIsReady:
      identity.becomeReady(at: now)
      waiting.becomeReady(scene)
    case .interfaceIsGone: waiting.becomeGone(scene)
    case .openGate(let name): answer.notices += waiting.open(name)
    case .closeGate(let name): waiting.close(name)
    case .refuseGate(let name): answer.notices += waiting.refuse(name)
    default: break
    }
    release(&answer)
  }

  private mutating func handleLifeCycle(
    _ callback: ArrivalCallback, _ scene: String?, _ answer: inout Answer
  ) {
    switch callback {
    case .lifeCycleIsObserved: identity.lifeCycleIsObserved()
    case .didBecomeActive: identity.becomeActive(scene, at: now)
    case .willResignActive: identity.resignActive(scene)
    case .didEnterBackground: identity.enterBackground(scene)
    case .didDisconnect:
      identity.disconnect(scene)
      waiting.disconnect(scene)
      reached.remove(scene)
      // What was on its way to the scene comes no more, and what waited for it may be shown in another one by now.
      if scene != nil, announced.removeValue(forKey: scene) != nil {
        answer.directions.append(Direction(step: .hideWaiting, scene: scene))
      }
      release(&answer)
    default: break
    }
  }

  // MARK: - Decisions

  private func isKnown(_ type: String) -> Bool {
    [IncomingActivity.browsingWeb, IncomingActivity.spotlightItem, IncomingActivity.spotlightQuery].contains(
      type)
      || router.activityTypes.contains(type) || ownTypes.contains(type)
  }

  private mutating func endWaiting(_ scene: String?, _ answer: inout Answer) {
    let ended = announced.keys.filter { $0 == nil || scene == nil || $0 == scene }
    guard !ended.isEmpty else { return }
    for key in ended { announced[key] = nil }
    answer.directions.append(Direction(step: .hideWaiting, scene: scene))
  }

  private mutating func receive(
    _ activity: IncomingActivity, _ road: DeliveryRoad, _ scene: String?, _ answer: inout Answer
  ) {
    endWaiting(scene, &answer)
    let door = ArrivalIdentity.Door(road: road, kind: activity.door)
    take(reading(of: activity), door, scene, &answer)
  }

  private mutating func open(
    _ url: String, _ road: DeliveryRoad, _ scene: String?, _ answer: inout Answer
  ) {
    endWaiting(scene, &answer)
    let isWeb = url.prefix(4).lowercased() == "http"
    let door = ArrivalIdentity.Door(road: road, kind: isWeb ? .webURL : .url)
    take(reading(of: url, from: nil), door, scene, &answer)
  }

  private mutating func connect(
    _ activities: [IncomingActivity], _ urls: [String], _ scene: String?, _ answer: inout Answer
  ) {
    identity.connect(scene)
    for activity in activities.sorted(by: { $0.rank < $1.rank }) {
      receive(activity, .launch, scene, &answer)
    }
    for url in urls.sorted() { open(url, .launch, scene, &answer) }
  }

  /// Acts on the first delivery of an arrival; further ones only share its outcome.
  private mutating func take(
    _ reading: Reading<Destination>, _ door: ArrivalIdentity.Door, _ scene: String?, _ answer: inout Answer
  ) {
    guard let key = reading.key else { return }
    let delivery = ArrivalIdentity.Delivery(key: key, door: door, scene: scene)
    if let (number, outcome) = identity.earlier(delivery, at: now) {
      answer.outcome = max(answer.outcome, outcome)
      // A waiting arrival learns its scene from the road that names it.
      waiting.move(number, to: identity.scene(ofArrival: number))
      return release(&answer)
    }
    switch reading {
    case .foreign: break
    case .unknown(let url, let miss):
      _ = identity.add(delivery, .unknown, at: now)
      answer.outcome = max(answer.outcome, .unknown)
      let step = url.map { fallback($0, miss) } ?? .report(miss)
      answer.directions.append(Direction(step: step, scene: scene))
    case .arrival(let arrival, _, let gate):
      let number = identity.add(delivery, .mine, at: now)
      answer.outcome = .mine
      deliver(arrival, number, gate, scene, &answer)
    }
  }

  private mutating func deliver(
    _ arrival: Arrival<Destination>, _ number: Int?, _ routeGate: ArrivalGate?, _ scene: String?,
    _ answer: inout Answer
  ) {
    reached.insert(scene)
    let gates = [gate, routeGate].compactMap { $0 }
    answer.notices += waiting.enter(
      WaitingRoom.Guest(arrival: arrival, number: number, scene: scene, gates: gates, since: now))
    release(&answer)
  }

  private mutating func release(_ answer: inout Answer) {
    answer.directions += waiting.release().map { Direction(step: .go($0.arrival), scene: $0.scene) }
  }

  private mutating func restore(_ activity: IncomingActivity, _ scene: String?, _ answer: inout Answer) {
    // What an earlier version of the app wrote may have no place any more, and nobody asked for it just now.
    guard reached.isEmpty || scene != nil && !reached.contains(scene) && !reached.contains(nil),
      let located = try? router.locate(activityType: activity.activityType, userInfo: activity.userInfo)
    else { return }
    answer.outcome = .mine
    deliver(.place(located.place), nil, located.gate, scene, &answer)
  }

  /// The browser gets a web link that has no place here, unless it was there a moment ago.
  private mutating func fallback(_ url: String, _ miss: RoutingMiss) -> Step {
    handedBack.removeAll { $0.time + Self.circleTime < now }
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard scheme == "https" || scheme == "http", !handedBack.contains(where: { $0.url == url }) else {
      return .report(miss)
    }
    handedBack.append((url, now))
    return .openInBrowser(url, miss)
  }

  /// The time of the latest call.
  var latest: Duration { now }
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
extension ActivityContinuation.Direction: Equatable where Destination: Equatable {}
