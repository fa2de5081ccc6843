import LinkspanCore
import Testing

@testable import LinkspanForecast

/// A log that is drawn from known numbers.
struct DrawnLog {
  var days = 30
  var perSecond = 3.0
  var growth = 0.01
  var swing = 0.5
  var weekend = 0.7
  /// Second of the log, requests, and how many seconds they take to fall to a third.
  var stampedes: [(at: Int, requests: Int, length: Double)] = []
  var gap: Range<Int>?
  var isDoubled: Range<Int>?
  /// 2026-03-02T00:00:00Z, a Monday.
  let start: Int64 = 1_772_409_600

  func counts(seed: UInt64) -> LogCounts {
    var generator = SeededGenerator(seed: seed)
    var counts = LogCounts()
    for minute in 0..<days * 1_440 {
      let hour = Double(minute % 1_440) / 60
      // A triangle over the day, highest at 18 o'clock.
      let away = min(abs(hour - 18), 24 - abs(hour - 18)) / 12
      let shape = 1 + swing * (1 - 2 * away)
      let week = minute / 1_440 % 7 >= 5 ? weekend : 1 + (1 - weekend) * 2 / 5
      var rate = perSecond * 60 * shape * week
      for _ in 0..<minute / 1_440 { rate *= 1 + growth }
      rate *= 1 + growth * Double(minute % 1_440) / 1_440
      for _ in 0..<generator.poisson(rate) {
        let second = minute * 60 + Int(generator.draw(0...59))
        if gap?.contains(second) ?? false { continue }
        counts.add(1, at: start + Int64(second))
        if isDoubled?.contains(second) ?? false { counts.add(1, at: start + Int64(second)) }
      }
    }
    for stampede in stampedes {
      for _ in 0..<stampede.requests {
        var second = 0
        while generator.chance(Int64(stampede.length), in: Int64(stampede.length) + 1), second < 20_000 {
          second += 1
        }
        counts.add(1, at: start + Int64(stampede.at + second))
      }
    }
    return counts
  }
}

@Suite struct LogFitTests {
  private func isNear(_ value: Double, _ wanted: Double) -> Bool { abs(value / wanted - 1) < 0.05 }

  @Test func thirtyDaysGiveBackWhatWasPutIn() throws {
    var log = DrawnLog()
    log.stampedes = [
      (10 * 86_400, 4_000, 2), (17 * 86_400 + 43_200, 20_000, 300), (24 * 86_400 + 7_000, 900, 1),
    ]
    log.gap = 5 * 86_400 + 3_600..<5 * 86_400 + 5_400
    let fit = try LogFit(log.counts(seed: 1))
    #expect(isNear(fit.baseline, 3))
    #expect(isNear(1 + fit.growthPerDay, 1.01) && abs(fit.growthPerDay / 0.01 - 1) < 0.05)
    #expect(isNear(fit.hours[18], 1.48) && isNear(fit.hours[6], 0.52))
    #expect(isNear(fit.weekdays[6], 0.7))
    #expect(fit.stampedes.count == 3, "\(fit.stampedes)")
    for (found, put) in zip(fit.stampedes, log.stampedes) {
      #expect(isNear(Double(found.requests), Double(put.requests)), "\(found)")
      #expect(abs(found.start - log.start - Int64(put.at)) < 30, "\(found)")
    }
    #expect(fit.gaps.count == 1)
    #expect(abs(fit.gaps[0].first - log.start - Int64(log.gap!.lowerBound)) < 10)
    #expect(abs(fit.gaps[0].last - log.start - Int64(log.gap!.upperBound)) < 10)
    #expect(fit.misfits.isEmpty && fit.dispersion < 1.1, "\(fit.misfits), \(fit.dispersion)")
  }

  @Test func aQuietLogHasNothingToReport() throws {
    let fit = try LogFit(DrawnLog(days: 8, perSecond: 0.4, growth: 0).counts(seed: 2))
    #expect(fit.stampedes.isEmpty && fit.gaps.isEmpty && fit.misfits.isEmpty)
    #expect(abs(fit.growthPerDay) < 0.01)
  }

