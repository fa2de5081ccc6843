package import LinkspanCore

/// Everything that happened, in an order that chance of scheduling has no part in.
///
/// Of what happens at one moment, the step it belongs to comes first; then the CDN, the devices in the order of
/// the story, and the story itself; of one party, what it did side by side is ordered by its lanes. So two
/// builds whose compilers cut the same code into other jobs write the same trace.
package actor Trace {
  private struct Entry {
    var event: Event
    var step: Int
    var rank: Int
    var phase: Int
    var lane: String
    var sequence: Int

    /// Most differ in their time; the text is compared last.
    static func precedes(_ left: Entry, _ right: Entry) -> Bool {
      if left.event.time != right.event.time { return left.event.time < right.event.time }
      let (one, other) = ((left.step, left.rank, left.phase), (right.step, right.rank, right.phase))
      if one != other { return one < other }
      return (left.lane, left.sequence) < (right.lane, right.sequence)
    }
  }

  private let clock: SimulationClock
  private let start: WallTime
  private let limit: Int
  /// The places of the devices; the CDN comes before them and the story after.
  private let ranks: [String: Int]
  private var entries: [Entry] = []
  private var step = 0
  /// How many things each party has done that were not side by side with others.
  private var phases: [String: Int] = [:]
  /// Whether there was more than the limit allows; what came after is not kept.
  package private(set) var isFull = false

  package init(clock: SimulationClock, start: WallTime, limit: Int, devices: [String]) {
    self.clock = clock
    self.start = start
    self.limit = limit
    ranks = Dictionary(
      devices.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  package var events: [Event] { events(after: 0) }

  package var count: Int { entries.count }

  /// Those after the first `count`, in order; the first ones belong to steps that have ended.
  package func events(after count: Int) -> [Event] {
    // Their places are moved about and not they, which are large.
    (min(count, entries.count)..<entries.count).sorted { Entry.precedes(entries[$0], entries[$1]) }
      .map { entries[$0].event }
  }

  package func beginStep() { step += 1 }

  /// - Parameter lane: What tells this from other things the party does side by side; empty when it does no other.
  /// - Parameter provenance: Why it happened so, where that is known better than by ``Happening/usualProvenance``.
  package func record(
    _ party: String, _ what: any Happening, lane: String = "", provenance: Provenance? = nil
  ) {
    guard entries.count < limit else {
      isFull = true
      return
    }
    let now = clock.now
    if lane.isEmpty { phases[party, default: 0] += 1 }
    let rank = ranks[party] ?? (party == "cdn" ? -1 : Int.max)
    let event = Event(
      time: now, wallTime: start.advanced(by: now), party: party, what: what,
      provenance: provenance ?? what.usualProvenance)
    entries.append(
      Entry(
        event: event, step: step, rank: rank, phase: phases[party] ?? 0, lane: lane, sequence: entries.count))
  }
}
