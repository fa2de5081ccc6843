internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import PushProvider
internal import PushTerms

/// What the senders of this process have done since its start.
final class SenderCounters: Sendable {
  private struct Numbers {
    var ends: [DeliveryState: [String: Int]] = [:]
    var retries: [String: Int] = [:]
    var maybeTwice = 0
    var forgotten = 0
    var takenOver = 0
    var started = 0
    var grown = 0
    var storeFailures = 0
    var underWay: [PushEnvironment: Int] = [:]
    var held: Set<PushEnvironment> = []
    var lagMilliseconds: Int64 = 0
  }

  private let numbers = LockedState(Numbers())

  func note(_ recorded: RegistryStore.Recorded) {
    numbers.withLock { numbers in
      for (state, reasons) in recorded.ends {
        for (reason, count) in reasons { numbers.ends[state, default: [:]][reason, default: 0] += count }
      }
      numbers.forgotten += recorded.forgotten
    }
  }

  func noteRetry(_ reason: String, isMaybeTwice: Bool) {
    numbers.withLock { numbers in
      // What a connection says may be anything; answers of APNs are few.
      let known = RejectionReason(rawValue: reason) != nil ? reason : "connection"
      numbers.retries[known, default: 0] += 1
      if isMaybeTwice { numbers.maybeTwice += 1 }
    }
  }

  func noteTakenOver(_ count: Int) { numbers.withLock { $0.takenOver += count } }

  func noteStart(isPaused: Bool) {
    numbers.withLock { numbers in
      if isPaused { numbers.grown += 1 } else { numbers.started += 1 }
    }
  }

  func noteStoreFailure() { numbers.withLock { $0.storeFailures += 1 } }

  func show(underWay: Int, isHeld: Bool, of environment: PushEnvironment) {
    numbers.withLock { numbers in
      numbers.underWay[environment] = underWay
      if isHeld { numbers.held.insert(environment) } else { numbers.held.remove(environment) }
    }
  }

  func show(lag: Duration) { numbers.withLock { $0.lagMilliseconds = lag.wholeMilliseconds } }

  /// Adds the senders' families to a page of metrics.
  func write(to page: inout MetricsPage) {
    let numbers = numbers.withLock { $0 }
    page.family(
      "linkspan_push_deliveries_total", .counter, "Pushes that ended, by APNs' last reason, each durable.")
    for state in DeliveryState.final {
      for (reason, count) in (numbers.ends[state] ?? [:]).sorted(by: { $0.key < $1.key }) {
        page.sample(
          "linkspan_push_deliveries_total", [("outcome", state.rawValue), ("reason", reason)], count)
      }
    }
    page.family(
      "linkspan_push_retries_total", .counter, "Attempts after which a push is sent again later, by reason.")
    for (reason, count) in numbers.retries.sorted(by: { $0.key < $1.key }) {
      page.sample("linkspan_push_retries_total", [("reason", reason)], count)
    }
    page.family(
      "linkspan_push_lost_answers_total", .counter,
      "Attempts whose answer never came, so that APNs may get the push twice.", numbers.maybeTwice)
    page.family(
      "linkspan_push_tokens_forgotten_total", .counter, "Devices that APNs called dead.", numbers.forgotten)
    page.family(
      "linkspan_push_taken_over_total", .counter, "Pushes taken over from senders whose lease ended.",
      numbers.takenOver)
    page.family(
      "linkspan_push_store_failures_total", .counter,
      "Times that the senders could not reach the registry's store.", numbers.storeFailures)
    page.family(
      "linkspan_push_campaigns_started_total", .counter, "Scheduled campaigns that began.", numbers.started)
    page.family(
      "linkspan_push_campaigns_grown_total", .counter,
      "Scheduled campaigns that paused at their start, because more devices matched than were confirmed.",
      numbers.grown)
    page.family("linkspan_push_under_way", .gauge, "Pushes that this process holds.")
    for environment in PushEnvironment.allCases {
      page.sample(
        "linkspan_push_under_way", [("environment", environment.rawValue)],
        numbers.underWay[environment] ?? 0)
    }
    page.family("linkspan_push_held", .gauge, "1 while APNs refuses the key, so that nothing is sent.")
    for environment in PushEnvironment.allCases {
      let label = [("environment", environment.rawValue)]
      page.sample("linkspan_push_held", label, numbers.held.contains(environment) ? 1 : 0)
    }
    let seconds =
      "\(numbers.lagMilliseconds / 1_000).\(String("00\(numbers.lagMilliseconds % 1_000)".suffix(3)))"
    page.family(
      "linkspan_push_lag_seconds", .gauge,
      "How long ago the oldest push was due that has not ended, retries included.")
    page.sample("linkspan_push_lag_seconds", [], seconds)
  }
}
