import DeviceRegistry
import Foundation
import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import LinkspanServer

private let token = String(repeating: "a1", count: 32)
private let other = String(repeating: "b2", count: 32)
private let everything: Set<AccessScope> = Set(AccessScope.allCases)

/// `/v1/notifications`, `/v1/campaigns` and `/v1/deliveries` without a sender.
@Suite("Registry API: notifications and campaigns", .timeLimit(.minutes(15)))
struct MessagesAPITests {
  static let head = #""topic":"com.example.app","environment":"production""#
  static let alert = #""payload":{"aps":{"alert":"Hi"}}"#
  static let notification = "{\(head),\(alert),\"tokens\":[\"\(token)\"]}"
  static let campaign = "{\(head),\(alert),\"audience\":\"all\"}"

  func register(_ api: APIUnderTest, _ access: String, _ token: String, _ rest: String = "") async {
    let answer = await api.answer(
      "PUT", "/v1/devices/" + token, token: access, body: "{\(Self.head)\(rest)}")
    #expect(answer.status == 201)
  }

  func post(
    _ api: APIUnderTest, _ path: String, _ access: String?, _ body: String, key: String? = nil
  ) async -> HTTPResponse {
    await api.answer(
      "POST", path, token: access, body: body, fields: key.map { ["Idempotency-Key": $0] } ?? [:])
  }

  @Test func aNotificationIsInTheJournalWhenItIsAnswered() async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    await register(api, access, other, #","alias":"ann""#)
    let body =
      "{\(Self.head),\(Self.alert),\"tokens\":[\"<A1A1\(token.dropFirst(4))>\"],"
      + "\"aliases\":[\"ann\",\"bob\"]}"
    let answer = await post(api, "/v1/notifications", access, body)
    #expect(answer.status == 202, "\(answer.text)")
    #expect(
      answer.text
        == #"{"id":"1","name":null,"state":"running","topic":"com.example.app","environment":"production","#
        + #""push_type":"alert","priority":10,"expiration":null,"collapse_id":null,"redacted":false,"#
        + #""created_at":"2026-09-14T08:00:00.000Z","finished_at":null,"deliveries":{"open":2,"accepted":0,"#
        + #""rejected":0,"expired":0,"cancelled":0,"maybe_twice":0},"reasons":{},"warnings":[]}"#)
    #expect(await api.answer("GET", "/v1/notifications/1", token: access).status == 200)
    let journal = await api.answer("GET", "/v1/deliveries?notification=1", token: access).object
    let lines = try #require(journal["deliveries"] as? [[String: Any]])
    #expect(lines.map { $0["token"] as? String } == [other, token].map(api.registry.hash.token))
    #expect(lines.allSatisfy { $0["state"] as? String == "queued" && $0["notification"] as? String == "1" })
    let list = await api.answer("GET", "/v1/notifications", token: access).object
    #expect((list["notifications"] as? [Any])?.count == 1)
  }

