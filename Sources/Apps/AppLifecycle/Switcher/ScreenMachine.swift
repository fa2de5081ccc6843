internal import LinkspanCore

/// An app with private content on a screen: which callbacks it gets, when its cover is on, what can be seen, and what is
/// in the picture that the system takes.
///
/// - Source: rules LC4, LC5, SR6, SR7.
package struct ScreenMachine: Sendable {
  /// What besides events decides.
  package struct Surroundings: Hashable, Sendable {
    /// A Simulator, where the home button ends in the background before anything else can happen.
    package var isSimulator = false
    /// The app presents a controller over its content.
    package var presents = false
    /// From iOS 26.5 the layer of a secure text field no longer hides anything (observed).
    package var secureLayerIsBroken = false

    package init() {}
  }

  /// A mistake made on purpose, to see whether it is found.
  package enum Defect: Hashable, Sendable {
    /// The cover goes before the picture is taken.
    case uncoversBeforeSnapshot
    /// A running app gets the same payload twice.
    case deliversTwice
  }

  package private(set) var process: AppProcess
  package let policy: CoverPolicy
  package let surroundings: Surroundings
  private let defect: Defect?
  private(set) var isCovered = false
  private var picture: ScreenStep.Content?
  private var steps: [ScreenStep] = []

  /// - Parameter process: In any state; events open the app first where it is not in front.
  package init(
    _ process: AppProcess, policy: CoverPolicy, surroundings: Surroundings = Surroundings(),
    defect: Defect? = nil
  ) {
    self.process = process
    self.policy = policy
    self.surroundings = surroundings
    self.defect = defect
  }

  /// - Returns: What happens, in order.
  package mutating func perform(_ event: ScreenEvent) -> [ScreenStep] {
    steps = []
    if event.needsActiveApp, process.state != .active { open() }
    guard process.state != .notRunning || event == .open else { return steps }
    switch event {
    case .open: open()
    case .home:
      leave()
    case .doublePressRace: race()
    case .switcher: showSwitcher()
    case .otherApp:
      if process.state == .active { resign() }
      enterBackground()
    case .alert, .call, .controlCentre, .biometricPrompt:
      resign()
      show(at: .behindPrompt, event == .call ? .inferred : .documented)
      activate()
    case .notification:
      // The banner alone calls nothing; following it leaves the app.
      leave()
    }
    return steps
  }

  /// Lets something arrive; the app is in front afterwards, unless the system refuses to start it.
  package mutating func arrive(by entrance: Entrance, code: LinkCode) -> Arrival {
    let wasAway = process.state == .background || process.state == .suspended
    let arrival = Arrival(entrance, in: &process, code: code, repeats: defect == .deliversTwice)
    steps = []
    if wasAway { react(to: .entersForeground) }
    if process.state == .active { react(to: .becomesActive) }
    return arrival
  }

  /// Opens the app and leaves it again, where it is not in the background already.
  package mutating func leaveRunning() {
    if process.state == .notRunning { _ = perform(.open) }
    if process.state == .active || process.state == .inactive { _ = perform(.otherApp) }
  }

  /// The system ends the app, and its cover with it.
  package mutating func terminate() {
    process.terminate()
    isCovered = false
    picture = nil
  }

  // MARK: - Ways

  private mutating func open() {
    if process.state == .notRunning {
      guard let launch = process.launch() else {
        steps.append(ScreenStep(.launchRefused, .observed))
        return
      }
      steps += launch.map { ScreenStep(.callback($0), .documented) }
    }
    let foreground = process.enterForeground()
    if !foreground.isEmpty { tell(foreground, .entersForeground) }
    activate()
  }

  private mutating func leave() {
    resign()
    beginSuspendAnimation()
    show(at: .homeAnimation, .inferred)
    enterBackground()
  }

  /// Seen on devices with a home button; the Simulator does not reproduce it.
  private mutating func race() {
    guard !surroundings.isSimulator else {
      leave()
      return showPicture(.observed)
    }
    resign()
    beginSuspendAnimation()
    show(at: .liveCard, .observed)
  }

  private mutating func showSwitcher() {
    if process.state == .active { resign() }
    if process.state == .inactive { show(at: .liveCard, .observed) } else { showPicture(.documented) }
  }

  private mutating func showPicture(_ certainty: Certainty) {
    guard let picture else { return }
    steps.append(ScreenStep(.shows(picture, at: .pictureCard), certainty))
  }

  // MARK: - Transitions

  private mutating func resign() { tell(process.resignActive(), .resignsActive) }

  private mutating func activate() {
    tell(process.becomeActive(), .becomesActive)
    if isCovered { steps.append(ScreenStep(.shows(.cover, at: .inUse), .observed)) }
  }

  /// The picture is taken shortly after the callback returns.
  private mutating func enterBackground() {
    let callbacks = process.enterBackground()
    guard !callbacks.isEmpty else { return }
    tell(callbacks, .entersBackground)
    if defect == .uncoversBeforeSnapshot { cover(false) }
    let content = content(inCapture: true)
    picture = content
    steps.append(ScreenStep(.snapshot(content), content == .unknown ? .inferred : .documented))
    process.suspend()
  }

  private mutating func beginSuspendAnimation() {
    guard policy == .privateNotification else { return }
    steps.append(ScreenStep(.suspendAnimation, .observed))
    react(to: .beginsSuspendAnimation)
  }

  private mutating func tell(_ callbacks: [Callback], _ moment: CoverPolicy.Moment) {
    steps += callbacks.map { ScreenStep(.callback($0), .documented) }
    react(to: moment)
  }

  private mutating func react(to moment: CoverPolicy.Moment) {
    if policy.coversAt == moment { cover(true) }
    if policy.uncoversAt == moment { cover(false) }
  }

  private mutating func cover(_ isOn: Bool) {
    guard isCovered != isOn else { return }
    isCovered = isOn
    steps.append(ScreenStep(.cover(isOn: isOn), .documented))
  }

  // MARK: - Sight

  private mutating func show(at place: ScreenStep.Place, _ certainty: Certainty) {
    let content = content(inCapture: false)
    let isInferred =
      content == .unknown || policy.isInferred || surroundings.presents && policy != .windowAboveAlerts
    steps.append(ScreenStep(.shows(content, at: place), isInferred ? .inferred : certainty))
  }

  private func content(inCapture isCapture: Bool) -> ScreenStep.Content {
    if policy == .secureTextField {
      guard isCapture else { return .unknown }
      return surroundings.secureLayerIsBroken ? .privateContent : .cover
    }
    guard isCovered else { return .privateContent }
    return surroundings.presents && !policy.coversPresentedControllers ? .privateContent : .cover
  }
}

extension ScreenEvent {
  /// Whether the event happens to an app in front.
  fileprivate var needsActiveApp: Bool {
    switch self {
    case .open, .switcher, .otherApp: false
    case .home, .doublePressRace, .alert, .call, .controlCentre, .biometricPrompt, .notification: true
    }
  }
}
