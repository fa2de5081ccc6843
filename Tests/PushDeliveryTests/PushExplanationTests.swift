import LinkspanCore
import PushProvider
import PushTerms
import Testing

@testable import PushDelivery

@Suite struct PushExplanationTests {
  static func explain(
    _ push: SentPush = .silent, _ traits: PushAppTraits = Phone.traits(), life: PushApp.Life = .suspended,
    _ change: (inout PushSituation) -> Void = { _ in }
  ) -> PushExplanation {
    var situation = PushSituation(push, to: traits, life: life, at: Phone.start)
    change(&situation)
    return situation.explained
  }

  @Test func everyGateIsSaidOnceInOrder() {
    let explanation = Self.explain()
    #expect(explanation.steps.map(\.gate) == DeliveryGate.allCases)
    #expect(explanation.wakes.verdict == .yes)
    #expect(explanation.shows.verdict == .notAsked)
    #expect(explanation.changes(for: .wake).isEmpty)
    for step in explanation.steps {
      #expect(!step.answer.rules.isEmpty && !step.answer.message.isEmpty)
    }
  }

  /// All that is wrong is said in one run.
  @Test func everyObstacleIsNamed() {
    let explanation = Self.explain(.silent, Phone.traits(.sandbox, modes: []), life: .forceQuit)
    #expect(explanation.wakes.reason == .wrongEnvironment)
    #expect(explanation.changes(for: .wake) == [.wrongEnvironment, .forceQuit, .noBackgroundMode])
  }

  /// The key outside `aps`, where an old server of registrations put it.
  @Test func aMisplacedKeyIsTheReason() {
    let push = SentPush.read(#"{"content-available":1,"aps":{}}"#)
    let explanation = Self.explain(push)
    #expect(explanation.usualGoal == .wake)
    #expect(explanation.wakes.reason == .nothingToDo)
    #expect(
      explanation.steps.first { $0.gate == .contentAvailable }?.answer.message.hasSuffix(
        "there is 'content-available' outside 'aps'") == true)
  }

  @Test func anAlertIsShownAndNobodyAskedForAWake() {
    let explanation = Self.explain(.alert)
    #expect(explanation.usualGoal == .show)
    #expect(explanation.shows.verdict == .yes)
    #expect(explanation.changes(for: .show).isEmpty)
    #expect(explanation.steps.first { $0.gate == .budget }?.answer.verdict == .notAsked)
  }

  /// What the lint says that a device ignores keeps nothing else from it; the sender refuses the push all the same.
  @Test(arguments: [
    #""relevance-score":2"#, #""badge":"1""#, #""category":5"#, #""interruption-level":"urgent""#,
    #""thread-id":7"#, #""content_available":1"#,
  ])
  func aValueThatIsIgnoredKeepsNothingBack(_ member: String) {
    let push = SentPush.read("{\"aps\":{\"alert\":\"x\",\(member)}}")
    let wakes = SentPush.read("{\"aps\":{\"alert\":\"x\",\"content-available\":1,\(member)}}")
    for profile in DeliveryProfile.allCases {
      let explanation = Self.explain(push) { $0.profile = profile }
      #expect(explanation.shows == .init(verdict: .yes, reason: nil, certainty: .inferred), "\(member)")
      #expect(explanation.changes(for: .show).isEmpty)
      #expect(Self.explain(wakes) { $0.profile = profile }.wakes.verdict == .yes)
    }
    #expect(!push.decision.errors.isEmpty)
    var phone = Phone()
    phone.send(push)
    #expect(phone.log.contains { $0.kind == .shown })
  }

  /// The sentence of the lint and what the device does come from one rule.
  @Test func theHelpOfARuleSaysWhatTheDeviceDoes() {
    for rule in PayloadRule.all where rule.effect == .valueOnly && rule.identifier != "push.expiration" {
      for example in rule.bad {
        let text = example.replacing("⟦", with: "").replacing("⟧", with: "")
        let source = PayloadSource(SourceText(name: "p", text), headers: rule.exampleHeaders)
        let help = rule.findings(in: source).compactMap(\.help).joined(separator: " ")
        let words = [
          "ignore", "no effect", "does not change", "without its arguments", "not woken",
          "\"content-available\": 1",
        ]
        #expect(words.contains(where: help.contains), "\(rule.identifier): \(help)")
      }
    }
  }

