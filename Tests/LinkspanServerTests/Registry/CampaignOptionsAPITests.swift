import Foundation
import LinkspanCore
import PushCampaigns
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import LinkspanServer
@testable import RegistryServer

/// The fields of a campaign that go beyond a push, an audience and a throttle.
@Suite("Registry API: campaign options", .timeLimit(.minutes(15)))
struct CampaignOptionsAPITests {
  static let head = #""topic":"com.example.app","environment":"production","audience":"all""#
  static let alert = #""payload":{"aps":{"alert":"Hi"}}"#

  func post(_ rest: String, to path: String = "/v1/campaigns") async throws -> HTTPResponse {
    let api = try APIUnderTest()
    let access = try api.token(Set(AccessScope.allCases))
    _ = await api.answer(
      "PUT", "/v1/devices/" + String(repeating: "a1", count: 32), token: access,
      body: #"{"topic":"com.example.app","environment":"production","locale":"de_AT"}"#)
    return await api.answer("POST", path, token: access, body: "{\(Self.head),\(rest)}")
  }

  @Test func everyFieldIsAnswered() async throws {
    let fields = [
      #""payloads":{"default":{"aps":{"alert":"Hi"}},"de":{"aps":{"alert":"Hallo"}}}"#,
      #""starts_at":"2026-12-24T09:00:00+01:00","repeat":"FREQ=DAILY;COUNT=3""#,
      #""quiet_hours":{"from":"22:00","to":"08:00"},"cap":{"count":2,"per_s":86400},"holdout":0.1"#,
      #""variants":[{"name":"b","share":0.25,"payload":{"aps":{"alert":"Hey"}}}]"#,
    ]
    let answer = try await post(fields.joined(separator: ","))
    #expect(answer.status == 201, "\(answer.text)")
    let parts = [
      #""starts_at":"2026-12-24T08:00:00.000Z","next_start":"2026-12-24T08:00:00.000Z""#,
      #""repeat":"FREQ=DAILY;COUNT=3","series":"1","occurrence":1,"grown_to":null"#,
      #""quiet_hours":{"from":"22:00","to":"08:00"},"cap":{"count":2,"per_s":86400},"template":false,"languages":["de"]"#,
      #""variants":[{"name":"b","share":0.25,"devices":0}],"holdout":0.1"#,
      #""shares":{"own":0,"holdout":0,"capped":0}"#,
    ]
    for part in parts { #expect(answer.text.contains(part), "\(answer.text)") }
    #expect(answer.text.contains(#""state":"scheduled""#))
    #expect(
      answer.text.contains(#""waves":[{"due_at":"2026-12-24T08:00:00.000Z","devices":1}]"#), "\(answer.text)")
  }

  /// Spec push.md, lint table: a payload of MDM has no `aps`.
  @Test func theDescriptionAllowsThePayloadOfDeviceManagement() async throws {
    let api = try APIUnderTest()
    let access = try api.token(Set(AccessScope.allCases))
    let tokens = "\"tokens\":[\"" + String(repeating: "a1", count: 32) + "\"]"
    let answer = await api.answer(
      "POST", "/v1/notifications", token: access,
      body: #"{"topic":"com.example.app","environment":"production",\#(tokens),"payload":{"mdm":"x"}}"#)
    #expect(answer.status == 202, "\(answer.text)")
    let description = JSONParser.parse(await api.answer("GET", "/v1/openapi.json").body).root
    let schemas = try #require(description?["components"]?["schemas"])
    let payloads = [schemas["Payload"], schemas["NewNotification"]?["properties"]?["payload"]]
    for payload in payloads {
      #expect(payload?["required"] == nil)
      #expect(payload?["anyOf"]?.array?.map { $0["required"]?.array?.first?.string } == ["aps", "mdm"])
    }
  }

  /// A mistyped year would be noticed when nothing comes.
  @Test func aStartInMoreThanAYearIsTold() async throws {
    let words = "It starts in 36525 days, at 2126-09-15T12:00:00.000Z. Is the year right?"
    for path in ["/v1/campaigns", "/v1/estimates"] {
      let far = try await post(#"\#(Self.alert),"starts_at":"2126-09-15T12:00:00Z""#, to: path)
      #expect(far.text.contains(words), "\(far.text)")
      let near = try await post(#"\#(Self.alert),"starts_at":"2027-09-14T08:00:00Z""#, to: path)
      #expect(!near.text.contains("Is the year right?"), "\(near.text)")
    }
  }

  /// No push is sent in the minute before quiet hours.
  @Test(arguments: [
    ("22:00", "in"), ("21:59", "in the last minute before"), ("21:58", ""), ("07:59", "in"), ("08:00", ""),
  ])
  func aLocalTimeThatWaitsForTheEndOfQuietHoursIsTold(_ time: String, _ place: String) async throws {
    let hours = #""quiet_hours":{"from":"22:00","to":"08:00"}"#
    for path in ["/v1/campaigns", "/v1/estimates"] {
      let answer = try await post(#"\#(Self.alert),\#(hours),"local_time":"\#(time)""#, to: path)
      #expect(answer.status < 300, "\(answer.text)")
      let words = "It is \(place) the quiet hours, so every push waits for their end."
      #expect(answer.text.contains(words) == !place.isEmpty, "\(answer.text)")
    }
  }

  /// Devices of a zone that the server does not know go by UTC, perhaps all of them: it may lack the database.
  @Test(arguments: [(#""local_time":"09:00""#, "/local_time"), (hours, "/quiet_hours"), ("", "")])
  func devicesOfAnUnknownTimeZoneAreTold(_ option: String, _ pointer: String) async throws {
    var options = RegistryAPI.Options()
    options.zone = { zone in zone == "Europe/Vienna" ? TimeZoneRules.utc : nil }
    let api = try APIUnderTest(options)
    let access = try api.token(Set(AccessScope.allCases))
    for (number, zone) in ["Mars/X", "Venus/Y", "Europe/Vienna"].enumerated() {
      let device = String(repeating: "a\(number)", count: 32)
      let place = #""topic":"com.example.app","environment":"production""#
      _ = await api.answer(
        "PUT", "/v1/devices/" + device, token: access, body: "{\(place),\"time_zone\":\"\(zone)\"}")
    }
    let rest = option.isEmpty ? "" : "," + option
    for path in ["/v1/campaigns", "/v1/estimates"] {
      let answer = await api.answer(
        "POST", path, token: access,
        body:
          #"{"topic":"com.example.app","environment":"production","audience":"all",\#(Self.alert)\#(rest)}"#)
      let words =
        #"{"pointer":"\#(pointer)","detail":"Of 2 devices this server does not know the time zone, such as"#
        + #" 'Venus/Y', so they go by UTC."}"#
      #expect(answer.text.contains(words) == !option.isEmpty, "\(answer.text)")
    }
  }

  private static let hours = #""quiet_hours":{"from":"22:00","to":"08:00"}"#

  /// As many languages as there may be, in payloads of two thousand bytes.
  @Test func payloadsInManyLanguagesFitIntoARequest() async throws {
    let payload = #"{"aps":{"alert":"\#(String(repeating: "a", count: 2_000))"}}"#
    var payloads = "\"default\":" + payload
    for first in "abcdefgh" {
      for second in "abcdefgh" { payloads += ",\"\(first)\(second)\":" + payload }
    }
    for path in ["/v1/campaigns", "/v1/estimates"] {
      let answer = try await post("\"payloads\":{\(payloads)}", to: path)
      #expect(answer.status < 300, "\(answer.text)")
    }
  }

  /// What waits for a key that nobody has forgotten on purpose is told when it is made.
  @Test func anAppWithoutAKeyIsTold() async throws {
    var options = RegistryAPI.Options()
    options.sends = { topic, environment in
      topic.text == "com.example.app" && environment == PushEnvironment.production
    }
    let api = try APIUnderTest(options)
    let access = try api.token(Set(AccessScope.allCases))
    let words = "so pushes wait for one that has."
    for (path, target) in [
      ("campaigns", #""audience":"all""#), ("estimates", #""audience":"all""#),
      ("notifications", #""aliases":["a"]"#),
    ] {
      for (topic, environment) in [
        ("com.example.app", "production"), ("com.example.app", "sandbox"), ("com.example.b", "production"),
      ] {
        let answer = await api.answer(
          "POST", "/v1/" + path, token: access,
          body: #"{"topic":"\#(topic)","environment":"\#(environment)",\#(target),\#(Self.alert)}"#)
        let isTold = answer.text.contains("no key for '\(topic)' in '\(environment)', \(words)")
        #expect(isTold == (topic != "com.example.app" || environment == "sandbox"), "\(answer.text)")
      }
    }
  }

  @Test func aRepetitionMayBeAnObjectAndBeginNow() async throws {
    let answer = try await post(#"\#(Self.alert),"repeat":{"FREQ":"WEEKLY","BYDAY":["MO","FR"],"COUNT":3}"#)
    #expect(answer.status == 201, "\(answer.text)")
    #expect(answer.text.contains(#""repeat":"FREQ=WEEKLY;BYDAY=MO,FR;COUNT=3""#))
    // The fourteenth of September 2026 is a Monday.
    #expect(answer.text.contains(#""state":"running""#))
  }

  static let warned: [(rest: String, path: String, text: String)] = [
    (
      #""payload":{"aps":{"alert":"Hi {{alias|there}}"}}"#, "/v1/campaigns",
      "'{{alias|there}}' is sent as it is written."
    ),
    (
      #"ALERT,"expiration":1700000000"#, "/v1/notifications", "It is in the past, so no device gets the push."
    ),
    (#"ALERT,"expiration":3600"#, "/v1/notifications", "lies decades in the past. [push.past-expiration]"),
  ]

  /// What is stored as it was asked for, and is probably not what was meant.
  @Test(arguments: warned.indices)
  func warnsOfWhatIsProbablyNotMeant(_ index: Int) async throws {
    let row = Self.warned[index]
    let api = try APIUnderTest()
    let access = try api.token(Set(AccessScope.allCases))
    let target = row.path == "/v1/campaigns" ? #""audience":"all""# : #""aliases":["a"]"#
    let answer = await api.answer(
      "POST", row.path, token: access,
      body:
        #"{"topic":"com.example.app","environment":"production",\#(target),"#
        + row.rest.replacing("ALERT", with: Self.alert) + "}")
    #expect((200..<300).contains(answer.status), "\(answer.text)")
    #expect(answer.text.contains(row.text), "\(answer.text)")
  }

  static let refused: [(rest: String, status: Int, text: String)] = [
    (#""payloads":{"de":{"aps":{"alert":"Hallo"}}}"#, 400, "'default' is missing"),
    (
      #""payloads":{"default":{"aps":{"alert":"Hi"}},"german!":{"aps":{}}}"#, 400,
      "'german!' is not a language"
    ),
    (
      #""payloads":{"default":{"aps":{"alert":"Hi"}},"de_AT":{"aps":{"alert":"a"}},"de-at":{"aps":{"alert":"b"}}}"#,
      400, "occurs twice"
    ),
    (#"ALERT,"payloads":{"default":{"aps":{"alert":"Hi"}}}"#, 400, "exclude each other"),
    (
      #""payloads":{"default":{"aps":{"alert":"Hi"}},"de":{"aps":{"badge":"1"}}}"#, 409,
      "/payloads/de/aps/badge"
    ),
    (
      #""variants":[{"name":"a","share":0.5,"payload":{"aps":{"alert":"A"}}}]"#, 400,
      "The shares are not 1 together"
    ),
    (
      #"ALERT,"variants":[{"name":"a","share":0.5,"payload":{"aps":{"badge":-1}}}]"#, 409,
      "/variants/0/payload/aps/badge"
    ),
    (#"ALERT,"variants":[{"share":0.5,"payload":{"aps":{"alert":"A"}}}]"#, 400, "'name' is missing"),
    (#"ALERT,"holdout":1"#, 400, "A holdout of 1 leaves no device"),
    (#"ALERT,"holdout":"0.1""#, 400, "Expected a share from 0 to 1"),
    (#"ALERT,"starts_at":"tomorrow""#, 400, "Expected a moment such as"),
    (#"ALERT,"starts_at":"2026-09-13T08:00:00Z""#, 400, "It is in the past"),
    (#"ALERT,"repeat":"FREQ=DAILY;UNTIL=20260913""#, 400, "would never happen"),
    (#"ALERT,"repeat":"FREQ=YEARLY;INTERVAL=1000000""#, 400, "expects a number from 1 to 100, got '1000000'"),
    (#"ALERT,"repeat":"FREQ=MONTHLY;INTERVAL=1000000""#, 400, "expects a number from 1 to 1200"),
    (#"ALERT,"repeat":"FREQ=MONTHLY;BYDAY=6MO""#, 400, "no day until the year 9999 fits"),
    (#"ALERT,"starts_at":"9999-12-31T23:59:59-23:59""#, 400, "It is after the year 9999"),
    (
      #"ALERT,"starts_at":"9999-12-31T23:59:59Z","local_time":"09:00""#, 400,
      "near to the end of the year 9999"
    ),
    (#"ALERT,"repeat":"FREQ=SOMETIMES""#, 400, "'FREQ=SOMETIMES' is unknown"),
    (#"ALERT,"repeat":"FREQ=DAILY","expiration":1800000000"#, 400, "is one moment"),
    (#"ALERT,"quiet_hours":{"from":"22:00","to":"22:00"}"#, 400, "Expected two different times"),
    (#"ALERT,"cap":{"count":2}"#, 400, "Expected a number of pushes"),
    (#"ALERT,"cap":{"count":0,"per_s":60}"#, 400, "/cap/count"),
    (
      #"ALERT,"starts_at":"2026-12-24T08:00:00Z","expiration":1797000000"#, 400,
      "before the campaign starts"
    ),
    (#"ALERT,"quiet_hours":{"from":"00:00","to":"23:59"}"#, 400, "They leave one minute of the day"),
    (#"ALERT,"quiet_hours":{"from":"7:00","to":"08:00"}"#, 400, "two digits each"),
    (#"ALERT,"expiration":1789372799"#, 409, "so no device there gets it"),
    // 2026-09-14T09:00:00Z, an hour before a device without a time zone gets it.
    (
      #"ALERT,"local_time":"10:00","expiration":1789376400"#, 409,
      "it is not due before 2026-09-14T10:00:00.000Z"
    ),
    // 2026-09-14T23:00:00Z, of a device without a time zone.
    (
      #"ALERT,"quiet_hours":{"from":"22:00","to":"08:00"},"expiration":1789426800"#, 409,
      "The push expires at 23:00 in UTC, in the quiet hours from 22:00 to 08:00"
    ),
  ]

  @Test(arguments: refused.indices)
  func refusesWhatCannotBe(_ index: Int) async throws {
    let row = Self.refused[index]
    for path in ["/v1/campaigns", "/v1/estimates"] {
      let answer = try await post(row.rest.replacing("ALERT", with: Self.alert), to: path)
      #expect(answer.status == row.status, "\(row.rest): \(answer.text)")
      #expect(answer.text.contains(row.text), "\(answer.text)")
    }
  }
}
