import AppLifecycle
import Linkspan
import Testing

/// - Source: rules LC4, LC5, SR6, SR7.
@Suite struct PrivacyCoverTests {
  typealias Cover = PrivacyCover

  struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    let rule: String
    let events: [Cover.Event]
    /// Whether the cover is on after each event, while inactive and while in the background.
    let whileInactive: [Bool]
    let whileInBackground: [Bool]

    var testDescription: String { "\(rule): \(name)" }
  }

  static let ways = [
    Way(
      name: "launch", rule: "E.1", events: [.willEnterForeground, .didBecomeActive],
      whileInactive: [false, false], whileInBackground: [false, false]),
    Way(
      name: "home and back", rule: "E.2",
      events: [.willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive],
      whileInactive: [true, true, true, false], whileInBackground: [false, true, false, false]),
    Way(
      name: "the switcher from the active app and back", rule: "E.3",
      events: [.willResignActive, .didBecomeActive], whileInactive: [true, false],
      whileInBackground: [false, false]),
    Way(
      name: "the switcher, then another app, then back", rule: "E.3",
      events: [.willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive],
      whileInactive: [true, true, true, false], whileInBackground: [false, true, false, false]),
    Way(
      name: "home and a double press at once, back without a background phase", rule: "E.2",
      events: [.willResignActive, .didBecomeActive], whileInactive: [true, false],
      whileInBackground: [false, false]),
    Way(
      name: "a call that is declined", rule: "E.1", events: [.willResignActive, .didBecomeActive],
      whileInactive: [true, false], whileInBackground: [false, false]),
    Way(
      name: "a call that is taken, and its end", rule: "E.1",
      events: [.willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive],
      whileInactive: [true, true, true, false], whileInBackground: [false, true, false, false]),
    Way(
      name: "back to the switcher before the app is active", rule: "E.3",
      events: [.willResignActive, .didEnterBackground, .willEnterForeground, .didEnterBackground],
      whileInactive: [true, true, true, true], whileInBackground: [false, true, false, true]),
    Way(
      name: "launch in the background", rule: "E.1",
      events: [.didEnterBackground, .willEnterForeground, .didBecomeActive],
      whileInactive: [true, true, false], whileInBackground: [true, false, false]),
    Way(
      name: "the scene goes and comes again", rule: "E.1",
      events: [
        .willResignActive, .didEnterBackground, .didDisconnect, .willEnterForeground, .didBecomeActive,
      ],
      whileInactive: [true, true, false, false, false],
      whileInBackground: [false, true, false, false, false]),
  ]

  @Test(arguments: ways)
  func isOnAsTheTableSays(way: Way) {
    for (policy, expected) in [
      (Cover.Policy.whileInactive, way.whileInactive), (.whileInBackground, way.whileInBackground),
    ] {
      var cover = Cover(policy: policy)
      let states = way.events.map { event in
        _ = cover.handle(event)
        return cover.isOn
      }
      #expect(states == expected, "\(policy)")
    }
  }

  /// Every event again asks for nothing, and an active app never has a cover.
  @Test(arguments: Cover.Policy.allCases)
  func anySequenceEndsUncoveredWhenActive(policy: Cover.Policy) {
    let all = Cover.Event.allCases
    var open: [[Cover.Event]] = [[]]
    for _ in 0..<5 { open = open.flatMap { path in all.map { path + [$0] } } }
    for path in open {
      var cover = Cover(policy: policy, form: .blurred(.light))
      var isOn = false
      for event in path {
        switch cover.handle(event) {
        case .cover:
          #expect(!isOn)
          isOn = true
        case .uncover:
          #expect(isOn)
          isOn = false
        case .replace: #expect(isOn)
        case nil: if event == .didDisconnect { isOn = false }
        }
        #expect(isOn == cover.isOn)
        if event == .didBecomeActive { #expect(!isOn) }
        if event == .didEnterBackground { #expect(isOn) }
        #expect(cover.handle(event) == nil, "\(path)")
      }
    }
  }

  @Test func theSafeFormIsTheDefault() {
    var cover = Cover()
    #expect(cover.policy == .whileInactive)
    #expect(cover.handle(.willResignActive) == .cover(.opaque(.init(white: 1, alpha: 1))))
  }

  @Test func anOpaqueCoverIsOpaque() {
    var cover = Cover(form: .opaque(.init(red: 0, green: 0.2, blue: 0.4, alpha: 0.1)))
    #expect(
      cover.handle(.willResignActive) == .cover(.opaque(.init(red: 0, green: 0.2, blue: 0.4, alpha: 1))))
  }

  @Test(arguments: [Cover.Event.sizeChanged, .drawingFailed])
  func aBlurredCoverThatNoLongerFitsBecomesOpaque(event: Cover.Event) {
    var cover = Cover(form: .blurred(.dark), fallback: .init(white: 0, alpha: 1))
    #expect(cover.handle(event) == nil)
    #expect(cover.handle(.willResignActive) == .cover(.blurred(.dark)))
    #expect(cover.handle(event) == .replace(with: .opaque(.init(white: 0, alpha: 1))))
    #expect(cover.handle(event) == nil)
    #expect(cover.handle(.didBecomeActive) == .uncover)
    // Next time it is drawn anew.
    #expect(cover.handle(.willResignActive) == .cover(.blurred(.dark)))
  }

  @Test func theAppsOwnPromptShowsNoCover() {
    var cover = Cover()
    cover.beginPrompt()
    #expect(cover.handle(.willResignActive) == nil)
    #expect(cover.handle(.didBecomeActive) == nil)
    #expect(cover.endPrompt() == nil)
    #expect(cover.handle(.willResignActive) == .cover(.opaque(.init(white: 1, alpha: 1))))
  }

  @Test func theBackgroundIsCoveredBehindAPromptToo() {
    var cover = Cover()
    cover.beginPrompt()
    #expect(cover.handle(.willResignActive) == nil)
    #expect(cover.handle(.didEnterBackground) != nil)
  }

  /// The person opens the switcher, the system takes the prompt away, and no second `willResignActive` comes.
  @Test func aPromptThatEndsWhileTheAppIsInactiveLeavesNothingInTheSwitcher() {
    let white = Cover.Step.cover(.opaque(.init(white: 1, alpha: 1)))
    var cover = Cover()
    cover.beginPrompt()
    cover.beginPrompt()
    #expect(cover.handle(.willResignActive) == nil)
    #expect(cover.endPrompt() == nil)
    #expect(cover.endPrompt() == white)
    #expect(cover.handle(.didEnterBackground) == nil)
    #expect(cover.handle(.didBecomeActive) == .uncover)
    // Only the picture on disk counts for the other policy.
    cover = Cover(policy: .whileInBackground)
    cover.beginPrompt()
    #expect(cover.handle(.willResignActive) == nil)
    #expect(cover.endPrompt() == nil)
    #expect(cover.handle(.didEnterBackground) == white)
    // A scene that is gone is inactive no more.
    cover = Cover()
    _ = cover.handle(.willResignActive)
    #expect(cover.handle(.didDisconnect) == nil)
    cover.beginPrompt()
    #expect(cover.endPrompt() == nil)
  }

  /// Whatever happens in whatever order: after a resignation the default is off only behind a prompt.
  @Test func anInactiveAppWithoutAPromptIsCovered() {
    enum Move: CaseIterable { case begin, end, resign, background, foreground, active, disconnect }
    var open: [[Move]] = [[]]
    for _ in 0..<6 { open = open.flatMap { path in Move.allCases.map { path + [$0] } } }
    for path in open {
      var cover = Cover()
      var (prompts, isInactive) = (0, false)
      for move in path {
        switch move {
        case .begin:
          cover.beginPrompt()
          prompts += 1
        case .end:
          _ = cover.endPrompt()
          prompts = max(0, prompts - 1)
        case .resign:
          _ = cover.handle(.willResignActive)
          isInactive = true
        case .background:
          _ = cover.handle(.didEnterBackground)
          isInactive = true
        case .foreground: _ = cover.handle(.willEnterForeground)
        case .active:
          _ = cover.handle(.didBecomeActive)
          isInactive = false
        case .disconnect:
          _ = cover.handle(.didDisconnect)
          (prompts, isInactive) = (0, false)
        }
        if isInactive, prompts == 0, !cover.isOn { Issue.record("\(path)") }
        if !isInactive, cover.isOn { Issue.record("\(path)") }
      }
    }
  }

  @Test func moreEndsThanBeginningsAreIgnored() {
    var cover = Cover()
    #expect(cover.endPrompt() == nil)
    cover.beginPrompt()
    #expect(cover.handle(.willResignActive) == nil)
  }

  /// The simulator's own machine of the switcher covers at the same callbacks.
  @Test(arguments: [(Cover.Policy.whileInactive, CoverPolicy.onResign), (.whileInBackground, .onBackground)])
  func agreesWithTheSimulatedSwitcher(policy: Cover.Policy, simulated: CoverPolicy) {
    for event in ScreenEvent.allCases {
      var cover = Cover(policy: policy)
      var isOn = false
      for step in ScreenOutcome.of(event, policy: simulated).steps {
        switch step.kind {
        case .callback(let callback):
          #expect(cover.isOn == isOn, "\(event) before \(callback)")
          if let event = Self.events[callback] { _ = cover.handle(event) }
        case .cover(let isNowOn): isOn = isNowOn
        default: break
        }
      }
      #expect(cover.isOn == isOn, "after \(event)")
    }
  }

  private static let events: [Callback: Cover.Event] = [
    .sceneWillResignActive: .willResignActive, .sceneDidEnterBackground: .didEnterBackground,
    .sceneWillEnterForeground: .willEnterForeground, .sceneDidBecomeActive: .didBecomeActive,
  ]
}
