import LinkspanCore
import PushCampaigns
import RegistryRequests
import Testing

@testable import RegistryServer

/// Days of a series that are other days where the devices are. The clock stands at Monday, 2026-09-14T08:00:00Z.
@Suite("Registry API: days of a series", .timeLimit(.minutes(5)))
struct SeriesDaysAPITests {
  private static let zones: [String: Int64] = [
    "Asia/Tokyo": 9, "Asia/Seoul": 9, "Europe/Vienna": 2, "America/Denver": -6,
  ]

  /// - Returns: What is warned of, of a campaign and of an estimate alike.
  private func warnings(_ names: [String], _ rest: String) async throws -> [[String]] {
    var options = RegistryAPI.Options()
    options.zone = { name in Self.zones[name].map { TimeZoneRules(fixedOffset: $0 * 3_600) } }
    let api = try APIUnderTest(options)
    let access = try api.token(Set(AccessScope.allCases))
    let place = #""topic":"com.example.app","environment":"production""#
    for (number, name) in names.enumerated() {
      let zone = name.isEmpty ? "" : ",\"time_zone\":\"\(name)\""
      _ = await api.answer(
        "PUT", "/v1/devices/" + String(repeating: "a\(number)", count: 32), token: access,
        body: "{\(place)\(zone)}")
    }
    var found: [[String]] = []
    for path in ["/v1/campaigns", "/v1/estimates"] {
      let answer = await api.answer(
        "POST", path, token: access,
        body: "{\(place),\"audience\":\"all\",\"payload\":{\"aps\":{\"alert\":\"Hi\"}},\(rest)}")
      #expect((200..<300).contains(answer.status), "\(answer.text)")
      let list = JSONParser.parse(answer.body).root?["warnings"]?.array ?? []
      found.append(
        list.filter { $0["pointer"]?.string == "/repeat" }.compactMap { $0["detail"]?.string })
    }
    return found
  }

  static let told: [(zones: [String], rest: String, text: String)] = [
    // In Tokyo it is 17:00, so 09:00 is tomorrow.
    (
      ["", "Asia/Tokyo"], #""repeat":"FREQ=WEEKLY;BYDAY=MO","local_time":"09:00""#,
      "The push of Monday is due on Tuesday in 'Asia/Tokyo', and so is every later one: 'BYDAY' counts the days of the"
        + " starting time, in UTC. Choose another starting time."
    ),
    (
      ["Asia/Seoul", "Asia/Tokyo", "Europe/Vienna"],
      #""repeat":"FREQ=WEEKLY;BYDAY=MO,TU","local_time":"09:00","starts_at":"2026-09-21T09:00:00+02:00""#,
      "is due on Tuesday in 'Asia/Seoul' and 1 other time zone, and so is every later one: 'BYDAY' counts the days of"
        + " the starting time, in UTC+02:00."
    ),
    // Midnight of Monday in Vienna is Sunday afternoon in Denver.
    (
      ["America/Denver"],
      #""repeat":"FREQ=MONTHLY;BYDAY=3MO","local_time":"18:00","starts_at":"2026-09-21T00:00:00+02:00""#,
      "The push of Monday is due on Sunday in 'America/Denver', and"
    ),
    (
      [""], #""repeat":"FREQ=WEEKLY;BYDAY=MO","local_time":"07:00""#,
      "The push of Monday is due on Tuesday in 'UTC', and"
    ),
    // The day of the month, and of the year.
    (
      ["", "Asia/Tokyo"], #""repeat":"FREQ=MONTHLY","local_time":"09:00""#,
      "The push of 2026-09-14 is due on 2026-09-15 in 'Asia/Tokyo', and so is every later one: without 'BYDAY' a rule"
        + " has the day of the starting time, in UTC. Choose another starting time."
    ),
    (
      ["America/Denver"],
      #""repeat":"FREQ=YEARLY","local_time":"18:00","starts_at":"2026-09-21T00:00:00+02:00""#,
      "The push of 2026-09-21 is due on 2026-09-20 in 'America/Denver', and"
    ),
    // Quiet hours put it off until the next morning.
    (
      ["Europe/Vienna"],
      #""repeat":"FREQ=WEEKLY;BYDAY=MO","starts_at":"2026-09-21T22:30:00+02:00","quiet_hours":{"from":"22:00","to":"08:00"}"#,
      "The push of Monday is due on Tuesday in 'Europe/Vienna', and"
    ),
  ]

  @Test(arguments: told.indices) func aDayThatIsAnotherOneThereIsTold(_ index: Int) async throws {
    let (zones, rest, text) = Self.told[index]
    for found in try await warnings(zones, rest) {
      #expect(found.count == 1 && found.first?.contains(text) == true, "\(found)")
    }
  }

  static let untold: [(zones: [String], rest: String)] = [
    (["", "Europe/Vienna"], #""repeat":"FREQ=WEEKLY;BYDAY=MO","local_time":"20:00""#),
    // Monday in each of them.
    (
      ["Asia/Tokyo", "Europe/Vienna", "America/Denver"],
      #""repeat":"FREQ=WEEKLY;BYDAY=MO","local_time":"09:00","starts_at":"2026-09-21T01:00:00+09:00""#
    ),
    (["Asia/Tokyo"], #""repeat":"FREQ=WEEKLY","local_time":"09:00""#),
    (["Europe/Vienna"], #""repeat":"FREQ=MONTHLY","local_time":"20:00""#),
    (["Asia/Tokyo"], #""repeat":"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU","local_time":"09:00""#),
    (["Asia/Tokyo"], #""repeat":"FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA,SU","local_time":"09:00""#),
    // A moment, which is another day in some zones.
    (["Asia/Tokyo"], #""repeat":"FREQ=WEEKLY;BYDAY=MO","starts_at":"2026-09-21T22:00:00Z""#),
    (
      ["Asia/Tokyo"],
      #""repeat":"FREQ=WEEKLY;BYDAY=MO","starts_at":"2026-09-21T22:00:00Z","quiet_hours":{"from":"22:00","to":"08:00"}"#
    ),
    ([], #""repeat":"FREQ=WEEKLY;BYDAY=MO","local_time":"07:00""#),
  ]

  @Test(arguments: untold.indices) func whatStaysOnItsDayIsNotTold(_ index: Int) async throws {
    let (zones, rest) = Self.untold[index]
    #expect(try await warnings(zones, rest) == [[], []])
  }
}
