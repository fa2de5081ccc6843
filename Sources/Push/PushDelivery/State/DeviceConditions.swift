/// What the device is like, as far as pushes care.
package struct DeviceConditions: Hashable, Sendable {
  package enum Power: String, Hashable, Sendable, CaseIterable {
    case normal
    /// Low Power Mode, or a battery that the system spares.
    case low
    /// Nearly empty: nothing runs in the background.
    case critical
  }

  package var isOnline = true
  package var power = Power.normal
  /// The screen is on and somebody uses the device.
  package var isInUse = false
  /// A debugger is attached, which lifts the budgets (push 7.8).
  package var hasDebugger = false

  package init() {}
}
