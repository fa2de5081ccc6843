/// Whose word counts where Apple's documentation and reports disagree.
package enum DeliveryProfile: String, Hashable, Sendable, CaseIterable {
  /// As documented.
  case strict
  /// As observed: a background push of priority 10 wakes (push 7.11), a TestFlight build may be refused (push 7.10), and
  /// APNs sometimes keeps the older of two pushes (push 7.12).
  case field
}
