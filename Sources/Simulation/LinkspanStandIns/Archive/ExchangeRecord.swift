internal import LinkspanCore
internal import LinkspanSimulator
import SimulatedDevices

/// What went over the wire of a stand-in, for its archive.
final class ExchangeRecord: Sendable {
  /// Ours: beyond it the first ones are kept and the rest is not.
  private static let limit = 10_000

  private let isKeeping: Bool
  private let kept = LockedState<[Exchange]>([])

  init(isKeeping: Bool) { self.isKeeping = isKeeping }

  func add(_ exchange: Exchange) {
    guard isKeeping else { return }
    kept.withLock { if $0.count < Self.limit { $0.append(exchange) } }
  }

  /// By the moment each began; of two at one moment the one that ended first.
  var exchanges: [Exchange] {
    kept.withLock { $0.enumerated() }
      .sorted { ($0.element.started, $0.offset) < ($1.element.started, $1.offset) }.map(\.element)
  }
}
