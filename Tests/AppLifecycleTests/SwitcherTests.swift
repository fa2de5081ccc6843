import AppLifecycle
import Testing

/// What can be seen of a private app (LC4, LC5, SR6, SR7).
@Suite struct SwitcherTests {
  private func outcome(_ event: ScreenEvent, _ policy: CoverPolicy) -> ScreenOutcome {
    .of(event, policy: policy)
  }

  struct PolicyRow: Sendable {
    var policy: CoverPolicy
    var switcher: ScreenOutcome.Card
    var race: ScreenOutcome.Card
    var raceDisturbance: ScreenOutcome.Disturbance
    var prompts: ScreenOutcome.Disturbance
  }

  /// The published table of policies, and more of them; where the table is blank, what the machine says.
  static let policies: [PolicyRow] = [
    PolicyRow(
      policy: .none, switcher: .visibleLive, race: .visibleLive, raceDisturbance: .none, prompts: .none),
    PolicyRow(policy: .onResign, switcher: .hidden, race: .hidden, raceDisturbance: .none, prompts: .flash),
    PolicyRow(
      policy: .onBackground, switcher: .visibleLive, race: .visibleLive, raceDisturbance: .none,
      prompts: .none),
    PolicyRow(
      policy: .resignToForeground, switcher: .hidden, race: .hidden, raceDisturbance: .stuck, prompts: .stuck),
    PolicyRow(
      policy: .windowAboveAlerts, switcher: .hidden, race: .hidden, raceDisturbance: .none, prompts: .flash),
    PolicyRow(policy: .scenePhase, switcher: .hidden, race: .hidden, raceDisturbance: .none, prompts: .flash),
    PolicyRow(
      policy: .privateNotification, switcher: .visibleLive, race: .hidden, raceDisturbance: .stuck,
      prompts: .none),
    PolicyRow(
      policy: .secureTextField, switcher: .unknown, race: .unknown, raceDisturbance: .none, prompts: .none),
  ]

  @Test(arguments: policies) func isTheTableOfPolicies(_ row: PolicyRow) {
    #expect(outcome(.switcher, row.policy).card == row.switcher)
    let race = outcome(.doublePressRace, row.policy)
    #expect(race.card == row.race)
    #expect(race.disturbance == row.raceDisturbance)
    for prompt in [ScreenEvent.controlCentre, .alert, .biometricPrompt] {
      #expect(outcome(prompt, row.policy).disturbance == row.prompts, "\(prompt)")
    }
  }

  @Test func everyPolicyIsInTheTable() {
    #expect(Set(Self.policies.map(\.policy)) == Set(CoverPolicy.allCases))
  }

  @Test(arguments: CoverPolicy.allCases) func theSnapshotIsTakenAfterTheBackground(_ policy: CoverPolicy)
    throws
  {
    let steps = outcome(.home, policy).steps
    let background = try #require(
      steps.firstIndex { $0.name.contains("DidEnterBackground") || $0.name == "scenePhase == .background" })
    let snapshot = try #require(steps.firstIndex { $0.name == "snapshot" })
    #expect(background < snapshot)
    #expect(outcome(.home, policy).snapshot == (policy == .none ? .privateContent : .cover))
    #expect(outcome(.switcher, policy).snapshot == nil)
  }

  @Test func theRaceNeverEntersTheBackground() {
    let steps = outcome(.doublePressRace, .onBackground).steps
    #expect(!steps.contains { $0.name.contains("DidEnterBackground") })
    #expect(steps.contains { $0.kind == .shows(.privateContent, at: .liveCard) })
  }

  @Test func theSimulatorDoesNotReproduceTheRace() {
    var simulator = ScreenMachine.Surroundings()
    simulator.isSimulator = true
    let outcome = ScreenOutcome.of(.doublePressRace, policy: .onBackground, surroundings: simulator)
    #expect(outcome.card == .hidden)
    #expect(outcome.snapshot == .cover)
    #expect(!outcome.exposes)
  }

  @Test func onlyAWindowAboveAlertsCoversPresentedControllers() {
    var presenting = ScreenMachine.Surroundings()
    presenting.presents = true
    #expect(ScreenOutcome.of(.switcher, policy: .windowAboveAlerts, surroundings: presenting).card == .hidden)
    #expect(ScreenOutcome.of(.switcher, policy: .onResign, surroundings: presenting).card == .visibleLive)
  }

  @Test func theSecureLayerBroke() {
    var broken = ScreenMachine.Surroundings()
    broken.secureLayerIsBroken = true
    #expect(ScreenOutcome.of(.home, policy: .secureTextField).snapshot == .cover)
    #expect(
      ScreenOutcome.of(.home, policy: .secureTextField, surroundings: broken).snapshot == .privateContent)
  }

  @Test(arguments: [CoverPolicy.onResign, .onBackground, .windowAboveAlerts]) func aDefectExposesThePicture(
    _ policy: CoverPolicy
  ) {
    var machine = ScreenMachine(AppProcess(AppShape(.scene)), policy: policy, defect: .uncoversBeforeSnapshot)
    _ = machine.perform(.open)
    #expect(machine.perform(.home).last?.kind == .snapshot(.privateContent))
  }

  @Test func nothingHappensToAnAppThatDoesNotLaunch() {
    var machine = ScreenMachine(AppProcess(AppShape(.appDelegate, sdk: 27)), policy: .onResign)
    #expect(machine.perform(.home).map(\.kind) == [.launchRefused])
    #expect(machine.process.state == .notRunning)
  }
}
