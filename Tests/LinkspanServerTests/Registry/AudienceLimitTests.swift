import DeviceRegistry
import LinkspanCore
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import LinkspanServer
@testable import RegistryServer

/// A push to many devices, whatever chooses them, wants their number confirmed when it is created.
@Suite("Registry API: audiences that have to be confirmed", .timeLimit(.minutes(15)))
struct AudienceLimitTests {
  static let bounds: [(count: Int64, confirmed: Int64?, goes: Bool)] = [
    (0, nil, true), (1_000, nil, true), (1_001, nil, false),
    (1_001, 1_001, true), (1_010, 1_000, true), (1_011, 1_000, false),
    // Where a client says a bound it holds, however small the audience is.
    (10, 9, false), (9, 9, true), (100, 99, false), (101, 100, true), (102, 100, false), (0, 0, true),
    (1, 0, false), (1_000_000_000_000, 1_000_000_000_000, true),
  ]

  @Test(arguments: bounds.indices)
  func oneInAHundredMoreIsLetPass(_ index: Int) {
    let row = Self.bounds[index]
    let refusal = AudienceLimit(askAbove: AudienceLimit.usual)
      .refusal(of: row.count, confirmed: row.confirmed, "campaign")
    #expect((refusal == nil) == row.goes, "\(row)")
  }

  private static let head =
    #""topic":"com.example.app","environment":"production","payload":{"aps":{"alert":"Hi"}}"#

  private static func token(_ number: Int) -> String {
    String(repeating: "0", count: 62) + ASCII.hexText([UInt8(number)])
  }

  /// Twelve devices, of which three are ann's, and a limit of ten.
  private static func api() async throws -> (APIUnderTest, String) {
    var options = RegistryAPI.Options()
    options.askAbove = 10
    options.canSend = true
    options.legacy = .init(topic: "com.example.app", environment: .production, isOpen: false)
    let api = try APIUnderTest(options)
    let access = try api.token(Set(AccessScope.allCases))
    for number in 0..<12 {
      let alias = number < 3 ? "ann" : "user\(number)"
      let answer = await api.answer(
        "PUT", "/v1/devices/\(token(number))", token: access,
        body: "{\"topic\":\"com.example.app\",\"environment\":\"production\",\"alias\":\"\(alias)\","
          + "\"locale\":\"\(number % 2 == 0 ? "de" : "fr")\",\"tags\":[\"news\"]}")
      #expect(answer.status == 201)
    }
    return (api, access)
  }

  private static let tokens = (0..<12).map { "\"\(token($0))\"" }.joined(separator: ",")
  private static let aliases = (["ann"] + (3..<12).map { "user\($0)" }).map { "\"\($0)\"" }.joined(
    separator: ",")

  /// All reach twelve devices.
  static let audiences = [
    ("campaigns", #""audience":"all""#), ("campaigns", #""query":{"locales":["de","fr"]}"#),
    ("campaigns", #""query":{"tags":["news"]}"#), ("campaigns", #""query":{"any_tags":["news","none"]}"#),
    ("notifications", "\"tokens\":[\(tokens)]"), ("notifications", "\"aliases\":[\(aliases)]"),
    ("notifications", "\"aliases\":[\(aliases)],\"tokens\":[\"\(token(1))\",\"\(token(1))\"]"),
  ]

  private static func stored(_ api: APIUnderTest) throws -> (messages: Int, deliveries: Int) {
    try api.registry.askAndWait { store throws(RegistryError) in
      (
        try store.messages(.campaign, topics: nil, limit: 9).count
          + store.messages(.notification, topics: nil, limit: 9).count,
        try store.deliveries(.init(), limit: 99).count
      )
    }
  }

  @Test(arguments: audiences.indices)
  func whateverChoosesTheDevicesTheirNumberIsAsked(_ index: Int) async throws {
    let (path, members) = Self.audiences[index]
    let (api, access) = try await Self.api()
    func post(_ confirm: String) async -> HTTPResponse {
      await api.answer("POST", "/v1/\(path)", token: access, body: "{\(Self.head),\(members)\(confirm)}")
    }
    let refused = await post("")
    #expect(refused.status == 409)
    #expect(refused.object["count"] as? Int == 12)
    #expect(
      refused.object["detail"] as? String
        == "The \(path.dropLast()) would reach 12 devices, more than 10. Nothing was sent. To send it to all of them, "
        + "repeat the request with \"confirm\": 12.")
    #expect(await post(",\"confirm\":11").status == 409)
    #expect(try Self.stored(api) == (0, 0))
    let sent = await post(",\"confirm\":12")
    #expect(sent.status == (path == "campaigns" ? 201 : 202), "\(sent.text)")
    #expect(try Self.stored(api).messages == 1)
  }

  /// Else the word for twelve devices would let every second of a night through.
  @Test func whatComesAgainWithinADayCountsAsOften() async throws {
    let (api, access) = try await Self.api()
    func post(_ path: String, _ rule: String, _ confirm: String) async -> HTTPResponse {
      await api.answer(
        "POST", path, token: access,
        body: "{\(Self.head),\"audience\":\"all\",\"repeat\":\"\(rule)\"\(confirm)}")
    }
    let estimate = await post("/v1/estimates", "FREQ=HOURLY", "")
    #expect(
      estimate.text.hasPrefix(#"{"devices":12,"times_in_day":24,"repeat":"FREQ=HOURLY","seconds":null,"#))
    let refused = await post("/v1/campaigns", "FREQ=HOURLY", ",\"confirm\":12")
    #expect(refused.status == 409)
    #expect(refused.object["count"] as? Int == 288)
    #expect(refused.object["times_in_day"] as? Int == 24)
    #expect(
      refused.object["detail"] as? String
        == "The campaign would send 288 pushes in its first 24 hours, up to 24 to each of 12 devices, more than the 12 that were "
        + "confirmed. Nothing was sent. To send it to all of them, repeat the request with \"confirm\": 288.")
    #expect(try Self.stored(api).messages == 0)
    #expect(await post("/v1/campaigns", "FREQ=HOURLY", ",\"confirm\":288").status == 201)
    #expect(await post("/v1/campaigns", "FREQ=DAILY", ",\"confirm\":12").status == 201)
  }

  @Test func aSmallAudienceNeedsNoWord() async throws {
    let (api, access) = try await Self.api()
    for body in [#""query":{"locales":["de"]}"#, #""query":{"tags":["none"]}"#] {
      #expect(
        await api.answer("POST", "/v1/campaigns", token: access, body: "{\(Self.head),\(body)}").status == 201
      )
    }
    let ann = await api.answer(
      "POST", "/v1/notifications", token: access, body: "{\(Self.head),\"aliases\":[\"ann\"]}")
    #expect(ann.status == 202)
  }

