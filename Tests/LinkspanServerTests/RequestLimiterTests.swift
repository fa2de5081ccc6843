import LinkspanCore
import LinkspanServer
import Testing

/// The limiter beside an obvious one that forgets nobody.
@Suite struct RequestLimiterTests {
  private static let window = Duration.seconds(60)

  private static func limiter(_ limit: Int, clients: Int, seed: UInt8 = 1) -> RequestLimiter {
    RequestLimiter(limit: limit, window: window, clients: clients, secret: [seed])
  }

  private static func name(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

  /// A window for each client, in memory without bounds.
  private struct ObviousLimiter {
    let limit: Int
    var windows: [Int: (end: Duration, used: Int)] = [:]

    mutating func count(_ client: Int, at time: Duration) -> (isAllowed: Bool, used: Int, wait: Duration) {
      var (end, used) = windows[client] ?? (.zero, 0)
      if end <= time { (end, used) = (time + window, 0) }
      let isAllowed = used < limit
      if isAllowed { used += 1 }
      windows[client] = (end, used)
      return (isAllowed, used, end - time)
    }
  }

  // MARK: - Examples

  @Test func countsAWindowFromAClientsFirstRequest() {
    var limiter = Self.limiter(2, clients: 100)
    let ann = Self.name(1)
    #expect(limiter.standing(ann, at: .seconds(10)).remaining == 2)
    let first = limiter.count(ann, at: .seconds(10))
    #expect((first.isAllowed, first.used, first.remaining, first.seconds) == (true, 1, 1, 60))
    let second = limiter.count(ann, at: .milliseconds(10_001))
    #expect((second.isAllowed, second.used, second.remaining, second.seconds) == (true, 2, 0, 60))
    #expect(!limiter.standing(ann, at: .seconds(69)).isAllowed)
    let third = limiter.count(ann, at: .milliseconds(69_999))
    #expect((third.isAllowed, third.used, third.remaining, third.seconds) == (false, 2, 0, 1))
    #expect(limiter.count(Self.name(2), at: .seconds(69)).remaining == 1)
    #expect(limiter.count(ann, at: .seconds(70)).remaining == 1)
  }

  @Test func whatIsTakenBackCountsNoMore() {
    var limiter = Self.limiter(2, clients: 100)
    let ann = Self.name(1)
    let first = limiter.count(ann, at: .zero)
    _ = limiter.count(ann, at: .zero)
    limiter.takeBack(ann, first)
    #expect(limiter.count(ann, at: .zero).isAllowed)
    #expect(!limiter.count(ann, at: .zero).isAllowed)
    // In another window it is gone already.
    _ = limiter.count(ann, at: .seconds(60))
    limiter.takeBack(ann, first)
    #expect(limiter.standing(ann, at: .seconds(60)).used == 1)
    limiter.takeBack(Self.name(2), first)
  }

  @Test func aClockThatIsSetBackOpensNothing() {
    var limiter = Self.limiter(1, clients: 100)
    let ann = Self.name(1)
    #expect(limiter.count(ann, at: .seconds(1_000)).isAllowed)
    for time in [999, 0, -1_000_000, 940] {
      let standing = limiter.count(ann, at: .seconds(time))
      #expect(!standing.isAllowed)
      #expect(standing.seconds == 60)
    }
    #expect(!limiter.count(ann, at: .milliseconds(1_059_999)).isAllowed)
    #expect(limiter.count(ann, at: .seconds(1_060)).isAllowed)
  }

  /// Where there is no place, the client with the fewest requests loses its own, of several the one that stands first.
  @Test func aNewClientTakesThePlaceOfTheOneWithTheFewestRequests() {
    var limiter = Self.limiter(3, clients: 2)
    for client in 1...2 { _ = limiter.count(Self.name(client), at: .seconds(client * 10)) }
    #expect(limiter.count(Self.name(3), at: .seconds(30)).used == 1)
    #expect(limiter.standing(Self.name(2), at: .seconds(30)).seconds == 50)
    #expect(limiter.standing(Self.name(3), at: .seconds(30)).seconds == 60)
    // Whoever comes back counts as having asked as often as the one that was forgotten.
    let back = limiter.standing(Self.name(1), at: .seconds(30))
    #expect(back.used == 1 && back.seconds == 60)
    #expect(limiter.count(Self.name(2), at: .seconds(40)).used == 2)
    #expect(limiter.count(Self.name(4), at: .seconds(40)).used == 2)
    #expect(limiter.standing(Self.name(2), at: .seconds(40)).used == 2)
    #expect(limiter.standing(Self.name(2), at: .seconds(40)).seconds == 40)
  }

  // MARK: - Laws

  @Test func isTheObviousLimiterWhileAGroupHasAPlaceForEachClient() {
    for seed in UInt64(0)..<20 {
      var generator = SeededGenerator(seed: seed)
      let limit = Int(generator.draw(1...5))
      var limiter = Self.limiter(limit, clients: 8)
      var obvious = ObviousLimiter(limit: limit)
      var time = Duration.zero
      for step in 0..<200 {
        time += .seconds(generator.draw(0...10))
        let client = Int(generator.draw(0...7))
        let (standing, expected) = (
          limiter.count(Self.name(client), at: time), obvious.count(client, at: time)
        )
        #expect(
          (standing.isAllowed, standing.used, standing.wait) == expected, "seed \(seed), step \(step)")
      }
    }
  }

