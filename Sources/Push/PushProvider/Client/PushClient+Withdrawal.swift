internal import LinkspanCore

extension PushClient {
  /// Takes back pushes that are not under way; none of them has an end any more. APNs has not acted upon any of them,
  /// unless an attempt before was lost.
  ///
  /// - Parameter isMeant: Chooses among them.
  /// - Returns: Their tickets, in the order in which they were handed over.
  package mutating func withdrawWaiting(where isMeant: (Ticket) -> Bool) -> [Ticket] {
    var tickets: [Ticket] = []
    for place in entries.indices
    where entries[place].push != nil && entries[place].connection == nil && isMeant(entries[place].ticket) {
      entries[place].push = nil
      freePlaces.append(place)
      tickets.append(entries[place].ticket)
    }
    unfinishedCount -= tickets.count
    return tickets.sorted()
  }
}
