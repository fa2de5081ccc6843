import LinkspanCore
import Testing

@testable import LinkspanForecast

@Suite struct ForecastTests {
  /// V6, V11: everybody asks the host itself, updates at midnight. Made once, since it takes seconds.
  private static let incident = Forecast(CountsTests.incident)

  @Test func thePublishedStampedeIsFortyTimesTheBaselineWithinASecond() {
    let forecast = Self.incident
    #expect((35...45).contains(forecast.ratio), "\(forecast.ratio)")
    let second = forecast.peakSecond
    #expect(Int(forecast.curve.requests[second - 1]) < forecast.peak / 10)
    #expect(Int(forecast.curve.requests[second + 1]) < forecast.peak / 10)
    #expect(forecast.peakAt.description == "2026-03-04T00:00:00.000Z")
    #expect(forecast.assumptions.first?.name == "update.burst_share")
  }

  @Test func withTheCDNTheSameFleetHasNoPeak() throws {
    let forecast = Self.incident
    let cdn = try #require(forecast.remedies.first { $0.name == "cdn" })
    // The site's own busiest hour, and chance.
    #expect(cdn.ratio < 2.5, "\(cdn.ratio)")
    #expect(forecast.remedies.first.map { ["all", "cdn"].contains($0.name) } == true)
  }

