import LinkspanCore
import Testing

@testable import LinkspanForecast

/// The first guess at what a log's calm is, from medians of its hours.
@Suite struct CalmModelTests {
  /// 2026-03-02T00:00:00Z.
  private static let start: Int64 = 1_772_409_600

  /// So many requests in the first second of each minute; those of the last minute come in its last second, so that all of it counts.
  private static func series(from first: Int, _ minutes: [UInt32]) throws -> LogSeries {
    var counts = LogCounts()
    for (place, count) in minutes.enumerated() {
      let minute = start + Int64(first + place) * 60
      counts.add(count, at: place == minutes.count - 1 ? minute + 59 : minute)
    }
    return try #require(LogSeries(counts))
  }

  /// A shorter log cannot tell a day's shape from chance.
  @Test(arguments: [2_879, 2_880]) func twoDaysHaveHours(minutes: Int) throws {
    let series = try Self.series(from: 0, (0..<minutes).map { $0 / 60 % 24 < 12 ? 1 : 3 })
    try #require(series.minutes.count == minutes)
    let model = CalmModel(median: series)
    #expect(model.level == 2)
    #expect(model.hours == (0..<24).map { minutes < 2_880 ? 1 : $0 < 12 ? 0.5 : 1.5 })
    #expect(model.weekdays == Array(repeating: 1, count: 7))
  }

  @Test(arguments: [(29, 1.0), (30, 50.5)]) func halfAnHourCounts(minutes: Int, level: Double) throws {
    let before = Array(repeating: UInt32(100), count: minutes)
    let series = try Self.series(from: 60 - minutes, before + Array(repeating: 1, count: 60))
    #expect(CalmModel(median: series).level == level)
  }

  /// Where no hour is long enough, the log as a whole counts; where nothing is expected, a little is.
  @Test func aShortLogHasTheLevelOfAllOfIt() throws {
    #expect(CalmModel(median: try Self.series(from: 0, [4, 0, 2])).level == 2)
    #expect(CalmModel.median([]) == 0)
    #expect(CalmModel.median([3, 1, 2]) == 2 && CalmModel.median([4, 1, 3, 2]) == 2.5)
    #expect(CalmModel.weekday(ofDay: 0) == 3 && CalmModel.weekday(ofDay: 4) == 0)
  }
}
