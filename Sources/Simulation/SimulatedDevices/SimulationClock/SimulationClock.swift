package import LinkspanCore

/// The clock of a simulated world as its parties use it: what time it is, and waiting.
package struct SimulationClock: Sendable {
  private let virtual: VirtualClock

  package init(_ virtual: VirtualClock) { self.virtual = virtual }

  /// Virtual time since the story began.
  package var now: Duration { virtual.now.offset }

  /// Lets virtual time pass. Parties are never cancelled; were one, its pause would simply end early.
  package func pause(_ duration: Duration) async {
    guard duration > .zero else { return }
    do { try await virtual.sleep(for: duration) } catch { return }
  }

  package func pause(until moment: Duration) async { await pause(moment - now) }
}