  /// Where nothing says what a device does, neither does the explanation; the simulated device drops the push.
  @Test func whatIsDocumentedNowhereIsUnknown() {
    let loud = SentPush.read(#"{"aps":{"alert":"x","sound":{"critical":1,"name":"a","volume":1.5}}}"#)
    for profile in DeliveryProfile.allCases {
      let shows = Self.explain(loud) { $0.profile = profile }.shows
      #expect(shows == .init(verdict: .unknown, reason: .payloadError, certainty: .inferred))
    }
    // A documented obstacle decides nevertheless.
    #expect(Self.explain(loud) { $0.app.permission = .denied }.shows.verdict == .no)
    var phone = Phone()
    phone.send(loud)
    #expect(phone.log.contains { $0.kind == .dropped && $0.reason == .payloadError })
  }

  /// What Apple calls an error of the whole push; what was observed otherwise is right where that is asked for.
  @Test func anErrorOfTheWholePushForbidsAGoodVerdict() {
    let sound = SentPush.read(#"{"aps":{"content-available":1,"sound":""}}"#)
    #expect(sound.kind == .background)
    #expect(Self.explain(sound).wakes.verdict == .no && Self.explain(sound).wakes.reason == .typeMismatch)
    #expect(Self.explain(sound) { $0.profile = .field }.wakes.verdict == .yes)
  }

  /// Nobody documents whether a denied alert still wakes (push edge 1); that it is not shown is documented.
  @Test func aDeniedAlertsWakeIsInferred() {
    let explanation = Self.explain(.both) { $0.app.permission = .denied }
    #expect(explanation.wakes.reason == .notificationsOff && explanation.wakes.certainty == .inferred)
    #expect(explanation.shows.reason == .notificationsOff && explanation.shows.certainty == .documented)
    #expect(Self.explain(.alert) { $0.app.permission = .denied }.shows.certainty == .documented)
  }

  @Test func whatIsAssumedIsInferred() {
    var traits = Phone.traits()
    (traits.isEnvironmentKnown, traits.areModesKnown) = (false, false)
    let explanation = Self.explain(.silent, traits)
    #expect(explanation.wakes.verdict == .yes && explanation.wakes.certainty == .inferred)
    for step in explanation.steps where [.entitlement, .environment, .backgroundMode].contains(step.gate) {
      #expect(step.answer.certainty == .inferred && step.answer.message.contains("not known"))
    }
  }

  /// push 2.1: 10 is the error, so priority 1 waits for somebody to use the device.
  @Test func aBackgroundPushOfPriority1Waits() {
    let push = SentPush.read(#"{"aps":{"content-available":1}}"#, priority: .powerFirst)
    #expect(Self.explain(push).wakes.reason == .powerSaving)
    #expect(Self.explain(push) { $0.conditions.isInUse = true }.wakes.verdict == .yes)
  }

  @Test func wakesBeforeSpendTheBudget() {
    #expect(Self.explain { $0.wakesBefore = 2 }.wakes.verdict == .yes)
    let explanation = Self.explain { $0.wakesBefore = 3 }
    #expect(explanation.wakes.verdict == .later)
    #expect(explanation.wakes.reason == .appBudget)
    #expect(Self.explain { $0.wakesBefore = 60 }.wakes.reason == .deviceBudget)
  }

  @Test func theRestartIsAReason() {
    #expect(Self.explain { $0.secondsSinceBoot = 299 }.wakes.reason == .justStarted)
    #expect(Self.explain { $0.secondsSinceBoot = 300 }.wakes.verdict == .yes)
  }

  /// push 7.4, 7.6: a push that the device keeps, or APNs, is looked at again like every other.
  @Test(arguments: [false, true])
  func whatWaitsComesLaterOnlyIfNothingElseEndsIt(_ isOffline: Bool) {
    func explain(
      _ push: SentPush, life: PushApp.Life = .suspended, _ change: (inout PushSituation) -> Void = { _ in }
    ) -> PushExplanation {
      Self.explain(push, life: life) { situation in
        if isOffline { situation.conditions.isOnline = false } else { situation.conditions.power = .low }
        change(&situation)
      }
    }
    let silent = explain(.silent)
    #expect(silent.wakes.verdict == .later && silent.shows.verdict == .notAsked)
    #expect(silent.wakes.reason == (isOffline ? .offline : .powerSaving))
    #expect(explain(.silent, life: .forceQuit).wakes.reason == .forceQuit)
    #expect(explain(.silent) { $0.app.allowsBackgroundRefresh = false }.wakes.reason == .backgroundRefreshOff)
    let alert = explain(.alert)
    #expect(alert.wakes.reason == .notAskedFor && alert.wakes.verdict == .no)
    #expect(alert.shows.verdict == (isOffline ? .later : .yes))
    #expect(explain(.alert, life: .foreground).shows.reason == .inForeground)
  }

  /// The troubleshooting list: what can be checked is, the rest says what to try.
  @Test func theListIsChecked() {
    let names = [
      "key", "headers", "background-mode", "entitlement-and-server", "app-opened", "user-settings", "gap",
      "badge-first", "register-again", "without-debugger", "other-build",
    ]
    let fine = Self.explain().checks
    #expect(fine.map(\.name) == names)
    #expect(
      fine.map(\.verdict.rawValue) == Array(repeating: "ok", count: 7) + Array(repeating: "try", count: 4))
    func problem(_ explanation: PushExplanation) -> [String] {
      explanation.checks.filter { $0.verdict == .problem }.map(\.name)
    }
    #expect(problem(Self.explain(.read(#"{"aps":{"content_available":1}}"#))) == ["key", "headers"])
    #expect(problem(Self.explain(.silent, Phone.traits(modes: []))) == ["background-mode"])
    #expect(problem(Self.explain(.silent, Phone.traits(nil))) == ["entitlement-and-server"])
    #expect(problem(Self.explain(life: .forceQuit)) == ["app-opened"])
    #expect(problem(Self.explain { $0.app.allowsBackgroundRefresh = false }) == ["user-settings"])
    #expect(problem(Self.explain { $0.wakesBefore = 2 }) == [])
    #expect(problem(Self.explain { $0.wakesBefore = 3 }) == ["gap"])
  }

  // MARK: - The table

  static func table(_ profile: DeliveryProfile) -> [String] {
    let matrix = DeliveryMatrix(profile: profile)
    return PushApp.Life.allCases.map { life in
      life.rawValue + ": " + matrix.cells.filter { $0.life == life }.map(\.words).joined(separator: ", ")
    }
  }

  @Test func theTableAsDocumented() {
    #expect(
      Self.table(.strict) == [
        "not-installed: uninstalled, background-priority-10, uninstalled, uninstalled, uninstalled, uninstalled, "
          + "uninstalled",
        "never-launched: never-launched, never-launched, never-launched, never-launched, never-launched, "
          + "never-launched, never-launched",
        "foreground: wakes, background-priority-10, type-mismatch, app-in-foreground, wakes, app-in-foreground, "
          + "nothing-to-do",
        "background: wakes, background-priority-10, type-mismatch, shows, wakes and shows, shows, nothing-to-do",
        "suspended: wakes, background-priority-10, type-mismatch, shows, wakes and shows, shows, nothing-to-do",
        "terminated: wakes, background-priority-10, type-mismatch, shows, wakes and shows, shows, nothing-to-do",
        "force-quit: force-quit, background-priority-10, type-mismatch, shows, shows, shows, nothing-to-do",
      ])
  }

  /// push 7.11.
  @Test func theTableAsObserved() {
    #expect(
      Self.table(.field)[4] == "suspended: wakes, wakes, wakes, shows, wakes and shows, shows, nothing-to-do")
  }

