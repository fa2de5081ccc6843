internal import LinkspanCore

/// Connections as the client sees them: begun, given no more requests, lost.
extension PushClient {
  /// Apple: a connection that is mostly idle may be pinged after an hour.
  private static let pingAfter = Duration.seconds(60 * 60)
  /// Ours: APNs answers in milliseconds. A connection on which none of the requests is answered for so long gets no
  /// new ones; those that are under way may still be answered.
  private static let muteAfter = Duration.seconds(8)

  func index(of number: Int) -> Int? { connections.firstIndex { $0.number == number } }

  mutating func addConnection(at now: WallTime) {
    connections.append(
      Connection(number: nextConnection, streamLimit: configuration.streams, lastUse: now, waitingSince: now))
    nextConnection += 1
  }

  /// Asks whether idle connections still live.
  mutating func ping(at now: WallTime) {
    for index in connections.indices where connections[index].isOpen && connections[index].underWay.isEmpty {
      guard connections[index].lastUse.advanced(by: Self.pingAfter) <= now else { continue }
      connections[index].lastUse = now
      actions.append(.ping(connections[index].number))
    }
  }

  /// When the next connection has been mute for too long.
  var earliestMute: WallTime? {
    connections.lazy.filter { $0.isEstablished && !$0.underWay.isEmpty }.map {
      $0.waitingSince.advanced(by: Self.muteAfter)
    }.min()
  }

  /// Replaces the connections that do not answer.
  mutating func retireMute(at now: WallTime) {
    let mute = connections.filter {
      $0.isEstablished && !$0.underWay.isEmpty && $0.waitingSince.advanced(by: Self.muteAfter) <= now
    }
    for connection in mute { retire(connection.number, at: now) }
  }

  /// Gives a connection no new request, and closes it when nothing is under way on it.
  mutating func retire(_ number: Int, at now: WallTime) {
    guard let index = index(of: number) else { return }
    let connection = connections.remove(at: index)
    addConnection(at: now)
    if connection.underWay.isEmpty {
      if connection.isOpen { actions.append(.close(number)) }
    } else {
      leaving.append(connection)
    }
  }

  mutating func close(_ number: Int, reason: String, at now: WallTime) {
    var lost: Set<Ticket> = []
    if let index = index(of: number) {
      lost = connections.remove(at: index).underWay
      addConnection(at: now)
    } else if let index = leaving.firstIndex(where: { $0.number == number }) {
      lost = leaving.remove(at: index).underWay
    }
    for ticket in lost.sorted() {
      entries[place(ticket)].connection = nil
      guard isUnfinished(ticket) else {
        forget(ticket, at: now)
        continue
      }
      take(Failure(.lost, reason), of: ticket, from: number, at: now)
    }
  }

  /// Takes a ticket off its connection.
  ///
  /// - Parameter answered: When its answer came; nil for a failure.
  /// - Returns: The connection, and whether it had an answer before; nil for a ticket that is not under way, such as one
  ///   that has ended meanwhile.
  mutating func leave(_ ticket: Ticket, at answered: WallTime?) -> (number: Int, isProven: Bool)? {
    let place = place(ticket)
    guard place < entries.count, entries[place].ticket == ticket, let number = entries[place].connection
    else { return nil }
    entries[place].connection = nil
    var isProven = false
    if let index = index(of: number) {
      isProven = connections[index].isProven
      connections[index].underWay.remove(ticket)
      if let answered { connections[index].waitingSince = answered }
    } else if let index = leaving.firstIndex(where: { $0.number == number }) {
      isProven = leaving[index].isProven
      leaving[index].underWay.remove(ticket)
      if leaving[index].underWay.isEmpty {
        leaving.remove(at: index)
        actions.append(.close(number))
      }
    }
    guard entries[place].push != nil else {
      forget(ticket, at: answered ?? entries[place].deadline)
      return nil
    }
    return (number, isProven)
  }

  /// Gives the place of a push free that ended while it was under way.
  private mutating func forget(_ ticket: Ticket, at now: WallTime) {
    freePlaces.append(place(ticket))
    note(.isUndecided, of: ticket, at: now)
  }

  /// Pauses after a connection that did not come about. All that waited for it learn of it, and all connections that were
  /// tried at once count as one try.
  ///
  /// - Returns: Whether it counted.
  mutating func countConnectFailure(_ number: Int, at now: WallTime) -> Bool {
    guard index(of: number) != nil else { return false }
    retire(number, at: now)
    guard pausedUntil.map({ now >= $0 }) ?? true else { return false }
    connectFailures += 1
    let delay = configuration.retry.connection.delay(after: connectFailures, using: &generator)
    pausedUntil = now.advanced(by: delay)
    return true
  }
}
