internal import LinkspanCore

/// Pushes that wait for their next attempt, the earliest first; of one moment the first to come. A binary heap.
struct DelayedTickets: Sendable {
  private struct Item: Sendable {
    var time: WallTime
    var sequence: Int
    var ticket: Int

    func precedes(_ other: Item) -> Bool { (time, sequence) < (other.time, other.sequence) }
  }

  private var items: [Item] = []
  private var sequence = 0

  /// The moment of the earliest.
  var earliest: WallTime? { items.first?.time }

  mutating func insert(_ ticket: Int, at time: WallTime) {
    items.append(Item(time: time, sequence: sequence, ticket: ticket))
    sequence += 1
    var child = items.count - 1
    while child > 0, items[child].precedes(items[(child - 1) / 2]) {
      items.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the earliest out if its moment has come.
  mutating func removeDue(at now: WallTime) -> Int? {
    guard let first = items.first, first.time <= now else { return nil }
    let last = items.removeLast()
    guard !items.isEmpty else { return first.ticket }
    items[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
        if items[child].precedes(items[least]) { least = child }
      }
      if least == parent { return first.ticket }
      items.swapAt(parent, least)
      parent = least
    }
  }
}
