internal import LinkspanCore

extension PushClient {
  /// Takes back every push that is not under way; none of them has an end any more. APNs has not acted upon any of them,
  /// unless an attempt before was lost.
  ///
  /// - Returns: Their tickets, in the order in which they were handed over.
  package mutating func withdrawWaiting() -> [Ticket] {
    var tickets: [Ticket] = []
    for place in entries.indices where entries[place].push != nil && entries[place].connection == nil {
      entries[place].push = nil
      freePlaces.append(place)
      tickets.append(entries[place].ticket)
    }
    unfinishedCount -= tickets.count
    return tickets.sorted()
  }
}
