internal import LinkspanCore

/// Counts the requests of each client in windows of time, in memory of a fixed size.
///
/// A client's window begins with its first request. It may make ``limit`` requests in it, and further ones are refused
/// until the window ends.
///
/// Each client has a place, in one of many small groups. A keyed hash of its name chooses the group, so nobody can aim at
/// the group of another. A place is free once its window has ended. Where no place of the group is free, a new client takes
/// the place of the one with the fewest requests, and starts with as many requests as any client that the group has
/// forgotten may have made. So, however many clients there are and whatever they send:
///
/// - A refusal stands until the time that it named, because a client that has used up its limit keeps its place.
/// - Forgetting a client gives it no request back: in any span as long as a window, it makes at most twice the limit, and
///   in `n` such spans at most `n + 1` times the limit, as with unlimited memory.
/// - While no more clients than a group has places choose it, each count is exact.
///
/// What is left to a flood is to have new clients refused early. For that it needs about as many requests as ``limit`` times
/// the number of places, in one window; the number of its addresses does not matter.
///
/// Time is a parameter and only goes forward: a clock that is set back stands still until it has caught up.
package struct RequestLimiter: Sendable {
  /// What a client has left.
  package struct Standing: Hashable, Sendable {
    package var isAllowed: Bool
    /// Requests of this window so far, with this one if it is allowed.
    package var used: Int
    package var remaining: Int
    /// Until the window ends, or until there is a place again.
    package var wait: Duration
    /// When the window ends, in milliseconds.
    fileprivate var end: Int64

    /// ``wait`` in whole seconds, at least 1, as Retry-After has it.
    package var seconds: Int { max(1, Int((wait.wholeMilliseconds + 999) / 1_000)) }
  }

  private struct Place {
    /// 64 bits of the keyed hash: two clients share a place by chance once in 2⁶⁴ pairs, and then share a count.
    var client: UInt64 = 0
    var used = 0
    /// In milliseconds; the place is free from then on.
    var end: Int64 = 0
  }

  /// What the clients that a group has forgotten may have used, until the last of their windows ends.
  private struct Forgotten {
    var used = 0
    var end: Int64 = 0

    mutating func add(_ place: Place, at time: Int64) {
      if end <= time { used = 0 }
      used = max(used, place.used)
      end = max(end, place.end)
    }
  }

  /// Where the next request of a client is counted.
  private struct Spot {
    /// nil where every client of the group has used up its limit.
    var index: Int?
    /// Requests before this one.
    var used: Int
    var end: Int64
  }

  /// Ours: enough that groups seldom overflow, few enough to look at all of them.
  private static let groupPlaces = 8

  package let limit: Int
  private let windowMilliseconds: Int64
  private let secret: [UInt8]
  private let groupSize: Int
  private var places: [Place]
  private var forgotten: [Forgotten]
  private var latest: Int64 = 0

  /// - Parameters:
  ///   - limit: Requests of one client in one window.
  ///   - clients: How many are kept apart; each takes 24 bytes.
  ///   - secret: Chooses the groups. Random bytes where clients are hostile.
  package init(limit: Int, window: Duration, clients: Int, secret: [UInt8]) {
    precondition(limit > 0 && clients > 0 && window >= .milliseconds(1), "a limiter lets somebody in")
    self.limit = limit
    windowMilliseconds = window.wholeMilliseconds
    self.secret = secret
    groupSize = min(Self.groupPlaces, clients)
    let groups = (clients + groupSize - 1) / groupSize
    places = [Place](repeating: Place(), count: groups * groupSize)
    forgotten = [Forgotten](repeating: Forgotten(), count: groups)
  }

  /// Counts a request, if it is allowed.
  ///
  /// - Parameters:
  ///   - client: Its name, such as ``ClientNetwork/octets``.
  ///   - uptime: Of a clock that nobody sets.
  package mutating func count(_ client: [UInt8], at uptime: Duration) -> Standing {
    latest = time(uptime)
    let (name, group) = hash(client)
    let spot = spot(of: name, in: group, at: latest)
    guard let index = spot.index, spot.used < limit else { return standing(spot, added: 0, at: latest) }
    if places[index].client != name, places[index].end > latest {
      forgotten[group].add(places[index], at: latest)
    }
    places[index] = Place(client: name, used: spot.used + 1, end: spot.end)
    return standing(spot, added: 1, at: latest)
  }

  /// What a client has left, and whether its next request is allowed.
  package func standing(_ client: [UInt8], at uptime: Duration) -> Standing {
    let (name, group) = hash(client)
    return standing(spot(of: name, in: group, at: time(uptime)), added: 0, at: time(uptime))
  }

  /// Takes back one request that was counted, unless its window has ended or its client was forgotten.
  package mutating func takeBack(_ client: [UInt8], _ standing: Standing) {
    let (name, group) = hash(client)
    let indices = indices(of: group)
    guard let index = indices.first(where: { places[$0].client == name && places[$0].end == standing.end }),
      places[index].used > 0
    else { return }
    places[index].used -= 1
  }

  // MARK: - Places

  private func time(_ uptime: Duration) -> Int64 { max(latest, uptime.wholeMilliseconds) }

  private func hash(_ client: [UInt8]) -> (name: UInt64, group: Int) {
    let digest = SHA256.digest(of: secret + client)
    let number = { (range: Range<Int>) in digest[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return (number(0..<8), Int(number(8..<16) % UInt64(forgotten.count)))
  }

  private func indices(of group: Int) -> Range<Int> { group * groupSize..<(group + 1) * groupSize }

  private func spot(of name: UInt64, in group: Int, at time: Int64) -> Spot {
    let indices = indices(of: group)
    if let index = indices.first(where: { places[$0].client == name }) {
      let place = places[index]
      return place.end > time
        ? Spot(index: index, used: place.used, end: place.end)
        : Spot(index: index, used: 0, end: time + windowMilliseconds)
    }
    let start = forgotten[group].end > time ? forgotten[group].used : 0
    let index =
      indices.first { places[$0].end <= time }
      ?? indices.filter { places[$0].used < limit }.min { places[$0].used < places[$1].used }
    guard let index else {
      let end = indices.map { places[$0].end }.min() ?? time
      return Spot(index: nil, used: limit, end: end)
    }
    return Spot(index: index, used: start, end: time + windowMilliseconds)
  }

  private func standing(_ spot: Spot, added: Int, at time: Int64) -> Standing {
    Standing(
      isAllowed: added > 0 || spot.used < limit, used: spot.used + added,
      remaining: limit - spot.used - added, wait: .milliseconds(spot.end - time), end: spot.end)
  }
}
