internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanFiles

/// A registry, and whether its PostgreSQL was lost: who reads the log is told that it is back as well.
final class RegistryWatch: Sendable {
  private struct State {
    var isLost = false
    /// Whether an answer is awaited.
    var isAsked = false
  }

  /// Ours: how often a lost server is asked.
  static let periodMilliseconds: Int64 = 1_000

  let registry: Registry
  private let report: @Sendable (String) -> Void
  private let state = LockedState(State())

  /// - Parameter report: Takes the word that it is back.
  init(_ registry: Registry, report: @escaping @Sendable (String) -> Void) {
    self.registry = registry
    self.report = report
  }

  /// Takes what went wrong with the registry.
  func note(_ error: RegistryError) {
    if error.isDisconnected { state.withLock { $0.isLost = true } }
  }

  /// Asks a server that was lost whether it is back, without waiting for the answer: no client may ask for hours.
  func look() {
    let mayAsk = state.withLock { state in
      guard state.isLost, !state.isAsked else { return false }
      state.isAsked = true
      return true
    }
    guard mayAsk else { return }
    registry.ask({ store throws(RegistryError) in try store.leaseClock(CurrentTime.now) }) { [self] answer in
      let isBack = state.withLock { state in
        state.isAsked = false
        guard case .success = answer else { return false }
        state.isLost = false
        return true
      }
      if isBack { report("the registry's PostgreSQL answers again") }
    }
  }
}
