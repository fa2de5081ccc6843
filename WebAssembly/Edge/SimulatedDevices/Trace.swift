package import LinkspanCore

/// What happened, counted: nobody reads it here.
package final class Trace: @unchecked Sendable {
  private let limit: Int
  package private(set) var count = 0
  /// Whether there was more than the limit allows.
  package private(set) var isFull = false

  package init(clock: SimulationClock, start: WallTime, limit: Int, devices: [String]) { self.limit = limit }

  package func beginStep() {}

  package func record(
    _ party: String, _ what: some Happening, lane: String = "", provenance: Provenance? = nil
  ) {
    if count < limit { count += 1 } else { isFull = true }
  }
}
