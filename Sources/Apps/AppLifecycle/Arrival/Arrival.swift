package import LinkspanCore

/// Something that arrives in an app: what the system calls, and what the app's code makes of it.
package struct Arrival: Hashable, Sendable {
  package let entrance: Entrance
  /// Whether the app was not running.
  package let isCold: Bool
  /// In order.
  package private(set) var steps: [ArrivalStep] = []
  /// Why it was not handled exactly once; empty when it was.
  package private(set) var problems: [ArrivalProblem] = []
  /// The state of the app's interface during the arrival.
  private var isReady: Bool
  private var queue = 0
  private let repeats: Bool

  /// Ours: after so many rounds between app and browser the rest is the same again.
  private static let roundLimit = 3

  /// - Parameters:
  ///   - process: Active afterwards, unless the system refuses to start it.
  ///   - repeats: Hands a running app its payload twice, which no system does; a defect for tests to find.
  package init(
    _ entrance: Entrance, in process: inout AppProcess, code: LinkCode, repeats: Bool = false
  ) {
    self.repeats = repeats
    self.entrance = entrance
    isCold = process.state == .notRunning
    isReady = !isCold || code.readiness == .atLaunch
    round(entrance, &process, code)
    var rounds = 1
    while needsHandingBack(code), rounds < Self.roundLimit {
      steps.append(ArrivalStep(.handedBack, .documented))
      guard code.page != .stays else { break }
      let again: Entrance = code.page == .redirects ? .universalLink : .customScheme
      steps.append(ArrivalStep(.cameBack, .inferred))
      // The browser is in front, and the app behind it.
      _ = process.resignActive()
      _ = process.enterBackground()
      round(again, &process, code)
      rounds += 1
    }
    if rounds == Self.roundLimit {
      steps.append(ArrivalStep(.handedBack, .documented))
      add(.loop)
    }
    judge(code)
  }

  /// An arrival in an app that does not run, or that is in the background.
  package static func rehearsed(
    _ entrance: Entrance, isCold: Bool, in shape: AppShape, code: LinkCode
  ) -> Arrival {
    var process = AppProcess(shape)
    if !isCold, process.launch() != nil {
      _ = process.becomeActive()
      _ = process.resignActive()
      _ = process.enterBackground()
    }
    return Arrival(entrance, in: &process, code: code)
  }

  /// What brings the payload, in order: the options of a start, or the function that is called.
  package var doors: [String] {
    steps.filter { $0.isDelivery }.map { step in
      // The options say more than the function that has them.
      step.carrier.flatMap { $0.contains("Options") ? $0 : nil } ?? step.name
    }
  }

  /// How often the system handed the payload over.
  package var deliveries: Int { steps.count { $0.isDelivery } }
  /// How often the app handed it to its router.
  package var handled: Int { steps.count { $0.kind == .handled } }
  package var isExactlyOnce: Bool { handled == 1 && problems.isEmpty }
  /// That of the least certain delivery.
  package var certainty: Certainty {
    let relevant = steps.filter { $0.isDelivery || $0.kind == .launchRefused }
    return Certainty.allCases.last { certainty in relevant.contains { $0.certainty == certainty } }
      ?? .inferred
  }

  private mutating func round(_ entrance: Entrance, _ process: inout AppProcess, _ code: LinkCode) {
    var seen = false
    for step in process.arrive(by: entrance).flatMap({
      repeats && !isCold && $0.isDelivery ? [$0, $0] : [$0]
    }) {
      steps.append(step)
      switch step.kind {
      case .launchRefused: add(.missingScene)
      case .callback(let callback, let carrier):
        if callback.isActivation { becomeReady(code, .atActivation) }
        if carrier != nil { take(callback, code, &seen) }
      default: break
      }
    }
    if process.state == .active { becomeReady(code, .afterSession) }
  }

  private mutating func take(_ callback: Callback, _ code: LinkCode, _ seen: inout Bool) {
    guard code.forwards(callback) else { return }
    if seen, code.ignoresRepeats {
      steps.append(ArrivalStep(.repeatIgnored, .inferred))
      return
    }
    seen = true
    if isReady {
      handle(code)
    } else if code.queues {
      queue += 1
      steps.append(ArrivalStep(.queued, .inferred))
    } else {
      steps.append(ArrivalStep(.lost, .inferred))
      add(.interfaceNotReady)
    }
  }

  private mutating func becomeReady(_ code: LinkCode, _ moment: LinkCode.Readiness) {
    guard !isReady, code.readiness == moment || moment == .afterSession else { return }
    isReady = true
    steps.append(ArrivalStep(.interfaceReady, .inferred))
    for _ in 0..<queue { handle(code) }
    queue = 0
  }

  private mutating func handle(_ code: LinkCode) {
    steps.append(ArrivalStep(.handled, .inferred))
    if !code.routes, code.unroutable == .showsInside { steps.append(ArrivalStep(.shownInside, .inferred)) }
  }

  private func needsHandingBack(_ code: LinkCode) -> Bool {
    !code.routes && code.unroutable == .handsBack && steps.last { !$0.isQuiet }?.kind == .handled
  }

  private mutating func judge(_ code: LinkCode) {
    guard !problems.contains(.missingScene), !problems.contains(.loop) else { return }
    if deliveries == 0 { add(.notDelivered) }
    if deliveries > 0, handled == 0, !problems.contains(.interfaceNotReady) { add(.notForwarded) }
    if handled > 1, !steps.contains(where: { $0.kind == .cameBack }) { add(.handledTwice) }
    if !code.routes, handled > 0, code.unroutable == .drops { add(.unroutable) }
  }

  private mutating func add(_ problem: ArrivalProblem) {
    if !problems.contains(problem) { problems.append(problem) }
  }
}

extension ArrivalStep {
  /// A callback that brings nothing.
  fileprivate var isQuiet: Bool {
    switch kind {
    case .callback(_, nil), .repeatIgnored, .interfaceReady: true
    default: false
    }
  }
}

extension Callback {
  fileprivate var isActivation: Bool {
    [.didBecomeActive, .sceneDidBecomeActive, .scenePhaseActive].contains(self)
  }
}
