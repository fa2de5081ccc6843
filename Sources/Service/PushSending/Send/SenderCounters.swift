package import DeviceRegistry
internal import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer
package import PushProvider
package import PushTerms
internal import RegistryDatabases

/// What the senders of this process have done since its start.
package final class SenderCounters: Sendable {
  private struct Numbers {
    var ends: [DeliveryState: [String: Int]] = [:]
    var retries: [String: Int] = [:]
    var maybeTwice = 0
    var forgotten = 0
    var takenOver = 0
    var started = 0
    var grown = 0
    var storeFailures = 0
    var senders: [Place: Standing] = [:]
    var outageCounts: [PushEnvironment: [PushHealth.Cause: Int]] = [:]
    var unreachable: [PushEnvironment: String] = [:]
    var attempts: [PushEnvironment: [Attempt: Int]] = [:]
    var times = SenderTimes()
    var sizes: [PushEnvironment: RegistrySize] = [:]
    var lagMilliseconds: Int64 = 0

    var keys: Set<ProviderKeyIdentity> { Set(senders.keys.map(\.key)) }

    var ordered: [(Place, Standing)] {
      senders.sorted {
        ($0.key.environment.rawValue, $0.key.key.team, $0.key.key.key)
          < ($1.key.environment.rawValue, $1.key.key.team, $1.key.key.key)
      }.map { ($0.key, $0.value) }
    }

    func outages(_ environment: PushEnvironment) -> [(ProviderKeyIdentity, PushHealth.Outage)] {
      ordered.compactMap { place, sender in
        place.environment == environment ? sender.outage.map { (place.key, $0) } : nil
      }
    }

    func has(_ cause: PushHealth.Cause, _ environment: PushEnvironment) -> Bool {
      outages(environment).contains { $0.1.cause == cause }
    }

    /// How long ago the sender turned that has been stuck for longest; nil without one.
    func turnAge(_ environment: PushEnvironment, at now: Duration) -> Duration? {
      senders.filter { $0.key.environment == environment }.map { max(.zero, now - $0.value.turnedAt) }.max()
    }

    func underWay(_ environment: PushEnvironment) -> Int {
      senders.reduce(0) { $0 + ($1.key.environment == environment ? $1.value.underWay : 0) }
    }
  }

  /// What a sender showed when its loop turned last.
  private struct Standing {
    var underWay: Int
    var outage: PushHealth.Outage?
    /// By ``uptime``.
    var turnedAt: Duration
  }

  /// A key in an environment.
  private struct Place: Hashable {
    var key: ProviderKeyIdentity
    var environment: PushEnvironment
  }

  /// What came of an attempt.
  private enum Attempt: String, CaseIterable {
    case accepted
    /// About this push or this device.
    case rejected
    /// Too many pushes for one device.
    case throttled
    /// 5xx, or an answer in APNs' place.
    case failed
    /// The key or the certificate.
    case refused
    /// Sent, and not answered.
    case lost
    /// Not sent: no connection came about.
    case unreachable

    init(_ result: PushResult) {
      switch result.outcome {
      case .accepted: self = .accepted
      case .rejected(let rejection):
        let reason = rejection.reason.flatMap(RejectionReason.init(rawValue:))
        self = reason?.isAboutCredential == true ? .refused : .rejected
      case .notNow(let delay):
        switch delay.status {
        case nil: self = result.isPossibleDuplicate ? .lost : .unreachable
        case 403: self = .refused
        case 429 where delay.reason != RejectionReason.tooManyProviderTokenUpdates.rawValue: self = .throttled
        default: self = .failed
        }
      }
    }
  }

  private let numbers = LockedState(Numbers())
  /// A clock that nobody sets.
  private let uptime: @Sendable () -> Duration
  /// Ours: a sender's loop turns 20 times a second, and waits for a store that fails for 10 s.
  private static let longestTurn = Duration.seconds(60)

  package init(uptime: @escaping @Sendable () -> Duration = { CurrentTime.uptime }) { self.uptime = uptime }

  package func note(_ recorded: RegistryStore.Recorded) {
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

  /// Takes an attempt's result.
  func note(_ result: PushResult, _ flight: SenderLane.Flight, at now: WallTime) {
    // What was taken back because the key is refused was no attempt.
    guard result.attemptCount > 0 else { return }
    let environment = flight.series.environment
    let isAnswered = if case .notNow(let delay) = result.outcome { delay.status != nil } else { true }
    let isAccepted = if case .accepted = result.outcome { true } else { false }
    numbers.withLock { numbers in
      numbers.attempts[environment, default: [:]][Attempt(result), default: 0] += 1
      guard isAnswered else { return }
      numbers.times.note(
        flight.series, answered: now.milliseconds - flight.sentAt.milliseconds,
        accepted: isAccepted ? now.milliseconds - flight.createdAt.milliseconds : nil)
    }
  }

  package func note(_ change: PushHealth.Change, _ environment: PushEnvironment) {
    guard case .began(let outage) = change else { return }
    numbers.withLock { $0.outageCounts[environment, default: [:]][outage.cause, default: 0] += 1 }
  }

  /// - Returns: Whether that is new: the senders of several keys find it out one after the other.
  package func note(_ change: SenderReach.Change, _ environment: PushEnvironment) -> Bool {
    numbers.withLock { numbers in
      let wasUnreachable = numbers.unreachable[environment] != nil
      switch change {
      case .unreachable(let reason, _):
        numbers.unreachable[environment] = reason
        return !wasUnreachable
      case .reachable:
        numbers.unreachable[environment] = nil
        return wasUnreachable
      }
    }
  }

  package func show(
    underWay: Int, _ outage: PushHealth.Outage?, of key: ProviderKeyIdentity, _ environment: PushEnvironment
  ) {
    let place = Place(key: key, environment: environment)
    let standing = Standing(underWay: underWay, outage: outage, turnedAt: uptime())
    numbers.withLock { $0.senders[place] = standing }
  }

  package var hasSeveralKeys: Bool { numbers.withLock { $0.keys.count > 1 } }

  /// Takes that a key is used no more.
  package func forget(_ key: ProviderKeyIdentity, _ environment: PushEnvironment) {
    let place = Place(key: key, environment: environment)
    numbers.withLock { $0.senders[place] = nil }
  }

  package func show(_ size: RegistrySize, of environment: PushEnvironment) {
    numbers.withLock { $0.sizes[environment] = size }
  }

  /// Why APNs takes no pushes, where that is known; nil while it does.
  package var problem: String? {
    let (numbers, now) = (numbers.withLock { $0 }, uptime())
    for environment in PushEnvironment.allCases {
      let name = "APNs (\(environment.rawValue))"
      if let age = numbers.turnAge(environment, at: now), age > Self.longestTurn {
        return "The sender to \(name) has been stuck for \(age.components.seconds) s, so nothing goes out."
      }
      if let (key, outage) = numbers.outages(environment).first {
        let which = numbers.keys.count > 1 ? " \(key.key)" : ""
        switch outage.cause {
        case .service: return "\(name) fails\(which.isEmpty ? "" : " for the key\(which)"): \(outage.reason)."
        case .credential: return "\(name) refuses the key\(which): \(outage.reason)."
        }
      }
      if let reason = numbers.unreachable[environment] { return "\(name) cannot be reached: \(reason)." }
    }
    return nil
  }

  package func show(lag: Duration) { numbers.withLock { $0.lagMilliseconds = lag.wholeMilliseconds } }

  /// Adds the senders' families to a page of metrics.
  package func write(to page: inout MetricsPage) {
    let (numbers, now) = (numbers.withLock { $0 }, uptime())
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
        numbers.underWay(environment))
    }
    page.family(
      "linkspan_push_turn_age_seconds", .gauge,
      "How long ago the loop of a sender turned last, of the one that has been stuck for longest.")
    // Nothing that fell due since has gone out, and a stuck sender does not tell.
    var lag = numbers.lagMilliseconds
    for environment in PushEnvironment.allCases {
      guard let age = numbers.turnAge(environment, at: now) else { continue }
      page.sample(
        "linkspan_push_turn_age_seconds", [("environment", environment.rawValue)],
        MetricsPage.seconds(age.wholeMilliseconds))
      if age > Self.longestTurn { lag = max(lag, age.wholeMilliseconds) }
    }
    writeHealth(numbers, to: &page)
    numbers.times.write(to: &page)
    Self.write(numbers.sizes, lagMilliseconds: lag, to: &page)
  }

  private func writeHealth(_ numbers: Numbers, to page: inout MetricsPage) {
    page.family("linkspan_push_attempts_total", .counter, "Attempts that ended, by what came of them.")
    for environment in PushEnvironment.allCases {
      for attempt in Attempt.allCases {
        page.sample(
          "linkspan_push_attempts_total",
          [("environment", environment.rawValue), ("result", attempt.rawValue)],
          numbers.attempts[environment]?[attempt] ?? 0)
      }
    }
    page.family("linkspan_push_held", .gauge, "1 while APNs refuses the key, so that nothing is sent.")
    for environment in PushEnvironment.allCases {
      page.sample(
        "linkspan_push_held", [("environment", environment.rawValue)],
        numbers.has(.credential, environment) ? 1 : 0)
    }
    page.family(
      "linkspan_push_outage", .gauge,
      "1 while nothing but probes is sent, because APNs fails or refuses the key.")
    let series = PushEnvironment.allCases.flatMap { environment in
      PushHealth.Cause.allCases.map { (environment, $0) }
    }
    for (environment, cause) in series {
      page.sample(
        "linkspan_push_outage", [("environment", environment.rawValue), ("cause", cause.rawValue)],
        numbers.has(cause, environment) ? 1 : 0)
    }
    if numbers.keys.count > 1 {
      page.family(
        "linkspan_push_key_outage", .gauge,
        "1 while nothing but probes is sent with this key of several, because APNs fails or refuses it.")
      for (place, sender) in numbers.ordered {
        for cause in PushHealth.Cause.allCases {
          let labels = [
            ("environment", place.environment.rawValue), ("team", place.key.team), ("key", place.key.key),
            ("cause", cause.rawValue),
          ]
          page.sample("linkspan_push_key_outage", labels, sender.outage?.cause == cause ? 1 : 0)
        }
      }
    }
    page.family(
      "linkspan_push_outages_total", .counter, "Times that sending stopped until a probe was taken.")
    for (environment, cause) in series {
      page.sample(
        "linkspan_push_outages_total", [("environment", environment.rawValue), ("cause", cause.rawValue)],
        numbers.outageCounts[environment]?[cause] ?? 0)
    }
  }

  /// What waits, and for how long.
  static func write(
    _ sizes: [PushEnvironment: RegistrySize], lagMilliseconds: Int64, to page: inout MetricsPage
  ) {
    page.family(
      "linkspan_push_lag_seconds", .gauge,
      "How long ago the oldest push was due that has not ended, retries included.")
    page.sample("linkspan_push_lag_seconds", [], MetricsPage.seconds(lagMilliseconds))
    guard let last = sizes.first?.value else { return }
    page.family(
      "linkspan_push_backlog", .gauge, "Pushes of running messages that have not ended, by lane.")
    for (environment, size) in sizes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for kind in [Message.Kind.notification, .campaign] {
        let labels = [("environment", environment.rawValue), ("lane", PushLane(kind).rawValue)]
        page.sample("linkspan_push_backlog", labels, Int(size.backlog[kind] ?? 0))
      }
    }
    page.family("linkspan_push_journal_lines", .gauge, "Lines of the journal, about.", Int(last.journalLines))
    page.family("linkspan_registry_bytes", .gauge, "What the registry's store takes.", Int(last.bytes))
  }
}
