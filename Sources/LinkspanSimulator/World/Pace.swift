import LinkspanCore

/// The world's clock as its parties use it.
struct Pace: Sendable {
  let clock: VirtualClock

  /// Virtual time since the story began.
  var now: Duration { clock.now.offset }

  /// Lets virtual time pass. Parties are never cancelled; were one, its pause would simply end early.
  func pause(_ duration: Duration) async {
    guard duration > .zero else { return }
    do { try await clock.sleep(for: duration) } catch { return }
  }

  func pause(until moment: Duration) async { await pause(moment - now) }
}
