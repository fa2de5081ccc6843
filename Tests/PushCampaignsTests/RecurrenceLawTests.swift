import LinkspanCore
import Testing

@testable import PushCampaigns

/// Whatever a rule says and wherever it starts, a series ends or goes on, and nothing traps.
@Suite("Recurrence rules: laws", .timeLimit(.minutes(5)))
struct RecurrenceLawTests {
  private static let intervals = [
    "1", "2", "7", "12", "100", "400", "1200", "5217", "36525", "876600", "999999", "1000000",
  ]
  private static let counts = ["COUNT=1", "COUNT=3", "COUNT=1000000"]
  private static let ends = [
    "UNTIL=00000101", "UNTIL=20261224T080000Z", "UNTIL=99991231", "UNTIL=99991231T235959Z",
  ]

  private static func rule(_ generator: inout SeededGenerator) -> String {
    func one(_ list: [String]) -> String { list[Int(generator.next() % UInt64(list.count))] }
    var parts = ["FREQ=" + one(Recurrence.Frequency.allCases.map(\.rawValue))]
    if one(["y", "y", "n"]) == "y" { parts.append("INTERVAL=" + one(intervals)) }
    let ordinals = ["", "", "1", "-1", "5", "6", "-6", "53", "-53"]
    if one(["y", "n"]) == "y" {
      let days = (0..<1 + Int(generator.next() % 3)).map { _ in one(ordinals) + one(["MO", "TH", "SU"]) }
      parts.append("BYDAY=" + days.joined(separator: ","))
    }
    switch one(["none", "count", "until"]) {
    case "count": parts.append(one(counts))
    case "until": parts.append(one(ends))
    default: break
    }
    return parts.joined(separator: ";")
  }

  private static func start(_ generator: inout SeededGenerator) -> WallTime {
    let edges: [Int64] = [
      .min, -WallTime.last.milliseconds, -62_167_219_200_000, -1, 0, 951_782_400_000, 1_795_824_000_000,
      WallTime.last.milliseconds - 1, WallTime.last.milliseconds, WallTime.last.milliseconds + 1, .max,
    ]
    let draw = generator.next()
    if draw % 3 == 0 { return WallTime(milliseconds: edges[Int(draw / 3 % UInt64(edges.count))]) }
    return WallTime(milliseconds: Int64(draw % UInt64(WallTime.last.milliseconds)))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func everyOccurrenceIsLaterAndInTheCalendar(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let (text, start) = (Self.rule(&generator), Self.start(&generator))
      let offset = (Int64(generator.next() % 2_879) - 1_439) * 60
      guard let rule = Recurrence.reading(stored: text) else { continue }
      var next = rule.first(from: start, offset: offset)
      #expect((rule.problem(from: start, offset: offset) == nil) == (next != nil), "\(text) from \(start)")
      var before: Recurrence.Occurrence?
      for number in 1...4 {
        guard let found = next else { break }
        #expect(
          found.number == Int64(number) && found.time >= start && found.time <= .last, "\(text), \(start)")
        if let before { #expect(before.time < found.time, "\(text) from \(start)") }
        before = found
        next = rule.following(found, start: start, offset: offset)
        #expect(
          !(next != nil && rule.breaksOff(after: found, start: start, offset: offset)),
          "\(text) from \(start)")
      }
    }
  }

  @Test(arguments: [
    ("YEARLY", 100), ("MONTHLY", 1_200), ("WEEKLY", 5_217), ("DAILY", 36_525), ("HOURLY", 876_600),
    ("MINUTELY", 1_000_000), ("SECONDLY", 1_000_000),
  ])
  func anIntervalHasALimit(frequency: String, limit: Int) {
    #expect((try? Recurrence.reading("FREQ=\(frequency);INTERVAL=\(limit)").get()) != nil)
    #expect(
      Recurrence.reading("INTERVAL=\(limit + 1);FREQ=\(frequency)")
        == .failure(
          .init(
            message:
              "'INTERVAL' with FREQ=\(frequency) expects a number from 1 to \(limit), got '\(limit + 1)'.")))
  }

  /// Earlier versions took it.
  @Test(arguments: [
    "FREQ=YEARLY;INTERVAL=1000000", "FREQ=MONTHLY;INTERVAL=1000000", "FREQ=YEARLY;INTERVAL=7974",
  ])
  func aStoredRuleEndsWhereTheCalendarDoes(text: String) throws {
    let rule = try #require(Recurrence.reading(stored: text))
    let start = try #require(WallTime("2026-11-27T09:00:00Z"))
    let first = try #require(rule.first(from: start, offset: 0))
    #expect(first == .init(start, number: 1))
    #expect(rule.following(first, start: start, offset: 0) == nil)
    #expect(rule.breaksOff(after: first, start: start, offset: 0))
  }

  @Test func whatNeverHappensSaysWhy() throws {
    let start = try #require(WallTime("2026-11-27T09:00:00Z"))
    func problem(_ text: String) throws -> String? {
      try Recurrence.reading(text).get().problem(from: start, offset: 0)
    }
    #expect(
      try problem("FREQ=MONTHLY;BYDAY=6MO")
        == "The campaign would never happen: no day until the year 9999 fits 'FREQ=MONTHLY;BYDAY=6MO'.")
    #expect(
      try problem("FREQ=DAILY;UNTIL=20261126")
        == "The campaign would never happen: 'UNTIL' is before its first day.")
    #expect(try problem("FREQ=YEARLY;INTERVAL=100") == nil)
  }

  /// A series whose rule ends it is over; it does not break off.
  @Test func aSeriesThatItsRuleEndsDoesNotBreakOff() throws {
    let start = try #require(WallTime("9999-12-30T09:00:00Z"))
    func breaksOff(_ text: String, after number: Int) throws -> Bool {
      let rule = try Recurrence.reading(text).get()
      var last = try #require(rule.first(from: start, offset: 0))
      for _ in 1..<number { last = try #require(rule.following(last, start: start, offset: 0)) }
      return rule.breaksOff(after: last, start: start, offset: 0)
    }
    #expect(try !breaksOff("FREQ=DAILY;COUNT=1", after: 1))
    #expect(try !breaksOff("FREQ=DAILY;COUNT=2", after: 1) && !breaksOff("FREQ=DAILY;COUNT=2", after: 2))
    #expect(try !breaksOff("FREQ=DAILY;COUNT=3", after: 1) && breaksOff("FREQ=DAILY;COUNT=3", after: 2))
    #expect(try !breaksOff("FREQ=DAILY", after: 1) && breaksOff("FREQ=DAILY", after: 2))
    #expect(try !breaksOff("FREQ=DAILY;UNTIL=99991231", after: 2))
  }
}
