/// Takes turns between two queues that both have something, by weights.
struct WeightedTurn: Sendable {
  private let first: Int
  private let total: Int
  private var credit: Int

  init(_ first: Int, to second: Int) {
    self.first = first
    total = first + second
    credit = second
  }

  /// Whether the first queue has this turn.
  mutating func isFirst() -> Bool {
    credit += first
    guard credit >= total else { return false }
    credit -= total
    return true
  }
}

/// Pushes that may go out now, by lane, first attempts apart from retries.
struct ReadyTickets: Sendable {
  private struct Queue: Sendable {
    private var tickets: [Int] = []
    private var start = 0

    var count: Int { tickets.count - start }

    mutating func append(_ ticket: Int) { tickets.append(ticket) }

    mutating func popFirst() -> Int? {
      guard start < tickets.count else { return nil }
      let ticket = tickets[start]
      start += 1
      if start == tickets.count || start > 4_096 {
        tickets.removeFirst(start)
        start = 0
      }
      return ticket
    }
  }

  private struct Lane: Sendable {
    var first = Queue()
    var retries = Queue()
    /// Ours: retries get a quarter of their lane, so that they neither starve nor hold up what was never tried.
    private var turn = WeightedTurn(3, to: 1)

    var count: Int { first.count + retries.count }

    mutating func popFirst() -> Int? {
      if retries.count == 0 { return first.popFirst() }
      if first.count == 0 { return retries.popFirst() }
      return turn.isFirst() ? first.popFirst() : retries.popFirst()
    }
  }

  private var transactional = Lane()
  private var campaign = Lane()
  /// Ours: codes go first, and a campaign still goes on beside any number of them.
  private var turn = WeightedTurn(15, to: 1)

  /// How many there are.
  var count: Int { transactional.count + campaign.count }

  mutating func append(_ ticket: Int, to lane: PushLane, isRetry: Bool) {
    switch (lane, isRetry) {
    case (.transactional, false): transactional.first.append(ticket)
    case (.transactional, true): transactional.retries.append(ticket)
    case (.campaign, false): campaign.first.append(ticket)
    case (.campaign, true): campaign.retries.append(ticket)
    }
  }

  /// The one whose turn it is.
  mutating func popFirst() -> Int? {
    if campaign.count == 0 { return transactional.popFirst() }
    if transactional.count == 0 { return campaign.popFirst() }
    return turn.isFirst() ? transactional.popFirst() : campaign.popFirst()
  }
}