  @Test func anEstimateSaysFromWhereOnItIsAsked() async throws {
    let (api, access) = try await Self.api()
    let answer = await api.answer(
      "POST", "/v1/estimates", token: access, body: "{\(Self.head),\"audience\":\"all\"}")
    #expect(answer.object["devices"] as? Int == 12)
    #expect(answer.object["ask_above"] as? Int == 10)
  }

  /// The same request with and without its count is one request, so that a key works across the question.
  @Test(arguments: [
    ("{\(head),\"audience\":\"all\"}", "{\(head),\"audience\":\"all\",\"confirm\":12}"),
    ("{\(head),\"audience\":\"all\"}", "{\"confirm\":12,\(head),\"audience\":\"all\"}"),
    ("{\(head),\"audience\":\"all\"}", "{\(head),\"confirm\":12,\"audience\":\"all\"}"),
  ])
  func aKeyBelongsToTheRequestWithoutItsCount(plain: String, confirmed: String) async throws {
    let (api, access) = try await Self.api()
    func post(_ body: String) async -> HTTPResponse {
      await api.answer(
        "POST", "/v1/campaigns", token: access, body: body, fields: ["Idempotency-Key": "monday"])
    }
    #expect(await post(plain).status == 409)
    let made = await post(confirmed)
    #expect(made.status == 201)
    for body in [plain, confirmed] {
      let again = await post(body)
      #expect(again.status == 201 && again.fields["Idempotency-Replayed"] == "true", "\(again.text)")
      #expect(again.text == made.text)
    }
    #expect(try Self.stored(api).messages == 1)
  }

  @Test(arguments: ["-1", "1.5", "\"12\"", "1000000000001"])
  func aCountIsANumberOfDevices(_ text: String) async throws {
    let (api, access) = try await Self.api()
    let answer = await api.answer(
      "POST", "/v1/campaigns", token: access, body: "{\(Self.head),\"audience\":\"all\",\"confirm\":\(text)}")
    #expect(answer.status == 400)
    #expect(answer.text.contains("/confirm"))
  }

  /// Of 2013, too: the form takes the same field.
  @Test func theOldRouteAsksAsWell() async throws {
    let (api, access) = try await Self.api()
    let payload = "payload=%7B%22aps%22%3A%7B%22alert%22%3A%22Hi%22%7D%7D"
    let form = "application/x-www-form-urlencoded"
    let list = (0..<12).map(Self.token).joined(separator: ",")
    for devices in ["audience=all", "tokens=\(list)"] {
      let refused = await api.answer(
        "POST", "/message", token: access, body: "\(payload)&\(devices)", type: form)
      #expect(refused.status == 409)
      #expect(refused.object["count"] as? Int == 12)
      #expect(
        await api.answer(
          "POST", "/message", token: access, body: "\(payload)&\(devices)&confirm=many", type: form
        ).status == 400)
      let sent = await api.answer(
        "POST", "/message", token: access, body: "\(payload)&\(devices)&confirm=12", type: form)
      #expect(sent.status == 204, "\(sent.text)")
    }
    #expect(try Self.stored(api).messages == 2)
  }
}
