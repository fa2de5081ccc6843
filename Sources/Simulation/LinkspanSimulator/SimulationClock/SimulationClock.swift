import LinkspanCore

/// The clock of a simulated world as its parties use it: what time it is, and waiting.
struct SimulationClock: Sendable {
  private let virtual: VirtualClock

  init(_ virtual: VirtualClock) { self.virtual = virtual }

  /// Virtual time since the story began.
  var now: Duration { virtual.now.offset }

  /// Lets virtual time pass. Parties are never cancelled; were one, its pause would simply end early.
  func pause(_ duration: Duration) async {
    guard duration > .zero else { return }
    do { try await virtual.sleep(for: duration) } catch { return }
  }

  func pause(until moment: Duration) async { await pause(moment - now) }
}