  /// What one client of a limiter was told, to hold the limiter to it.
  private struct Record {
    var refusedUntil = Duration.zero
    /// When its requests were let through.
    var allowed: [Duration] = []

    /// - Returns: What is broken; nil when the laws hold.
    mutating func note(_ standing: RequestLimiter.Standing, _ limit: Int, at time: Duration) -> String? {
      if standing.isAllowed, time < refusedUntil { return "a refusal did not stand" }
      if !standing.isAllowed { refusedUntil = max(refusedUntil, time + standing.wait) }
      guard standing.isAllowed else { return nil }
      allowed.append(time)
      for (index, first) in allowed.enumerated() where (allowed.count - index - 1).isMultiple(of: limit) {
        // `n + 1` times the limit, and one more, take more than `n` windows.
        let windows = (allowed.count - index - 1) / limit - 1
        if windows > 0, time - first < RequestLimiterTests.window * windows {
          return "more than \(windows + 1) times the limit in \(windows) windows"
        }
      }
      return nil
    }
  }

  @Test func forgettingAClientGivesItNothing() {
    for seed in UInt64(0)..<30 {
      var generator = SeededGenerator(seed: seed)
      let limit = Int(generator.draw(1...6))
      let clients = Int(generator.draw(1...20))
      var limiter = Self.limiter(limit, clients: clients, seed: UInt8(seed))
      var records: [Int: Record] = [:]
      var time = Duration.zero
      for step in 0..<400 {
        time += .seconds(generator.draw(0...3))
        // One that never stops, among many that come and go.
        let client = generator.chance(1, in: 4) ? 0 : Int(generator.draw(1...60))
        let standing = limiter.count(Self.name(client), at: time)
        let broken = records[client, default: Record()].note(standing, limit, at: time)
        #expect(broken == nil, "seed \(seed), step \(step)")
      }
    }
  }

  /// Every order of five requests of three clients that share two places, with and without time between them.
  @Test func theLawsHoldForEveryShortHistory() {
    for history in 0..<7_776 {
      var (rest, time) = (history, Duration.zero)
      var limiter = Self.limiter(1, clients: 2)
      var records = [Record](repeating: Record(), count: 3)
      for _ in 0..<5 {
        let (client, passes) = (rest % 3, rest / 3 % 2 == 1)
        rest /= 6
        if passes { time += .seconds(30) }
        let broken = records[client].note(limiter.count(Self.name(client), at: time), 1, at: time)
        #expect(broken == nil, "history \(history)")
      }
    }
  }

  @Test func aRefusalStandsThroughAFlood() {
    var limiter = Self.limiter(3, clients: 64)
    let ann = Self.name(-1)
    for _ in 0..<3 { _ = limiter.count(ann, at: .zero) }
    for number in 0..<5_000 {
      _ = limiter.count(Self.name(number), at: .milliseconds(10 * number))
      if number.isMultiple(of: 100) {
        #expect(!limiter.count(ann, at: .milliseconds(10 * number)).isAllowed)
      }
    }
    #expect(limiter.count(ann, at: .seconds(60)).isAllowed)
  }

  /// A flood costs requests, not addresses: twenty thousand networks with one request each leave room for new ones.
  @Test func aFloodOfAddressesLeavesRoomForNewClients() {
    var limiter = Self.limiter(10, clients: 4_096)
    for number in 0..<20_000 { _ = limiter.count(Self.name(number), at: .zero) }
    let allowed = (20_000..<20_200).count { limiter.count(Self.name($0), at: .zero).isAllowed }
    #expect(allowed == 200)
  }
}
