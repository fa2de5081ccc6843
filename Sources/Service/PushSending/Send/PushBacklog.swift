package import DeviceRegistry
package import LinkspanCore
package import LinkspanServer
internal import PushTerms
internal import RegistryRequests

/// What waits in the registry of a server that sends nothing itself: where no server has a key, nothing else tells of it.
package final class PushBacklog: Sendable {
  /// Ours: about as often as a sender counts.
  package static let periodMilliseconds: Int64 = 5_000

  private struct State {
    var isAsked = false
    var sizes: [PushEnvironment: RegistrySize] = [:]
    var lagMilliseconds: Int64 = 0
  }

  private let registry: Registry
  private let state = LockedState(State())

  package init(_ registry: Registry) { self.registry = registry }

  /// Has the store counted, without waiting for it.
  ///
  /// - Parameter then: Called when it has.
  package func look(at now: WallTime, then: @escaping @Sendable () -> Void = {}) {
    let mayAsk = state.withLock { state in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    guard mayAsk else { return }
    registry.ask({ store throws(RegistryError) in
      var sizes: [PushEnvironment: RegistrySize] = [:]
      for environment in PushEnvironment.allCases { sizes[environment] = try store.size(environment) }
      return (sizes, try store.oldestUnfinishedDue(at: now))
    }) { [self] answer in
      state.withLock { state in
        state.isAsked = false
        // What cannot be counted now is counted the next time; a store that fails is told of elsewhere.
        guard case .success(let (sizes, oldest)) = answer else { return }
        state.sizes = sizes
        state.lagMilliseconds = oldest.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
      }
      then()
    }
  }

  /// Adds its families, which are those of a server that sends, to a page of metrics.
  package func write(to page: inout MetricsPage) {
    let state = state.withLock { $0 }
    SenderCounters.write(state.sizes, lagMilliseconds: state.lagMilliseconds, to: &page)
  }
}
