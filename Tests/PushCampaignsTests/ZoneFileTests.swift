import LinkspanCore
import Testing

@testable import PushCampaigns

/// Files of time zones (RFC 8536), written here byte by byte.
@Suite("Files of time zones")
struct ZoneFileTests {
  private static func big(_ number: Int64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> Int64(8 * $0)) }
  }

  /// One block with its header.
  private static func block(
    version: Character = "2", timeBytes: Int, _ transitions: [(time: Int64, type: Int64)], offsets: [Int64],
    counts: [Int64]? = nil
  ) -> [UInt8] {
    let counts = counts ?? [0, 0, 0, Int64(transitions.count), Int64(offsets.count), 4]
    return Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { big($0, 4) }
      + transitions.flatMap { big($0.time, timeBytes) } + transitions.map { UInt8($0.type) }
      + offsets.flatMap { big($0, 4) + [0, 0] } + Array("UTC\0".utf8)
  }

  private static func zone(_ rule: String) -> TimeZoneRules? {
    TimeZoneRules(
      block(timeBytes: 4, [], offsets: [0]) + block(timeBytes: 8, [], offsets: [7])
        + Array("\n\(rule)\n".utf8))
  }

  private static func offset(_ rule: String, _ time: String) throws -> Int64 {
    try #require(zone(rule)).offset(at: #require(WallTime(time)))
  }

  /// The second before summer begins and ends, and the first one after.
  @Test(
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-03-27T00:59:59Z", 3_600),
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-03-27T01:00:00Z", 7_200),
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-10-30T00:59:59Z", 7_200),
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-10-30T01:00:00Z", 3_600),
      ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2050-04-02T13:59:59Z", 46_800),
      ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2050-04-02T14:00:00Z", 43_200),
      ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2050-09-24T13:59:59Z", 43_200),
      ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2050-09-24T14:00:00Z", 46_800),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2050-01-01T00:00:00Z", 39_600),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2050-07-01T00:00:00Z", 37_800),
      ("EST5EDT,M3.2.0,M11.1.0", "2050-01-01T00:00:00Z", -18_000),
      ("EST5EDT4,M3.2.0,M11.1.0", "2050-07-01T00:00:00Z", -14_400),
      ("EST+5", "2050-07-01T00:00:00Z", -18_000), ("X-1:30:15", "2050-07-01T00:00:00Z", 5_415),
      ("X0Y,M12.1.0/0,M12.5.6/0", "2050-12-03T23:59:59Z", 0),
      ("X0Y,M12.1.0/0,M12.5.6/0", "2050-12-04T00:00:00Z", 3_600),
      ("X0Y,M12.1.0/0,M12.5.6/0", "2050-12-30T22:59:59Z", 3_600),
      ("X0Y,M12.1.0/0,M12.5.6/0", "2050-12-30T23:00:00Z", 0),
      ("X0Y,M1.1.4/-1,M6.1.0", "2050-01-05T22:59:59Z", 0),
      ("X0Y,M1.1.4/-1,M6.1.0", "2050-01-05T23:00:00Z", 3_600),
      ("X0Y,M1.1.6/0:30,M6.1.0", "2050-01-01T00:29:59Z", 0),
      ("X0Y,M1.1.6/0:30,M6.1.0", "2050-01-01T00:30:00Z", 3_600),
      ("X0Y,M4.4.5/0,M6.1.0", "2050-04-21T23:59:59Z", 0),
      ("X0Y,M4.4.5/0,M6.1.0", "2050-04-22T00:00:00Z", 3_600),
    ] as [(String, String, Int64)])
  func theYearlyRuleIsExact(rule: String, time: String, offset: Int64) throws {
    #expect(try Self.offset(rule, time) == offset, "\(rule) at \(time)")
  }

  /// Half a rule has no summer; what is no rule leaves the file's own offset.
  @Test(
    arguments: [
      ("X-1Y,M0.1.0,M6.1.0", 3_600), ("X-1Y,M13.1.0,M6.1.0", 3_600), ("X-1Y,M1.0.0,M6.1.0", 3_600),
      ("X-1Y,M1.6.0,M6.1.0", 3_600),
      ("X-1Y,M1.1.7,M6.1.0", 3_600), ("X-1Y,M1.1.0", 3_600), ("X-1Y,J1,J9", 3_600),
      ("X-1Y,M1.1.0/x,M6.1.0", 3_600), ("X-1Y", 3_600),
      ("X-1Y,M1.1,M6.1.0", 3_600), ("X", 7), ("-1", 7), ("", 7), ("X-1:x", 7), ("X-1234", 7), ("X-", 7),
    ] as [(String, Int64)])
  func otherRulesHaveNoSummer(rule: String, offset: Int64) throws {
    #expect(try Self.offset(rule, "2050-01-20T00:00:00Z") == offset)
  }

  @Test func eachTransitionIsExact() throws {
    let transitions: [(Int64, Int64)] = [(-100, 1), (100, 2), (200, 0)]
    let block = Self.block(version: "\0", timeBytes: 4, transitions, offsets: [10, -20, 30])
    let zone = try #require(TimeZoneRules(block))
    for (seconds, offset) in [
      (-101, 10), (-100, -20), (99, -20), (100, 30), (199, 30), (200, 10), (9_999, 10),
    ] as [(Int64, Int64)] {
      #expect(zone.offset(at: WallTime(milliseconds: seconds * 1_000)) == offset, "\(seconds)")
    }
    #expect(
      zone.offset(at: WallTime(milliseconds: -100_001)) == 10
        && zone.offset(at: WallTime(milliseconds: 99_999)) == -20)
    let long =
      Self.block(timeBytes: 4, [], offsets: [1]) + Self.block(timeBytes: 8, [(1 << 33, 1)], offsets: [5, 6])
    let second = try #require(TimeZoneRules(long))
    #expect(
      second.offset(at: .init(milliseconds: (1 << 33) * 1_000 - 1)) == 5
        && second.offset(at: .init(milliseconds: (1 << 33) * 1_000)) == 6)
    #expect(
      zone.minuteOfDay(at: WallTime(milliseconds: -101_000)) == 1_438
        && zone.minuteOfDay(at: WallTime(milliseconds: 49_999)) == 0)
  }

  @Test func whatIsNoFileIsRefused() {
    func isZone(_ counts: [Int64], offsets: [Int64] = [0], extra: Int = 0) -> Bool {
      let block = Self.block(version: "\0", timeBytes: 4, [], offsets: offsets, counts: counts)
      return TimeZoneRules(block + [UInt8](repeating: 0, count: extra)) != nil
    }
    #expect(
      isZone([0, 0, 0, 0, 1, 4]) && !isZone([0, 0, 0, 0, 0, 4]) && !isZone([0, 0, 0, 0, 1, 5])
        && isZone([0, 0, 0, 0, 1, 5], extra: 1))
    #expect(isZone([1, 1, 1, 0, 1, 4], extra: 10) && !isZone([1, 1, 1, 0, 1, 4], extra: 9))
    #expect(
      isZone([0, 0, 0, 0, 1, 10_000], extra: 9_996) && !isZone([0, 0, 0, 0, 1, 10_001], extra: 9_997)
        && !isZone([0, 0, 0, 0, 1, -1]))
    #expect(
      isZone([0, 0, 0, 0, 1, 4], offsets: [99_999]) && !isZone([0, 0, 0, 0, 1, 4], offsets: [100_000]))
    #expect(
      !isZone([0, 0, 0, 0, 1, 4], offsets: [-100_000]) && isZone([0, 0, 0, 0, 1, 4], offsets: [-99_999]))
    let wrongType = Self.block(version: "\0", timeBytes: 4, [(0, 1)], offsets: [0])
    #expect(
      TimeZoneRules(wrongType) == nil
        && TimeZoneRules(Self.block(version: "\0", timeBytes: 4, [(0, 0)], offsets: [0])) != nil)
    let header = Self.block(version: "\0", timeBytes: 4, [], offsets: [0])
    #expect(
      TimeZoneRules([UInt8(ascii: "X")] + header.dropFirst()) == nil
        && TimeZoneRules(Self.block(timeBytes: 4, [], offsets: [0])) == nil)
    let filled = header + [UInt8](repeating: 0, count: TimeZoneRules.fileLimitBytes - header.count)
    #expect(TimeZoneRules(filled) != nil && TimeZoneRules(filled + [0]) == nil)
  }

  @Test(arguments: [
    ("Europe/Vienna", true), ("Etc/GMT+1-2_3", true), ("", false), (".", false), ("a b", false), ("A", true),
    (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
  ])
  func aNameIsShortAndPlain(name: String, isName: Bool) {
    #expect(TimeZoneRules.isName(name) == isName)
  }

  @Test(arguments: [(0, 0), (6, 0), (7, 1), (-1, -1), (-7, -1), (-8, -2), (14, 2)] as [(Int64, Int64)])
  func divisionIsFloored(number: Int64, quotient: Int64) {
    #expect(number.flooredDivision(by: 7) == quotient)
  }

  /// A clock time that does not come again today comes tomorrow.
  @Test func theNextTimeIsTodayOrTomorrow() throws {
    let zone = TimeZoneRules(fixedOffset: -3_600)
    for (now, next) in [
      ("00:59:59.999", "2026-01-01T01:00"), ("01:00:00.000", "2026-01-01T01:00"),
      ("01:00:00.001", "2026-01-02T01:00"),
    ] {
      #expect(zone.next(0, after: try #require(WallTime("2026-01-01T\(now)Z"))).description.hasPrefix(next))
    }
  }
}
