package import LinkspanCore

/// What a fit needs of a log: requests in each second, and who asked for the association file. Parts can be added up.
package struct LogCounts: Sendable {
  package enum Client: Sendable {
    case device
    case crawler
    case other
  }

  /// Ours: hours of two leap years, each of 14 KB.
  package static let hourLimit = 2 * 366 * 24
  private static let changeLimit = 1_000
  static let hourLength = 3_600
  /// What a second holds at most, so that a minute of such seconds fits into 32 bits.
  package static let secondLimit = UInt32.max / 60
  /// Ours: a part holds fewer of anything, so that sums of two are numbers.
  private static let countLimit = 1 << 50
  /// Ours: a part names earlier times, in seconds since 1970. Times of a log end at 10¹¹.
  private static let timeLimit = 1 << 40

  /// Requests in each second of an hour, by the hour since 1970.
  private(set) var hours: [Int64: Int] = [:]
  private(set) var seconds: [[UInt32]] = []
  package private(set) var requests = 0
  package internal(set) var unreadLines = 0
  /// Requests in hours beyond ``hourLimit``.
  package private(set) var outside = 0
  package private(set) var deviceFetches = 0
  package private(set) var crawlerFetches = 0
  package private(set) var otherFetches = 0
  /// Somebody ended the reading early.
  package var isInterrupted = false
  package private(set) var clockChanges: [ClockChange] = []
  private var clock = LogClock()
  private var lastHour: (hour: Int64, place: Int)?

  package init() {}

  /// What follows is another log, with a clock of its own.
  package mutating func beginLog() { clock = LogClock() }

  package mutating func addUnreadLine() { unreadLines += 1 }

  /// - Parameters:
  ///   - time: Seconds since 1970.
  ///   - offset: What the log says of its clock, in seconds east of Greenwich.
  ///   - fetch: Who asked, where it was for the association file.
  package mutating func add(_ time: Int64, offset: Int?, fetch: Client? = nil) {
    if let change = clock.look(at: time, offset: offset), clockChanges.count < Self.changeLimit {
      clockChanges.append(change)
      clockChanges.sort(by: Self.inOrder)
    }
    switch fetch {
    case .device?: deviceFetches += 1
    case .crawler?: crawlerFetches += 1
    case .other?: otherFetches += 1
    case nil: break
    }
    add(1, at: time)
  }

  mutating func add(_ count: UInt32, at time: Int64) {
    let hour = time >= 0 ? time / Int64(Self.hourLength) : -1
    guard let place = place(of: hour) else {
      outside += Int(count)
      return
    }
    let second = Int(time - hour * Int64(Self.hourLength))
    let count = min(count, Self.secondLimit - seconds[place][second])
    seconds[place][second] += count
    requests += Int(count)
  }

  private mutating func place(of hour: Int64) -> Int? {
    if let lastHour, lastHour.hour == hour { return lastHour.place }
    guard hour >= 0 else { return nil }
    var place = hours[hour]
    if place == nil, hours.count < Self.hourLimit {
      place = seconds.count
      seconds.append([UInt32](repeating: 0, count: Self.hourLength))
      hours[hour] = place
    }
    guard let place else { return nil }
    lastHour = (hour, place)
    return place
  }

  /// Ours: more days without a request than these divide a log from stray lines.
  private static let strayDays: Int64 = 30

  /// Leaves out the few requests that lie far from all others, as one line with a wrong year does.
  ///
  /// A stretch that holds 99 of 100 requests is the log; without one all is kept.
  func withoutStrays() -> LogCounts {
    var stretches: [(hours: [Int64], requests: Int)] = []
    for hour in hours.keys.sorted() {
      let count = seconds[hours[hour]!].reduce(0) { $0 + Int($1) }
      if let last = stretches.last?.hours.last, hour - last <= Self.strayDays * 24 {
        stretches[stretches.count - 1].hours.append(hour)
        stretches[stretches.count - 1].requests += count
      } else {
        stretches.append(([hour], count))
      }
    }
    guard stretches.count > 1, let log = stretches.max(by: { $0.requests < $1.requests }),
      log.requests * 100 >= requests * 99
    else { return self }
    var kept = self
    kept.hours = hours.filter { log.hours[0] <= $0.key && $0.key <= log.hours[log.hours.count - 1] }
    kept.requests = log.requests
    kept.outside += requests - log.requests
    return kept
  }

  package mutating func add(_ other: LogCounts) {
    for (hour, place) in other.hours.sorted(by: { $0.key < $1.key }) {
      for (second, count) in other.seconds[place].enumerated() where count > 0 {
        add(count, at: hour * Int64(Self.hourLength) + Int64(second))
      }
    }
    unreadLines += other.unreadLines
    outside += other.outside
    deviceFetches += other.deviceFetches
    crawlerFetches += other.crawlerFetches
    otherFetches += other.otherFetches
    clockChanges = Array(
      (clockChanges + other.clockChanges).sorted(by: Self.inOrder).prefix(Self.changeLimit))
  }

  /// By time: a log whose clock was set back does not report its changes in order, and merged parts must give the list that
  /// the whole log gives.
  private static func inOrder(_ left: ClockChange, _ right: ClockChange) -> Bool {
    (left.at, left.from, left.to) < (right.at, right.from, right.to)
  }
}