  /// Such pushes go to PushKit, to ActivityKit or to an extension: no rule says that they wake nothing.
  @Test(arguments: [PushType.voip, .liveactivity, .widgets])
  func aTypeThatIsNotSimulatedLeavesTheAnswerOpen(type: PushType) {
    let explanation = Self.explain(.read(#"{"aps":{}}"#, kind: type))
    #expect(explanation.wakes.verdict == .unknown && explanation.shows.verdict == .unknown)
    #expect(explanation.wakes.reason == .otherType && explanation.wakes.certainty == .inferred)
    #expect(
      explanation.changes(for: .wake) == [.otherType] && explanation.changes(for: .show) == [.otherType])
    #expect(!DeliveryReason.otherType.facts.change.contains("alert"))
    for step in explanation.steps where DeliveryGate.ofWake.contains(step.gate) || step.gate == .display {
      #expect(step.answer.verdict == .notAsked, "\(step.gate)")
    }
    #expect(!explanation.checks.contains { $0.verdict == .problem })
    #expect(explanation.notKnown.contains { $0.contains("PushKit") })
    // What APNs refuses is known of every type.
    let refused = Self.explain(.read(#"{"aps":{}}"#, kind: type).about("com.example.other"))
    #expect(refused.wakes.verdict == .no)
  }
}
