package import DeviceRegistry
internal import Dispatch
internal import Glibc
internal import HTTPEngine
package import LinkspanCore
internal import LinkspanSystem
package import PushCampaigns
package import PushProvider
package import PushTerms
internal import RegistryRequests

/// Sends what is due in one environment with one key, on a thread of its own, until it is stopped.
///
/// Everything that it is going to send is stored as such before it goes out, and everything that came of it afterwards, in
/// one transaction with what it takes next. A sender that is killed leaves deliveries that may have gone out; whoever
/// takes them over marks them so.
package final class PushSender: Sendable {
  /// Pushes that a sender holds at a time for each connection. Ours: enough for APNs' usual answers, and few enough to be
  /// marked when it is killed.
  static let window = 200
  /// The same at first; it doubles with each batch whose ends are stored, so that a server that dies again and again sends
  /// few pushes twice. Ours.
  static let firstWindow = 16

  private struct Control {
    var account: SenderAccount?
    var isStopping = false
  }

  private let control: LockedState<Control>
  private let ended = DispatchSemaphore(value: 0)
  private let watch: RegistryWatch
  package var registry: Registry { watch.registry }
  package let environment: PushEnvironment
  package let settings: SenderSettings
  package let counters: SenderCounters
  /// The rules of a time zone.
  package let zone: @Sendable (String) -> TimeZoneRules?
  package let surroundings: SenderSurroundings
  /// Takes what an operator should know.
  package let report: @Sendable (LinkspanError) -> Void
  /// Takes that APNs cannot be reached any more, or can again.
  package let noteReach: @Sendable (SenderReach.Change) -> Void
  /// Takes that APNs fails or refuses the key, and that it works again.
  package let noteHealth: @Sendable (PushHealth.Change, ProviderKeyIdentity) -> Void

  package init(
    _ watch: RegistryWatch, _ environment: PushEnvironment, _ settings: SenderSettings,
    _ account: SenderAccount, _ counters: SenderCounters,
    zone: @escaping @Sendable (String) -> TimeZoneRules?, report: @escaping @Sendable (LinkspanError) -> Void,
    noteReach: @escaping @Sendable (SenderReach.Change) -> Void,
    noteHealth: @escaping @Sendable (PushHealth.Change, ProviderKeyIdentity) -> Void
  ) throws(LinkspanError) {
    control = LockedState(Control(account: account))
    self.watch = watch
    self.environment = environment
    self.settings = settings
    self.counters = counters
    self.zone = zone
    self.report = report
    self.noteReach = noteReach
    self.noteHealth = noteHealth
    surroundings = .real
    try DetachedThread.start { [self] in
      var run = SenderRun(self)
      run.run()
      ended.signal()
    }
  }

  /// A sender without a thread, whose loop somebody else turns.
  package init(
    _ registry: Registry, _ environment: PushEnvironment, _ settings: SenderSettings,
    _ account: SenderAccount,
    _ surroundings: SenderSurroundings, report: @escaping @Sendable (LinkspanError) -> Void
  ) {
    control = LockedState(Control(account: account))
    watch = RegistryWatch(registry, now: surroundings.now) { _ in }
    self.environment = environment
    self.settings = settings
    // It turns when somebody turns it.
    counters = SenderCounters(uptime: { .zero })
    zone = { _ in nil }
    self.report = report
    noteReach = { _ in }
    noteHealth = { _, _ in }
    self.surroundings = surroundings
  }

  /// Has what is sent from now on proved by another key; what is under way still ends.
  package func replaceAccount(_ account: SenderAccount) { control.withLock { $0.account = account } }

  /// Stops the sender from claiming more deliveries.
  package func askToStop() { control.withLock { $0.isStopping = true } }

  /// Waits until it has stored what is known of what is under way, and given the rest free.
  package func stop() {
    askToStop()
    ended.wait()
  }

  /// A new account to use, once.
  func takeAccount() -> SenderAccount? {
    control.withLock { control in
      defer { control.account = nil }
      return control.account
    }
  }

  /// Takes that a scheduled campaign began, or paused because it had grown.
  func noteStart(_ campaign: StartedCampaign) {
    counters.noteStart(isPaused: campaign.isPaused)
    if campaign.endsSeries {
      report(
        LinkspanError(
          "The series of campaign \(campaign.identifier) (\(campaign.topic)) ends with it: no day until the year 9999 fits"
            + " its 'repeat'.", help: "Create a campaign with a shorter INTERVAL."))
    }
    guard campaign.isPaused else { return }
    report(
      LinkspanError(
        "Campaign \(campaign.identifier) (\(campaign.topic)) would reach \(campaign.devices) devices at its start, and it"
          + " was confirmed for \(campaign.expected). It is paused.",
        help:
          "Check its conditions; 'linkspan push campaign resume \(campaign.identifier)' sends it to all of them."
      ))
  }

  /// Takes that a campaign paused because this build does not understand all of it.
  func note(_ campaign: MisunderstoodCampaign) {
    report(
      LinkspanError(
        "Campaign \(campaign.identifier) (\(campaign.topic)) has \(campaign.unread.joined(separator: ", ")), which this"
          + " version does not understand: it could reach other devices, or at other times. It is paused.",
        help: "Start the version that made it, then 'linkspan push campaign resume \(campaign.identifier)'."))
  }

  /// Takes what went wrong with the registry.
  func noteFailure(_ error: RegistryError) {
    watch.note(error)
    if watch.isNews(error) { report(LinkspanError(error)) }
  }

  package var isStopping: Bool { control.withLock { $0.isStopping } }
}