extension LogCounts {
  package struct PartProblem: Error, Sendable {
    package let message: String

    package init(message: String) { self.message = message }
  }

  /// Lines that ``LogPart`` reads back: one with what was counted besides and how many hours follow, then one for each
  /// hour.
  package func writePart(_ body: (JSON) -> Void) {
    body(
      .object([
        ("type", .string("fit-part")), ("hours", .int(hours.count)), ("unread_lines", .int(unreadLines)),
        ("outside", .int(outside)),
        ("device_fetches", .int(deviceFetches)), ("crawler_fetches", .int(crawlerFetches)),
        ("other_fetches", .int(otherFetches)),
        (
          "clock_changes",
          .array(
            clockChanges.map {
              .array([.string($0.kind.rawValue), .int(Int($0.at)), .int(Int($0.from)), .int(Int($0.to))])
            })
        ),
      ]))
    for (hour, place) in hours.sorted(by: { $0.key < $1.key }) {
      body(
        .object([
          ("type", .string("fit-hour")), ("hour", .int(Int(hour))),
          ("counts", .array(seconds[place].map { .int(Int($0)) })),
        ]))
    }
  }

  /// What a line of a part was.
  enum PartLine {
    /// - Parameter hours: How many lines of hours belong to it.
    case head(hours: Int)
    case hour
  }

  /// - Throws: What is wrong with a line that ``writePart(_:)`` should have written.
  mutating func add(part node: JSONNode) throws(PartProblem) -> PartLine {
    func count(_ name: String) throws(PartProblem) -> Int {
      guard let value = node[name]?.int, value >= 0, value < Self.countLimit else {
        throw PartProblem(message: "'\(name)' is not a count")
      }
      return value
    }
    switch node["type"]?.string {
    case "fit-part":
      let hours = try count("hours")
      guard hours <= Self.hourLimit else {
        throw PartProblem(message: "'hours' is more than \(Self.hourLimit)")
      }
      var part = LogCounts()
      part.unreadLines = try count("unread_lines")
      part.outside = try count("outside")
      part.deviceFetches = try count("device_fetches")
      part.crawlerFetches = try count("crawler_fetches")
      part.otherFetches = try count("other_fetches")
      for change in node["clock_changes"]?.array ?? [] {
        guard let change = Self.change(change) else {
          throw PartProblem(message: "'clock_changes' is not a list of changes")
        }
        part.clockChanges.append(change)
      }
      add(part)
      try refuseHugeSums()
      return .head(hours: hours)
    case "fit-hour":
      let hour = try count("hour")
      let counts = (node["counts"]?.array ?? []).compactMap(\.int)
      guard counts.count == Self.hourLength, counts.allSatisfy({ (0...Int(Self.secondLimit)).contains($0) })
      else { throw PartProblem(message: "'counts' is not a list of 3600 counts") }
      guard hour < Self.timeLimit / Self.hourLength else {
        throw PartProblem(message: "'hour' is not an hour since 1970")
      }
      if let place = hours[Int64(hour)],
        zip(seconds[place], counts).contains(where: { Int($0) + $1 > Int(Self.secondLimit) })
      {
        throw PartProblem(message: "the counts of a second add up to more than \(Self.secondLimit)")
      }
      for (second, count) in counts.enumerated() where count > 0 {
        add(UInt32(count), at: Int64(hour * Self.hourLength + second))
      }
      try refuseHugeSums()
      return .hour
    default: throw PartProblem(message: "the line has no type 'fit-part' or 'fit-hour'")
    }
  }

  /// A change of the clock as ``writePart(_:)`` writes it; nil for anything else.
  private static func change(_ node: JSONNode) -> ClockChange? {
    let cells = node.array ?? []
    let numbers = cells.dropFirst().compactMap(\.int)
    guard cells.count == 4, numbers.count == 3,
      numbers.allSatisfy({ (-timeLimit...timeLimit).contains($0) }),
      let kind = cells[0].string.flatMap(ClockChange.Kind.init(rawValue:)),
      // A clock that was set back shows an earlier time.
      kind == .offset || numbers[1] > numbers[2]
    else { return nil }
    return ClockChange(kind: kind, at: Int64(numbers[0]), from: Int64(numbers[1]), to: Int64(numbers[2]))
  }

  /// What was added to smaller sums has not overflowed.
  private func refuseHugeSums() throws(PartProblem) {
    let sums = [unreadLines, outside, deviceFetches, crawlerFetches, otherFetches]
    guard sums.allSatisfy({ $0 < Self.countLimit }) else {
      throw PartProblem(message: "the counts add up to more than \(Self.countLimit)")
    }
  }
}