  @Test func aDayThatDoesNotFitIsNamed() throws {
    var log = DrawnLog(days: 22, perSecond: 2, growth: 0)
    log.weekend = 1
    var counts = log.counts(seed: 3)
    var generator = SeededGenerator(seed: 4)
    // A fifth more, all day long: no stampede.
    for _ in 0..<35_000 { counts.add(1, at: log.start + 9 * 86_400 + generator.draw(0...86_399)) }
    let fit = try LogFit(counts)
    #expect(fit.misfits.map(\.start) == [log.start + 9 * 86_400])
  }

  /// Lines as a server wrote them, through a change of its clock.
  private func lines(_ count: Int64, _ line: (Int64) -> (late: Int64, offset: Int)) -> LogCounts {
    var counts = LogCounts()
    for second in 0..<count {
      let (late, offset) = line(second)
      counts.add(1_774_700_000 + second - late, offset: offset)
    }
    return counts
  }

  @Test func aChangeOfTheOffsetIsNoGap() throws {
    let counts = lines(20_000) { (0, $0 < 9_000 ? 3_600 : 7_200) }
    let fit = try LogFit(counts)
    #expect(
      counts.clockChanges == [ClockChange(kind: .offset, at: 1_774_709_000, from: 3_600, to: 7_200)])
    #expect(fit.gaps.isEmpty && fit.stampedes.isEmpty)
  }

  @Test func aClockThatGoesBackIsNoStampede() throws {
    let counts = lines(40_000) { ($0 < 20_000 ? 0 : 3_600, 0) }
    let fit = try LogFit(counts)
    #expect(counts.clockChanges.map(\.kind) == [.back])
    #expect(counts.clockChanges[0].from - counts.clockChanges[0].to == 3_599)
    #expect(fit.stampedes.isEmpty && isNear(fit.baseline, 1))
  }

  /// Found by FuzzAccessLog: the growth that explains both was so steep that the calm was 0.
  @Test func oneRequestAYearAwayLeavesACalm() throws {
    var counts = lines(1_000) { _ in (0, 0) }
    counts.add(1_774_700_000 + 365 * 86_400, offset: 0)
    let fit = try LogFit(counts)
    #expect(fit.baseline > 0 && fit.baseline.isFinite && fit.baselineAtEnd > 0)
  }

  @Test func aLateLineIsNoChange() {
    let counts = lines(2_000) { ($0 % 100 == 0 ? 500 : 0, 0) }
    #expect(counts.clockChanges.isEmpty)
  }

  @Test func partsAddUp() throws {
    var log = DrawnLog(days: 3, perSecond: 0.5)
    log.stampedes = [(86_400, 3_000, 5)]
    var whole = log.counts(seed: 5)
    for second in 0..<100 {
      whole.add(log.start + Int64(second), offset: 0, fetch: second % 4 == 0 ? .device : .crawler)
    }
    whole.addUnreadLine()
    var merged = LogCounts()
    // Two parts one behind the other are a file as well.
    var file = LogPart()
    for line in Self.lines(of: whole) + Self.lines(of: LogCounts()) { try file.add(line, to: &merged) }
    try file.finish()
    #expect(try LogFit(merged).json.text == LogFit(whole).json.text)
    #expect(try LogFit(merged).directShare == 0.25)
  }

  static func lines(of counts: LogCounts) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    counts.writePart { lines.append($0.bytes) }
    return lines
  }

  @Test func aPartThatIsCutIsRefused() throws {
    let lines = Self.lines(of: DrawnLog(days: 2).counts(seed: 5))
    var part = LogPart()
    var counts = LogCounts()
    for (kept, line) in lines.enumerated() {
      let problem = #expect(throws: LogCounts.PartProblem.self) { try part.finish() }
      #expect(problem?.message.hasSuffix("cut off") == true, "\(kept)")
      // In the middle of the next line.
      var (cut, rest) = (part, counts)
      #expect(throws: LogCounts.PartProblem.self) { try cut.add(Array(line.dropLast(2)), to: &rest) }
      try part.add(line, to: &counts)
    }
    try part.add(try #require(lines.last), to: &counts)
    let problem = #expect(throws: LogCounts.PartProblem.self) { try part.finish() }
    #expect(problem?.message == "the file announces 48 hours and holds 49, so lines are there twice")
  }

  /// A head with one member of its own.
  static func head(_ name: String, _ value: String) -> String {
    let members = [
      ("hours", "0"), ("unread_lines", "0"), ("outside", "0"), ("device_fetches", "0"),
      ("crawler_fetches", "0"), ("other_fetches", "0"), ("clock_changes", "[]"),
    ].map { "\"\($0.0)\":\($0.0 == name ? value : $0.1)" }
    return "{\"type\":\"fit-part\"," + members.joined(separator: ",") + "}"
  }

  static func hour(_ hour: Int, _ count: String) -> String {
    let counts = [String](repeating: count, count: 3_600).joined(separator: ",")
    return "{\"type\":\"fit-hour\",\"hour\":\(hour),\"counts\":[\(counts)]}"
  }

  /// Numbers with which a sum or a difference would overflow, and what is said of the last line.
  static let hugeParts: [([String], String)] = [
    ([head("hours", "17569")], "'hours' is more than 17568"),
    (
      [head("outside", "\((1 << 50) - 1)"), head("outside", "1")],
      "the counts add up to more than 1125899906842624"
    ),
    (
      [head("clock_changes", "[[\"back\",0,\(Int.max),-1]]")],
      "'clock_changes' is not a list of changes"
    ),
    (
      [head("clock_changes", "[[\"offset\",0,\(Int.min),\(Int.max)]]")],
      "'clock_changes' is not a list of changes"
    ),
    (
      // A range of minutes that ends before it begins.
      [head("clock_changes", "[[\"back\",0,3600,7200]]")], "'clock_changes' is not a list of changes"
    ),
    ([hour(500_000, "2147483647")], "'counts' is not a list of 3600 counts"),
    ([hour(500_000, "71582788"), hour(500_000, "1")], "the counts of a second add up to more than 71582788"),
    ([hour(1 << 39, "1")], "'hour' is not an hour since 1970"),
  ]

  @Test(arguments: hugeParts)
  func hugeNumbersOfAPartAreRefused(lines: [String], problem: String) throws {
    var part = LogPart()
    var counts = LogCounts()
    for line in lines.dropLast() { try part.add(Array(line.utf8), to: &counts) }
    let last = try #require(lines.last)
    let found = #expect(throws: LogCounts.PartProblem.self) { try part.add(Array(last.utf8), to: &counts) }
    #expect(found?.message == problem)
  }

  /// The largest numbers that are taken can be added up, fitted and written.
  @Test func theLargestNumbersOfAPartAreFitted() throws {
    var part = LogPart()
    var counts = LogCounts()
    let most = (1 << 50) - 1
    let change = "[\"back\",\(1 << 40),\(1 << 40),\(-(1 << 40))]"
    let lines = [
      Self.head("device_fetches", "\(most)"), Self.head("crawler_fetches", "\(most)"),
      Self.head("clock_changes", "[\(change)]"), Self.hour(300_000_000, "71582788"),
    ]
    for line in lines { try part.add(Array(line.utf8), to: &counts) }
    let fit = try LogFit(counts)
    #expect(fit.counts.requests == 3_600 * 71_582_788)
    #expect(fit.directShare == 0.5)
    #expect(fit.json.text.contains("clock_changes"))
    #expect(fit.fleet.document.contains("devices"))
  }

  /// Found by a fuzz target: a later line of the log may be about an earlier change.
  @Test func changesOfTheClockAreInOrder() {
    var counts = LogCounts()
    for begin in [1_795_344_000, 1_795_341_700, 1_795_341_900, 1_795_341_600] as [Int64] {
      for second in 0..<60 { counts.add(begin + Int64(second), offset: 0) }
    }
    let changes = counts.clockChanges.map(\.at)
    #expect(changes.count > 1)
    #expect(changes == changes.sorted())
  }

  @Test func aThousandChangesOfTheClockAreKept() {
    var counts = LogCounts()
    // Twenty lines in a row confirm one.
    for line in 0..<1_002 * 20 { counts.add(1_795_344_000 + Int64(line), offset: line / 20 % 2 * 3_600) }
    #expect(counts.clockChanges.count == 1_000)
  }

  /// One line with a wrong year is no reason to fit two centuries.
  @Test(arguments: [-9 * 365, 90, 170 * 365])
  func aStrayLineIsLeftOut(days: Int64) throws {
    var counts = DrawnLog(days: 3).counts(seed: 3)
    let before = try LogFit(counts)
    counts.add(DrawnLog().start + days * 86_400, offset: nil)
    let fit = try LogFit(counts)
    #expect(fit.counts.outside == 1 && fit.counts.requests == before.counts.requests)
    #expect(fit.first == before.first && fit.last == before.last && fit.baseline == before.baseline)
  }

  /// 99 of 100 requests are the log; with one stray more, nothing is left out.
  @Test func atMostOneRequestOfAHundredIsAStray() {
    func kept(strays: UInt32) -> (requests: Int, outside: Int) {
      var counts = lines(990) { _ in (1, 0) }
      counts.add(strays, at: DrawnLog().start + 90 * 86_400)
      let kept = counts.withoutStrays()
      return (kept.requests, kept.outside)
    }
    #expect(kept(strays: 10) == (990, 10))
    #expect(kept(strays: 11) == (1_001, 0))
  }

  @Test func tooLittleIsSaid() {
    #expect(throws: LogFit.Problem.self) { try LogFit(LogCounts()) }
    #expect(throws: LogFit.Problem.self) {
      try LogFit(lines(50) { _ in (0, 0) })
    }
  }

  /// The stampede is midnight where the devices are; a log whose clock is theirs knows whether summer time began since.
  @Test(arguments: [
    // Hours of the stampede in UTC and of the log's offset before and after, and the zone.
    (23.0, 1.0, 1.0, "+01:00"), (23.0, 1.0, 2.0, "+02:00"), (23.0, 0.0, 1.0, "+01:00"),
    (0.0, 0.0, 0.0, "+00:00"),
    (5.0, -5.0, -4.0, "-04:00"), (18.5, 5.5, 5.5, "+05:30"), (11.0, 13.0, 12.0, "+12:00"),
    (11.0, 0.0, 0.0, "-11:00"),
    // No zone is further east than 14 hours.
    (11.0, 13.0, 14.0, "+14:00"), (11.0, 13.0, 14.25, "-11:00"),
  ])
  func theStampedeSaysWhenTheNightBegins(hour: Double, before: Double, after: Double, zone: String) throws {
    var log = DrawnLog(days: 7, perSecond: 2, growth: 0)
    log.stampedes = [(2 * 86_400 + Int(hour * 3_600), 600, 1)]
    var counts = log.counts(seed: 6)
    for device in 0..<40_000 {
      let second = Int64(device) * 15
      let offset = second < 4 * 86_400 ? before : after
      counts.add(log.start + second, offset: Int(offset * 3_600), fetch: .device)
    }
    let fleet = try LogFit(counts).fleet
    #expect(fleet.document.contains("utc_offset: \"\(zone)\", share: 1 "), "\(fleet.zones)")
    #expect(FleetFile(SourceText(name: "fleet.json5", fleet.document)).fleet.zones == fleet.zones)
    if after == before {
      let second = Forecast.expected(fleet, seed: 1).peakSecond
      #expect(second % 86_400 == Int(hour * 3_600))
    }
  }

  /// The fleet of a fit is read back, and its forecast's first second is the stampede that the log had.
  @Test func theFleetOfAFitGivesTheStampedeAgain() throws {
    var log = DrawnLog(days: 7, perSecond: 2, growth: 0)
    log.stampedes = [(5 * 86_400, 600, 1)]
    var counts = log.counts(seed: 6)
    for device in 0..<40_000 { counts.add(log.start + Int64(device) * 15, offset: 0, fetch: .device) }
    let fit = try LogFit(counts)
    let file = FleetFile(SourceText(name: "fleet.json5", bytes: Array(fit.fleet.document.utf8)))
    #expect(file.findings.isEmpty)
    // It begins on the midnight behind the log's last second, and the update ships at noon of its second day.
    #expect(fit.fleet.start.description == "2026-03-09T00:00:00.000Z")
    #expect(fit.fleet.update?.released.description == "2026-03-10T12:00:00.000Z")
    #expect(fit.fleet.zones == [.init(offsetSeconds: 0, share: 1)])
    let forecast = Forecast(file.fleet, seed: 1)
    let peak = try #require(fit.stampedes.map(\.peak).max())
    #expect(abs(Double(forecast.peak) / Double(peak) - 1) < 0.5, "\(forecast.peak), \(peak)")
  }

  /// Ten minutes and 100 requests are enough.
  @Test(
    arguments: [
      (600, 1, nil), (599, 1, "599 requests in 599 seconds are too few to fit"), (100, 10, nil),
      (1, 10, "1 request in 1 second is too few to fit"),
      (99, 10, "99 requests in 981 seconds are too few to fit"),
    ]
      as [(Int64, Int64, String?)])
  func soMuchIsEnough(requests: Int64, every: Int64, problem: String?) {
    var counts = LogCounts()
    for request in 0..<requests { counts.add(1_774_700_000 + request * every, offset: 0) }
    do throws(LogFit.Problem) {
      _ = try LogFit(counts)
      #expect(problem == nil)
    } catch {
      #expect(error.message == problem)
    }
  }

  /// Thirty days without a request do not divide a log, and an hour more does.
  @Test(arguments: [(720, 0), (721, 10), (-720, 0), (-721, 10)] as [(Int64, Int)])
  func thirtyDaysDivideALog(hours: Int64, outside: Int) {
    var counts = LogCounts()
    counts.add(990, at: 400_000 * 3_600 + 5)
    counts.add(10, at: (400_000 + hours) * 3_600 + 7)
    let kept = counts.withoutStrays()
    #expect(kept.outside == outside && kept.requests == 1_000 - outside)
  }

  /// Twenty lines in a row that are more than two minutes late are a change; of a day or more, they are out of order.
  @Test(
    arguments: [
      (121, 20, .back), (121, 19, nil), (120, 20, nil), (86_399, 20, .back), (86_400, 20, .order),
    ] as [(Int64, Int, ClockChange.Kind?)])
  func lateLinesAreAChange(seconds: Int64, lines: Int, kind: ClockChange.Kind?) {
    var clock = LogClock()
    #expect(clock.look(at: 1_000_000, offset: nil) == nil)
    let found = (0..<lines).compactMap { _ in clock.look(at: 1_000_000 - seconds, offset: nil) }
    let late = 1_000_000 - seconds
    #expect(found == (kind.map { [ClockChange(kind: $0, at: late, from: 1_000_000, to: late)] } ?? []))
  }

  /// One line in time begins the count anew.
  @Test func aLineInTimeEndsTheDoubt() {
    var clock = LogClock()
    var found: [ClockChange] = []
    for line in 0..<60 {
      let time: Int64 = line % 20 == 0 ? 1_000_000 : 999_000
      if let change = clock.look(at: time, offset: line % 20 == 0 ? 0 : 3_600) { found.append(change) }
    }
    #expect(found.isEmpty)
  }
}