  /// What differs by chance alone is no advice.
  @Test func withoutAWaveNoRemedyHelps() {
    var fleet = Fleet()
    fleet.update = nil
    fleet.days = 2
    let calm = Forecast(fleet)
    #expect(!calm.helps && !calm.remedies.isEmpty)
    #expect(ForecastPage(calm, name: "fleet").html.contains("No remedy helps"))
    #expect(!ForecastPage(calm, name: "fleet").html.contains("Peak with each remedy"))
    #expect(
      Set(Self.incident.remedies.filter(\.helps).map(\.name)) == [
        "all", "cdn", "phased-release", "another-hour",
      ])
  }

  /// The last step lets half of the devices go, nine days behind the start: a week would show a fifth of them.
  @Test func aPhasedReleaseIsFollowedToItsHighestNight() throws {
    let forecast = Self.incident
    let phased = try #require(forecast.remedies.first { $0.name == "phased-release" })
    #expect((0.5...0.7).contains(Double(phased.peak) / Double(forecast.peak)), "\(phased.peak)")
    #expect(phased.days == 12 && forecast.fleet.days == 7 && forecast.lengthening == nil)
    var fleet = CountsTests.incident
    fleet.update?.isPhased = true
    let curve = Forecast.expected(fleet, seed: 1)
    #expect(Int(curve.requests[curve.peakSecond]) == phased.peak)
    #expect(curve.requests.count == 12 * 86_400)
    // Steps at noon from the 3rd to the 9th, so the highest night is that of the 10th.
    #expect(curve.peakSecond == 8 * 86_400)
  }

  @Test(arguments: [
    // Devices, phased, nightly share, days that were asked for, days that there are.
    (1_000, false, 0.7, 7, 7), (1_000, false, 0.7, 2, 3), (1_000, true, 0.7, 7, 12),
    (1_000, true, 0.7, 30, 30),
    (1_000, true, 1.0, 7, 9), (1_000, true, 0.01, 7, 15), (0, true, 0.7, 7, 7),
  ])
  func theDaysReachTheHighestNight(devices: Int, isPhased: Bool, nightly: Double, asked: Int, days: Int) {
    var fleet = CountsTests.incident
    fleet.devices = devices
    fleet.days = asked
    fleet.update?.isPhased = isPhased
    fleet.update?.nightlyShare = nightly
    #expect(fleet.untilTheHighestNight.days == days)
  }

  @Test func moreDaysThanAskedForAreSaid() {
    var fleet = CountsTests.incident
    fleet.devices = 200_000
    fleet.days = 2
    let forecast = Forecast(fleet)
    #expect(
      forecast.lengthening == "3 days instead of 2, which end before the highest night of the update")
    #expect(ForecastPage(forecast, name: "fleet").html.contains("The forecast is of 3 days instead of 2"))
    #expect(forecast.json().text.contains("\"days\":3"))
    // The release is compared with itself over as many days.
    #expect(forecast.remedies.first { $0.name == "phased-release" }?.days == 12)
    #expect(forecast.remedies.first { $0.name == "phased-release" }?.helps == true)
  }

  /// Devices that look in the window's first second only do not meet an update that comes a minute later.
  @Test(arguments: [(1.0, 1_000...1_005, false), (0.5, 200...310, true), (0.0, 0...20, false)])
  func aReleaseInsideTheWindowIsMetByThoseThatLookLater(
    burst: Double, peak: ClosedRange<Int>, helps: Bool
  ) throws {
    var fleet = CountsTests.incident
    fleet.devices = 1_000
    fleet.growthPerDay = 0
    fleet.days = 3
    fleet.site.requestsPerSecond = 0
    fleet.cdn.caches = 0
    fleet.update?.automaticShare = 1
    fleet.update?.manualShare = 0
    fleet.update?.nightlyShare = 1
    fleet.update?.burstShare = burst
    fleet.update?.windowLengthSeconds = 3_600
    let remedy = try #require(Forecast(fleet).remedies.first { $0.name == "another-hour" })
    #expect(peak.contains(remedy.peak), "\(remedy.peak)")
    #expect(remedy.helps == helps)
  }

  @Test(arguments: [(2052, 500, 2500), (116, 20, 120), (1, 1, 1), (1000, 200, 1000), (9_999, 2_000, 10_000)])
  func theAxisFitsTheData(highest: Int, step: Int, top: Int) {
    let axis = ChartAxis(highest)
    #expect((axis.step, axis.highest) == (step, top))
  }

  @Test func thePictureMarksWhereTheUpdateShips() {
    let forecast = Self.incident
    let page = ForecastPage(forecast, name: "fleet")
    #expect(page.svg.contains(">update ships</text>"))
    // The table behind the picture has its highest point.
    #expect(page.hours.map(\.requests).max() == forecast.peak)
    #expect(page.hours.count == forecast.fleet.days * 24)
    let peak = ForecastPicture(forecast, seconds: forecast.peakSecond..<forecast.peakSecond + 60, width: 350)
    #expect(!peak.svg.contains("update ships"))
  }

  @Test func sameSeedSameBytesOtherSeedOtherBytes() {
    var fleet = CountsTests.incident
    fleet.days = 3
    let first = Forecast(fleet, seed: 5).json().text
    // As every answer has it.
    #expect(first.contains("\"seed\":5}"))
    #expect(first == Forecast(fleet, seed: 5).json().text)
    #expect(first != Forecast(fleet, seed: 6).json().text)
  }

  @Test func whatTheServerCannotTakeComesBackThreeHoursLater() {
    var fleet = CountsTests.incident
    fleet.server.connectionMilliseconds = 5  // 200 a second
    fleet.server.patienceSeconds = 2
    var run = CountRun(fleet, wave: UpdateWave(fleet), seed: 1)
    let curve = run.run()
    #expect(curve.failedCount > 1_000)
    let peak = curve.peakSecond
    // R1, V2: 3 h to 3 h 5 min after the failure.
    let before = curve.devices[(peak + 10_000)..<(peak + 10_300)].reduce(0) { $0 + Int($1) }
    let wave = curve.devices[(peak + 10_800)..<(peak + 11_100)].reduce(0) { $0 + Int($1) }
    #expect(
      Double(wave - before) > 0.8 * Double(curve.failed[peak]), "\(before) \(wave) \(curve.failed[peak])")
  }

  @Test func anUpdateHasAnEchoFiveDaysLater() {
    var fleet = CountsTests.incident
    fleet.days = 9
    fleet.site.requestsPerSecond = 0
    var run = CountRun(fleet, wave: UpdateWave(fleet), seed: 1)
    let curve = run.run()
    let peak = curve.peakSecond
    // V2: 4.9 to 5.0 days after the update of the first night.
    let echo = curve.devices[(peak + 432_000)..<(peak + 435_600)].reduce(0) { $0 + Int($1) }
    let quiet = curve.devices[(peak + 400_000)..<(peak + 403_600)].reduce(0) { $0 + Int($1) }
    #expect(echo > 2 * quiet, "\(echo) and \(quiet)")
  }

  @Test func theCommentedFileReadsBackAsTheSameFleet() {
    var fleet = CountsTests.incident
    fleet.zones = [.init(offsetSeconds: 32_400, share: 0.5), .init(offsetSeconds: -12_600, share: 0.5)]
    fleet.server.connectionMilliseconds = 0.25
    fleet.update?.isPhased = true
    for wanted in [Fleet(), fleet] {
      let file = FleetFile(SourceText(name: "fleet.json5", wanted.document))
      #expect(file.findings.isEmpty, "\(file.findings)")
      #expect(file.fleet == wanted)
    }
  }

  @Test(arguments: [
    ("{ devces: 3 }", "fleet.unknown-key", "Did you mean 'devices'?"),
    ("{ $schema: 1 }", "fleet.type", "For example: $schema: \"fleet.schema.json\"."),
    ("{ devices: -1 }", "fleet.number", "Write an integer in that range."),
    ("{ zones: [{ utc_offset: \"+09:00\", share: 0.3 }] }", "fleet.shares", "Let them add up to 1."),
    // One mistake: what cannot be read says nothing of the sum.
    ("{ zones: [{ utc_offset: \"+09:00\", share: 2 }] }", "fleet.number", "Write a number in that range."),
    (
      "{ update: { released: \"tomorrow\" } }", "fleet.time",
      "For example: released: \"2026-03-03T12:00:00Z\"."
    ),
    (
      "{ start: \"9999-12-30T00:00:00Z\" }", "fleet.time",
      "Write a time before the year 9998. For example: start: \"2026-03-03T12:00:00Z\"."
    ),
    ("{ update: { automatic_share: 0.9, manual_share: 0.9 } }", "fleet.shares", "Lower one of them."),
    (
      "{ routes: { below_ios_14: 0.9, developer_mode: 0.2 } }", "fleet.shares",
      "Count a device in one of them only."
    ),
    ("{ update: { window: { from: \"25:00\" } } }", "fleet.clock", "For example: \"23:30\"."),
    (
      "[]", "fleet.type", "For example: { devices: 1000000, update: { released: \"2026-03-03T12:00:00Z\" } }."
    ),
    (
      "{ days: 1, update: { released: \"2026-03-09T12:00:00Z\" } }", "fleet.released",
      "Move 'start', lengthen 'days', or move 'update.released'."
    ),
  ])
  func badFilesAreTold(text: String, rule: String, help: String) {
    let file = FleetFile(SourceText(name: "fleet.json5", text))
    #expect(file.findings.map(\.rule) == [rule])
    #expect(file.findings.first?.help == help)
  }

  /// What Documentation/forecast.md lists.
  @Test func aFleetHasUsualValues() {
    let fleet = Fleet()
    #expect(fleet.server.patienceSeconds == 5 && fleet.server.targetMilliseconds == 500)
    #expect(fleet.server.cores == 1 && fleet.server.responseBytes == 4_096)
    #expect(fleet.server.handshakeBytes == 3_500 && fleet.server.capacity == nil)
    #expect(fleet.cdn.caches == 60 && fleet.cdn.maxAgeSeconds == 21_600)
    #expect(fleet.site.requestsPerSecond == 50 && fleet.site.dailySwing == 0.5)
    #expect(fleet.site.busiestHour == 20 && fleet.site.keptShare == 0.8)
    #expect(fleet.update?.burstShare == 0.0047 && fleet.update?.burstSeconds == 1)
    #expect(fleet.update?.burstUncertainty == 2 && fleet.update?.manualShare == 0.3)
    #expect(fleet.update?.manualHalfLifeSeconds == 172_800)
    var other = fleet
    (other.server.cores, other.server.connectionMilliseconds) = (4, 0.5)
    #expect(other.server.capacity == 8_000)
  }

  /// A tenth of a percent is rounding.
  @Test(arguments: [
    (0.5, 0.5, true), (0.5, 0.4991, true), (0.5, 0.5009, true), (0.5, 0.4989, false), (0.5, 0.5011, false),
  ])
  func sharesOfZonesAddUpToOne(first: Double, second: Double, isTaken: Bool) {
    let text =
      "{ zones: [{ utc_offset: \"+01:00\", share: \(first) }, { utc_offset: \"-05:00\", share: \(second) }] }"
    let file = FleetFile(SourceText(name: "fleet.json5", text))
    #expect(file.findings.map(\.rule) == (isTaken ? [] : ["fleet.shares"]))
    #expect(
      file.fleet.zones.map(\.offsetSeconds)
        == (isTaken ? [3_600, -18_000] : Fleet().zones.map(\.offsetSeconds)))
  }

  /// The bounds of each number, asked at them and beside them.
  @Test(arguments: [
    ("days", "1", "60", "0", "61"), ("growth_per_day", "0", "1", "-0.1", "1.1"),
    ("routes: { below_ios_14", "0", "1", "-0.1", "1.1"),
  ])
  func aNumberHasBounds(name: String, least: String, most: String, below: String, above: String) {
    func rules(_ value: String) -> [String] {
      let text = "{ update: null, \(name): \(value)\(name.contains("{") ? " }" : "") }"
      return FleetFile(SourceText(name: "fleet.json5", text)).findings.map(\.rule)
    }
    #expect(rules(least) == [] && rules(most) == [])
    #expect(rules(below) == ["fleet.number"] && rules(above) == ["fleet.number"])
  }

  @Test(arguments: [("-60", []), ("-61", ["fleet.released"]), ("0", [])] as [(String, [String])])
  func anUpdateMayHaveShippedSixtyDaysBefore(days: String, rules: [String]) throws {
    let start = try #require(WallTime("2026-03-02T00:00:00Z"))
    let released = start.advanced(by: .seconds(86_400 * (Int(days) ?? 0)))
    let text = "{ start: \"\(start)\", update: { released: \"\(released)\" } }"
    #expect(FleetFile(SourceText(name: "fleet.json5", text)).findings.map(\.rule) == rules)
  }

  /// What stands for it meanwhile is compared with nothing.
  @Test(arguments: [
    ("{ start: \"2027-02-28T00:00:00Z\", update: { released: \"2027-02-29T12:00:00Z\" } }", "fleet.time"),
    ("{ start: \"2027-02-29T00:00:00Z\", update: { released: \"2027-03-01T12:00:00Z\" } }", "fleet.time"),
    ("{ start: 1, update: { released: \"2027-03-01T12:00:00Z\" } }", "fleet.type"),
    ("{ days: 61, update: { released: \"2026-04-30T00:00:00Z\" } }", "fleet.number"),
  ])
  func aTimeThatCannotBeReadIsTheOnlyError(text: String, rule: String) {
    #expect(FleetFile(SourceText(name: "fleet.json5", text)).findings.map(\.rule) == [rule])
  }
}
