import LinkspanCore

/// Everything that happened, in the order it did.
actor Trace {
  private let pace: Pace
  private let start: WallTime
  private let limit: Int
  private(set) var events: [Event] = []
  /// Whether there was more than ``limit`` allows; what came after is not kept.
  private(set) var isFull = false

  init(pace: Pace, start: WallTime, limit: Int) {
    self.pace = pace
    self.start = start
    self.limit = limit
  }

  func record(_ party: String, _ kind: String, _ fields: [(String, JSON)]) {
    guard events.count < limit else {
      isFull = true
      return
    }
    let now = pace.now
    events.append(
      Event(time: now, wallTime: start.advanced(by: now), party: party, kind: kind, fields: fields))
  }
}