  /// A key is one field of 1 to 255 visible characters.
  @Test(
    arguments: [
      (["a"], 202), ([String(repeating: "a", count: 255)], 202), ([String(repeating: "a", count: 256)], 400),
      ([""], 400), (["a b"], 400), (["a", "a"], 400), (["!~"], 202), (["é"], 400),
    ] as [([String], Int)])
  func aRequestKeyIsOnePlainText(_ keys: [String], _ status: Int) async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    let answer = await api.answer(
      "POST", "/v1/notifications", token: access, body: Self.notification,
      repeated: keys.map { ("Idempotency-Key", $0) })
    #expect(answer.status == status)
  }

  @Test(arguments: [
    ("topic=com.example.app", 200), ("topic=", 400), ("topic=a%20b", 400), ("campaign=x", 400),
    ("notification=-", 400),
  ])
  func theJournalIsAskedForWhatThereCanBe(_ query: String, _ status: Int) async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    #expect(await api.answer("GET", "/v1/deliveries?" + query, token: access).status == status)
  }

  static let refused: [(path: String, body: String, status: Int, text: String)] = [
    ("notifications", "{\(head),\(alert)}", 400, "No recipient"),
    ("notifications", "{\(head),\"tokens\":[\"\(token)\"]}", 400, "'payload' is missing"),
    ("notifications", "{\(head),\(alert),\"tokens\":[\"xyz\"]}", 400, "/tokens/0"),
    (
      "notifications", "{\(head),\(alert),\"tokens\":[\"\(token)\"],\"aliase\":[]}", 400,
      "Did you mean 'aliases'?"
    ),
    (
      "notifications",
      "{\(head),\"payload\":{\"aps\":{},\"content-available\":1},\"tokens\":[\"\(token)\"]}", 409,
      "\"pointer\":\"/payload/content-available\""
    ),
    (
      "notifications",
      "{\(head),\(alert),\"push_type\":\"background\",\"tokens\":[\"\(token)\"]}", 409, "background"
    ),
    (
      "notifications", "{\(head),\(alert),\"push_type\":\"banana\",\"tokens\":[\"\(token)\"]}", 400,
      "/push_type"
    ),
    (
      "notifications",
      "{\(head),\(alert),\"collapse_id\":\"\(String(repeating: "a", count: 65))\",\"tokens\":[\"\(token)\"]}",
      409,
      "\"pointer\":\"/collapse_id\""
    ),
    (
      "notifications",
      "{\(head),\"payload\":{\"aps\":{\"content-available\":1}},\"push_type\":\"background\",\"priority\":10,"
        + "\"tokens\":[\"\(token)\"]}", 409, "\"pointer\":\"/priority\""
    ),
    ("notifications", "{\(head),\(alert),\"tokens\":[\"\(token)\"],\"aliases\":null}", 400, "/aliases"),
    ("campaigns", "{\(head),\(alert),\"query\":{\"from_version\":null}}", 400, "'from_version' has no value"),
    (
      "campaigns", "{\(head),\(alert),\"query\":{\"seen_within_s\":null}}", 400,
      "'seen_within_s' has no value"
    ),
    ("campaigns", "{\(head),\(alert),\"query\":{\"not_seen_for_s\":0}}", 400, "/query/not_seen_for_s"),
    (
      "campaigns", "{\(head),\(alert),\"query\":{\"seen_within_s\":60,\"not_seen_for_s\":60}}", 400,
      "No device fits: 'seen_within_s' has to be more than 'not_seen_for_s'."
    ),
    (
      "campaigns", "{\(head),\(alert),\"query\":{\"from_version\":\"1.10\",\"below_version\":\"1.9\"}}", 400,
      "No device fits: 'below_version' has to be later than 'from_version'."
    ),
    (
      "campaigns", "{\(head),\(alert),\"query\":{\"tags\":[\"a\",\"b\"],\"without_tags\":[\"b\"]}}", 400,
      "No device fits: 'b' is one of 'tags' as well."
    ),
    (
      "campaigns", "{\(head),\(alert),\"query\":{\"any_tags\":[\"a\"],\"without_tags\":[\"a\"]}}", 400,
      "No device fits: every tag of 'any_tags' is here as well."
    ),
    (
      "campaigns", "{\(head),\(alert),\"query\":{\"without_tag\":[\"a\"]}}", 400,
      "Did you mean 'without_tags'?"
    ),
    ("campaigns", "{\(head),\(alert)}", 400, "\\\"audience\\\": \\\"all\\\""),
    ("campaigns", "{\(head),\(alert),\"query\":{\"tags\":[]}}", 400, "'tags' has no value"),
    ("campaigns", "{\(head),\(alert),\"query\":{\"tag\":[\"a\"]}}", 400, "Did you mean 'tags'?"),
    (
      "campaigns", "{\(head),\(alert),\"audience\":\"all\",\"query\":{\"tags\":[\"a\"]}}", 400,
      "exclude each other"
    ),
    ("campaigns", "{\(head),\(alert),\"audience\":\"all\",\"local_time\":\"9:00\"}", 400, "/local_time"),
    (
      "campaigns", "{\(head),\(alert),\"audience\":\"all\",\"throttle_per_second\":0}", 400,
      "/throttle_per_second"
    ),
    ("estimates", "{\(head),\(alert),\"audience\":\"some\"}", 400, "/audience"),
  ]

  @Test(arguments: refused.indices)
  func refusesWithAReason(_ index: Int) async throws {
    let row = Self.refused[index]
    let api = try APIUnderTest()
    let answer = await post(api, "/v1/" + row.path, try api.token(everything), row.body)
    #expect(answer.status == row.status, "\(answer.text)")
    #expect(answer.fields["Content-Type"] == "application/problem+json")
    #expect(answer.text.contains(row.text), "\(answer.text)")
  }

  @Test func aKeyMakesARequestOnce() async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    let first = await post(api, "/v1/notifications", access, Self.notification, key: "one")
    let again = await post(api, "/v1/notifications", access, Self.notification, key: "one")
    #expect(first.status == 202)
    #expect(again.status == 202)
    #expect(again.text == first.text)
    #expect(first.fields["Idempotency-Replayed"] == nil)
    #expect(again.fields["Idempotency-Replayed"] == "true")
    let different = await post(
      api, "/v1/notifications", access, Self.notification.replacing("Hi", with: "Ho"), key: "one")
    #expect(different.status == 409)
    #expect(await post(api, "/v1/notifications", access, Self.notification, key: "a b").status == 400)
    let stranger = await post(
      api, "/v1/notifications", try api.token(everything), Self.notification, key: "one")
    #expect(stranger.fields["Idempotency-Replayed"] == nil)
    let list = await api.answer("GET", "/v1/notifications", token: access).object
    #expect((list["notifications"] as? [Any])?.count == 2)
  }

  @Test func aCampaignForNobodySaysSo() async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    func made(_ query: String) async -> HTTPResponse {
      await post(api, "/v1/campaigns", access, "{\(Self.head),\(Self.alert),\"query\":{\(query)}}")
    }
    let strange = await made("\"tags\":[\"nobody\"]")
    #expect(strange.status == 201)
    #expect(
      strange.text.contains(
        "The registry has no device of 'com.example.app' in 'production', so nothing would be sent."),
      "\(strange.text)")
    await register(api, access, token)
    let nobody = await made("\"tags\":[\"nobody\"]")
    #expect(nobody.status == 201)
    #expect(nobody.text.contains("No device fits now, so nothing would be sent."))
    let refused = await made("\"from_version\":\"banana\"")
    #expect(refused.status == 400)
    #expect(refused.text.contains("Expected a version that begins with a number"), "\(refused.text)")
  }

  /// As a campaign that fits no device does, whatever carries the push.
  @Test func aPushThatNoDeviceGetsIsWarnedOf() async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    await register(api, access, token, #","alias":"ann""#)
    func details(_ path: String, _ body: String) async throws -> [String] {
      let answer = await post(api, path, access, body)
      #expect((200..<300).contains(answer.status), "\(answer.text)")
      let warnings = try #require(answer.object["warnings"] as? [[String: Any]], "\(answer.text)")
      return warnings.compactMap { $0["detail"] as? String }
    }
    let ghost = "{\(Self.head),\(Self.alert),\"aliases\":[\"ghost\"]}"
    #expect(
      try await details("/v1/notifications", ghost) == [
        "No device of 'com.example.app' in 'production' has one of the aliases, so nothing was sent."
      ])
    #expect(
      try await details("/v1/notifications", ghost.replacing("ghost", with: "ann")).isEmpty)
    let activity =
      "{\(Self.head),\"attributes_type\":\"Ride\",\"attributes\":{},\"content_state\":{},"
      + "\"alert\":{\"title\":\"A\",\"body\":\"B\"},"
    #expect(
      try await details("/v1/activities", activity + "\"aliases\":[\"ghost\"]}") == [
        "No device of 'com.example.app.push-type.liveactivity' in 'production' has one of the aliases, so nothing was sent."
      ])
    #expect(
      try await details("/v1/activities", activity + "\"query\":{\"tags\":[\"ghost\"]}}").contains {
        $0.hasSuffix("so nothing would be sent.")
      })
    // One that the app starts, too.
    #expect(try await details("/v1/activities", "{\(Self.head)}").isEmpty)
  }

  /// One warning for one mistake.
  @Test(arguments: [1, 3_600, 1_789_372_700]) func anExpirationThatIsOverIsWarnedOfOnce(seconds: Int)
    async throws
  {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    let answer = await post(
      api, "/v1/notifications", access,
      "{\(Self.head),\(Self.alert),\"tokens\":[\"\(token)\"],\"expiration\":\(seconds)}")
    let warnings = try #require(answer.object["warnings"] as? [[String: Any]], "\(answer.text)")
    #expect(warnings.map { $0["pointer"] as? String } == ["/expiration"], "\(answer.text)")
  }

  @Test func aCampaignIsEstimatedPausedResumedAndCancelled() async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    await register(api, access, token, #","tags":["beta"],"locale":"de_AT","app_version":"2.1""#)
    await register(api, access, other, #","tags":["beta"],"locale":"en""#)
    let query =
      "{\(Self.head),\(Self.alert),\"query\":{\"tags\":[\"beta\"],\"locales\":[\"de\"],\"from_version\":\"2\"},"
      + "\"throttle_per_second\":10,\"name\":\"news\"}"
    let estimate = await post(api, "/v1/estimates", access, query)
    #expect(
      estimate.text
        == #"{"devices":1,"times_in_day":1,"repeat":null,"seconds":1,"#
        + #""waves":[{"due_at":"2026-09-14T08:00:00.000Z","devices":1}],"ask_above":1000,"#
        + #""warnings":[]}"#
    )
    #expect(await api.answer("GET", "/v1/campaigns", token: access).text == #"{"campaigns":[],"next":null}"#)
    let made = await post(api, "/v1/campaigns", access, query)
    #expect(made.status == 201, "\(made.text)")
    #expect(made.object["devices"] as? Int == 1)
    #expect(made.object["expanding"] as? Bool == true)
    for (word, state) in [
      ("pause", "paused"), ("resume", "running"), ("cancel", "cancelled"), ("cancel", "cancelled"),
    ] {
      let answer = await api.answer("POST", "/v1/campaigns/1/\(word)", token: access)
      #expect(answer.status == 200)
      #expect(answer.object["state"] as? String == state)
      #expect(answer.object["not_queued"] as? Int == 1)
    }
    #expect(await api.answer("POST", "/v1/campaigns/1/resume", token: access).status == 409)
    #expect(await api.answer("POST", "/v1/campaigns/2/pause", token: access).status == 404)
    // A notification is no campaign.
    #expect(await api.answer("GET", "/v1/notifications/1", token: access).status == 404)
    let audit = try api.registry.askAndWait { store throws(RegistryError) in try store.auditLog(limit: 4) }
    #expect(
      audit.map(\.action) == ["campaign.cancel", "campaign.cancel", "campaign.resume", "campaign.pause"])
  }

  @Test func pagesByKeyTheNewestFirst() async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    for _ in 0..<5 { _ = await post(api, "/v1/notifications", access, Self.notification) }
    var seen: [String] = []
    var query = "?limit=2"
    while true {
      let page = await api.answer("GET", "/v1/notifications" + query, token: access).object
      seen += (page["notifications"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
      guard let next = page["next"] as? String else { break }
      query = "?limit=2&after=\(next)"
    }
    #expect(seen == ["5", "4", "3", "2", "1"])
    for query in ["?after=x", "?limit=0", "?state=odd", "?colour=red", "?limit=1&limit=1"] {
      #expect(await api.answer("GET", "/v1/notifications" + query, token: access).status == 400)
    }
    for query in ["?reason=%00", "?state=odd", "?token=x", "?maybe_twice=1", "?campaign=x", "?topic=a%20b"] {
      #expect(await api.answer("GET", "/v1/deliveries" + query, token: access).status == 400)
    }
  }

  @Test func scopesCount() async throws {
    let api = try APIUnderTest()
    let reader = try api.token([.readNotifications, .readCampaigns])
    let devices = try api.token([.readDevices, .writeDevices])
    for (path, body) in [("/v1/notifications", Self.notification), ("/v1/campaigns", Self.campaign)] {
      for (access, status) in [(nil, 401), (reader, 403), (devices, 403)] as [(String?, Int)] {
        #expect(await post(api, path, access, body).status == status)
      }
      #expect(await api.answer("GET", path, token: devices).status == 403)
      #expect(await api.answer("GET", path, token: reader).status == 200)
    }
    #expect(await api.answer("POST", "/v1/campaigns/1/cancel", token: reader).status == 403)
    #expect(await api.answer("GET", "/v1/deliveries", token: devices).status == 403)
    let list = await api.answer("GET", "/v1/notifications", token: reader)
    #expect(list.text == #"{"notifications":[],"next":null}"#)
  }

  @Test func otherTopicsAreOutOfSight() async throws {
    let api = try APIUnderTest()
    let ours = try api.token(everything, topics: ["com.example.app"])
    let theirs = try api.token(everything, topics: ["com.example.other"])
    for (path, body) in [
      ("/v1/notifications", Self.notification), ("/v1/campaigns", Self.campaign),
      ("/v1/estimates", Self.campaign),
    ] {
      #expect(await post(api, path, theirs, body).status == 403)
    }
    #expect(await post(api, "/v1/notifications", ours, Self.notification).status == 202)
    #expect(await post(api, "/v1/campaigns", ours, Self.campaign).status == 201)
    #expect(await api.answer("GET", "/v1/notifications/1", token: theirs).status == 404)
    #expect(await api.answer("GET", "/v1/campaigns/2", token: theirs).status == 404)
    for word in ["pause", "resume", "cancel"] {
      #expect(await api.answer("POST", "/v1/campaigns/2/\(word)", token: theirs).status == 404)
    }
    #expect(await api.answer("GET", "/v1/campaigns", token: theirs).text == #"{"campaigns":[],"next":null}"#)
    let journal = await api.answer("GET", "/v1/deliveries?notification=1", token: theirs)
    #expect(journal.text == #"{"deliveries":[],"next":null}"#)
    #expect(await api.answer("GET", "/v1/deliveries?topic=com.example.app", token: theirs).status == 403)
    #expect(await api.answer("GET", "/v1/notifications/1", token: ours).status == 200)
  }

  @Test func everyRouteIsInTheDescription() async throws {
    let api = try APIUnderTest()
    let document = await api.answer("GET", "/v1/openapi.json").object
    let paths = try #require(document["paths"] as? [String: [String: Any]])
    for (path, operations) in paths {
      let target = path.replacing("{token}", with: token).replacing("{id}", with: "1")
      let known = Set(operations.keys.filter { $0 != "parameters" }.map { $0.uppercased() })
      let options = await api.answer("OPTIONS", target)
      let allowed = Set((options.fields["Allow"] ?? "").split(separator: ", ").map(String.init))
      #expect(allowed.subtracting(["HEAD", "OPTIONS"]) == known, "\(path)")
    }
    #expect(paths.count == 25)
  }

  @Test("Row 4: what was sent to an erased person alone is not answered any more")
  func aRedactedNotificationSaysNothing() async throws {
    let api = try APIUnderTest()
    let access = try api.token(everything)
    await register(api, access, token, #","alias":"ann""#)
    let body =
      "{\(Self.head),\"payload\":{\"aps\":{\"alert\":\"private\"}},\"name\":\"private\","
      + "\"collapse_id\":\"private\",\"aliases\":[\"ann\"]}"
    let first = await post(api, "/v1/notifications", access, body, key: "one")
    #expect(first.text.contains("private"))
    #expect(await api.answer("DELETE", "/v1/devices/" + token, token: access).status == 200)
    let erasure = await api.answer("POST", "/v1/erasures", token: access, body: #"{"alias":"ann"}"#)
    #expect(erasure.text.hasPrefix(#"{"erased":0,"cancelled":0,"redacted":1,"remains":["#))
    // The key still stands for the request, and nothing is sent.
    let again = await post(api, "/v1/notifications", access, body, key: "one")
    #expect(again.status == 202)
    #expect(again.fields["Idempotency-Replayed"] == "true")
    for path in ["/v1/notifications/1", "/v1/notifications"] {
      let answer = await api.answer("GET", path, token: access).text
      #expect(answer.contains(#""redacted":true"#))
      #expect(!answer.contains("private"))
    }
    #expect(!again.text.contains("private"))
    let journal = await api.answer("GET", "/v1/deliveries", token: access).text
    #expect(journal.contains(#""token":"erased-1""#))
    #expect(journal.contains(#""state":"cancelled""#))
  }
}
