package import DeviceRegistry
internal import LinkspanCore
package import LinkspanServer
internal import RegistryRequests

/// What the registry's routes have done since the start.
package final class RegistryCounters: Sendable {
  package enum Event: String, CaseIterable, Sendable {
    case registeredNew, registeredKnown, removed, erased
    case unauthorized, forbidden, rateLimited
    case unavailable, uncertain, overloaded, failed

    init(_ error: RegistryError) {
      switch error.kind {
      case .unavailable, .unfinishedErasure: self = .unavailable
      case .uncertain: self = .uncertain
      case .overloaded: self = .overloaded
      default: self = .failed
      }
    }
  }

  private let counts = LockedState<[Event: Int]>([:])

  package init() {}

  func count(_ event: Event, by number: Int = 1) {
    counts.withLock { $0[event, default: 0] += number }
  }

  /// Adds the registry's families to a page of metrics.
  ///
  /// - Parameters:
  ///   - waiting: Changes that wait for the store.
  ///   - times: How long those before them waited.
  ///   - journal: How old the oldest message in the journal is, and how long it is kept; nil where another process removes it.
  package func write(
    waiting: Int, times: TimeHistogram, journal: (age: Duration, kept: Duration)? = nil,
    to page: inout MetricsPage
  ) {
    let counts = counts.withLock { $0 }
    func family(_ name: String, _ help: String, _ label: String, _ events: [(String, Event)]) {
      page.family(name, .counter, help)
      for (value, event) in events { page.sample(name, [(label, value)], counts[event] ?? 0) }
    }
    family(
      "linkspan_registry_devices_total", "Devices that were registered or removed, each durable.", "change",
      [("new", .registeredNew), ("known", .registeredKnown), ("removed", .removed), ("erased", .erased)])
    family(
      "linkspan_registry_refusals_total", "Requests that a credential or a limit did not allow.", "reason",
      [("unauthorized", .unauthorized), ("forbidden", .forbidden), ("rate_limit", .rateLimited)])
    family(
      "linkspan_registry_failures_total", "Requests that the registry's store did not answer.", "reason",
      [
        ("unavailable", .unavailable), ("uncertain", .uncertain), ("overloaded", .overloaded),
        ("failed", .failed),
      ])
    page.family("linkspan_registry_waiting", .gauge, "Changes that wait for the registry's store.", waiting)
    page.histogram(
      "linkspan_registry_change_seconds",
      "How long changes waited for the registry's store, each until it was durable or refused.",
      bounds: times.bounds.map(MetricsPage.seconds), counts: times.counts,
      sum: MetricsPage.seconds(times.sumMilliseconds))
    guard let journal else { return }
    page.family(
      "linkspan_push_journal_oldest_seconds", .gauge,
      "How long ago the oldest message was stored whose journal is kept.",
      Int(journal.age.wholeMilliseconds / 1_000))
    page.family(
      "linkspan_push_journal_kept_seconds", .gauge,
      "How long the journal is kept after a message has ended, in the lane that keeps it longest.",
      Int(journal.kept.wholeMilliseconds / 1_000))
  }
}
